"""Votes of lineages: who is outvoted, and where no majority tells who is right."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from weigh.answers.left_open import by_chance
from weigh.answers.votes import vote
from weigh.model.answer import Column, GateStatus, ResultSchema
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
    ("SELECT v FROM (SELECT z, row_number() OVER (ORDER BY y) AS v FROM t) AS s", 4, 9),
    ("SELECT k, a / b AS v FROM t", 0.142857, 0),
    ("SELECT k, CAST(2.5 AS INTEGER) AS v FROM t", 3, 2),
    ("SELECT k, round(x) AS v FROM t", 3.0, 2.0),
    ("SELECT k, round(x, 2) AS v FROM t", 0.12, 0.13),
    ("SELECT k, substr(s, 0, 3) AS v FROM t", "ab", "abc"),
    ("SELECT k, substr(s, -2) AS v FROM t", "cd", "abcd"),
    ("SELECT k, replace(s, '', 'x') AS v FROM t", "xaxb", "ab"),
    ("SELECT k, length(s) AS v FROM t", 7, 6),
    ("SELECT k, upper(s) AS v FROM t", "STRASSE", "STRAßE"),
    ("SELECT k, x / 0.0 AS v FROM t", math.nan, math.inf),
    ("SELECT k, round(x, -1) AS v FROM t", 14, 10),
    ("SELECT k, stddev_samp(x) AS v FROM t GROUP BY k", math.nan, math.inf),
    ("SELECT k, corr(x, 1) AS v FROM t GROUP BY k", math.nan, math.inf),
    ("SELECT k, mode(x) AS v FROM t GROUP BY k", 4, 9),
    ("SELECT k, arg_max(x, y) AS v FROM t GROUP BY k", 4, 9),
    ("SELECT DISTINCT ON (k) k, v FROM t ORDER BY k, y", 4, 9),
    ("SELECT k, sum(x) AS v FROM (SELECT k, x FROM t ORDER BY y LIMIT 3) AS s GROUP BY k", 4, 9),
    ("SELECT k, sum(x) AS v FROM (SELECT DISTINCT ON (y) k, x FROM t) AS s GROUP BY k", 4, 9),
    ("SELECT k, v FROM t ORDER BY k LIMIT 3 OFFSET 2", 4, 9),
    (r"SELECT k, v FROM t WHERE s LIKE '\_%'", 4, 9),
]


@pytest.mark.parametrize(("sql", "odd", "others"), OPEN)
def test_what_sql_leaves_open_accuses_nobody(sql: str, odd: float | str, others: float | str) -> None:
    found = votes(sql, odd, others)
    assert {one.status for one in found} == {GateStatus.LEFT_OPEN}
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
        ("SELECT k, x / 2.0 AS v FROM t", math.nan, math.inf),
        ("SELECT k, stddev_samp(x) AS v FROM t GROUP BY k", 1.5, 2.5),
        ("SELECT k, corr(x, 1) AS v FROM t GROUP BY k", 0.5, math.nan),
        ("SELECT DISTINCT ON (v) k, v FROM t ORDER BY v", 4, 9),
        ("SELECT k, v FROM t ORDER BY v LIMIT 3 OFFSET 2", 4, 9),
        ("SELECT count(*) AS v FROM (SELECT y FROM t ORDER BY y LIMIT 3) AS s", 4, 9),
        (r"SELECT k, v FROM t WHERE s LIKE '\_%' ESCAPE '\'", 4, 9),
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


def columns_of(sql: str, answers: dict[str, pa.Table], ways: dict[str, dict[str, str]] | None = None) -> set[str]:
    """What is found of DuckDB, where answers are given as tables of integers and doubles."""
    case = Case(name="only", timed=True)
    kinds: dict[bool, Kind] = {True: "double", False: "integer"}
    columns = tuple(
        Column(name=field.name, kind=kinds[pa.types.is_floating(field.type)]) for field in answers["duckdb"].schema
    )
    operation = Operation(name="q", sql=sql, cases=(case,), schema=ResultSchema(columns=columns))
    return {one.detail for one in vote(operation, case, answers, LINEAGE, ways) if one.contender == "duckdb"}


@pytest.mark.parametrize(
    ("k", "found"), [([11, 12, 13], UNDECIDED), ([11, 12, 14], "outvoted"), ([11, 12], "outvoted")]
)
def test_a_column_that_ties_decide_pairs_no_rows(k: list[int], found: str) -> None:
    # Another row is the first of those that tie: by k and v together two rows are others.
    sql = "SELECT k, row_number() OVER (ORDER BY y) AS v FROM t"
    others = pa.table({"k": [11, 12, 13], "v": [1, 2, 3]})
    odd = pa.table({"k": k, "v": [2, 1, 3][: len(k)]})
    assert columns_of(sql, {"duckdb": odd, "polars": others, "pyarrow": others}) == {found}


@pytest.mark.parametrize(("last", "found"), [(None, UNDECIDED), (3.5, "outvoted")])
def test_two_constructs_may_explain_one_column_together(last: float | None, found: str) -> None:
    # Whole numbers, and NULL for what is divided by zero.
    sql = "SELECT k, a / b AS v FROM t"
    others = pa.table({"k": [1, 2, 3], "v": [2.5, 0.25, math.inf]})
    odd = pa.table({"k": [1, 2, 3], "v": pa.array([2.0, 0.0, last])})
    assert columns_of(sql, {"duckdb": odd, "polars": others, "pyarrow": others}) == {found}


def test_a_letter_that_is_cut_within_is_a_matter_of_bytes() -> None:
    case = Case(name="only", timed=True)
    schema = ResultSchema(columns=(Column(name="v", kind="string"),))
    operation = Operation(name="q", sql="SELECT substr(s, 2) AS v FROM t", cases=(case,), schema=schema)
    cut = pa.table({"v": pa.array([b"\x89b"], pa.binary()).view(pa.string())})
    tables = {name: cut if name == "duckdb" else pa.table({"v": ["b"]}) for name in LINEAGE}
    assert {one.detail for one in vote(operation, case, tables, LINEAGE)} == {UNDECIDED}


@pytest.mark.parametrize(("first", "found"), [(math.nan, UNDECIDED), (7.0, "outvoted")])
def test_all_that_differs_is_looked_at_and_not_what_is_shown(first: float, found: str) -> None:
    others = pa.table({"k": range(40), "v": [math.inf] * 40})
    odd = pa.table({"k": range(40), "v": [math.nan] * 39 + [first]})
    answers = {"duckdb": odd, "polars": others, "pyarrow": others}
    assert columns_of("SELECT k, max(x) AS v FROM t GROUP BY k", answers) == {found}


def test_what_nothing_explains_is_shown_first() -> None:
    """A place in bytes is right, and one in NULL is not."""
    case, sql = Case(name="only", timed=True), "SELECT k, strpos(s, 'b') AS v FROM t"
    schema = ResultSchema(columns=(Column(name="k", kind="integer"), Column(name="v", kind="integer")))
    operation = Operation(name="q", sql=sql, cases=(case,), schema=schema)
    right = pa.table({"k": range(20), "v": [3] * 19 + [None]})
    tables = dict.fromkeys(LINEAGE, right) | {"duckdb": pa.table({"k": range(20), "v": [4] * 19 + [0]})}
    ways = {name: {"position": "3" if name == "duckdb" else "2"} for name in LINEAGE}
    (found,) = (one for one in vote(operation, case, tables, LINEAGE, ways) if one.contender == "duckdb")
    assert [(one.got, one.expected) for one in found.differences] == [("0", "NULL")] + [("4", "3")] * 4


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


WAYS = {"duckdb": {"nulls": "last"}, "polars": {"nulls": "first"}, "pyarrow": {"nulls": "first"}}
"""Of DuckDB otherwise than of the two others."""


def rows_of(sql: str, ways: dict[str, dict[str, str]], answers: dict[str, list[int]]) -> set[str]:
    """What is found of DuckDB, whose answer of one column v has other values or as many rows as it likes."""
    case = Case(name="only", timed=True)
    operation = Operation(
        name="q", sql=sql, cases=(case,), schema=ResultSchema(columns=(Column(name="v", kind="integer"),))
    )
    tables = {name: pa.table({"v": pa.array(answers.get(name, [1, 2]), pa.int64())}) for name in LINEAGE}
    return {one.detail for one in vote(operation, case, tables, LINEAGE, ways) if one.contender == "duckdb"}


@pytest.mark.parametrize(
    ("key", "sql"),
    [
        ("division", "SELECT count(*) AS v FROM t WHERE x / 2 = 1"),
        ("division", "SELECT v FROM t GROUP BY v, x / 2"),
        ("integer", "SELECT sum(CAST(x AS INTEGER)) AS v FROM t"),
        ("integer", "SELECT CAST(x AS INTEGER) AS v FROM t GROUP BY 1"),
        ("integer", "SELECT DISTINCT CAST(x AS INTEGER) AS v FROM t"),
        ("length", "SELECT count(*) AS v FROM t GROUP BY length(s)"),
        ("length", "SELECT count(*) AS v FROM t GROUP BY substr(s, 1, 2)"),
        ("like", "SELECT count(*) AS v FROM t WHERE s LIKE 'a%'"),
        ("collation", "SELECT count(*) AS v FROM t WHERE s > 'b'"),
        ("collation", "SELECT v FROM t ORDER BY s LIMIT 2"),
        ("logarithm", "SELECT CAST(log(x) AS BIGINT) AS v FROM t"),
        ("modulo", "SELECT count(*) AS v FROM t WHERE x % 7 = 1"),
        ("format", "SELECT count(*) AS v FROM t GROUP BY strftime(d, '%Y')"),
        ("nulls", "SELECT rank() OVER (PARTITION BY g ORDER BY x) AS v FROM t"),
        ("nulls", "SELECT count(*) AS v FROM (SELECT x FROM t ORDER BY x LIMIT 3) AS s GROUP BY x"),
    ],
)
@pytest.mark.parametrize("answer", [[1, 7], [1]])
def test_a_construct_that_engines_were_found_to_take_differently_accuses_nobody(
    key: str, sql: str, answer: list[int]
) -> None:
    ways = {name: {key: "one" if name == "duckdb" else "other"} for name in LINEAGE}
    # What is a part of a value changes no number of rows.
    of_value = len(answer) == 1 and ("sum(" in sql or "log(" in sql)
    assert rows_of(sql, ways, {"duckdb": answer}) == {"outvoted" if of_value else UNDECIDED}
    # Those who take it alike cannot differ for it.
    alike = {name: dict.fromkeys((key, "integer", "nulls", "collation"), "same") for name in LINEAGE}
    assert rows_of(sql, alike, {"duckdb": answer}) == {"outvoted"}


@pytest.mark.parametrize("sql", ["SELECT v FROM t WHERE s LIKE 'a%'", "SELECT v FROM t WHERE s = 'a' ORDER BY v"])
def test_who_cannot_be_probed_compares_texts_as_nearly_all_do(sql: str) -> None:
    assert rows_of(sql, {}, {"duckdb": [1]}) == {"outvoted"}


def test_no_null_where_rows_are_put_in_order_explains_no_other_rows() -> None:
    case = Case(name="only", timed=True)
    schema = ResultSchema(columns=(Column(name="v", kind="integer"),), ordered_by=(0,), limit=2)
    operation = Operation(name="q", sql="SELECT v FROM t ORDER BY v LIMIT 2", cases=(case,), schema=schema)
    tables = {name: pa.table({"v": [1, 2] if name != "duckdb" else [2, 3]}) for name in LINEAGE}
    found = {one.contender: one.detail for one in vote(operation, case, tables, LINEAGE, WAYS)}
    assert found["duckdb"] == "outvoted"


@pytest.mark.parametrize(
    ("sql", "second", "agrees"),
    [
        ("SELECT k, row_number() OVER (ORDER BY x) AS v FROM t", 7, True),
        ("SELECT k, v FROM (SELECT k, first_value(y) OVER (ORDER BY x) AS v FROM t) AS s", 7, True),
        ("SELECT k, rank() OVER (ORDER BY x) AS v FROM t", 7, False),
        ("SELECT k, x / 2 AS v FROM t", 7, False),
    ],
)
def test_one_engine_may_answer_in_two_ways_where_rows_tie_in_a_window(sql: str, second: int, agrees: bool) -> None:
    schema = ResultSchema(columns=(Column(name="k", kind="integer"), Column(name="v", kind="integer")))
    operation = Operation(name="q", sql=sql, cases=(Case(name="only", timed=True),), schema=schema)
    one, other = (pa.table({"k": [1, 2], "v": [3, value]}) for value in (4, second))
    assert by_chance(operation, one, other).agrees is agrees
    fewer = by_chance(operation, one, other.slice(0, 1))
    assert not fewer.agrees


@pytest.mark.parametrize(
    ("sql", "found"),
    [
        ("SELECT x / 2 AS v FROM t", "outvoted"),
        ("SELECT length(s) + 1 AS v FROM t", "outvoted"),
        ("SELECT x / 2 AS v FROM t WHERE x / 2 > 1", UNDECIDED),
    ],
)
def test_a_row_that_is_lost_is_not_explained_by_a_value_of_the_answer(sql: str, found: str) -> None:
    ways = {name: dict.fromkeys(("division", "length"), name) for name in LINEAGE}
    assert rows_of(sql, ways, {"duckdb": [1]}) == {found}


@pytest.mark.parametrize(("order", "found"), [("NULL", "outvoted"), ("y", UNDECIDED)])
def test_an_order_by_a_constant_has_no_place_for_null(order: str, found: str) -> None:
    inner = f"SELECT x, row_number() OVER (PARTITION BY x ORDER BY {order}) AS r FROM t"
    sql = f"SELECT x AS v FROM ({inner}) AS u WHERE r < 8"
    case = Case(name="only", timed=True)
    operation = Operation(
        name="q", sql=sql, cases=(case,), schema=ResultSchema(columns=(Column(name="v", kind="integer"),))
    )
    tables = {"a": pa.table({"v": pa.array([], pa.int64())}), **{one: pa.table({"v": [1, 2]}) for one in "bc"}}
    ways = {"a": {"nulls": "first"}, "b": {"nulls": "last"}, "c": {"nulls": "last"}}
    checks = vote(operation, case, tables, {one: one for one in tables}, ways)
    assert [one.detail for one in checks if one.contender == "a"] == [found]
