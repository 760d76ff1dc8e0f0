"""Large answers are compared as columns, and never otherwise than row by row."""

from __future__ import annotations

import math
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weigh.answers import compare as comparing
from weigh.answers import pairing
from weigh.answers.by_columns import without_counterparts
from weigh.answers.compare import compare
from weigh.answers.pairing import distance, pair
from weigh.model.answer import Column, ResultSchema

SCHEMA = ResultSchema(
    columns=(
        Column(name="k", kind="integer"),
        Column(name="t", kind="string"),
        Column(name="v", kind="double", match="approx", rel=1e-9),
    )
)
ROW = st.tuples(
    st.one_of(st.none(), st.integers(0, 3)),
    st.sampled_from(["a", "b", None]),
    st.one_of(st.none(), st.sampled_from([0.0, -0.0, 1.0, 1.0 + 1e-12, 1.1, math.nan, math.inf])),
)


def table(rows: list[Any], kind: pa.DataType | None = None) -> pa.Table:
    columns = list(zip(*rows, strict=True)) if rows else [(), (), ()]
    kinds = (kind or pa.int64(), pa.string(), pa.float64())
    return pa.table({one.name: pa.array(c, k) for one, c, k in zip(SCHEMA.columns, columns, kinds, strict=True)})


EXACT = ResultSchema(columns=SCHEMA.columns[:2])


@pytest.mark.parametrize("schema", [SCHEMA, EXACT])
@given(st.lists(ROW, max_size=7), st.lists(ROW, max_size=7), st.sampled_from([1, 100]))
def test_what_is_left_is_found_as_it_is_row_by_row(
    schema: ResultSchema, got: list[Any], expected: list[Any], most: int
) -> None:
    expected = (got + expected)[: len(got)] if len(expected) % 2 else expected
    ours, theirs = (table(one).select(range(len(schema.columns))) for one in (got, expected))
    found = compare(ours, theirs, schema)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(comparing, "EXPORT_ROWS", 0)
        patched.setattr(comparing, "_MOST_ROWS_LISTED", most)
        other = compare(ours, theirs, schema)
    assert other.agrees is found.agrees
    assert other.count == found.count or (most == 1 and 0 < other.count < found.count)


def test_the_order_of_rows_the_width_of_integers_and_rounding_are_no_difference() -> None:
    rows = [(at, "a", float(at) + 0.5) for at in range(100)]
    other = [(k, t, v * (1 + 1e-12)) for k, t, v in reversed(rows)]
    # Arrow compares texts of this kind and does not take some of them.
    views = table(rows).set_column(1, "t", pa.array(["a"] * 100, pa.string_view()))
    found = without_counterparts(views, table(other, pa.int32()), SCHEMA, 100)
    assert found is not None
    assert (found.answer.num_rows, found.witness.num_rows) == (0, 0)
    assert 0 < found.apart < 1e-11


@pytest.mark.parametrize("change", [(5, "a", 9.0), (5, "b", 5.5), (6, "a", 5.5), (5, "a", None), (5, "a", math.nan)])
def test_one_cell_that_differs_is_all_that_is_left_to_the_rows(change: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    rows: list[Any] = [(at, "a", float(at) + 0.5) for at in range(100)]
    other = [change if at == 5 else row for at, row in enumerate(rows)]
    left = without_counterparts(table(other), table(rows), SCHEMA, 100)
    assert left is not None
    assert left.answer.num_rows == left.witness.num_rows <= 2
    row_by_row = compare(table(other), table(rows), SCHEMA)
    monkeypatch.setattr(comparing, "EXPORT_ROWS", 10)
    found = compare(table(other), table(rows), SCHEMA)
    assert not found.agrees
    assert found == row_by_row
    assert compare(table(rows[::-1]), table(rows), SCHEMA).agrees


@given(st.lists(st.one_of(st.none(), st.integers(-4, 4), st.just(math.nan)), max_size=12), st.randoms())
def test_rows_that_share_their_keys_are_paired_whatever_their_order(values: list[Any], random: Any) -> None:
    rows = [(1, "a", None if one is None else float(one)) for one in values]
    other = [(k, t, v and v * (1 + random.uniform(-4e-10, 4e-10))) for k, t, v in rows]
    random.shuffle(other)
    assert pair(other, rows, SCHEMA).agrees
    if rows:
        wrong = [*other[:-1], (1, "a", 7.0)]
        assert pair(wrong, rows, SCHEMA).count == 1


def test_rows_within_a_unit_of_each_other_are_paired_whatever_their_order() -> None:
    """Each took the first that was near, and left none to the last."""
    columns = (SCHEMA.columns[0], Column(name="q", kind="decimal", match="quotient"))
    schema = ResultSchema(columns=columns)
    rows = [(25, Decimal(number)) for number in range(-1, 11)]
    for other in (rows[::-1], rows[1:] + rows[:1], [*rows[::2], *rows[1::2]]):
        assert pair(other, rows, schema).agrees
    assert not pair([*rows[:-1], (25, Decimal(12))], rows, schema).agrees


@pytest.mark.parametrize("match", ["approx", "quotient"])
def test_spans_and_moments_where_others_have_numbers_are_equal_to_themselves(match: Any) -> None:
    schema = ResultSchema(columns=(Column(name="d", kind="double", match=match, rel=1e-9),))
    span, moment = timedelta(days=16, microseconds=7), datetime(2024, 1, 2)
    for value in (span, moment, True):
        assert pair([(value,)], [(value,)], schema).agrees
    text = "16 days 00:00:00.000008"
    assert pair([(text,)], [(text,)], schema).agrees
    assert pair([(text,)], [("16 days 00:00:00.000007123 ns",)], schema).agrees
    assert not pair([(text,)], [("16 days 00:00:01.000008",)], schema).agrees
    for value in (span, moment):
        assert pair([(value + timedelta(microseconds=1),)], [(value,)], schema).agrees
        for other in (value + timedelta(seconds=1), "16 days", 16.0, None):
            assert not pair([(other,)], [(value,)], schema).agrees


def test_of_many_rows_that_share_their_keys_each_is_held_against_few(monkeypatch: pytest.MonkeyPatch) -> None:
    """250,000 rows of ten keys took hours."""
    looks = 0

    def counted(x: Any, y: Any) -> float:
        nonlocal looks
        looks += 1
        return distance(x, y)

    monkeypatch.setattr(pairing, "distance", counted)
    rows: list[Any] = [(1, "a", at % 1000 + 0.5) for at in range(3000)]
    right = [(k, t, v * (1 + 1e-12)) for k, t, v in reversed(rows)]
    assert pair(right, rows, SCHEMA).agrees
    assert pair([(k, t, v + 0.1) for k, t, v in rows], rows, SCHEMA).count == len(rows)
    assert looks < 10 * len(rows)


def test_means_of_moments_are_as_near_as_their_units_and_doubles_are() -> None:
    schema = ResultSchema(columns=(Column(name="a", kind="timestamp", match="approx"),))

    def agree(moment: datetime, off: int) -> bool:
        return pair([(moment + timedelta(microseconds=off),)], [(moment,)], schema).agrees

    near, far = datetime(2024, 1, 2), datetime(9999, 1, 2)
    assert agree(near, 2)
    assert not agree(near, 9)
    # Doubles of microseconds are 32 apart there.
    assert agree(far, 32)
    assert not agree(far, 200)
