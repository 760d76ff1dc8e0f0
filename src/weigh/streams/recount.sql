-- Power, throughput and composite of every life (specification of TPC-H 5.4), from the times of its steps.
CREATE TEMP VIEW took AS
SELECT contender, repetition, test, name, ended - began AS seconds,
    max(ended - began) FILTER (name NOT LIKE 'rf_') OVER (PARTITION BY contender, repetition, test) AS longest_query,
    max(ended - began) OVER (PARTITION BY contender, repetition, test) AS longest
FROM step;
CREATE TEMP VIEW power AS
SELECT contender, repetition, 3600 * scale / exp(avg(ln(greatest(seconds, longest / 1000, 1e-9)))) AS value
FROM took, setting WHERE test = 'power' GROUP BY contender, repetition, scale HAVING count(*) = 24;
CREATE TEMP VIEW alone AS
SELECT contender, repetition, 3600 * scale / exp(avg(ln(greatest(seconds, longest_query / 1000, 1e-9)))) AS value
FROM took, setting WHERE test IN ('power', 'queries') AND name NOT LIKE 'rf_'
GROUP BY contender, repetition, test, scale HAVING count(*) = 22;
CREATE TEMP VIEW throughput AS
SELECT contender, repetition, streams * 22 * 3600 * scale / (max(ended) - min(began)) AS value
FROM step, setting WHERE test = 'throughput'
GROUP BY contender, repetition, streams, scale HAVING count(*) = streams * 24;
CREATE TEMP VIEW figure AS
SELECT 'power' AS name, * FROM power
UNION ALL SELECT 'queries alone', * FROM alone
UNION ALL SELECT 'throughput', * FROM throughput
UNION ALL
SELECT 'composite', contender, repetition, sqrt(power.value * throughput.value)
FROM power JOIN throughput USING (contender, repetition);
CREATE TEMP VIEW whole AS
SELECT name, contender, list(value ORDER BY repetition) AS "values", exp(avg(ln(value))) AS mean,
    CASE WHEN count(*) >= fewest THEN exp(avg(ln(value)) - any_value(t) * stddev_samp(ln(value)) / sqrt(count(*))) END
        AS low,
    CASE WHEN count(*) >= fewest THEN exp(avg(ln(value)) + any_value(t) * stddev_samp(ln(value)) / sqrt(count(*))) END
        AS high
FROM figure, setting LEFT JOIN student ON freedom = (
    SELECT count(*) - 1 FROM figure AS other WHERE other.name = figure.name AND other.contender = figure.contender
)
GROUP BY name, contender, fewest;
