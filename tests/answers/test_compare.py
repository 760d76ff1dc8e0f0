"""Answers compared: the same thing in other types agrees, another thing never does."""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from weigh.answers import compare, names
from weigh.model.answer import Column, Kind, ResultSchema

if TYPE_CHECKING:
    from weigh.answers.compare import Comparison

NAN = float("nan")


def schema(*kinds: Kind, ordered_by: tuple[int, ...] = (), limit: int | None = None) -> ResultSchema:
    columns = tuple(Column(name=f"c{number}", kind=kind) for number, kind in enumerate(kinds))
    return ResultSchema(columns=columns, ordered_by=ordered_by, limit=limit)


def loose(kind: Kind = "double", *, rel: float = 1e-9, quotient: bool = False) -> ResultSchema:
    value = Column(name="value", kind=kind, match="quotient" if quotient else "approx", rel=rel)
    return ResultSchema(columns=(Column(name="key", kind="string"), value))


def table(*columns: Any) -> pa.Table:
    arrays = [column if isinstance(column, pa.Array) else pa.array(column) for column in columns]
    return pa.table(arrays, names=[f"x{number}" for number in range(len(arrays))])


def agree(left: pa.Table, right: pa.Table, of: ResultSchema) -> bool:
    """Both ways round: who is the witness must not matter."""
    one, other = compare.compare(left, right, of), compare.compare(right, left, of)
    assert one.agrees == other.agrees
    assert one.agrees or one.differences
    return one.agrees


def typed(values: list[Any], kind: pa.DataType) -> pa.Array:
    return pa.array(values, kind)


DAY = dt.date(2024, 2, 29)
MIDNIGHT = dt.datetime(2024, 2, 29)
SPAN = dt.timedelta(days=1, seconds=5)


@pytest.mark.promise(
    "by value: 1.10 and 1.1000, int32 and int64, a date and a timestamp at midnight are equal, and an interval "
    "without months and a duration"
)
@pytest.mark.parametrize(
    ("kind", "left", "right"),
    [
        ("integer", typed([1, None], pa.int32()), typed([1, None], pa.int64())),
        ("integer", typed([1], pa.uint64()), typed([Decimal(1)], pa.decimal128(38, 0))),
        ("integer", typed([3.0], pa.float64()), typed([3], pa.int64())),
        ("integer", typed([-0.0], pa.float64()), typed([0], pa.int8())),
        ("decimal", typed([Decimal("1.10")], pa.decimal128(5, 2)), typed([Decimal("1.1000")], pa.decimal128(9, 4))),
        ("decimal", typed([Decimal("5.00")], pa.decimal128(5, 2)), typed([5], pa.int64())),
        ("double", typed([-0.0], pa.float64()), typed([0.0], pa.float64())),
        ("double", typed([NAN, None], pa.float64()), typed([NAN, None], pa.float64())),
        ("double", typed([0.5], pa.float32()), typed([0.5], pa.float64())),
        ("date", typed([DAY], pa.date32()), typed([MIDNIGHT], pa.timestamp("us"))),
        ("timestamp", typed([MIDNIGHT], pa.timestamp("s")), typed([MIDNIGHT], pa.timestamp("ns", "UTC"))),
        ("string", typed(["é"], pa.large_string()), typed(["é".encode()], pa.binary())),
        ("string", pa.array(["a", "a"]).dictionary_encode(), typed(["a", "a"], pa.string())),
        ("boolean", typed([1, 0], pa.uint8()), typed([True, False], pa.bool_())),
        ("string", typed([SPAN], pa.duration("us")), typed([SPAN], pa.duration("ns"))),
        ("string", typed([SPAN], pa.duration("s")), pa.array([pa.MonthDayNano([0, 1, 5_000_000_000])])),
        ("string", typed([[Decimal(7)]], pa.list_(pa.decimal128(38, 0))), typed([[7]], pa.list_(pa.int64()))),
        ("string", pa.array([{"n": Decimal(7)}]), pa.array([{"n": 7}])),
    ],
)
def test_the_same_thing_in_another_type(kind: Kind, left: pa.Array, right: pa.Array) -> None:
    assert agree(table(left), table(right), schema(kind))


FAR = 10**18
"""As a moment or a span: of none of them Python has a value."""


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (typed([10**9, 0], pa.date32()), typed([10**9 + 1, 0], pa.date32())),
        (typed([FAR, 0], pa.timestamp("us")), typed([FAR + 1, 0], pa.timestamp("us"))),
        (typed([FAR, 0], pa.timestamp("ms")), typed([FAR + 1, 0], pa.timestamp("ms"))),
        (typed([FAR, 0], pa.duration("s")), typed([FAR + 1, 0], pa.duration("s"))),
        (typed([1, 0], pa.duration("ns")), typed([2, 0], pa.duration("ns"))),
        (typed([[FAR]], pa.list_(pa.timestamp("s"))), typed([[FAR + 1]], pa.list_(pa.timestamp("s")))),
        (pa.array([{"n": FAR}], pa.struct({"n": pa.timestamp("s")})), pa.array([{"n": 1}])),
        (pa.array([pa.MonthDayNano([1, 1, 1])]), pa.array([pa.MonthDayNano([0, 31, 1])])),
    ],
)
def test_what_python_has_no_value_for_is_compared_all_the_same(left: pa.Array, right: pa.Array | None) -> None:
    assert agree(table(left), table(left), schema("string"))
    if right is not None:
        assert not agree(table(left), table(right), schema("string"))


@pytest.mark.promise(
    "NULL, 0, an empty text and NaN are four values",
    "A boolean for a number is another answer.",
)
@pytest.mark.parametrize(
    ("kind", "left", "right"),
    [
        ("integer", typed([0], pa.int64()), typed([None], pa.int64())),
        ("integer", typed([True], pa.bool_()), typed([1], pa.int64())),
        ("double", typed([NAN], pa.float64()), typed([None], pa.float64())),
        ("string", typed([""], pa.string()), typed([None], pa.string())),
        ("string", typed(["svc-backup-01"], pa.string()), typed(["svc-backup-02"], pa.string())),
        ("integer", typed([2**53 + 1], pa.int64()), typed([2**53], pa.int64())),
        ("decimal", typed([Decimal("1.10")], pa.decimal128(5, 2)), typed([Decimal("1.11")], pa.decimal128(5, 2))),
        ("double", typed([NAN], pa.float64()), typed([None], pa.float64())),
        ("double", typed([NAN], pa.float64()), typed([0.0], pa.float64())),
        ("double", typed([0.1 + 0.2], pa.float64()), typed([0.3], pa.float64())),
        ("string", typed([""], pa.string()), typed([None], pa.string())),
        ("string", typed(["a"], pa.string()), typed(["a "], pa.string())),
        ("date", typed([DAY], pa.date32()), typed([MIDNIGHT + dt.timedelta(hours=1)], pa.timestamp("us"))),
        ("timestamp", typed([1], pa.timestamp("ns")), typed([0], pa.timestamp("ns"))),
    ],
)
def test_another_thing(kind: Kind, left: pa.Array, right: pa.Array) -> None:
    assert not agree(table(left), table(right), schema(kind))


def test_wide_decimals_are_compared_to_their_last_digit() -> None:
    """Python's decimals round to 28 digits in arithmetic; an engine's have 38."""
    wide = [Decimal("12345678901234567890123456789012.345678"), Decimal("12345678901234567890123456789012.345679")]
    left, right = (table(typed([value], pa.decimal128(38, 6))) for value in wide)
    assert not agree(left, right, schema("decimal"))


@pytest.mark.promise("The order of rows counts only in the columns that the query orders by.")
def test_rows_are_a_bag_unless_the_query_orders_them() -> None:
    left, right = table([1, 2, 2], ["a", "b", "c"]), table([2, 1, 2], ["c", "a", "b"])
    assert agree(left, right, schema("integer", "string"))
    assert not agree(left, right, schema("integer", "string", ordered_by=(0,)))


def test_rows_that_tie_may_come_in_any_order() -> None:
    left, right = table([1, 2, 2], ["a", "b", "c"]), table([1, 2, 2], ["a", "c", "b"])
    assert agree(left, right, schema("integer", "string", ordered_by=(0,)))


def test_a_row_twice_is_not_a_row_once() -> None:
    assert not agree(table([1, 1, 2]), table([1, 2, 2]), schema("integer"))
    assert not agree(table([1, 1, 2]), table([1, 2]), schema("integer"))


def test_ties_at_the_limit_may_be_any_of_those_that_tie() -> None:
    top = schema("string", "integer", ordered_by=(1,), limit=3)
    left, right = table(["a", "b", "c"], [9, 5, 5]), table(["a", "b", "d"], [9, 5, 5])
    assert agree(left, right, top)
    (note,) = compare.compare(left, right, top).notes
    assert "tie at the limit" in note
    assert not agree(left, table(["z", "b", "d"], [9, 5, 5]), top)
    assert not agree(left, table(["a", "b", "d"], [9, 5, 4]), top)


def test_below_the_limit_nothing_may_be_exchanged() -> None:
    top = schema("string", "integer", ordered_by=(1,), limit=10)
    assert not agree(table(["a", "b"], [9, 5]), table(["a", "c"], [9, 5]), top)


def test_approximate_values_agree_within_their_tolerance() -> None:
    left = table(["a", "b"], [1e9, NAN])
    assert agree(left, table(["b", "a"], [NAN, 1e9 * (1 + 1e-12)]), loose())
    assert not agree(left, table(["a", "b"], [1e9 * (1 + 1e-6), NAN]), loose())
    assert not agree(left, table(["a", "b"], [1e9, 0.0]), loose())
    assert not agree(left, table(["a", "b"], pa.array([1e9, None])), loose())


def test_a_tolerance_that_was_needed_is_noted() -> None:
    (note,) = compare.compare(table(["a"], [1.0]), table(["a"], [1 + 1e-15]), loose()).notes
    assert note.startswith("A2")


@pytest.mark.parametrize("value", [math.inf, -math.inf])
def test_infinity_equals_itself_only(value: float) -> None:
    assert agree(table(["a"], [value]), table(["a"], [value]), loose())
    assert not agree(table(["a"], [value]), table(["a"], [1e308]), loose())
    assert not agree(table(["a"], [value]), table(["a"], [-value]), loose())


@pytest.mark.promise("within one unit of the coarser decimal scale; for division and averages of decimals")
def test_a_quotient_agrees_within_one_unit_of_the_coarser_scale() -> None:
    def value(text: str, scale: int) -> pa.Table:
        return table(["a"], typed([Decimal(text)], pa.decimal128(20, scale)))

    quotient = loose("decimal", rel=0.0, quotient=True)
    assert agree(value("0.333333", 6), value("0.3333", 4), quotient)
    assert agree(value("0.666666", 6), value("0.6667", 4), quotient)
    assert not agree(value("0.666666", 6), value("0.6664", 4), quotient)
    assert not agree(value("0.333333", 6), value("0.333335", 6), quotient)


def test_an_integer_division_is_no_quotient_at_a_coarser_scale() -> None:
    quotient = loose("decimal", quotient=True)
    assert not agree(table(["a"], [Decimal("15.486")]), table(["a"], [15]), quotient)
    assert not agree(table(["a"], [0.0344]), table(["a"], [0]), quotient)
    assert agree(table(["a"], [25.0]), table(["a"], [25]), quotient)


def test_quotients_of_doubles_differ_by_rounding_and_not_by_scale() -> None:
    quotient = loose("decimal", quotient=True)
    near = compare.compare(table(["a"], [0.1 + 0.2]), table(["a"], [0.3]), quotient)
    assert near.agrees
    assert [note[:3] for note in near.notes] == ["A2:"]
    coarse = compare.compare(table(["a"], [Decimal("0.30")]), table(["a"], [0.304]), quotient)
    assert [note[:3] for note in coarse.notes] == ["A7:"]


@pytest.mark.parametrize("other", [table([1], [2]), pa.table({})])
def test_another_number_of_columns(other: pa.Table) -> None:
    found = compare.compare(other, table([1]), schema("integer"))
    assert (found.agrees, found.differences[0].column) == (False, "(columns)")


def test_no_rows_on_both_sides() -> None:
    assert agree(table(typed([], pa.int64())), table(typed([], pa.int32())), schema("integer"))


def test_differences_are_shown_and_all_are_counted() -> None:
    found: Comparison = compare.compare(table(list(range(100))), table(list(range(100, 200))), schema("integer"))
    assert found.count >= 100
    assert len(found.differences) == compare.MAX_DIFFERENCES


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        (table([1, 2]), table([2, 1]), True),
        (table(typed([1, 2], pa.int32())), table(typed([1, 2], pa.int64())), True),
        (table([1, 2]), table([1, 3]), False),
        (table([1, 2]), table([1, 2, 2]), False),
        (table([1, 2]), table([1, 2], [1, 2]), False),
    ],
)
def test_digests_tell_the_same(left: pa.Table, right: pa.Table, same: bool) -> None:
    of = schema("integer")
    assert (compare.digest(left, of) == compare.digest(right, of)) == same


def test_the_digest_of_an_ordered_answer_is_of_its_sequence() -> None:
    of = schema("integer", ordered_by=(0,))
    assert compare.digest(table([1, 2]), of) != compare.digest(table([2, 1]), of)


@pytest.mark.promise(
    "A name that the query gives with AS is a promise, compared without case, and so is the order of "
    "names; how an engine calls an expression without a name is its own affair."
)
def test_an_answer_with_its_names_in_another_order_is_another() -> None:
    of = ResultSchema(columns=(Column(name="a", kind="integer"), Column(name="B", kind="integer")))
    right = pa.table({"A": [1], "b": [1]})
    assert compare.compare(right, right, of).agrees
    found = compare.compare(pa.table({"b": [1], "a": [1]}), right, of)
    assert [str(one) for one in found.differences] == ["(column names): b, a, not a, B"]


@pytest.mark.promise(
    "A name that the query gives with AS is a promise, compared without case, and so is the order of "
    "names; how an engine calls an expression without a name is its own affair."
)
@pytest.mark.parametrize(
    ("got", "sql", "differs"),
    [
        ("m", "SELECT count(*) AS n FROM t", True),
        ("N", "SELECT count(*) AS n FROM t", False),
        ("count_star()", "SELECT count(*) FROM t", False),
        ("t.n", "SELECT t.n FROM t", False),
        ("m", "WITH x AS (SELECT 1 AS n) SELECT sum(n) AS n FROM x", True),
        ("m", "this is not SQL", False),
    ],
)
def test_a_name_is_a_promise_where_the_query_gives_it(got: str, sql: str, differs: bool) -> None:
    assert (names.renamed([got], ["n"], sql) is not None) == differs


def test_decimals_sent_as_text_are_compared_by_value_and_noted() -> None:
    text, plain = table(["1.10", None]), table(typed([Decimal("1.1"), None], pa.decimal128(5, 1)))
    assert agree(text, plain, schema("decimal"))
    assert compare.compare(text, plain, schema("decimal")).notes == (
        "A7: text for the decimals of c0: compared by value",
    )
    assert not agree(table(["1.11", None]), plain, schema("decimal"))


@pytest.mark.promise(
    "Answers above 100,000 rows are compared by digests of their exact columns and of the sequence "
    "that the query orders by."
)
def test_a_large_answer_in_another_order_is_another() -> None:
    of = schema("integer", "string", ordered_by=(0,))
    there = list(range(compare.EXPORT_ROWS + 10))
    right = table(there, [str(n) for n in there])
    assert compare.compare(right, right, of).agrees
    back = right.take(pa.array([1, 0, *there[2:]]))
    found = compare.compare(back, right, of)
    assert not found.agrees
    assert str(found.differences[0]) == "row 1 in order, c0: 1, not 0"
    assert compare.compare(back, right, schema("integer", "string")).agrees


def test_a_large_answer_shows_the_cell_that_differs() -> None:
    there = list(range(compare.EXPORT_ROWS + 10))
    right, wrong = (table(there, [0] * 5 + [last] + [0] * (len(there) - 6)) for last in (0, 7))
    found = compare.compare(wrong, right, schema("integer", "integer"))
    assert [str(one) for one in found.differences] == ["row 5, c1: 7, not 0"]


def test_a_wrong_cell_is_shown_where_other_columns_are_approximate_and_nothing_is_called_rounding() -> None:
    columns = (Column(name="k", kind="string"), Column(name="n", kind="integer"))
    of = ResultSchema(columns=(*columns, Column(name="x", kind="double", match="approx", rel=1e-9)), keys=(0,))
    found = compare.compare(table(["a", "b"], [1, 3], [1.0, 2.0]), table(["a", "b"], [1, 2], [1.0, 2.0 + 1e-15]), of)
    assert [str(one) for one in found.differences] == ["row 'b', n: 3, not 2"]
    assert found.notes == ()


def test_rows_of_a_limit_without_order_confirm_nothing_and_contradict_nothing() -> None:
    of = schema("integer", limit=2)
    found = compare.compare(table([1, 2]), table([3, 4]), of)
    assert (found.agrees, found.open) == (True, True)
    assert not compare.compare(table([1, 2]), table([1, 2]), of).open
    assert not compare.compare(table([1]), table([3, 4]), of).agrees


@pytest.mark.parametrize(("answer", "witness"), [(1, 2), (2, 1), (2, 3), (3, 3)])
def test_columns_of_another_number_differ(answer: int, witness: int) -> None:
    """A schema is one engine's answer: the witness may have more columns than it, or fewer."""
    left, right = (table(*([1, 2] for _ in range(width))) for width in (answer, witness))
    found = compare.compare(left, right, schema("integer", "integer"))
    assert [one.column for one in found.differences] == ["(columns)"]
