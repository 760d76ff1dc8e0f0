-- The simple figures of a report, from the samples alone. DuckDB's SQL; nothing of weigh's arithmetic.
-- Six tables stand above: sample (what was executed), chosen (the baseline, and how the typical effect is estimated),
-- opposed (who is compared with whom), carried (where turns that followed a contender are left out), price (money for
-- one unit of what a contender is charged by), student (quantiles of Student's t at the confidence that an operation's figures have: less
-- of the error is left where sampling could end early).

-- One row a measurement and metric. Run 0 of a turn is the untimed one; what failed is no measurement, nor is what was
-- alone in a duet. The same operation hot and cold are two questions.
CREATE TEMP TABLE measured AS
SELECT *, CASE WHEN value > 0 THEN ln(value) END AS log
FROM (
    SELECT
        operation, temperature, "case", contender, arm, attempt, block, round, turn AS position,
        round_trip_s::DOUBLE - wall_s::DOUBLE AS late,
        wall_s::DOUBLE AS wall_s, cpu_s::DOUBLE AS cpu_s,
        peak_memory::DOUBLE AS peak_memory, bytes_read::DOUBLE AS bytes_read,
        stored_bytes::DOUBLE AS stored_bytes, first_query_s::DOUBLE AS first_query_s,
        -- What is charged for: bytes that are billed, or scanned where no other number is known. A price of several
        -- parts is their sum, and there is none where a part is not known.
        CASE WHEN price.contender IS NOT NULL THEN
            CASE WHEN per_bytes IS NULL THEN 0 ELSE per_bytes * coalesce(billed_bytes, scanned_bytes) END
            + CASE WHEN per_seconds IS NULL THEN 0 ELSE per_seconds * wall_s END
            + CASE WHEN per_credits IS NULL THEN 0 ELSE per_credits * credits END
            + coalesce(per_queries, 0)
        END AS cost,
        said_s::DOUBLE - coalesce(queue_s::DOUBLE, 0) AS server_s, queue_s::DOUBLE AS queue_s
    FROM sample LEFT JOIN price USING (contender)
    WHERE run > 0 AND outcome = 'ok' AND NOT solo
) UNPIVOT INCLUDE NULLS (value FOR metric IN (
    wall_s, cpu_s, peak_memory, bytes_read, stored_bytes, first_query_s, cost, server_s, queue_s
));

-- A start is one arm in one block of one attempt; runs is the lower one of the two middle numbers of measurements.
CREATE TEMP VIEW start AS
SELECT operation, temperature, metric, contender, arm, attempt, block, count(*) AS runs
FROM measured
GROUP BY ALL;

CREATE TEMP VIEW started AS
SELECT operation, temperature, metric, contender, count(*) AS starts, list_sort(list(runs))[(count(*) + 1) // 2] AS runs
FROM start
GROUP BY ALL;

-- Each contender by itself, both arms of the baseline together. Cases of an operation differ in size, which is no
-- noise: the coefficient of variation is that of the measurements over the mean of their case.
CREATE TEMP VIEW relative AS
SELECT *, value / nullif(avg(value) OVER (PARTITION BY operation, temperature, "case", contender, metric), 0) - 1 AS off
FROM measured
WHERE value IS NOT NULL;

CREATE TEMP VIEW timing AS
SELECT
    operation, temperature, contender, metric, starts, runs,
    min(value) AS min, median(value) AS median, max(value) AS max,
    CASE WHEN count(*) > 1 AND count(off) = count(*) THEN sqrt(sum(off * off) / (count(*) - 1)) END AS cv,
    CASE WHEN metric = 'wall_s' THEN median(late) END AS around
FROM relative JOIN started USING (operation, temperature, contender, metric)
GROUP BY operation, temperature, contender, metric, starts, runs;

-- A turn is one arm in one round: the median of the logarithms of its measurements, and their mean; and whose turn in
-- that round ended when it began.
CREATE TEMP VIEW cases AS
SELECT operation, temperature, count(DISTINCT "case") AS cases
FROM measured
GROUP BY ALL;

CREATE TEMP TABLE turn AS
SELECT * EXCLUDE (previous, gap), CASE WHEN gap = 1 THEN previous END AS before
FROM (
    SELECT *, lag(contender) OVER round AS previous, position - lag(position) OVER round AS gap
    FROM (
        SELECT
            operation, temperature, metric, contender, arm, attempt, block, "case", round, position,
            median(log) AS middle, avg(value) AS mean
        FROM measured
        GROUP BY ALL
        HAVING count(log) = count(*)
    )
    WINDOW round AS (PARTITION BY operation, temperature, metric, attempt, block, "case", round ORDER BY position)
);

-- Turns of two sides: each contender with the baseline, and the baseline's second arm with its first; where something is
-- carried over, without those of the baseline that came right after the contender.
CREATE TEMP TABLE side AS
SELECT turn.* EXCLUDE contender, opposed.own AS contender, opposed.other, turn.contender = opposed.own AND (
    opposed.own <> opposed.other OR arm <> turn.contender
) AS own
FROM opposed JOIN turn ON turn.contender = opposed.own OR turn.contender = opposed.other
WHERE turn.contender = opposed.own OR before IS DISTINCT FROM opposed.own OR NOT EXISTS (
    FROM carried
    WHERE carried.contender = opposed.own AND carried.operation = turn.operation
        AND carried.temperature = turn.temperature AND carried.metric = turn.metric
);

-- Every two arms in the same round; what an effect moves is the difference of two sides.
CREATE TEMP TABLE two_arms AS
SELECT
    x.operation, x.temperature, x.metric, x."case", x.contender, x.other, x.attempt, x.block, x.arm, x.own,
    x.middle - y.middle AS difference, x.own::INTEGER - y.own::INTEGER AS moves
FROM side AS x JOIN side AS y USING (operation, temperature, metric, "case", contender, other, attempt, block, round)
WHERE x.arm <> y.arm;

-- What is left in each block if an effect is taken from the first side: the medians of its arms against all others, less
-- those of the second side. 0 in the mean over the blocks if the effect is true: then no arm is told from another.
CREATE TEMP MACRO left_of(effects) AS TABLE
SELECT
    operation, temperature, metric, "case", contender, other, attempt, block,
    (avg(middle) FILTER (own) - avg(middle) FILTER (NOT own)) * (count(*) - 1) / count(*) AS rest
FROM (
    SELECT
        operation, temperature, metric, "case", contender, other, attempt, block, arm, own,
        median(difference - moves * effect) AS middle
    FROM two_arms JOIN query_table(effects) USING (operation, temperature, metric, "case", contender, other)
    GROUP BY ALL
)
GROUP BY ALL
HAVING bool_or(own) AND NOT bool_and(own);

-- The median of the pairs of the two sides: the rule of 0.1.0, and where the search begins.
CREATE TEMP TABLE pairs_of_block AS
SELECT operation, temperature, metric, "case", contender, other, attempt, block, median(difference) AS usual
FROM two_arms
WHERE moves = 1
GROUP BY ALL;

-- The effect at which nothing is left in the mean: step by step, by the slope of the last two.
CREATE TEMP TABLE found AS
WITH RECURSIVE search AS (
    SELECT
        operation, temperature, metric, "case", contender, other, 0 AS step, avg(usual) AS effect,
        NULL::DOUBLE AS before, NULL::DOUBLE AS left_before
    FROM pairs_of_block
    GROUP BY ALL
    UNION ALL
    SELECT
        operation, temperature, metric, "case", contender, other, step + 1,
        effect - rest / CASE WHEN slope BETWEEN -4 / 3 AND -2 / 3 THEN slope ELSE -1 END, effect, rest
    FROM (
        SELECT *, (rest - left_before) / nullif(effect - before, 0) AS slope
        FROM (
            SELECT
                operation, temperature, metric, "case", contender, other, step, effect, before, left_before,
                avg(rest) AS rest
            FROM (
                SELECT
                    operation, temperature, metric, "case", contender, other, step, effect, before, left_before,
                    attempt, block,
                    (avg(middle) FILTER (own) - avg(middle) FILTER (NOT own)) * (count(*) - 1) / count(*) AS rest
                FROM (
                    SELECT
                        operation, temperature, metric, "case", contender, other, step, effect, before, left_before,
                        attempt, block, arm, own, median(difference - moves * effect) AS middle
                    FROM search JOIN two_arms USING (operation, temperature, metric, "case", contender, other)
                    GROUP BY ALL
                )
                GROUP BY ALL
            )
            GROUP BY ALL
        )
    )
    WHERE abs(rest) > 1e-14 AND step < 60
)
SELECT operation, temperature, metric, "case", contender, other, arg_max(effect, step) AS effect
FROM search
GROUP BY ALL;

-- Two standard errors to either side, from which the slope there is taken.
CREATE TEMP TABLE alongside AS
SELECT operation, temperature, metric, "case", contender, other, any_value(effect) AS effect,
    2 * sqrt(sum(rest * rest) / nullif(count(*) - 1, 0) / count(*)) AS step
FROM left_of('found') JOIN found USING (operation, temperature, metric, "case", contender, other)
GROUP BY ALL;

CREATE TEMP TABLE below AS SELECT * REPLACE (effect - step AS effect) FROM alongside WHERE step > 1e-12;

CREATE TEMP TABLE above AS SELECT * REPLACE (effect + step AS effect) FROM alongside WHERE step > 1e-12;

CREATE TEMP TABLE slopes AS
SELECT operation, temperature, metric, "case", contender, other, (low.rest - high.rest) / (2 * step) AS slope
FROM (SELECT * EXCLUDE (attempt, block, rest), avg(rest) AS rest FROM left_of('below') GROUP BY ALL) AS low
    JOIN (SELECT * EXCLUDE (attempt, block, rest), avg(rest) AS rest FROM left_of('above') GROUP BY ALL) AS high
        USING (operation, temperature, metric, "case", contender, other)
    JOIN alongside USING (operation, temperature, metric, "case", contender, other);

-- One number a block, whose mean is the effect.
CREATE TEMP TABLE usual_of_block AS
SELECT
    operation, temperature, metric, "case", contender, other, attempt, block,
    CASE WHEN (SELECT typical FROM chosen) = 'pairs' THEN usual ELSE effect + rest / coalesce(slope, 1) END AS usual
FROM left_of('found')
    JOIN found USING (operation, temperature, metric, "case", contender, other)
    JOIN pairs_of_block USING (operation, temperature, metric, "case", contender, other, attempt, block)
    LEFT JOIN slopes USING (operation, temperature, metric, "case", contender, other);

-- Turns of the same round, each with each arm of the baseline.
CREATE TEMP TABLE total_of_block AS
SELECT
    own.operation, own.temperature, own.metric, own.contender, own.attempt, own.block, own."case",
    avg(own.mean) AS own, avg(other.mean) AS other
FROM side AS own
    JOIN side AS other USING (operation, temperature, metric, contender, other, attempt, block, "case", round)
    JOIN chosen ON other.other = baseline
WHERE own.own AND NOT other.own
GROUP BY ALL;

-- Of an operation the mean over its cases, if all are there: what one execution usually takes; and, of what one waits in
-- all, the logarithm of the ratio of the sums over all blocks with what this block adds to its error.
CREATE TEMP VIEW contrast AS
SELECT operation, temperature, metric, contender, attempt, block, avg(usual) AS effect, avg(whole) AS total
FROM (
    SELECT *, ln(own_all / other_all) + own / own_all - total.other / other_all AS whole
    FROM (
        SELECT *, avg(own) OVER blocks AS own_all, avg(other) OVER blocks AS other_all
        FROM total_of_block
        WINDOW blocks AS (PARTITION BY operation, temperature, metric, contender, "case")
    ) AS total
        JOIN (SELECT * EXCLUDE other FROM usual_of_block JOIN chosen ON other = baseline) AS usual
            USING (operation, temperature, metric, contender, "case", attempt, block)
) JOIN cases USING (operation, temperature)
GROUP BY operation, temperature, metric, contender, attempt, block, cases
HAVING count(*) = cases;

-- Which of several builds each side had in a block, where it was built several times; a side whose builds are all the
-- same bytes was built once.
CREATE TEMP VIEW alive AS
SELECT DISTINCT contender, attempt, block, build
FROM sample
WHERE run > 0 AND outcome = 'ok' AND NOT solo;

CREATE TEMP TABLE sides AS
SELECT
    contender, attempt, block,
    CASE WHEN count(DISTINCT own) OVER whose > 1 THEN own END AS own,
    CASE WHEN count(DISTINCT other) OVER whose > 1 THEN other END AS other
FROM (
    SELECT own.contender, own.attempt, own.block, own.build AS own, other.build AS other
    FROM alive AS own LEFT JOIN (FROM alive JOIN chosen ON contender = baseline) AS other USING (attempt, block)
    WHERE own.contender <> (SELECT baseline FROM chosen)
)
WINDOW whose AS (PARTITION BY contender);

-- Blocks that share a build of either side are one group, and so are those that share one with the same third: the
-- smallest number of a pair of builds that can be reached.
CREATE TEMP TABLE grouped AS
WITH RECURSIVE
    pairs AS (
        SELECT *, row_number() OVER (ORDER BY contender, own, other) AS id
        FROM (SELECT DISTINCT contender, own, other FROM sides WHERE own IS NOT NULL OR other IS NOT NULL)
    ),
    reached(contender, id, own, other) AS (
        SELECT contender, id, own, other FROM pairs
        UNION
        SELECT pairs.contender, reached.id, pairs.own, pairs.other
        FROM reached JOIN pairs ON
            pairs.contender = reached.contender AND (pairs.own = reached.own OR pairs.other = reached.other)
    )
SELECT sides.contender, sides.attempt, sides.block, min(reached.id) AS unit
FROM sides JOIN reached ON
    reached.contender = sides.contender
    AND reached.own IS NOT DISTINCT FROM sides.own AND reached.other IS NOT DISTINCT FROM sides.other
GROUP BY ALL;

-- The mean over the blocks and its standard error, from the scatter of what is independent of each other: the blocks,
-- or groups of them.
CREATE TEMP VIEW estimate AS
SELECT
    operation, temperature, metric, contender, sum(size)::BIGINT AS starts, count(*) AS units,
    any_value(middle) AS effect, sqrt(sum(off * off) * count(*) / (count(*) - 1)) / sum(size) AS error,
    any_value(total_middle) AS total, sqrt(sum(total_off * total_off) * count(*) / (count(*) - 1)) / sum(size) AS total_error
FROM (
    SELECT
        operation, temperature, metric, contender, middle, total_middle, count(*) AS size,
        sum(effect - middle) AS off, sum(total - total_middle) AS total_off
    FROM (
        SELECT
            *, avg(effect) OVER question AS middle, avg(total) OVER question AS total_middle,
            coalesce('builds ' || unit, attempt || ' ' || block) AS one
        FROM contrast LEFT JOIN grouped USING (contender, attempt, block)
        WINDOW question AS (PARTITION BY operation, temperature, metric, contender)
    )
    GROUP BY operation, temperature, metric, contender, middle, total_middle, one
)
GROUP BY operation, temperature, metric, contender;

-- The baseline's second arm over its first: what no difference looked like.
CREATE TEMP VIEW floor AS
SELECT operation, temperature, metric, abs(exp(effect) - 1) AS noise_floor
FROM estimate JOIN chosen ON contender = baseline;

-- The ratio of the medians of all measurements: by case, then the geometric mean over the cases.
CREATE TEMP VIEW middle AS
SELECT operation, temperature, metric, contender, "case", CASE WHEN count(log) = count(*) THEN ln(median(value)) END AS level
FROM measured
GROUP BY ALL;

CREATE TEMP VIEW medians AS
SELECT operation, temperature, metric, other.contender, exp(avg(other.level - own.level)) AS median_ratio
FROM middle AS other JOIN middle AS own USING (operation, temperature, metric, "case")
WHERE own.contender = (SELECT baseline FROM chosen)
GROUP BY ALL;

CREATE TEMP VIEW verdict AS
SELECT
    operation, temperature, contender, metric, estimate.starts, runs,
    exp(effect) AS ratio,
    exp(effect - quantile * error) AS low,
    exp(effect + quantile * error) AS high,
    median_ratio, noise_floor,
    CASE WHEN metric = 'wall_s' THEN exp(total) END AS total_ratio,
    CASE WHEN metric = 'wall_s' THEN exp(total - quantile * total_error) END AS total_low,
    CASE WHEN metric = 'wall_s' THEN exp(total + quantile * total_error) END AS total_high
FROM estimate
    JOIN started USING (operation, temperature, contender, metric)
    JOIN student ON freedom = estimate.units - 1 AND student.operation = estimate.operation
    LEFT JOIN medians USING (operation, temperature, contender, metric)
    LEFT JOIN floor USING (operation, temperature, metric)
WHERE contender <> (SELECT baseline FROM chosen);

-- A contender over the whole workload: the geometric mean of its ratios of wall time, the smallest and the largest.
CREATE TEMP VIEW suite AS
SELECT contender, temperature, exp(avg(ln(ratio))) AS mean, min(ratio) AS low, max(ratio) AS high
FROM verdict
WHERE metric = 'wall_s'
GROUP BY ALL;
