"""Sums of floating-point numbers: what rounding explains, and what it does not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from weigh.answers import compare
from weigh.answers.constructs import rounding
from weigh.answers.votes import vote
from weigh.data.data_values import DataValues
from weigh.experiment.gate.dialects import summed
from weigh.model.answer import Column, GateStatus, ResultSchema
from weigh.model.gate import Difference
from weigh.model.operation import Case, Operation

if TYPE_CHECKING:
    from pathlib import Path

MEAN = 49.809390017433095


def schema(match: Any = "approx") -> ResultSchema:
    return ResultSchema(columns=(Column(name="a", kind="double", match=match, rel=1e-9 if match == "approx" else 0.0),))


def answer(value: float, kind: pa.DataType | None = None) -> pa.Table:
    return pa.table({"a": pa.array([value], pa.float64()).cast(kind or pa.float64())})


def votes(sql: str, values: dict[str, float], ways: dict[str, str]) -> dict[str, GateStatus]:
    operation = Operation(name="q", sql=sql, cases=(Case(name="only", literals={}),), schema=schema())
    tables = {name: answer(value) for name, value in values.items()}
    found = vote(operation, operation.cases[0], tables, {name: name for name in tables}, dict.fromkeys(tables, ways))
    return {one.contender: one.status for one in found}


@pytest.mark.parametrize("match", ["approx", "quotient"])
@pytest.mark.parametrize(("kind", "off", "agrees"), [
    (pa.float32(), 1e-6, True), (pa.float32(), 1e-3, False), (pa.float16(), 1e-2, True), (pa.float16(), 1.0, False),
    (pa.float64(), 1e-6, False),
])  # fmt: skip
def test_whoever_answers_in_narrower_floats_is_compared_as_far_as_they_go(
    match: Any, kind: pa.DataType, off: float, agrees: bool
) -> None:
    compared = compare.compare(answer(MEAN + off, kind), answer(MEAN), schema(match))
    assert compared.agrees is agrees
    if agrees:
        assert any("floats of fewer than 64 bits of a" in note for note in compared.notes)


def test_no_majority_tells_what_is_left_of_large_numbers_that_cancel() -> None:
    ways = {"~ x": rounding.size_of(2000, 1e16, 64)}
    honest = {"a": 417.56, "b": 0.0, "c": 0.0}
    assert set(votes("SELECT sum(x) AS a FROM t", honest, ways).values()) == {GateStatus.LEFT_OPEN}
    # One that is further off than any sequence of the rows can be is wrong, as is one where nothing cancels.
    assert votes("SELECT sum(x) AS a FROM t", {**honest, "a": 9e6}, ways)["a"] is GateStatus.DIVERGED
    small = {"~ x": rounding.size_of(2000, 100.0, 64)}
    assert votes("SELECT sum(x) AS a FROM t", {"a": 99.0001, "b": 99.0, "c": 99.0}, small)["a"] is GateStatus.DIVERGED
    assert votes("SELECT count(x) AS a FROM t", honest, ways)["a"] is GateStatus.DIVERGED


def test_products_of_narrow_floats_are_as_exact_as_an_engine_computes_them() -> None:
    ways = {"~ x": rounding.size_of(2000, 100.0, 32)}
    values = {"a": 6622405.5448, "b": 6622405.5553, "c": 6622405.5553}
    sql = "SELECT sum(x * x) AS a FROM t"
    assert set(votes(sql, values, ways).values()) == {GateStatus.LEFT_OPEN}
    assert votes(sql, {**values, "a": 6622505.0}, ways)["a"] is GateStatus.DIVERGED
    assert votes(sql, values, {"~ x": rounding.size_of(2000, 100.0, 64)})["a"] is GateStatus.DIVERGED


def test_how_large_numbers_are_is_read_from_the_data_where_they_are_summed(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    columns = {"x": pa.array([1e16, -2e16, None, float("inf")]), "f": pa.array([1.5] * 4, pa.float32())}
    pq.write_table(
        pa.table({**columns, "n": [2**62] * 4, "small": pa.array([1] * 4, pa.int16()), "s": ["a"] * 4}), path
    )
    sql = "SELECT sum(x), avg(n), avg(f), sum(small), max(s) FROM t"
    found = summed([sql], DataValues({"t": [str(path)]}))
    assert found == {"~ x": "2 2e+16 64", "~ n": f"4 {2.0**62!r} 64", "~ f": "4 1.5 32"}
    assert summed(["SELECT max(x) FROM t"], DataValues({"t": [str(path)]})) == {}


SINGLE = {"~ x": rounding.size_of(4000, 1e8, 32)}
IN_32, IN_64 = SINGLE | {rounding.NARROW_SUM: "0.300000011921"}, SINGLE | {rounding.NARROW_SUM: "0.300000004470"}


@pytest.mark.parametrize(("way", "value", "status"), [
    # What PostgreSQL gives for 4,000 floats, and what a thousand rows of them less would be.
    (IN_32, 97899765760.0, GateStatus.LEFT_OPEN), (IN_64, 97899765760.0, GateStatus.DIVERGED),
    (IN_32, 96e9, GateStatus.DIVERGED),
])  # fmt: skip
def test_who_adds_in_32_bits_is_off_by_what_that_loses_and_no_more(
    way: dict[str, str], value: float, status: GateStatus
) -> None:
    sql, case = "SELECT sum(x) AS a FROM t", Case(name="only", literals={})
    operation = Operation(name="q", sql=sql, cases=(case,), schema=schema())
    tables = {"a": answer(value), "b": answer(97900000597.2), "c": answer(97900000597.2)}
    found = vote(operation, case, tables, {name: name for name in tables}, {"a": way, "b": IN_64, "c": IN_64})
    assert {one.contender: one.status for one in found}["a"] is status


def test_doubles_are_added_in_64_bits() -> None:
    assert rounding.sums_narrowly("0.300000011921")
    assert not any(map(rounding.sums_narrowly, ("0.300000004470", "0.3", "0.30000000447034836", "None", "")))


EXACT = "998765285037234001686225090882"


@pytest.mark.parametrize(
    ("got", "without_decimals", "excused"),
    [
        pytest.param("998765285037233997194513612800", True, True, id="sqlite"),
        pytest.param("998765285037233997194513612800", False, True, id="the double next to it"),
        pytest.param("998765285037235001686225090882", False, False, id="a digit that a double has not"),
        pytest.param("998775285037234001686225090882", True, False, id="a digit that a double has"),
    ],
)
def test_a_long_decimal_is_compared_by_all_its_digits(got: str, without_decimals: bool, excused: bool) -> None:
    """As doubles, two of these are one number, and their difference is none."""
    size = {f"{rounding.ROUNDING}x": rounding.size_of(10, 1.0, 64)}
    camps = [[size | ({rounding.DOUBLES: "a"} if without_decimals else {})], [size]]
    cell = Difference(row="0", column="m", got=got, expected=EXACT)
    assert bool(rounding.reason("SELECT max(d) AS m FROM t", [cell], camps)) == excused
