"""Rows in order where some are NULL or NaN: their place may be open, the order of the others never is."""

from __future__ import annotations

from typing import Any

import msgspec
import pyarrow as pa
import pytest

from weigh.answers import agreement, compare
from weigh.experiment.reproducer import script
from weigh.model.answer import Column, ResultSchema

NAN = float("nan")


def schema(width: int, *placed: int, limit: int | None = None) -> ResultSchema:
    """Ordered by all columns; NULLs of those that are not placed may stand at either end."""
    return ResultSchema(
        columns=tuple(Column(name=f"c{at}", kind="double") for at in range(width)),
        ordered_by=tuple(range(width)),
        nulls_open=tuple(at for at in range(width) if at not in placed),
        limit=limit,
    )


def table(*columns: list[Any]) -> pa.Table:
    return pa.table({f"c{at}": pa.array(column, pa.float64()) for at, column in enumerate(columns)})


ONE = [
    ([None, 1, 2, 3], [1, 2, 3, None], True),
    ([None, None, 1, 2], [1, 2, None, None], True),
    ([None, 3, 2, 1], [1, 2, 3, None], False),
    ([3, 2, 1, None], [1, 2, 3, None], False),
    ([1, None, 2, 3], [1, 2, 3, None], False),
    ([None, 1, 2, None], [1, 2, None, None], False),
    ([NAN, 1, 2, None], [1, 2, NAN, None], True),
    ([None, NAN, 1, 2], [1, 2, NAN, None], True),
    ([1, 2, None, NAN], [NAN, None, 1, 2], True),
    ([1, NAN, 2, None], [1, 2, NAN, None], False),
    ([NAN, 2, 1], [1, 2, NAN], False),
    ([3, 2, None], [None, 3, 2], True),
]
"""An answer, a right one, and whether it is right as well."""


def agree(one: pa.Table, other: pa.Table, of: ResultSchema) -> bool:
    found = {compare.compare(one, other, of).agrees, compare.compare(other, one, of).agrees}
    # What is compared by digest, pinned, or handed to the engine's makers, is judged alike.
    found |= {compare.digest(one, of) == compare.digest(other, of)}
    found |= {agreement.fits(one, agreement.of(other, of), of)}
    assert len(found) == 1
    return found.pop()


@pytest.mark.parametrize(("got", "right", "wanted"), ONE)
def test_nulls_lie_together_at_one_end_and_all_else_is_in_order(got: Any, right: Any, wanted: bool) -> None:
    assert agree(table(got), table(right), schema(1)) is wanted


@pytest.mark.parametrize(
    ("first", "second", "wanted"),
    [
        ([1, 1, 1, 2, None, None], [None, 5, 6, 7, 8, None], True),
        ([None, None, 1, 1, 1, 2], [None, 8, None, 5, 6, 7], True),
        ([None, None, 1, 1, 1, 2], [8, None, None, 6, 5, 7], False),
        ([None, None, 1, 1, 1, 2], [8, None, 5, None, 6, 7], False),
        ([1, 1, 2, 1, None, None], [5, 6, 7, None, 8, None], False),
    ],
)
def test_later_columns_are_in_order_among_rows_that_are_equal_before(first: Any, second: Any, wanted: bool) -> None:
    right = table([1, 1, 1, 2, None, None], [5, 6, None, 7, 8, None])
    assert agree(table(first, second), right, schema(2)) is wanted


def test_a_place_that_is_written_is_not_open() -> None:
    assert not agree(table([None, 1, 2]), table([1, 2, None]), schema(1, 0))
    assert agree(table([None, NAN, 1, 2]), table([None, 1, 2, NAN]), schema(1, 0))
    assert not agree(table([NAN, None, 1, 2]), table([None, 1, 2, NAN]), schema(1, 0))
    right = table([1, 1, None, None], [3, None, 4, None])
    assert agree(table([1, 1, None, None], [None, 3, None, 4]), right, schema(2, 0))
    assert not agree(table([None, None, 1, 1], [4, None, 3, None]), right, schema(2, 0))
    assert not agree(table([None, None, 1, 1], [None, 4, None, 3]), right, schema(2, 1))


def test_columns_that_pyarrow_cannot_put_in_order() -> None:
    """DataFusion hands out texts as views, also within a list."""
    kinds = [pa.string_view(), pa.binary_view(), pa.list_(pa.string_view())]
    cells = [["x", "y", "z"], [b"x", b"y", b"z"], [["x"], ["y"], None]]
    for kind, values in zip(kinds, cells, strict=True):
        columns = (Column(name="c0", kind="double"), Column(name="t", kind="string"))
        of = msgspec.structs.replace(schema(1), columns=columns)
        first = pa.table({"c0": [None, 1.0, 2.0], "t": pa.array(values, kind)})
        last = pa.table({"c0": [1.0, 2.0, None], "t": pa.array([*values[1:], values[0]], kind)})
        assert compare.digest(first, of) == compare.digest(last, of)
        swapped = pa.table({"c0": [2.0, 1.0, None], "t": pa.array([values[2], values[1], values[0]], kind)})
        assert compare.digest(first, of) != compare.digest(swapped, of)
    ordered = ResultSchema(columns=(Column(name="t", kind="string"),), ordered_by=(0,), nulls_open=(0,))
    views = [pa.table({"t": pa.array(one, pa.string_view())}) for one in ([None, "a", "b"], ["a", "b", None])]
    assert agree(*views, ordered)


def test_without_a_word_on_nulls_their_place_counts() -> None:
    of = msgspec.structs.replace(schema(1), nulls_open=msgspec.UNSET)
    assert not agree(table([None, 1]), table([1, None]), of)


def test_rows_that_a_limit_did_not_part_are_the_same_wherever_nulls_stand() -> None:
    of = schema(1, limit=3)
    one, other = table([None, 1, 2]), table([1, 2, None])
    assert compare.compare(one, other, of).agrees
    assert not compare.compare(table([None, 2, 1]), other, of).agrees
    assert not compare.compare(one, table([1, 2, 3]), of).agrees


def test_a_large_answer_is_put_in_one_form_quickly() -> None:
    values = [float(at) for at in range(compare.EXPORT_ROWS)]
    assert agree(table([None, *values]), table([*values, None]), schema(1))
    assert not agree(table([None, *values[::-1]]), table([*values, None]), schema(1))


@pytest.mark.parametrize(("got", "right", "wanted"), ONE)
def test_the_script_for_the_makers_of_an_engine_judges_alike(
    got: Any, right: Any, wanted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(script, "COLUMNS", [("c0", "double", "exact", 0.0)])
    monkeypatch.setattr(script, "ORDERED_BY", [0])
    monkeypatch.setattr(script, "NULLS_OPEN", [0])
    assert (not script.differing([(one,) for one in got], [(one,) for one in right])) is wanted
    monkeypatch.setattr(script, "NULLS_OPEN", None)
    assert bool(script.differing([(one,) for one in got], [(one,) for one in right]))
