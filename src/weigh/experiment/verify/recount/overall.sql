-- Over all operations that all contenders can do: one number for each start in which all of them were measured, of each
-- contender over the baseline; two others are compared by the difference of theirs. Then mean and error over the starts.
CREATE TEMP TABLE over_all AS
SELECT contender, temperature, attempt, block, avg(effect) AS effect
FROM contrast
    JOIN common USING (temperature, operation)
    JOIN (SELECT temperature, count(*) AS members FROM common GROUP BY ALL) USING (temperature)
WHERE metric = 'wall_s' AND contender <> (SELECT baseline FROM chosen)
GROUP BY contender, temperature, attempt, block, members
HAVING count(*) = members;

INSERT INTO over_all
SELECT DISTINCT (SELECT baseline FROM chosen), temperature, attempt, block, 0 FROM over_all;

CREATE TEMP VIEW overall AS
SELECT
    contender, other, temperature, starts,
    exp(effect) AS ratio,
    exp(effect - quantile * error) AS low,
    exp(effect + quantile * error) AS high
FROM (
    SELECT
        compared.contender, other, temperature, freedom, quantile, count(*) AS starts,
        avg(own.effect - base.effect) AS effect, stddev_samp(own.effect - base.effect) / sqrt(count(*)) AS error
    FROM compared
        JOIN over_all AS own USING (contender, temperature)
        JOIN over_all AS base ON
            base.contender = other AND base.temperature = compared.temperature
            AND base.attempt = own.attempt AND base.block = own.block
    GROUP BY ALL
)
WHERE freedom = starts - 1;
