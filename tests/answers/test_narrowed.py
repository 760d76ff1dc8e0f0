"""What is left open of roundings and of orders, and what is not."""

from __future__ import annotations

import pyarrow as pa
import pytest

from weigh.answers import constructs
from weigh.answers.constructs.comparisons import ordering_columns
from weigh.answers.votes import vote
from weigh.model.answer import Column, GateStatus, ResultSchema
from weigh.model.gate import Difference
from weigh.model.operation import Case, Operation


def status(sql: str, values: dict[str, float], ways: dict[str, dict[str, str]]) -> GateStatus:
    """Of chdb; each engine is of a lineage of its own."""
    case = Case(name="only", timed=True)
    schema = ResultSchema(columns=(Column(name="v", kind="double", match="approx", rel=1e-9),))
    operation = Operation(name="q", sql=sql, cases=(case,), schema=schema)
    tables = {name: pa.table({"v": [value]}) for name, value in values.items()}
    found = vote(operation, case, tables, {name: name for name in values}, ways)
    return next(one.status for one in found if one.contender == "chdb")


def test_a_rounding_of_what_engines_type_differently_accuses_nobody() -> None:
    """Polars rounds doubles to the even digit, as chDB does, and takes 8.0 as a decimal, which it rounds up."""
    values = {"duckdb": 0.13, "polars": 0.13, "chdb": 0.12}
    ways = {"duckdb": {"round": "3; 0.13"}, "polars": {"round": "2; 0.12"}, "chdb": {"round": "2; 0.12"}}
    assert status("SELECT round(i / 8.0, 2) AS v FROM t", values, ways) is GateStatus.LEFT_OPEN
    assert status("SELECT round(f, 2) AS v FROM t", values, ways) is GateStatus.DIVERGED
    assert status("SELECT round(i / 8.0, 2) AS v FROM t", {**values, "chdb": 0.15}, ways) is GateStatus.DIVERGED


def test_an_order_without_null_excuses_nothing() -> None:
    sql = "SELECT sum(f) OVER (ORDER BY id) AS v FROM t LIMIT 1"
    values = {"duckdb": 7.0, "polars": 7.0, "chdb": 8.0}
    ways = {name: {"nulls": "1; 2" if name == "chdb" else "None; 2"} for name in values}
    assert status(sql, values, ways) is GateStatus.LEFT_OPEN
    full = {name: {**way, f"{constructs.ORDERED}{sql}": "no NULL"} for name, way in ways.items()}
    assert status(sql, values, full) is GateStatus.DIVERGED


@pytest.mark.parametrize(
    ("sql", "columns"),
    [
        ("SELECT sum(f) OVER (PARTITION BY g ORDER BY ID) FROM t ORDER BY d LIMIT 3", {"id", "d"}),
        ("SELECT f FROM t ORDER BY f + 1", None),
        ("SELECT f * 2 AS d FROM t ORDER BY d", None),
        ("SELECT f FROM t ORDER BY 1", None),
        ("SELECT t.f FROM t LEFT JOIN u ON t.id = u.id ORDER BY u.id", None),
        ("SELECT f FROM t", None),
    ],
)
def test_columns_that_orders_are_by(sql: str, columns: set[str] | None) -> None:
    assert ordering_columns(sql) == columns


@pytest.mark.parametrize(
    ("sql", "key", "cells", "explained"),
    [
        ("SELECT CAST(m AS DATE) AS v FROM t", "day m", ("2139-06-07", "1960-01-01"), True),
        ("SELECT CAST(m AS DATE) AS v FROM t", "day m", ("2024-01-02", "2024-01-01"), False),
        ("SELECT date_trunc('month', m) AS v FROM t", "day m", ("2139-06-07", "1960-01-01"), True),
        ("SELECT unnest(l) AS v FROM t", "list l", ("NULL", "3"), True),
        ("SELECT unnest(l) AS v FROM t", "list l", ("4", "3"), False),
    ],
)
def test_dates_and_lists_that_a_type_lacks(sql: str, key: str, cells: tuple[str, str], *, explained: bool) -> None:
    (one,) = [one for one in constructs.of(sql) if one.key == key]
    assert one.explains([Difference(row="", column="v", got=cells[0], expected=cells[1])]) is explained


def test_rows_of_lists_without_a_member_are_explained_and_no_others() -> None:
    (one,) = [one for one in constructs.of("SELECT id, unnest(l) AS v FROM t") if one.key == "list l"]
    number = Difference(row="", column="(rows)", got="48 rows", expected="42 rows")
    assert one.rows
    assert one.explains([number, Difference(row="7, NULL", column="(row)", got="1 times", expected="0 times")])
    assert not one.explains([number, Difference(row="7, 3", column="(row)", got="1 times", expected="0 times")])
