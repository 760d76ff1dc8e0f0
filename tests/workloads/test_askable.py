"""What is no question with one right answer is said to be that; what only looks like it is left alone."""

from __future__ import annotations

import pytest

from weigh.model.errors import UsageError
from weigh.workloads.askable import refuse

CHANCE, CLOCK, WRITES, FILE = (
    "not deterministic (",
    "depends on when it is asked",
    "it changes something",
    "of its own (",
)


@pytest.mark.promise("`weigh init` and `weigh run` refuse what is no question with one right answer, and say why")
@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("SELECT random()", CHANCE),
        ("SELECT * FROM t ORDER BY rand()", CHANCE),
        ("SELECT uuid(), gen_random_uuid()", CHANCE),
        ("SELECT generateUUIDv4()", CHANCE),
        ("SELECT nextval('s')", CHANCE),
        ("SELECT * FROM t TABLESAMPLE 10%", CHANCE),
        ("SELECT count(*) FROM t WHERE ts < now() - INTERVAL 1 DAY", CLOCK),
        ("SELECT current_timestamp", CLOCK),
        ("SELECT a FROM t WHERE ts < current_date AND b = {b}", CLOCK),
        ("INSERT INTO t VALUES (1)", WRITES),
        ("-- all of it\nCOPY t TO 'x'", WRITES),
        ("/* now */ CREATE TABLE x AS SELECT 1", WRITES),
        ("WITH d AS (INSERT INTO t VALUES (1) RETURNING *) SELECT * FROM d", WRITES),
        ("PRAGMA database_list", WRITES),
        ("SELECT * FROM read_csv('x.csv')", "(x.csv)"),
        ("FROM 'x.parquet'", "(x.parquet)"),
        ('SELECT * FROM t JOIN "a/b.csv" u ON true', "(a/b.csv)"),
        ("SELECT * FROM s3('http://host/x')", FILE),
    ],
)
def test_it_is_refused_as_what_it_is(sql: str, said: str) -> None:
    with pytest.raises(UsageError) as refused:
        refuse(sql, "query q")
    assert said in str(refused.value)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT brand, url, file, sample, scan, current, now FROM t",
        "PIVOT t ON brand USING sum(x)",
        'SELECT * FROM "Order Details" AS d JOIN "now" AS n ON d.id = n.id',
        "SELECT day(ts), date_trunc('month', ts) FROM t WHERE name = 'random()' AND f LIKE '%/x.csv'",
        "(SELECT 1) UNION ALL (SELECT 2)",
        "SELECT 'x.csv' AS f, updated FROM t WHERE b = {x} AND c = $1",
        "WITH recent AS (SELECT * FROM s.t) SELECT * FROM recent",
        "this is not SQL, random()",
    ],
)
def test_what_only_looks_like_it_is_left_alone(sql: str) -> None:
    refuse(sql, "query q")
