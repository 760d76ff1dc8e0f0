-- Where the next run of a kind falls, by Student's t of the logarithms: for the next run, its own scatter comes on top of
-- that of the mean. Below figures.sql and student_t.sql; a table stands above: member (the runs of each kind).
CREATE TEMP TABLE repeated AS
SELECT attempt, arm, member.loop, member.connections, name, CASE WHEN value > 0 THEN ln(value) END AS log
FROM member JOIN (
    SELECT attempt, arm, run, 'rate' AS name, rate AS value
    FROM rate SEMI JOIN (FROM counted WHERE operation = '') AS answered USING (attempt, arm, run)
    UNION ALL
    SELECT attempt, arm, run, name, seen
    FROM quantile
    WHERE operation = '' AND kind = 'response' AND name IN ('p50', 'p99', 'p999')
    UNION ALL
    SELECT attempt, arm, run, 'mean', mean_of_all FROM longest WHERE operation = '' AND kind = 'response'
) USING (attempt, arm, run)
WHERE value > 0;

CREATE TEMP VIEW between_runs AS
WITH RECURSIVE
    centre AS (
        SELECT attempt, arm, loop, connections, name, count(*) AS runs, avg(log) AS middle, stddev_samp(log) AS spread
        FROM repeated
        GROUP BY ALL
        HAVING count(*) > 1
    ),
    bisected(freedom, low, high, steps) AS (
        SELECT DISTINCT runs - 1, 0.0::DOUBLE, pi() / 2, 0 FROM centre
        UNION ALL
        SELECT
            freedom,
            CASE WHEN within((low + high) / 2, freedom) < 0.95 THEN (low + high) / 2 ELSE low END,
            CASE WHEN within((low + high) / 2, freedom) < 0.95 THEN high ELSE (low + high) / 2 END,
            steps + 1
        FROM bisected
        WHERE steps < 80
    )
SELECT
    attempt, arm, loop, connections, name, exp(middle) AS mean, exp(middle - half) AS low, exp(middle + half) AS high
FROM (
    SELECT *, tan((low + high) / 2) * sqrt(freedom) * spread * sqrt(1 + 1 / runs) AS half
    FROM centre JOIN bisected ON freedom = runs - 1
    WHERE steps = 80
);

-- The first run of each loop against each other, all of it: a stall may have come at any moment.
CREATE TEMP VIEW first_of_loop AS
SELECT attempt, arm, loop, min(top) FILTER (reached >= greatest(ceil(0.99 * whole - 1e-6), 1)) AS p99, max(top) AS max
FROM (
    SELECT
        *, sum(values) OVER (PARTITION BY attempt, arm, loop ORDER BY top) AS reached,
        sum(values) OVER (PARTITION BY attempt, arm, loop) AS whole
    FROM (
        SELECT attempt, arm, run.loop, top, sum(bucket.values)::BIGINT AS values
        FROM bucket JOIN run USING (attempt, arm, run)
        WHERE kind = 'response'
            AND (attempt, arm, run) IN (SELECT (attempt, arm, min(run)) FROM run GROUP BY attempt, arm, loop)
        GROUP BY ALL
    )
)
GROUP BY ALL;

CREATE TEMP VIEW loops AS
SELECT
    attempt, arm, own.p99 AS open_p99, other.p99 AS closed_p99, own.max AS open_max, other.max AS closed_max,
    own.p99 / other.p99 AS ratio
FROM first_of_loop AS own JOIN first_of_loop AS other USING (attempt, arm)
WHERE own.loop = 'open' AND other.loop = 'closed';
