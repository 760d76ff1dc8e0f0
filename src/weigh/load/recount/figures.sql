-- The figures of each run, from its histograms alone. DuckDB's SQL; nothing of weigh's arithmetic.
-- Four tables stand above: run (with how many of its intervals are left out as warm-up, and when its last whole interval
-- ends), part (its intervals, from 0), answer (what was counted in each), packed (histograms: number and count of every
-- bucket that holds something).

-- A bucket's number as nanoseconds: the first 2^(half+1) are one apart, and behind them every 2^half are twice as far
-- apart as those before. Its values are taken for the largest that it can hold; for a mean, for its middle.
CREATE TEMP TABLE bucket AS
SELECT
    attempt, arm, run, part, operation, kind, values,
    ((inside << shift) + (1::BIGINT << shift) - 1)::DOUBLE * 1e-9 AS top,
    ((inside << shift) + ((1::BIGINT << shift) // 2))::DOUBLE * 1e-9 AS middle
FROM (
    SELECT
        attempt, arm, run, part, operation, kind, values,
        (number & ((1::BIGINT << half) - 1)) + CASE WHEN number >> half = 0 THEN 0 ELSE 1::BIGINT << half END AS inside,
        greatest((number >> half) - 1, 0) + floor(log2(lowest))::BIGINT AS shift
    FROM (
        SELECT
            attempt, arm, run, part, operation, kind, lowest, ceil(log2(2 * 10 ** digits))::BIGINT - 1 AS half,
            split_part(one, ':', 1)::BIGINT AS number, split_part(one, ':', 2)::BIGINT AS values
        FROM (SELECT *, unnest(string_split(held, ' ')) AS one FROM packed WHERE held <> '')
    )
);

-- Behind the warm-up, every operation by itself, and all together under no name.
CREATE TEMP TABLE held AS
SELECT attempt, arm, run, operation, kind, top, any_value(middle) AS middle, sum(values)::BIGINT AS values
FROM (
    SELECT bucket.* FROM bucket JOIN run USING (attempt, arm, run) WHERE part >= cut
    UNION ALL
    SELECT bucket.* REPLACE ('' AS operation) FROM bucket JOIN run USING (attempt, arm, run) WHERE part >= cut
)
GROUP BY ALL;

-- The value that a share of the values does not exceed: that of the bucket in which so many are reached. A share of a
-- whole number in doubles is a little more than it should be.
CREATE TEMP TABLE quantile AS
SELECT
    attempt, arm, run, operation, kind, name,
    min(top) FILTER (reached >= greatest(ceil(q * whole - 1e-6), 1)) AS seen
FROM (
    SELECT
        *, sum(values) OVER (PARTITION BY attempt, arm, run, operation, kind ORDER BY top) AS reached,
        sum(values) OVER (PARTITION BY attempt, arm, run, operation, kind) AS whole
    FROM held
), (VALUES ('p50', 0.5), ('p90', 0.9), ('p95', 0.95), ('p99', 0.99), ('p999', 0.999), ('p9999', 0.9999)) AS asked(name, q)
GROUP BY attempt, arm, run, operation, kind, name;

CREATE TEMP VIEW longest AS
SELECT attempt, arm, run, operation, kind, max(top) AS max, sum(middle * values) / sum(values) AS mean_of_all
FROM held
GROUP BY ALL;

-- The mean over the intervals: of each the mean of its values.
CREATE TEMP VIEW mean AS
SELECT attempt, arm, run, operation, kind, avg(mean) AS mean
FROM (
    SELECT attempt, arm, run, part, operation, kind, sum(middle * values) / sum(values) AS mean
    FROM (
        SELECT bucket.* FROM bucket JOIN run USING (attempt, arm, run) WHERE part >= cut
        UNION ALL
        SELECT bucket.* REPLACE ('' AS operation) FROM bucket JOIN run USING (attempt, arm, run) WHERE part >= cut
    )
    GROUP BY ALL
)
GROUP BY ALL
HAVING count(*) > 1;

CREATE TEMP VIEW counted AS
SELECT
    attempt, arm, run, operation, sum(answered)::BIGINT AS answered, sum(errors)::BIGINT AS errors,
    sum(timeouts)::BIGINT AS timeouts
FROM (
    SELECT answer.* FROM answer JOIN run USING (attempt, arm, run) WHERE part >= cut
    UNION ALL
    SELECT answer.* REPLACE ('' AS operation) FROM answer JOIN run USING (attempt, arm, run) WHERE part >= cut
)
GROUP BY ALL;

-- Answers a second: the mean over whole intervals behind the warm-up, and how much they vary.
CREATE TEMP VIEW rate AS
SELECT attempt, arm, run, avg(rate) AS rate, stddev_samp(rate) / nullif(avg(rate), 0) AS rate_cv
FROM (
    SELECT attempt, arm, run, part, coalesce(sum(answered), 0) / greatest(to_s - from_s, 1e-9) AS rate
    FROM part
        JOIN run USING (attempt, arm, run)
        LEFT JOIN answer USING (attempt, arm, run, part)
    WHERE part >= cut AND to_s <= until
    GROUP BY attempt, arm, run, part, from_s, to_s
)
GROUP BY ALL
HAVING count(*) > 1;

-- What a run says against itself. Of what was due, more than 2 % had no answer when the last one was; more failed than may;
-- one request in ten left later than what a request usually takes, although a connection was free; more were in flight
-- than there are connections (Little's law), of which each may have begun one before the warm-up's cut.
CREATE TEMP VIEW fault AS
SELECT
    attempt, arm, run,
    loop = 'open' AND due > 0 AND (due - coalesce(in_time, in_intervals) > 0.02 * due OR unsent > 0) AS missed,
    coalesce(errors + timeouts > error_budget * (answered + errors + timeouts), false) AS failed,
    coalesce(loop = 'open' AND late.seen > usual.seen, false) AS late,
    coalesce(busy.seconds / steady_s > (1.05 + busy.longest / steady_s) * connections, false) AS crowded
FROM run
    LEFT JOIN (FROM counted WHERE operation = '') USING (attempt, arm, run)
    LEFT JOIN (
        SELECT attempt, arm, run, sum(answered + errors + timeouts) AS in_intervals
        FROM answer JOIN part USING (attempt, arm, run, part) JOIN run USING (attempt, arm, run)
        WHERE to_s <= until
        GROUP BY ALL
    ) USING (attempt, arm, run)
    LEFT JOIN (FROM quantile WHERE (operation, kind, name) = ('', 'lag_late', 'p90')) AS late USING (attempt, arm, run)
    LEFT JOIN (FROM quantile WHERE (operation, kind, name) = ('', 'response', 'p50')) AS usual USING (attempt, arm, run)
    LEFT JOIN (
        SELECT attempt, arm, run, sum(middle * values) AS seconds, max(top) AS longest
        FROM held
        WHERE operation = '' AND kind = 'service'
        GROUP BY ALL
    ) AS busy USING (attempt, arm, run)
    LEFT JOIN (
        SELECT attempt, arm, run, sum(to_s - from_s) AS steady_s
        FROM part JOIN run USING (attempt, arm, run)
        WHERE part >= cut
        GROUP BY ALL
    ) USING (attempt, arm, run);
