"""A quick yes is a yes of the whole comparison; what it does not know it leaves to it."""

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weigh.answers import by_columns, compare
from weigh.model.answer import Column, ResultSchema

SCHEMA = ResultSchema(
    columns=(
        Column(name="city", kind="string"),
        Column(name="n", kind="integer"),
        Column(name="a", kind="double", match="approx", rel=1e-9),
    ),
    ordered_by=(2,),
    limit=3,
    keys=(0,),
)


def table(*rows: tuple[str, int | None, float | None]) -> pa.Table:
    names = [column.name for column in SCHEMA.columns]
    columns = list(zip(*rows, strict=True)) if rows else [(), (), ()]
    types = (pa.string(), pa.int64(), pa.float64())
    return pa.table([pa.array(*one) for one in zip(columns, types, strict=True)], names=names)


KEPT = table(("Oslo", 3, 1.5), ("Rome", 4, 2.5), ("Lima", None, None))
CELLS = st.tuples(
    st.sampled_from(["Oslo", "Rome", "Lima"]),
    st.sampled_from([3, 4, None]),
    st.sampled_from([1.5, 1.5 + 1e-12, 2.5, 2.5 + 1e-6, None, float("nan"), float("inf"), -0.0, 0.0]),
)


@settings(max_examples=200, deadline=None)
@given(st.lists(CELLS, max_size=3), st.lists(CELLS, max_size=3), st.booleans())
def test_its_yes_is_one_of_the_whole_comparison(one: list, other: list, to_the_bit: bool) -> None:
    answer, kept = table(*one), table(*other)
    if by_columns.same(answer, kept, SCHEMA, to_the_bit=to_the_bit):
        # What is not in the order of its own values is no right answer, and nobody keeps it.
        assert compare.compare(answer, kept, SCHEMA).agrees or not compare.compare(kept, kept, SCHEMA).agrees


def test_last_bits_may_differ_unless_no_tolerance_is_given() -> None:
    other = table(("Oslo", 3, 1.5 + 1e-12), ("Rome", 4, 2.5), ("Lima", None, None))
    assert by_columns.same(KEPT, KEPT, SCHEMA, to_the_bit=True)
    assert by_columns.same(other, KEPT, SCHEMA)
    assert not by_columns.same(other, KEPT, SCHEMA, to_the_bit=True)


@pytest.mark.parametrize(
    "rows",
    [
        [("Oslo", 3, 1.5), ("Rome", 4, 2.5 + 1e-6), ("Lima", None, None)],
        [("Oslo", 3, 1.5), ("Rome", 5, 2.5), ("Lima", None, None)],
        [("Oslo", 3, 1.5), ("Rome", 4, 2.5), ("Lima", None, 0.0)],
        [("Rome", 4, 2.5), ("Oslo", 3, 1.5), ("Lima", None, None)],
        [("Oslo", 3, 1.5), ("Rome", 4, 2.5)],
    ],
    ids=["too far", "an integer", "a value for nothing", "another order", "a row less"],
)
def test_anything_else_is_left_to_the_whole_comparison(rows: list) -> None:
    assert not by_columns.same(table(*rows), KEPT, SCHEMA)
