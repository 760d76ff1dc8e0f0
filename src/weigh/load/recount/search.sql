-- A search for the highest rate that keeps its budgets. Below figures.sql; two tables stand above: probe (which runs tell
-- something of the server) and budget (what each must keep, by its place: a percentile by its name, or a share of errors).

CREATE TEMP TABLE seen AS
SELECT attempt, arm, run, place, value, coalesce(value <= most, false) AS kept
FROM (
    SELECT
        probe.*, place, most,
        CASE WHEN name = '' THEN (errors + timeouts) / nullif(answered + errors + timeouts, 0) ELSE seen END AS value
    FROM probe
        JOIN budget USING (attempt, arm)
        LEFT JOIN (FROM counted WHERE operation = '') USING (attempt, arm, run)
        LEFT JOIN (FROM quantile WHERE operation = '' AND kind = 'response') USING (attempt, arm, run, name)
);

-- What is over a budget, was not sustained, or failed too often broke it; all else kept it.
CREATE TEMP TABLE outcome AS
SELECT attempt, arm, run.contender, run, asked, every AND NOT missed AND NOT failed AS kept
FROM probe
    JOIN run USING (attempt, arm, run)
    JOIN fault USING (attempt, arm, run)
    JOIN (SELECT attempt, arm, run, bool_and(kept) AS every FROM seen GROUP BY ALL) USING (attempt, arm, run);

-- The highest rate below every one that broke a budget, the lowest above every one that kept them: of each search, and of
-- each contender over all attempts.
CREATE TEMP VIEW highest AS
SELECT
    attempt, arm, contender,
    max(asked) FILTER (kept AND asked < coalesce(lowest, 'infinity')) AS kept,
    min(asked) FILTER (NOT kept AND asked > coalesce(most, 0)) AS broken
FROM (
    SELECT *, min(asked) FILTER (NOT kept) OVER search AS lowest, max(asked) FILTER (kept) OVER search AS most
    FROM (SELECT * FROM outcome UNION ALL SELECT * REPLACE (0 AS attempt, '' AS arm) FROM outcome)
    WINDOW search AS (PARTITION BY attempt, arm, contender)
)
GROUP BY attempt, arm, contender;
