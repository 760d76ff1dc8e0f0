"""Integer arithmetic that leaves the width of its columns: what it excuses, and what it does not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from weigh.answers import constructs
from weigh.answers.constructs import wholes, width_cells, width_probes
from weigh.answers.constructs.widened import widened
from weigh.answers.constructs.widths import Overflow, Range, Width, overflows
from weigh.answers.votes import vote
from weigh.data.data_values import DataValues
from weigh.experiment.gate.dialects import widths
from weigh.model.answer import Column, GateStatus, ResultSchema
from weigh.model.gate import Difference
from weigh.model.operation import Case, Operation

if TYPE_CHECKING:
    from pathlib import Path

U8, I8, I16, I32, I64 = Width(8, False), Width(8, True), Width(16, True), Width(32, True), Width(64, True)
U64 = Width(64, signed=False)
RANGES = {
    "u": Range(0, 255, (U8,), rows=100), "w": Range(0, 255, (U8,), rows=100), "s": Range(-128, 127, (I8,), rows=100),
    "i": Range(-(2**31), 2**31 - 1, (I32,), rows=100), "a": Range(0, 49, (I64,), rows=100),
    "large": Range(0, 2**64 - 1, (U64,), rows=100), "tiny": Range(0, 10, (I8,), rows=100),
    "f": Range(-1e9, 1e9, (), whole=False, rows=100),
}  # fmt: skip
WRAPS, WIDENS, SATURATES = "254, 508", "510, 1020", "255, 510"
NAMES = ("polars", "datafusion", "chdb")


def votes(sql: str, values: dict[str, int], taken: dict[str, str] | None = None) -> dict[str, GateStatus]:
    """Each engine of a lineage of its own; polars and datafusion wrap around, chdb widens, unless told otherwise."""
    case = Case(name="only", timed=True)
    schema = ResultSchema(columns=(Column(name="v", kind="integer"),))
    tables = {name: pa.table({"v": pa.array([value], pa.decimal128(38, 0))}) for name, value in values.items()}
    found: dict[str, dict[str, str]] = {key: {} for key in values}
    taken = taken or {"polars": WRAPS, "datafusion": WRAPS, "chdb": WIDENS}
    for text, kinds in overflows(sql, RANGES).items():
        for name in values:
            way = width_cells.described(dict.fromkeys(kinds, taken[name]), name)
            found[name][f"{constructs.WIDTH}{text}"] = way
    operation = Operation(name="q", sql=sql, cases=(case,), schema=schema)
    return {one.contender: one.status for one in vote(operation, case, tables, {name: name for name in values}, found)}


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT sum(u - w) AS v FROM t",
        "SELECT count(*) AS v FROM t WHERE i + i > 0",
        "SELECT max(u - w) AS v FROM t",
        "SELECT avg(i + i) AS v FROM t",
        "SELECT count(*) AS v FROM t GROUP BY u * w",
        "SELECT a AS v FROM t ORDER BY u * 2 LIMIT 1",
        "SELECT count(*) AS v FROM (SELECT u + w AS k FROM t) AS s WHERE k > 300",
        "SELECT count(*) AS v FROM t WHERE CAST(i AS SMALLINT) > 0",
        "SELECT sum(CASE WHEN u + w > 300 THEN 1 ELSE 0 END) AS v FROM t",
        "SELECT count(CASE WHEN u + w > 300 THEN 1 END) + 1 AS v FROM t",
        "SELECT sum(CAST(ceil(sqrt(u + w)) AS BIGINT)) AS v FROM t",
        "SELECT sum(a) FILTER (WHERE u + w > 300) + 0 AS v FROM t",
        "SELECT power(u, 2) AS v FROM t",
        "SELECT u << 4 AS v FROM t",
    ],
)
def test_two_that_wrap_around_do_not_outvote_one_that_widens(sql: str) -> None:
    values = {"polars": 322990, "datafusion": 322990, "chdb": -4690}
    assert set(votes(sql, values).values()) == {GateStatus.LEFT_OPEN}


@pytest.mark.parametrize("sign", ["+", "-", "*"])
def test_how_the_widest_of_both_signs_are_typed_together_no_probe_says(sign: str) -> None:
    """ClickHouse takes the signed one and wraps, DataFusion decimals, DuckDB 128 bits: of one type two of them wrap."""
    ((_, kinds),) = overflows(f"SELECT large {sign} a AS v FROM t", RANGES).items()
    assert {one.kind for one in kinds} == {"mixed"}
    ((_, kinds),) = overflows(f"SELECT large {sign} large AS v FROM t", RANGES).items()
    assert {one.kind for one in kinds} == {sign}


@pytest.mark.parametrize("one", ["coalesce(i, 0)", "CASE WHEN a > 3 THEN i ELSE 0 END", "greatest(i, 1)"])
def test_how_a_column_and_a_literal_are_typed_together_no_probe_says(one: str) -> None:
    """DataFusion takes the literal in 64 bits, Polars in those of the column: of two columns they do the same."""
    ((_, kinds),) = overflows(f"SELECT {one} + i AS v FROM t", RANGES).items()
    assert kinds == {Overflow("mixed", I32)}
    assert width_probes.probe(Overflow("mixed", I32), lambda _: "1") is None


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT sum(a + a) AS v FROM t",
        "SELECT sum(tiny + tiny) AS v FROM t",
        "SELECT count(*) AS v FROM t WHERE a * 2 > 3",
        "SELECT sum(f * 2) AS v FROM t",
        "SELECT sum(a) * 100 AS v FROM t",
        "SELECT sum(CASE WHEN a + a > 30 THEN 1 ELSE 0 END) AS v FROM t",
        "SELECT sum(coalesce(a, 0) + a) AS v FROM t",
        "SELECT power(a, 3) AS v FROM t",
    ],
)
def test_where_no_value_leaves_its_type_who_is_outvoted_is_wrong(sql: str) -> None:
    assert not overflows(sql, RANGES)
    found = votes(sql, {"polars": 900, "datafusion": 900, "chdb": 517})
    assert found["chdb"] is GateStatus.DIVERGED


def test_who_goes_on_in_doubles_beyond_64_bits_is_honest() -> None:
    ranges = {"n": Range(0, 2**63 - 1, (I64,), rows=9)}
    assert overflows("SELECT n + 1000 AS v FROM t", ranges) == {"n + 1000": {Overflow("+1", I64)}}
    cell = Difference(row="", column="v", got=str(999 - 2**63), expected="9.223372036854776e+18")
    explains = width_cells.explains(["+1 i64=-9.2e18, refused", "+1 i64=9.2e18, 1.8e19"])
    assert explains([cell])
    assert not explains([Difference(row="", column="v", got="7", expected="9")])


@pytest.mark.parametrize("pair", [("NULL", "12"), ("0", "12"), ("12", "0")])
def test_null_and_the_ends_of_a_type_are_explained_where_an_engine_gives_them(pair: tuple[str, str]) -> None:
    cell = Difference(row="", column="v", got=pair[0], expected=pair[1])
    assert not width_cells.explains(["- u8=1, 2", "- u8=-255, -510"])([cell])
    assert width_cells.explains(["- u8=None, None", "- u8=1, 2"])([cell]) is ("NULL" in pair)
    assert width_cells.explains(["- u8=0, 0", "- u8=1, 2"])([cell]) is ("NULL" not in pair)
    # Who could not be asked may give anything that its type allows.
    assert width_cells.explains(["- u8=me", "- u8=1, 2"])([cell])


def test_casts_to_wide_integers_leave_no_type() -> None:
    assert not overflows("SELECT sum(CAST(u AS BIGINT) * w), CAST(i AS BIGINT) + i FROM t", RANGES)
    assert not overflows("SELECT sum(CAST(i * 1.5 AS BIGINT)), a / 7, 100.0 * sum(u) FROM t", RANGES)


def test_who_takes_it_as_the_others_do_is_outvoted() -> None:
    values = {"polars": 900, "datafusion": 900, "chdb": 517}
    sql = "SELECT sum(u - w) AS v FROM t"
    assert votes(sql, values, dict.fromkeys(NAMES, WRAPS))["chdb"] is GateStatus.DIVERGED


def test_where_it_is_all_of_a_column_numbers_differ_by_the_width() -> None:
    sql = "SELECT u * 2 AS v FROM t"
    assert set(votes(sql, {"polars": 144, "datafusion": 144, "chdb": 400}).values()) == {GateStatus.LEFT_OPEN}
    saturate = {"polars": SATURATES, "datafusion": SATURATES, "chdb": WIDENS}
    values = {"polars": 255, "datafusion": 255, "chdb": 400}
    assert set(votes(sql, values, saturate).values()) == {GateStatus.LEFT_OPEN}
    assert votes(sql, values)["chdb"] is GateStatus.DIVERGED
    assert votes(sql, {"polars": 144, "datafusion": 144, "chdb": 401})["chdb"] is GateStatus.DIVERGED


def test_an_engine_is_asked_of_the_types_that_the_data_can_leave_and_no_others(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    rows = {"u": pa.array([0, 200], pa.uint8()), "i": pa.array([5, -5], pa.int32()), "x": pa.array([1.5, None])}
    pq.write_table(pa.table(rows), path)
    data = DataValues({"t": [str(path)]})
    queries: list[str] = []

    def answer(sql: str) -> str | None:
        queries.append(sql)
        return None if "UTINYINT" in sql else "1"

    assert widths.probed(answer, ["SELECT i + i, x * 2, CAST(u AS BIGINT) + u FROM t"], data) == {}
    assert not queries
    sql = "SELECT u + u FROM t"
    assert widths.probed(answer, [sql], data) == {"overflow + u8": "1, 1"}
    assert "TINYINT UNSIGNED" in queries[-1]
    assert widths.taken("me", [sql], data, {"overflow + u8": "1, 1"}) == {"width u + u": "+ u8=1, 1"}
    # Who could not be asked may take it in a way of its own.
    assert widths.taken("me", [sql], data, {}) == {"width u + u": "+ u8=me"}


@pytest.mark.parametrize("statistics", [True, False])
def test_the_range_of_a_column_is_read_with_statistics_and_without(tmp_path: Path, statistics: bool) -> None:
    path = tmp_path / "t.parquet"
    table = pa.table({"n": pa.array([3, None, -7, 2**63 - 1, 4]), "none": pa.array([None] * 5, pa.int8())})
    pq.write_table(table, path, row_group_size=2, write_statistics=statistics)
    data = DataValues({"t": [str(path)]})
    assert [data.ends("t", field) and data.ends("t", field)[1:] for _, field in data.fields()] == [
        (-7, 2**63 - 1), None,
    ]  # fmt: skip


def test_a_refusal_is_an_answer_and_a_type_that_is_lacking_none() -> None:
    plus = Overflow("+", I16)
    assert width_probes.probe(plus, lambda _sql: None) is None
    assert width_probes.probe(plus, lambda sql: "1" if "max(a)" in sql else None) == "refused, refused"


@pytest.mark.parametrize(
    ("sql", "wide"),
    [
        ("SELECT sum(u - w) AS v FROM t", "SELECT SUM(CAST(u AS BIGINT) - CAST(w AS BIGINT)) AS v FROM t"),
        ("SELECT -s AS v FROM t", "SELECT -CAST(s AS BIGINT) AS v FROM t"),
        ("SELECT a FROM t WHERE u + w > 300", "SELECT a FROM t WHERE CAST(u AS BIGINT) + CAST(w AS BIGINT) > 300"),
        ("SELECT CAST(i AS TINYINT) AS v FROM t", "SELECT CAST(i AS BIGINT) AS v FROM t"),
        ("SELECT coalesce(i, 0) + i FROM t", "SELECT COALESCE(CAST(i AS BIGINT), 0) + CAST(i AS BIGINT) FROM t"),
        ("SELECT a + a AS v FROM t", None),
        ("SELECT power(u, 9) AS v FROM t", None),
        ("SELECT (CAST(i AS BIGINT) * i) * i AS v FROM t", None),
    ],
)  # fmt: skip
def test_a_question_in_64_bits_leaves_no_type(sql: str, wide: str | None) -> None:
    assert widened(sql, RANGES) == wide


def test_casts_and_roundings_of_whole_numbers_are_known() -> None:
    whole = {"CAST(u AS BIGINT)", "CAST(u * 2 + 1 AS DECIMAL(9, 2))", "ROUND(SUM(u))", "CAST(k AS INT)"}
    other = {"CAST(f AS BIGINT)", "CAST(u / 2 AS BIGINT)", "CAST(x AS INT)", "ROUND(u * 1.5)", "CAST(u * f AS INT)"}
    sql = f"SELECT {', '.join(sorted(whole | other))} FROM (SELECT u + 1 AS k, u / 2 AS x, u, f FROM t) AS s"
    assert wholes.texts(sql, {"u": True, "f": False}) == whole


def test_a_cast_of_integers_excuses_no_other_number() -> None:
    sql, case = "SELECT CAST(i AS BIGINT) AS v FROM t", Case(name="only", timed=True)
    schema = ResultSchema(columns=(Column(name="v", kind="integer"),))
    operation = Operation(name="q", sql=sql, cases=(case,), schema=schema)
    tables = {name: pa.table({"v": [value]}) for name, value in {"polars": 7, "duckdb": 7, "chdb": 8}.items()}
    probed = {"polars": {"integer": "1; 2"}, "duckdb": {"integer": "1; 2"}, "chdb": {"integer": "2; 3"}}
    key = "fraction integer CAST(i AS BIGINT)"

    def status(ways: dict[str, dict[str, str]]) -> GateStatus:
        found = vote(operation, case, tables, {name: name for name in tables}, ways)
        return next(one.status for one in found if one.contender == "chdb")

    assert status(probed) is GateStatus.LEFT_OPEN
    assert status({name: {**ways, key: "whole"} for name, ways in probed.items()}) is GateStatus.DIVERGED


def test_a_sum_of_what_wraps_around_is_off_by_multiples_of_the_width() -> None:
    sql = "SELECT sum(u - w) AS v FROM t"
    wrapped = {"polars": 322990, "datafusion": 322990, "chdb": -4690}
    assert set(votes(sql, wrapped).values()) == {GateStatus.LEFT_OPEN}
    assert votes(sql, wrapped | {"chdb": -4691})["chdb"] is GateStatus.DIVERGED
    for way in ("None, None", "0, 0", "1.5e19, 3e19"):
        taken = {"polars": WRAPS, "datafusion": WRAPS, "chdb": way}
        assert set(votes(sql, wrapped | {"chdb": -4691}, taken).values()) == {GateStatus.LEFT_OPEN}, way


def test_an_order_that_cuts_nothing_off_excuses_no_value() -> None:
    answers = {"polars": 7, "datafusion": 7, "chdb": 8}
    assert votes("SELECT a AS v FROM t ORDER BY u * 2", answers)["chdb"] is GateStatus.DIVERGED
    assert votes("SELECT a AS v FROM t ORDER BY u * 2 LIMIT 1", answers)["chdb"] is GateStatus.LEFT_OPEN
