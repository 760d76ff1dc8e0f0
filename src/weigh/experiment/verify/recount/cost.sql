
-- What an execution costs in each start: the mean over its executions, then over the cases; nothing where one of them
-- is not known. The whole suite is the sum over the operations, where all of them are there.
CREATE TEMP VIEW cost_start AS
SELECT operation, temperature, contender, arm, attempt, block, avg(mean) AS money
FROM (
    SELECT
        operation, temperature, "case", contender, arm, attempt, block,
        CASE WHEN count(value) = count(*) THEN avg(value) END AS mean
    FROM measured
    WHERE metric = 'cost'
    GROUP BY ALL
) JOIN cases USING (operation, temperature)
GROUP BY operation, temperature, contender, arm, attempt, block, cases
HAVING count(mean) = cases;

CREATE TEMP VIEW cost_suite AS
SELECT temperature, contender, arm, attempt, block, sum(money) AS money
FROM cost_start JOIN cost_member USING (operation)
GROUP BY ALL
HAVING count(*) = (SELECT count(*) FROM cost_member);

CREATE TEMP VIEW cost_row AS
SELECT
    operation, contender, temperature, starts, mean,
    greatest(mean - quantile * deviation / sqrt(starts), 0) AS low, mean + quantile * deviation / sqrt(starts) AS high
FROM (
    SELECT operation, contender, temperature, count(*) AS starts, avg(money) AS mean, stddev_samp(money) AS deviation
    FROM (FROM cost_start UNION ALL BY NAME SELECT *, '' AS operation FROM cost_suite)
    GROUP BY ALL
) LEFT JOIN cost_student ON freedom = starts - 1;

-- The ratio of the sums: each start of a contender with both arms of the baseline in its block, then the mean over the
-- blocks.
CREATE TEMP VIEW cost_ratio AS
SELECT
    contender, temperature, blocks AS starts,
    exp(effect) AS ratio, exp(effect - quantile * error) AS low, exp(effect + quantile * error) AS high
FROM (
    SELECT contender, temperature, count(*) AS blocks, avg(log) AS effect, stddev_samp(log) / sqrt(count(*)) AS error
    FROM (
        SELECT own.contender, temperature, attempt, block, avg(ln(own.money / other.money)) AS log
        FROM cost_suite AS own
            JOIN cost_suite AS other USING (temperature, attempt, block)
            JOIN chosen ON other.contender = baseline
        WHERE own.contender <> baseline
        GROUP BY ALL
    )
    GROUP BY ALL
) LEFT JOIN cost_student ON freedom = blocks - 1;
