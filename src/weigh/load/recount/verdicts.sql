-- Verdicts of several servers, from the figures of each run. Below figures.sql and student_t.sql; three tables stand above:
-- chosen (baseline and rules), refused (what a reason that is not in these figures forbids), factor (by degrees of
-- freedom, how many standard errors a true effect has that is found with 80 % power).

-- What is judged. Response times decide together; each figure beside them is a family of its own. Some are read from a
-- clock. What earlier versions did not record takes a share of the false discovery rate only where it is there.
CREATE TEMP TABLE metric(metric VARCHAR, family VARCHAR, clock BOOLEAN, optional BOOLEAN);
INSERT INTO metric VALUES
    ('p50', '', true, false), ('p95', '', true, false), ('p99', '', true, false), ('p999', '', true, false),
    ('rate', 'rate', true, false), ('errors', 'errors', false, false),
    ('server_cpu_s', 'server_cpu_s', true, false), ('server_memory', 'server_memory', false, false),
    ('server_written', 'server_written', false, true);

-- What can be asked of a run: percentiles of the response time of all operations and, where there are several, of each;
-- of all together also the rate of a closed loop, the share of errors, and what the server used.
CREATE TEMP TABLE shown AS
SELECT
    attempt, block, arm, contender, run, loop, connections, operation, metric, value, counts
FROM (
    SELECT attempt, arm, run, operation, name AS metric, seen AS value
    FROM quantile
    WHERE kind = 'response' AND name IN ('p50', 'p95', 'p99', 'p999')
    UNION ALL
    SELECT attempt, arm, run, '', 'rate', rate FROM rate
    UNION ALL
    SELECT attempt, arm, run, '', 'errors', (errors + timeouts) / (answered + errors + timeouts)
    FROM counted
    WHERE operation = '' AND answered > 0
    UNION ALL
    SELECT attempt, arm, run, '', 'server_cpu_s', used / nullif(done, 0)
    FROM server JOIN run USING (attempt, arm, run)
    WHERE name = 'cpu_s'
    UNION ALL
    SELECT attempt, arm, run, '', 'server_memory', nullif(used, 0) FROM server WHERE name = 'memory_bytes'
    UNION ALL
    SELECT attempt, arm, run, '', 'server_written', used / nullif(done, 0)
    FROM server JOIN run USING (attempt, arm, run)
    WHERE name = 'written_bytes'
)
    JOIN run USING (attempt, arm, run)
    SEMI JOIN (FROM counted WHERE operation = '') AS answered USING (attempt, arm, run);

CREATE TEMP VIEW several AS
SELECT loop, connections
FROM counted JOIN run USING (attempt, arm, run)
WHERE operation <> ''
GROUP BY ALL
HAVING count(DISTINCT operation) > 1;

-- As a figure of which more is worse: seconds for each answer, requests for each that is answered. Nobody compares errors
-- where there are none.
CREATE TEMP TABLE figure AS
SELECT
    * EXCLUDE (worse, most, clock, optional), CASE WHEN worse > 0 THEN worse END AS worse,
    CASE WHEN worse > 0 THEN ln(worse) END AS log
FROM (
    SELECT
        *, max(value) OVER (PARTITION BY loop, connections, operation, metric) AS most,
        CASE metric WHEN 'rate' THEN 1 / nullif(value, 0) WHEN 'errors' THEN 1 / (1 - value) ELSE value END AS worse
    FROM shown
    WHERE counts AND value IS NOT NULL AND (metric <> 'rate' OR loop = 'closed')
        AND (operation = '' OR (loop, connections) IN (FROM several))
) JOIN metric USING (metric)
WHERE metric <> 'errors' OR most > 0;

-- One number a block and question: the median of the differences from each arm of the baseline. And the second arm of the
-- baseline over its first.
CREATE TEMP TABLE contrast AS
SELECT
    loop, connections, operation, metric, own.family, own.contender, attempt, block, median(own.log - other.log) AS effect
FROM figure AS own JOIN figure AS other USING (loop, connections, operation, metric, attempt, block)
WHERE other.contender = (SELECT baseline FROM chosen)
    AND (own.contender <> other.contender OR (own.arm <> other.arm AND other.arm = other.contender))
    AND own.log IS NOT NULL AND other.log IS NOT NULL
GROUP BY ALL;

-- The mean over the blocks, which are independent of each other, and its standard error.
CREATE TEMP TABLE estimate AS
SELECT
    loop, connections, operation, metric, family, contender, starts, starts - 1 AS freedom,
    CASE WHEN abs(effect) < 1e-12 THEN 0 ELSE effect END AS effect,
    CASE WHEN error < 1e-12 THEN 0 ELSE error END AS error
FROM (
    SELECT
        loop, connections, operation, metric, family, contender, count(*) AS starts, avg(effect) AS effect,
        stddev_samp(effect) / sqrt(count(*)) AS error
    FROM contrast
    GROUP BY ALL
);

-- How coarse a clock is: where both sides have at least ten values and more than a fifth of them equal their neighbour,
-- the smallest step between two different ones over the smaller of the two middle values.
CREATE TEMP TABLE side AS
SELECT
    loop, connections, operation, metric, contender, count(*) AS values, count(DISTINCT worse) AS different,
    list_sort(list(worse))[count(*) // 2 + 1] AS middle, bool_and(worse IS NOT NULL) AS usable
FROM figure
GROUP BY ALL;

CREATE TEMP TABLE step AS
SELECT
    loop, connections, operation, metric, own.contender, own.usable AND other.usable AS usable,
    CASE
        WHEN NOT clock OR least(own.values, other.values) < 10 THEN 0
        WHEN least(1 - (own.different - 1) / (own.values - 1), 1 - (other.different - 1) / (other.values - 1)) > 0.2
            THEN coalesce((
                SELECT min(gap) FROM (
                    SELECT worse - lag(worse) OVER (ORDER BY worse) AS gap
                    FROM (
                        SELECT DISTINCT worse FROM figure
                        WHERE (figure.loop, figure.connections, figure.operation, figure.metric)
                            = (own.loop, own.connections, own.operation, own.metric)
                            AND figure.contender IN (own.contender, other.contender)
                    )
                )
            ) / least(own.middle, other.middle), 'infinity')
        ELSE 0
    END AS step
FROM side AS own JOIN side AS other USING (loop, connections, operation, metric) JOIN metric USING (metric)
WHERE other.contender = (SELECT baseline FROM chosen) AND own.contender <> other.contender;

-- Blocks in which one arm of the two lacks a run that another one has; an arm that never took part is not missed.
CREATE TEMP TABLE lost AS
SELECT loop, connections, operation, metric, contender, count(*) FILTER (there < due) AS lost
FROM (
    SELECT
        loop, connections, operation, metric, who.contender, attempt, block, count(DISTINCT arm) AS there, any_value(due) AS due
    FROM figure
        JOIN (SELECT DISTINCT contender FROM run WHERE contender <> (SELECT baseline FROM chosen)) AS who
            ON figure.contender IN (who.contender, (SELECT baseline FROM chosen))
        JOIN (
            SELECT loop, connections, operation, metric, who.contender, count(DISTINCT arm) AS due
            FROM figure
                JOIN (SELECT DISTINCT contender FROM run WHERE contender <> (SELECT baseline FROM chosen)) AS who
                    ON figure.contender IN (who.contender, (SELECT baseline FROM chosen))
            GROUP BY ALL
        ) AS all_arms USING (loop, connections, operation, metric)
    WHERE all_arms.contender = who.contender
    GROUP BY loop, connections, operation, metric, who.contender, attempt, block
)
GROUP BY ALL;

-- Blocks of another kind: further from the middle than six times what the others are, all on the side that has more.
CREATE TEMP TABLE outlying AS
SELECT
    loop, connections, operation, metric, contender,
    CASE WHEN up >= down THEN up ELSE down END AS outlying, CASE WHEN up >= down THEN above ELSE below END AS apart
FROM (
    SELECT
        loop, connections, operation, metric, contender,
        count(*) FILTER (far AND off > 0) AS up, count(*) FILTER (far AND off < 0) AS down,
        avg(off) FILTER (far AND off > 0) AS above, avg(off) FILTER (far AND off < 0) AS below
    FROM (
        SELECT *, abs(off) > 6 * greatest(1.4826 * median(abs(off)) OVER question, 1e-3) AS far
        FROM (
            SELECT *, effect - median(effect) OVER question AS off
            FROM contrast
            WINDOW question AS (PARTITION BY loop, connections, operation, metric, contender)
        )
        WINDOW question AS (PARTITION BY loop, connections, operation, metric, contender)
    )
    GROUP BY ALL
);

-- What the clock's ticks add to the error where they hide it; what forbids a verdict; whether a change of the bound would
-- have been missed, and the bound is then what has to be exceeded.
CREATE TEMP TABLE judged AS
SELECT
    *, greatest(abs(effect) - CASE WHEN unsteady THEN greatest(margin, unstable) ELSE margin END, 0) AS beyond
FROM (
    SELECT *, fit AND detectable > exp(unstable) - 1 AS unsteady
    FROM (
        SELECT
            * REPLACE (
                CASE WHEN error * sqrt(starts) < ticks / 2 THEN sqrt(error ** 2 + ticks ** 2 / 6) ELSE error END AS error
            ),
            exp(factor * CASE WHEN error * sqrt(starts) < ticks / 2 THEN sqrt(error ** 2 + ticks ** 2 / 6) ELSE error END) - 1
                AS detectable,
            usable AND starts >= 5 AND NOT forbidden AND coalesce(lost, 0) <= attempts AND NOT coarse AS fit
        FROM (
            SELECT
                estimate.*, usable, lost, attempts, factor, confidence, equivalence,
                CASE WHEN isfinite(step) THEN step ELSE 0 END AS ticks,
                NOT isfinite(step) OR (chosen.margin > 0 AND step > chosen.margin) AS coarse,
                refused.contender IS NOT NULL AS forbidden,
                ln(1 + CASE family WHEN 'errors' THEN error_budget ELSE chosen.margin END) AS margin,
                ln(1 + chosen.unstable) AS unstable, fdr / CASE family WHEN '' THEN 1 ELSE families END AS fdr
            FROM estimate
                CROSS JOIN chosen
                CROSS JOIN (
                    SELECT count(*) AS families
                    FROM metric
                    WHERE family <> '' AND (NOT optional OR metric IN (SELECT metric FROM shown WHERE value IS NOT NULL))
                )
                JOIN step USING (loop, connections, operation, metric, contender)
                LEFT JOIN factor USING (freedom)
                JOIN (SELECT family, count(DISTINCT attempt) AS attempts FROM figure GROUP BY ALL) AS known USING (family)
                LEFT JOIN lost USING (loop, connections, operation, metric, contender)
                LEFT JOIN refused USING (loop, connections, operation, metric, contender)
        )
    )
);

-- The step-up rule of Benjamini and Hochberg over what is fit for a verdict, no p-value above the error of the interval.
CREATE TEMP TABLE selected AS
SELECT
    *, coalesce(p <= max(p) FILTER (fit AND p <= least(fdr * place / members, 1 - confidence)) OVER family, false) AND fit
        AS matters
FROM (
    SELECT
        *, count(*) FILTER (fit) OVER (PARTITION BY family) AS members,
        count(*) FILTER (fit) OVER (PARTITION BY family ORDER BY p) AS place
    FROM (
        SELECT
            *, CASE
                WHEN NOT beyond > 0 THEN 1
                WHEN error = 0 THEN 0
                ELSE 1 - within(atan(beyond / error / sqrt(freedom)), freedom)
            END AS p
        FROM judged
    )
)
WINDOW family AS (PARTITION BY family);

-- The false-coverage-rate interval of Benjamini and Yekutieli is as wide as the selection asks for; with nothing selected,
-- as one selected comparison would.
CREATE TEMP TABLE spent AS
SELECT
    *, 1 - least(greatest(count(*) FILTER (matters) OVER (PARTITION BY family), 1) * fdr / greatest(members, 1), 1 - confidence)
        AS level_fcr
FROM selected;

-- Half-widths in standard errors: bisection of the probability between -t and t.
CREATE TEMP TABLE student AS
WITH RECURSIVE bisected(level, freedom, low, high, steps) AS (
    SELECT level, freedom, 0.0::DOUBLE, pi() / 2, 0
    FROM (
        SELECT DISTINCT level, freedom
        FROM (
            SELECT confidence AS level, freedom FROM spent
            UNION ALL SELECT 1 - 2 * equivalence, freedom FROM spent
            UNION ALL SELECT level_fcr, freedom FROM spent
            UNION ALL SELECT confidence, starts - 1 FROM estimate CROSS JOIN chosen
        )
        WHERE freedom > 0
    )
    UNION ALL
    SELECT
        level, freedom,
        CASE WHEN within((low + high) / 2, freedom) < level THEN (low + high) / 2 ELSE low END,
        CASE WHEN within((low + high) / 2, freedom) < level THEN high ELSE (low + high) / 2 END,
        steps + 1
    FROM bisected
    WHERE steps < 80
)
SELECT level, freedom, tan((low + high) / 2) * sqrt(freedom) AS quantile
FROM bisected
WHERE steps = 80;

-- How far the baseline's two arms are apart: what no difference looks like.
CREATE TEMP VIEW floor AS
SELECT
    loop, connections, operation, metric, abs(exp(effect) - 1) AS noise_floor,
    exp(turned * effect) AS ratio, exp(turned * effect - quantile * error) AS low, exp(turned * effect + quantile * error) AS high
FROM (SELECT *, CASE metric WHEN 'rate' THEN -1 ELSE 1 END AS turned FROM estimate)
    CROSS JOIN chosen
    LEFT JOIN student ON student.freedom = starts - 1 AND level = confidence
WHERE contender = baseline AND effect IS NOT NULL AND starts > 1;

-- Geometric means over the runs of a contender; of errors the mean.
CREATE TEMP VIEW typical AS
SELECT
    loop, connections, operation, metric, contender,
    CASE
        WHEN metric = 'errors' THEN avg(value)
        WHEN min(value) > 0 THEN exp(avg(CASE WHEN value > 0 THEN ln(value) END))
    END AS value
FROM shown
WHERE counts AND value IS NOT NULL
GROUP BY loop, connections, operation, metric, contender;

-- In words. What does not matter is small where it is shown to be there, the same where it is shown to be less than the
-- margin, and open where neither is, or where blocks of another kind are among the rest.
CREATE TEMP VIEW verdict AS
SELECT
    loop, connections, operation, metric, contender, starts,
    CASE WHEN verdict IN ('same', 'small') AND outlying > 0 AND abs(apart) > margin THEN 'unresolved' ELSE verdict END AS verdict,
    CASE WHEN told THEN exp(turned * effect) END AS ratio,
    CASE WHEN told THEN exp(turned * effect - half) END AS low,
    CASE WHEN told THEN exp(turned * effect + half) END AS high,
    CASE WHEN told AND verdict <> 'refused' THEN exp(turned * effect - half_fcr) END AS low_fcr,
    CASE WHEN told AND verdict <> 'refused' THEN exp(turned * effect + half_fcr) END AS high_fcr,
    CASE WHEN told THEN detectable END AS detectable,
    CASE WHEN told THEN noise_floor END AS noise_floor
FROM (
    SELECT
        *, starts >= 5 AND usable AS told, CASE metric WHEN 'rate' THEN -1 ELSE 1 END AS turned,
        CASE
            WHEN NOT usable AND NOT forbidden THEN 'unresolved'
            WHEN NOT fit OR (unsteady AND NOT matters) THEN 'refused'
            WHEN matters AND effect > 0 THEN 'slower'
            WHEN matters THEN 'faster'
            WHEN abs(effect) > half AND abs(effect) + half < margin THEN 'small'
            WHEN abs(effect) + half_same < margin THEN 'same'
            ELSE 'unresolved'
        END AS verdict
    FROM (
        SELECT
            spent.*, noise_floor, outlying, apart, shown.quantile * error AS half, same.quantile * error AS half_same,
            fcr.quantile * error AS half_fcr
        FROM spent
            LEFT JOIN student AS shown ON shown.freedom = spent.freedom AND shown.level = confidence
            LEFT JOIN student AS same ON same.freedom = spent.freedom AND same.level = 1 - 2 * equivalence
            LEFT JOIN student AS fcr ON fcr.freedom = spent.freedom AND fcr.level = level_fcr
            LEFT JOIN floor USING (loop, connections, operation, metric)
            LEFT JOIN outlying USING (loop, connections, operation, metric, contender)
    )
)
WHERE contender <> (SELECT baseline FROM chosen);
