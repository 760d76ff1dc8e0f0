-- The simple figures of a report, from the samples alone. DuckDB's SQL; nothing of weigh's arithmetic.
-- Three tables stand above: sample (what was executed), chosen (the baseline), student (quantiles of Student's t).

-- One row a measurement and metric. Run 0 of a turn is the untimed one; what failed is no measurement. The same operation
-- hot and cold are two questions.
CREATE TEMP TABLE measured AS
SELECT *, CASE WHEN value > 0 THEN ln(value) END AS log
FROM (
    SELECT
        operation, temperature, "case", contender, arm, attempt, block,
        wall_s::DOUBLE AS wall_s, cpu_s::DOUBLE AS cpu_s,
        peak_memory::DOUBLE AS peak_memory, bytes_read::DOUBLE AS bytes_read
    FROM sample
    WHERE run > 0 AND outcome = 'ok'
) UNPIVOT INCLUDE NULLS (value FOR metric IN (wall_s, cpu_s, peak_memory, bytes_read));

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
    CASE WHEN count(*) > 1 AND count(off) = count(*) THEN sqrt(sum(off * off) / (count(*) - 1)) END AS cv
FROM relative JOIN started USING (operation, temperature, contender, metric)
GROUP BY operation, temperature, contender, metric, starts, runs;

-- The number that enters the analysis: the mean logarithm of a start over the runs of a case, then over the cases.
-- A start that lacks a case has none.
CREATE TEMP VIEW cases AS
SELECT operation, temperature, count(DISTINCT "case") AS cases
FROM measured
GROUP BY ALL;

CREATE TEMP VIEW by_case AS
SELECT
    operation, temperature, metric, contender, arm, attempt, block, "case",
    CASE WHEN count(log) = count(*) THEN avg(log) END AS level
FROM measured
GROUP BY ALL;

CREATE TEMP VIEW cell AS
SELECT operation, temperature, metric, contender, arm, attempt, block, avg(level) AS level
FROM by_case JOIN cases USING (operation, temperature)
GROUP BY operation, temperature, metric, contender, arm, attempt, block, cases
HAVING count(level) = cases;

-- Every contender against the baseline, block by block: its level less the mean of the baseline's two arms.
CREATE TEMP VIEW pair AS
SELECT DISTINCT operation, temperature, metric, contender
FROM measured
WHERE contender <> (SELECT baseline FROM chosen);

CREATE TEMP VIEW contrast AS
SELECT
    pair.operation, pair.temperature, pair.metric, pair.contender, attempt, block,
    list(arm) AS arms,
    avg(level) FILTER (WHERE cell.contender = pair.contender)
        - avg(level) FILTER (WHERE cell.contender = (SELECT baseline FROM chosen)) AS effect
FROM pair JOIN cell
    ON cell.operation = pair.operation AND cell.temperature = pair.temperature AND cell.metric = pair.metric
    AND cell.contender IN (pair.contender, (SELECT baseline FROM chosen))
GROUP BY pair.operation, pair.temperature, pair.metric, pair.contender, attempt, block;

-- The mean over the blocks that have both, and its standard error. Complete: all arms were measured in each of these.
-- Elsewhere the report has a regression with another error (CR2), which is not this.
CREATE TEMP VIEW estimate AS
SELECT
    operation, temperature, metric, contender,
    count(effect) AS starts,
    min(len(arms)) FILTER (WHERE effect IS NOT NULL) = len(list_distinct(flatten(list(arms)))) AS complete,
    avg(effect) AS effect,
    stddev_samp(effect) / sqrt(count(effect)) AS error
FROM contrast
GROUP BY ALL;

-- The baseline's second arm over its first: what no difference looked like.
CREATE TEMP VIEW apart AS
SELECT
    operation, temperature, metric, attempt, block,
    any_value(level) FILTER (WHERE arm <> baseline) - any_value(level) FILTER (WHERE arm = baseline) AS effect
FROM cell JOIN chosen ON contender = baseline
GROUP BY ALL;

CREATE TEMP VIEW floor AS
SELECT operation, temperature, metric, abs(exp(avg(effect)) - 1) AS noise_floor
FROM apart
GROUP BY ALL;

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
    operation, temperature, contender, metric, complete, estimate.starts, runs,
    exp(effect) AS ratio,
    error AS standard_error,
    exp(effect - quantile * error) AS low,
    exp(effect + quantile * error) AS high,
    median_ratio, noise_floor
FROM estimate
    JOIN started USING (operation, temperature, contender, metric)
    LEFT JOIN student ON freedom = estimate.starts - 1
    LEFT JOIN medians USING (operation, temperature, contender, metric)
    LEFT JOIN floor USING (operation, temperature, metric);

-- A contender over the whole workload: the geometric mean of its ratios of wall time, the smallest and the largest.
CREATE TEMP VIEW suite AS
SELECT contender, temperature, exp(avg(ln(ratio))) AS mean, min(ratio) AS low, max(ratio) AS high
FROM verdict
WHERE metric = 'wall_s'
GROUP BY ALL;
