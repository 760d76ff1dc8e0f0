
-- Over all operations of a template: one number for each start in which all of them were measured, then mean and error
-- over the starts, or over groups of them that share a build.
CREATE TEMP VIEW template AS
SELECT
    template, temperature, contender, starts,
    exp(effect) AS ratio,
    exp(effect - quantile * error) AS low,
    exp(effect + quantile * error) AS high
FROM (
    SELECT
        template, temperature, contender, sum(size)::BIGINT AS starts, count(*) AS units, any_value(middle) AS effect,
        sqrt(sum(off * off) * count(*) / (count(*) - 1)) / sum(size) AS error
    FROM (
        SELECT template, temperature, contender, middle, count(*) AS size, sum(effect - middle) AS off
        FROM (
            SELECT
                *, avg(effect) OVER (PARTITION BY template, temperature, contender) AS middle,
                coalesce('builds ' || unit, attempt || ' ' || block) AS one
            FROM (
                SELECT template, temperature, contender, attempt, block, avg(effect) AS effect
                FROM contrast JOIN member USING (operation)
                WHERE metric = 'wall_s'
                GROUP BY template, temperature, contender, attempt, block, members
                HAVING count(*) = members
            ) LEFT JOIN grouped USING (contender, attempt, block)
        )
        GROUP BY template, temperature, contender, middle, one
    )
    GROUP BY template, temperature, contender
)
    JOIN template_student USING (template, temperature, contender)
WHERE freedom = units - 1;
