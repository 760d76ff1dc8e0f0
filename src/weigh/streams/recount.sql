-- Power, throughput and composite of every life, from the times of its steps: of TPC-H by its specification's 5.4, of
-- TPC-DS by its clause 7. "queries" and "functions" are of one stream and of one refresh set.
CREATE TEMP VIEW took AS
SELECT contender, repetition, test, name, ended - began AS seconds,
    max(ended - began) FILTER (contains(name, '.q')) OVER (PARTITION BY contender, repetition, test) AS longest_query,
    max(ended - began) OVER (PARTITION BY contender, repetition, test) AS longest
FROM step;
CREATE TEMP VIEW span AS
SELECT contender, repetition, test, max(ended) - min(began) AS seconds, count(*) AS steps
FROM step GROUP BY ALL;
CREATE TEMP VIEW alone AS
SELECT contender, repetition, 3600 * scale / exp(avg(ln(greatest(seconds, longest_query / 1000, 1e-9)))) AS value
FROM took, setting WHERE test IN ('power', 'queries') AND contains(name, '.q')
GROUP BY contender, repetition, test, scale, queries HAVING count(*) = queries;
CREATE TEMP VIEW tpch_power AS
SELECT contender, repetition, 3600 * scale / exp(avg(ln(greatest(seconds, longest / 1000, 1e-9)))) AS value
FROM took, setting WHERE test = 'power' AND NOT maintains
GROUP BY contender, repetition, scale, queries, functions HAVING count(*) = queries + functions;
CREATE TEMP VIEW tpch_throughput AS
SELECT contender, repetition, streams * queries * 3600 * scale / seconds AS value
FROM span, setting WHERE test = 'throughput' AND NOT maintains AND steps = streams * (queries + functions);
CREATE TEMP VIEW tpcds AS
SELECT contender, repetition, load_s,
    sum(seconds) FILTER (test = 'power' AND steps = queries) AS power,
    sum(seconds) FILTER (test LIKE 'throughput%' AND steps = streams * queries) AS throughput,
    count(*) FILTER (test LIKE 'throughput%' AND steps = streams * queries) AS throughputs,
    sum(seconds) FILTER (test LIKE 'maintenance%' AND steps = sets * functions) AS maintenance,
    count(*) FILTER (test LIKE 'maintenance%' AND steps = sets * functions) AS maintenances
FROM span JOIN load USING (contender, repetition), setting WHERE maintains GROUP BY ALL;
CREATE TEMP VIEW figure AS
SELECT 'power' AS name, * FROM tpch_power
UNION ALL SELECT 'queries alone', * FROM alone
UNION ALL SELECT 'throughput', * FROM tpch_throughput
UNION ALL
SELECT 'composite', contender, repetition, sqrt(tpch_power.value * tpch_throughput.value)
FROM tpch_power JOIN tpch_throughput USING (contender, repetition)
UNION ALL
SELECT 'power', contender, repetition, queries * 3600 * scale / power FROM tpcds, setting WHERE power IS NOT NULL
UNION ALL
SELECT 'throughput', contender, repetition, 2 * streams * queries * 3600 * scale / throughput
FROM tpcds, setting WHERE throughputs = 2
UNION ALL
SELECT 'maintenance', contender, repetition, 2 * sets * 3600 * scale / maintenance
FROM tpcds, setting WHERE maintenances = 2
UNION ALL
SELECT 'composite', contender, repetition,
    streams * queries * scale * 3600 / pow(streams * power * throughput * maintenance * 0.01 * streams * load_s, 0.25)
FROM tpcds, setting WHERE power IS NOT NULL AND throughputs = 2 AND maintenances = 2 AND load_s IS NOT NULL;
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
