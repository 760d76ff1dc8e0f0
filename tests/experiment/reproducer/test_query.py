"""Queries reduced: parts that do not matter go, what is left is asked of a real engine, and its schema follows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb
import pytest

from weigh.experiment.reproducer.query import Parsed, minimal, parse
from weigh.model.answer import Column, ResultSchema

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

TABLES = {
    "orders": ("o_orderkey", "o_custkey", "o_total", "o_date", "o_comment"),
    "customer": ("c_custkey", "c_name", "c_nationkey", "c_segment"),
    "nation": ("n_nationkey", "n_name", "n_regionkey"),
    "region": ("r_regionkey", "r_name"),
    "odd one": ('a "quoted" column', "größe", "select"),
}

JOINED = """
SELECT n_name, c_segment, sum(o_total) AS total, count(*) AS number
FROM orders, customer, nation, region
WHERE o_custkey = c_custkey AND c_nationkey = n_nationkey AND n_regionkey = r_regionkey
  AND r_name = 'EUROPE' AND o_date >= DATE '1995-01-01' AND o_date < DATE '1996-01-01'
  AND (c_segment IN ('A', 'B', 'C') OR o_comment LIKE '%special%') AND o_total > 100
GROUP BY n_name, c_segment HAVING count(*) > 1
ORDER BY total DESC, n_name LIMIT 10
"""


@pytest.fixture(scope="module")
def engine() -> Iterator[duckdb.DuckDBPyConnection]:
    """The tables, empty: whether a query is valid does not depend on rows."""
    with duckdb.connect() as connection:
        for table, columns in TABLES.items():
            kinds = {"o_total": "DOUBLE", "o_date": "DATE"}
            keys = {column for column in columns if column.endswith("key")}
            kinds |= dict.fromkeys(keys, "INTEGER")
            listed = ", ".join(f'"{name.replace(chr(34), chr(34) * 2)}" {kinds.get(name, "TEXT")}' for name in columns)
            connection.execute(f'CREATE TABLE "{table}" ({listed})')
        yield connection


def schema(columns: str, ordered_by: tuple[int, ...] = (), limit: int | None = None) -> ResultSchema:
    return ResultSchema(
        columns=tuple(Column(name=name, kind="string") for name in columns.split()), ordered_by=ordered_by, limit=limit
    )


def parsed(sql: str, wanted: ResultSchema) -> Parsed:
    made = parse(sql, wanted, TABLES)
    assert made is not None
    return made


def joined() -> Parsed:
    return parsed(JOINED, schema("n_name c_segment total number", ordered_by=(2, 0), limit=10))


def failing(engine: duckdb.DuckDBPyConnection, *words: str) -> Callable[[Parsed], bool]:
    """A failure of every valid query that has all of these words in it."""

    def fails(query: Parsed) -> bool:
        if any(word not in query.sql for word in words):
            return False
        try:
            engine.execute(query.sql)
        except duckdb.Error:
            return False
        return True

    return fails


@pytest.mark.parametrize(
    ("words", "left"),
    [
        (["o_total > 100"], "SELECT count(*) AS number FROM orders WHERE o_total > 100"),
        (["'EUROPE'"], "SELECT count(*) AS number FROM region WHERE r_name = 'EUROPE'"),
        (["'B'"], "SELECT count(*) AS number FROM customer WHERE c_segment IN ('B')"),
        (["LIKE '%special%'"], "SELECT count(*) AS number FROM orders WHERE o_comment LIKE '%special%'"),
        (["sum("], "SELECT sum(o_total) AS total FROM orders"),
        (["o_date < DATE '1996-01-01'"], "SELECT count(*) AS number FROM orders WHERE o_date < DATE '1996-01-01'"),
        (
            ["n_name, sum("],
            "SELECT n_name, sum(o_total) AS total FROM orders, customer, nation WHERE o_custkey = c_custkey AND "
            "c_nationkey = n_nationkey GROUP BY n_name",
        ),
        (
            ["LIMIT 10"],
            "SELECT sum(o_total) AS total FROM orders, customer, nation WHERE o_custkey = c_custkey AND "
            "c_nationkey = n_nationkey GROUP BY n_name ORDER BY total DESC, n_name LIMIT 10",
        ),
    ],
)
def test_what_does_not_matter_goes(engine: duckdb.DuckDBPyConnection, words: list[str], left: str) -> None:
    query = minimal(joined(), failing(engine, *words))
    assert query.sql == left
    assert len(query.schema.columns) == len(engine.execute(query.sql).description)
    assert query.schema.limit == (10 if "LIMIT" in left else None)
    assert query.schema.ordered_by == ((0,) if "LIMIT" in left else ())


def chains(query: Parsed, depth: int) -> Iterator[Parsed]:
    """Every query that is so many parts smaller."""
    for smaller in query.smaller():
        yield smaller
        if depth > 1:
            yield from chains(smaller, depth - 1)


def test_every_smaller_query_has_its_schema_its_order_and_no_product(engine: duckdb.DuckDBPyConnection) -> None:
    seen = set()
    for query in chains(joined(), 2):
        if query.sql in seen:
            continue
        seen.add(query.sql)
        assert ("LIMIT" in query.sql) <= ("ORDER BY" in query.sql), "a LIMIT alone leaves the answer to chance"
        assert (query.schema.limit is None) == ("LIMIT" not in query.sql)
        assert bool(query.schema.ordered_by) <= ("ORDER BY" in query.sql)
        ordered = [query.schema.columns[position].name for position in query.schema.ordered_by]
        assert ordered in ([], ["total"], ["total", "n_name"]), "by n_name only within equal totals"
        try:
            names = [one[0] for one in engine.execute(query.sql).description]
        except duckdb.Error:
            continue
        assert names == [column.name for column in query.schema.columns]
        tables = [table for table in TABLES if f"{table}," in query.sql or f"{table} " in query.sql]
        ties = sum(f" {tie}" in query.sql for tie in ("o_custkey = c_", "c_nationkey = n_", "n_regionkey = r_"))
        assert ties >= len(tables) - 1, query.sql
    assert len(seen) > 100


@pytest.mark.parametrize(
    ("sql", "left"),
    [
        # GROUP BY 1 means another item once the first is gone.
        ("SELECT c_name, c_segment, count(*) AS n FROM customer GROUP BY 1, 2", "SELECT count(*) AS n FROM customer"),
        ("SELECT c_name FROM customer UNION ALL SELECT n_name FROM nation", "SELECT n_name FROM nation"),
        ("SELECT DISTINCT n_name FROM nation", "SELECT n_name FROM nation"),
        (
            "SELECT n_name FROM nation LEFT JOIN region ON n_regionkey = r_regionkey AND r_name = 'X'",
            "SELECT n_name FROM nation",
        ),
        (
            "WITH rich AS (SELECT o_custkey AS k, sum(o_total) AS t FROM orders WHERE o_comment <> 'x' GROUP BY 1) "
            "SELECT count(*) AS n FROM rich, customer WHERE k = c_custkey AND t > 5",
            "WITH rich AS (SELECT sum(o_total) AS t FROM orders) SELECT count(*) AS n FROM rich WHERE t > 5",
        ),
    ],
)
def test_other_shapes(engine: duckdb.DuckDBPyConnection, sql: str, left: str) -> None:
    names = [one[0] for one in engine.execute(sql).description]
    words = ["n_name"] if "n_name" in left else ["t > 5"] if "t > 5" in left else ["count("]
    assert minimal(parsed(sql, schema(" ".join(names))), failing(engine, *words)).sql == left


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT count(*) AS n FROM orders WHERE o_comment = 'O''Hara \\ \"x\" {y}'",
        "SELECT toString(o_total) AS a, countIf(o_total > 1) AS b FROM orders",
        "SELECT sum(o_total) AS t FROM orders WHERE o_date >= TIMESTAMP '2024-01-01 00:00:00.123456'",
        'SELECT "a ""quoted"" column", "größe", "select" FROM "odd one"',
        "SELECT CAST(o_total AS DECIMAL(10, 2)) AS d, 1.50 AS e FROM orders",
    ],
)
def test_names_and_literals_come_out_as_they_were_written(sql: str) -> None:
    assert parsed(sql, schema("a")).sql == sql


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT c_name FROM customer ORDER BY c_name DESC NULLS LAST",
        "SELECT FROM WHERE",
        "this is no SQL",
        "SELECT 1; SELECT 2",
        "",
        "DROP TABLE orders",
        "(" * 5000,
    ],
)
def test_what_is_not_understood_is_left_alone(sql: str) -> None:
    assert parse(sql, schema("a"), TABLES) is None


@pytest.mark.parametrize(
    ("sql", "needs"),
    [
        ("SELECT count(*) AS n FROM orders", {"orders": ["o_orderkey"]}),
        ("SELECT count(*) AS n FROM ORDERS WHERE O_Total > 1", {"orders": ["o_total"]}),
        ("SELECT * FROM nation", {"nation": list(TABLES["nation"])}),
        ("SELECT n.* FROM nation AS n", {"nation": list(TABLES["nation"])}),
        (
            "SELECT c_name FROM customer WHERE EXISTS (SELECT * FROM orders WHERE o_custkey = c_custkey)",
            {"orders": ["o_custkey"], "customer": ["c_custkey", "c_name"]},
        ),
        ('SELECT count("größe") AS n FROM "odd one"', {"odd one": ["größe"]}),
        ("WITH nation AS (SELECT 1 AS n_name) SELECT n_name FROM nation", {}),
    ],
)
def test_only_the_columns_that_are_read_are_needed(sql: str, needs: dict[str, list[str]]) -> None:
    assert parsed(sql, schema("a")).needs() == needs


def test_out_of_time_what_was_reached_is_kept(engine: duckdb.DuckDBPyConnection) -> None:
    asked = 0
    fails = failing(engine, "'EUROPE'")

    def patient(query: Parsed) -> bool:
        nonlocal asked
        asked += 1
        return asked <= 10 and fails(query)

    left = minimal(joined(), patient)
    assert fails(left)
    assert len(left.sql) < len(joined().sql)
