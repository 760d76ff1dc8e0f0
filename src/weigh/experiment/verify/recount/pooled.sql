-- Each operation with the help of the others of its template. How operations differ from their mean, and how sure that
-- is, is told by numbers that are brought to within two robust standard deviations of their operation's median; the mean
-- itself is that of the numbers as they are.
CREATE TEMP TABLE pool AS
SELECT *, greatest(least(effect - usual, reach), -reach) + usual AS near, abs(effect - usual) <= reach AS untouched
FROM (
    SELECT *, 2 * 1.4826 * median(abs(effect - usual)) OVER template AS reach
    FROM (
        SELECT *, median(effect) OVER (PARTITION BY template, temperature, contender, operation) AS usual
        FROM (
            SELECT *, count(*) OVER (PARTITION BY template, temperature, contender, attempt, block) AS measured
            FROM contrast JOIN member USING (operation)
            WHERE metric = 'wall_s'
        )
        WHERE measured = members
    )
    WINDOW template AS (PARTITION BY template, temperature, contender)
);

CREATE TEMP TABLE deviation AS
SELECT *, avg(near) OVER one - avg(near) OVER template AS off, near - avg(near) OVER block - avg(near) OVER one + avg(near) OVER template AS rest
FROM pool
WINDOW
    template AS (PARTITION BY template, temperature, contender),
    one AS (PARTITION BY template, temperature, contender, operation),
    block AS (PARTITION BY template, temperature, contender, attempt, block);

-- The mean of a template and its error over the starts.
CREATE TEMP VIEW template_mean AS
SELECT template, temperature, contender, avg(effect) AS middle, count(*) AS starts, stddev_samp(effect) / sqrt(count(*)) AS error
FROM (SELECT template, temperature, contender, attempt, block, avg(effect) AS effect FROM pool GROUP BY ALL)
GROUP BY ALL;

-- Variance of a deviation by noise, of one operation and of all together; what was brought nearer says less.
CREATE TEMP VIEW noise AS
SELECT *, sum(own) OVER template / (members - 1) AS whole, sum(off * off) OVER template / (members - 1) AS scatter
FROM (
    SELECT
        template, temperature, contender, operation, members, any_value(off) AS off, count(*) AS starts,
        sum(rest * rest) / (any_value(told) * any_value(told) * count(*) * (count(*) - 1)) AS own
    FROM (
        SELECT *, avg(untouched::INTEGER) OVER (PARTITION BY template, temperature, contender) AS told
        FROM deviation
    )
    GROUP BY ALL
    HAVING count(*) > 1
)
WHERE members > 2
WINDOW template AS (PARTITION BY template, temperature, contender);

-- The spread of the operations beyond noise, at the upper bound of 75 % (chi-square by Wilson and Hilferty); by its part
-- of the variance an operation keeps its deviation.
CREATE TEMP VIEW pooled AS
SELECT
    template, temperature, contender, operation,
    exp(middle + kept * off) AS ratio,
    exp(middle + kept * off - half) AS low,
    exp(middle + kept * off + half) AS high
FROM (
    SELECT *, sqrt(pow(student * error, 2) + normal * normal * kept * each) AS half
    FROM (
        SELECT *, spread / (spread + each) AS kept
        FROM (
            SELECT
                *, greatest(whole, own) AS each,
                greatest(scatter / pow(1 - 2 / (9 * (members - 1)) - 0.6745 * sqrt(2 / (9 * (members - 1))), 3) - whole, 0) AS spread
            FROM noise
        )
    )
        JOIN template_mean USING (template, temperature, contender)
        JOIN pool_quantile USING (template, temperature, contender)
    WHERE freedom = template_mean.starts - 1
);
