
-- Over all operations of a template: one number for each start in which all of them were measured, then mean and error.
CREATE TEMP VIEW template AS
SELECT
    template, temperature, contender, starts,
    exp(effect) AS ratio,
    exp(effect - quantile * error) AS low,
    exp(effect + quantile * error) AS high
FROM (
    SELECT
        template, temperature, contender,
        count(*) AS starts, avg(effect) AS effect, stddev_samp(effect) / sqrt(count(*)) AS error
    FROM (
        SELECT template, temperature, contender, attempt, block, avg(effect) AS effect
        FROM contrast JOIN member USING (operation)
        WHERE metric = 'wall_s'
        GROUP BY template, temperature, contender, attempt, block, members
        HAVING count(*) = members
    )
    GROUP BY ALL
)
    JOIN template_student USING (template, temperature, contender)
WHERE freedom = starts - 1;
