"""Votes of lineages: who is outvoted, and where no majority tells who is right."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from weigh.answers.votes import vote
from weigh.model.answer import Column, ResultSchema
from weigh.model.gate import UNDECIDED
from weigh.model.operation import Case, Operation

if TYPE_CHECKING:
    from weigh.model.answer import Kind
    from weigh.model.gate import Check

LINEAGE = {"duckdb": "duckdb", "polars": "polars", "pyarrow": "arrow"}


def votes(sql: str, odd: float | str, others: float | str) -> list[Check]:
    """Where DuckDB answers otherwise than the two others, in the column v."""
    case = Case(name="only", timed=True)
    kinds: dict[type, Kind] = {str: "string", int: "integer", float: "double"}
    kind = "double" if float in (type(odd), type(others)) else kinds[type(odd)]
    schema = ResultSchema(columns=(Column(name="k", kind="integer"), Column(name="v", kind=kind)))
    if "k" not in sql or sql.startswith("SELECT v"):
        schema = ResultSchema(columns=schema.columns[1:])
    operation = Operation(name="q", sql=sql, cases=(case,), schema=schema)
    tables = {name: table(schema, odd if name == "duckdb" else others) for name in LINEAGE}
    return vote(operation, case, tables, LINEAGE)


def table(schema: ResultSchema, value: float | str) -> pa.Table:
    array = pa.array([Decimal(value)]) if isinstance(value, int) else pa.array([value])
    return pa.table({column.name: pa.array([1]) if column.name == "k" else array for column in schema.columns})


def detail(sql: str, odd: float, others: float) -> str:
    """What is found of the first, which differs from the two others."""
    (found,) = [one for one in votes(sql, odd, others) if one.contender == "duckdb"]
    return found.detail


@pytest.mark.parametrize(("odd", "others"), [(math.nan, math.inf), (1.5, math.nan)])
def test_where_nan_stands_in_an_order_no_majority_tells(odd: float, others: float) -> None:
    assert detail("SELECT max(v) AS v FROM t", odd, others) == UNDECIDED


@pytest.mark.parametrize(
    ("sql", "odd", "others"),
    [("SELECT max(v) AS v FROM t", 1.0, 2.0), ("SELECT sum(v) AS v FROM t", math.nan, 1.0)],
)
def test_other_numbers_are_outvoted(sql: str, odd: float, others: float) -> None:
    assert detail(sql, odd, others) == "outvoted"


OPEN = [
    ("SELECT sum(u) AS v FROM t", 1436400000000000000000, 1436400000000000000000 % 2**64),
    ("SELECT k, last_value(x) OVER (ORDER BY y) AS v FROM t", 4, 9),
    ("SELECT k, sum(x) OVER (ORDER BY y ROWS 2 PRECEDING) AS v FROM t", 4, 9),
    ("SELECT v FROM (SELECT row_number() OVER (ORDER BY y) AS v FROM t) AS s", 4, 9),
    ("SELECT k, a / b AS v FROM t", 0.142857, 0),
    ("SELECT k, CAST(2.5 AS INTEGER) AS v FROM t", 3, 2),
    ("SELECT k, round(x) AS v FROM t", 3.0, 2.0),
    ("SELECT k, round(x, 2) AS v FROM t", 0.12, 0.13),
    ("SELECT k, substr(s, 0, 3) AS v FROM t", "ab", "abc"),
    ("SELECT k, substr(s, -2) AS v FROM t", "cd", "abcd"),
    ("SELECT k, replace(s, '', 'x') AS v FROM t", "xaxb", "ab"),
    ("SELECT k, length(s) AS v FROM t", 7, 6),
    ("SELECT k, upper(s) AS v FROM t", "STRASSE", "STRAßE"),
]


@pytest.mark.parametrize(("sql", "odd", "others"), OPEN)
def test_what_sql_leaves_open_accuses_nobody(sql: str, odd: float | str, others: float | str) -> None:
    found = votes(sql, odd, others)
    assert {one.detail for one in found} == {UNDECIDED}
    assert {one.contender for one in found} == set(LINEAGE)
    assert all(one.notes for one in found)


@pytest.mark.parametrize(
    ("sql", "odd", "others"),
    [
        ("SELECT sum(u) AS v FROM t", 5, 7),
        ("SELECT sum(u) AS v FROM t", 3_000_000_000 - 2**32, 3_000_000_000),
        ("SELECT k, rank() OVER (ORDER BY y) AS v FROM t", 4, 9),
        ("SELECT k, a / b AS v FROM t", 1, 0.142857),
        ("SELECT k + a / b AS k, a * b AS v FROM t", 0, 0.142857),
        ("SELECT k, CAST(x AS INTEGER) AS v FROM t", 5, 2),
        ("SELECT k, round(x, 2) AS v FROM t", 0.12, 0.14),
        ("SELECT k, substr(s, 1, 3) AS v FROM t", "ab", "abc"),
        ("SELECT k, replace(s, 'b', 'x') AS v FROM t", "ab", "ax"),
        ("SELECT k, upper(s) AS v FROM t", "AB", "ab"),
        ("SELECT k, length(s) AS v FROM t", 70, 6),
    ],
)
def test_what_no_construct_explains_is_outvoted(sql: str, odd: float | str, others: float | str) -> None:
    assert [one.detail for one in votes(sql, odd, others) if one.contender == "duckdb"] == ["outvoted"]


def ordered(sql: str, duckdb: list[tuple[int | None, int]], others: list[tuple[int | None, int]]) -> list[Check]:
    """Votes on rows of x and id, ordered by both."""
    case = Case(name="only", timed=True)
    columns = (Column(name="x", kind="integer"), Column(name="id", kind="integer"))
    limit = 1 if "LIMIT" in sql else None
    operation = Operation(
        name="q", sql=sql, cases=(case,), schema=ResultSchema(columns=columns, ordered_by=(0, 1), limit=limit)
    )
    rows = {name: duckdb if name == "duckdb" else others for name in LINEAGE}
    tables = {
        name: pa.table({"x": pa.array([x for x, _ in of], pa.int64()), "id": [number for _, number in of]})
        for name, of in rows.items()
    }
    return vote(operation, case, tables, LINEAGE)


LAST: list[tuple[int | None, int]] = [(2, 1), (1, 2), (None, 3)]
FIRST: list[tuple[int | None, int]] = [(None, 3), (2, 1), (1, 2)]


@pytest.mark.parametrize(
    ("sql", "duckdb", "others", "found"),
    [
        ("SELECT x, id FROM t ORDER BY x DESC, id", LAST, FIRST, UNDECIDED),
        ("SELECT x, id FROM t ORDER BY x DESC, id LIMIT 1", LAST[:1], FIRST[:1], UNDECIDED),
        ("SELECT x, id FROM t ORDER BY x DESC NULLS FIRST, id", LAST, FIRST, "outvoted"),
        ("SELECT x, id FROM t ORDER BY x DESC, id", [LAST[1], LAST[0], LAST[2]], LAST, "outvoted"),
        ("SELECT x, id FROM t ORDER BY x DESC, id LIMIT 1", [(1, 2)], [(2, 1)], "outvoted"),
    ],
)
def test_where_null_stands_in_an_order_no_majority_tells(
    sql: str, duckdb: list[tuple[int | None, int]], others: list[tuple[int | None, int]], found: str
) -> None:
    assert [one.detail for one in ordered(sql, duckdb, others) if one.contender == "duckdb"] == [found]
