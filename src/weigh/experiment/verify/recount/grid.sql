-- Effects of a grid of layouts, from the same turns. Two tables stand above: cell (the contenders of the grid: position
-- and value of each key that is varied) and asked (an effect: positions of its keys, in their order, the value of each
-- and the one that it is compared with; a key that is held at one value, where one is; its operations).

-- Two contenders of the same origin: the mean over the cases of an operation, if all are there.
CREATE TEMP TABLE apart AS
SELECT
    operation, temperature, metric, attempt, block, contender AS high, other AS low, avg(usual) AS difference
FROM usual_of_block
    JOIN cases USING (operation, temperature)
    JOIN cell AS one ON one.member = contender
    JOIN cell AS two ON two.member = other AND two.origin = one.origin
WHERE contender <> other
GROUP BY operation, temperature, metric, attempt, block, contender, other, cases
HAVING count(*) = cases;

-- What an effect is made of: pairs that differ in its last key alone. Its other keys have the value or the one that it
-- is compared with, which turns the sign; over the keys that are not its own it is the mean.
CREATE TEMP TABLE term AS
SELECT
    id, one.member AS high, two.member AS low,
    (-1) ** len(list_filter(asked.keys[:-2], lambda key, place: one.levels[key] = asked.against[place]))
        * 2 ** (len(asked.keys) - 1) / count(*) OVER (PARTITION BY id) AS weight,
    count(*) OVER (PARTITION BY id) AS terms
FROM asked
    JOIN cell AS one USING (origin)
    JOIN cell AS two USING (origin)
WHERE one.levels[asked.keys[-1]] = asked.levels[-1]
    AND two.levels[asked.keys[-1]] = asked.against[-1]
    AND len(list_filter(one.levels, lambda level, place: place <> asked.keys[-1] AND level <> two.levels[place])) = 0
    AND len(list_filter(
        asked.keys[:-2], lambda key, place: one.levels[key] NOT IN (asked.levels[place], asked.against[place])
    )) = 0
    AND (asked.held IS NULL OR one.levels[asked.held] = asked.held_at);

-- One number a block: of an operation where all terms are there, of several operations where all of these are.
CREATE TEMP VIEW effect_of_block AS
SELECT id, attempt, block, avg(effect) AS effect
FROM (
    SELECT asked.id, apart.operation, attempt, block, sum(weight * difference) AS effect
    FROM asked
        JOIN term ON term.id = asked.id
        JOIN apart ON apart.high = term.high AND apart.low = term.low AND apart.metric = asked.metric
            AND apart.temperature = asked.temperature AND list_contains(asked.operations, apart.operation)
    GROUP BY asked.id, apart.operation, attempt, block, terms
    HAVING count(*) = terms
) JOIN asked USING (id)
GROUP BY id, attempt, block, operations
HAVING count(*) = len(operations);

-- The mean over the blocks and its interval.
CREATE TEMP VIEW grid_effect AS
SELECT
    id, starts, exp(effect) AS ratio, exp(effect - quantile * error) AS low, exp(effect + quantile * error) AS high
FROM (
    SELECT id, share, count(*) AS starts, avg(effect) AS effect, stddev_samp(effect) / sqrt(count(*)) AS error
    FROM effect_of_block JOIN asked USING (id)
    GROUP BY id, share
) AS found JOIN spread ON spread.freedom = found.starts - 1 AND spread.share = found.share;
