"""Equal values in other types are equal, and other values are not: forms of every family, from both sides."""

from __future__ import annotations

import datetime
import decimal
import uuid
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weigh.answers import compare
from weigh.answers.align import align, differ_in_form
from weigh.model.answer import Column, ResultSchema

if TYPE_CHECKING:
    from collections.abc import Callable

U = uuid.UUID("1f07baf9-1122-3344-5566-7788990011aa")
DAY = b"\x00\x00\x00\x00\x03\x00\x00\x00\x65\x68\xe0\x00"
SPAN = pa.array([(0, 3, 14_706_789_000_000)], pa.month_day_nano_interval())
MONTHS = pa.array([(14, 3, 14_706_000_000_000)], pa.month_day_nano_interval())
MOMENT = datetime.datetime(2024, 2, 29, 12, 34, 56, 789000)
D = decimal.Decimal
PAIRS = pa.map_(pa.string(), pa.int32())


def one(value: Any, kind: pa.DataType | None = None) -> pa.Array:
    """A column of one value."""
    return pa.array([value], kind)


def same(mine: pa.Array, theirs: pa.Array) -> tuple[bool, str, str]:
    """Whether two columns are equal by value, the form, and why they are not compared; the same from both sides."""
    found = []
    for pair in ((mine, theirs), (theirs, mine)):
        ours, others = (pa.chunked_array([side]) for side in pair)
        aligned = align(ours, others)
        found.append((not aligned.unchecked and aligned.one.equals(aligned.other), aligned.form, aligned.unchecked))
    assert found[0] == found[1]
    return found[0]


EQUAL = [
    (one(U.bytes, pa.binary(16)), one(str(U)), "UUIDs as text and as bytes"),
    (one(U.bytes, pa.binary(16)), one(str(U).upper()), "UUIDs as text and as bytes"),
    (one(U.bytes, pa.binary(16)), one(U.hex), "UUIDs as text and as bytes"),
    (one(U.bytes, pa.binary()), one(f"{{{U}}}"), "UUIDs as text and as bytes"),
    (pa.ExtensionArray.from_storage(pa.uuid(), one(U.bytes, pa.binary(16))), one(U.bytes, pa.binary()), ""),
    (one(U.bytes, pa.binary(16)), one(str(U).encode(), pa.binary()), "UUIDs as text and as bytes"),
    (one(7), one(b"7"), "text for the integers, in bytes"),
    (one(D("1.10")), one(b"1.1"), "text for the decimals, in bytes"),
    (one(MOMENT), one(b"2024-02-29 12:34:56.789"), "text for the timestamps, in bytes"),
    (SPAN, one(DAY, pa.binary(12)), "bytes for the intervals"),
    (SPAN, one("3 days 04:05:06.789"), "text for the intervals"),
    (SPAN, one("P3DT4H5M6.789S"), "text for the intervals"),
    (SPAN, one(datetime.timedelta(days=3, seconds=14_706, milliseconds=789)), "durations and intervals"),
    (SPAN, one({"months": 0, "days": 3, "nanoseconds": 14_706_789_000_000}), "structs for the intervals"),
    (MONTHS, one("1 year 2 months 3 days 04:05:06"), "text for the intervals"),
    (MONTHS, one("14 mons 3 days 4 hours 5 mins 6.000000000 secs"), "text for the intervals"),
    (one(D("1.10")), one("1.1"), "text for the decimals"),
    (one(D("1.10")), one("1.1000e0"), "text for the decimals"),
    (one(D("1.10")), one(1.1), "doubles for the decimals"),
    (one(D("5.00")), one(5), ""),
    (one(2**64 - 1, pa.uint64()), one("18446744073709551615"), "text for the integers"),
    (one(2**64 - 1, pa.uint64()), one(D(2**64 - 1)), ""),
    (one(D(-(2**100))), one((-(2**100)).to_bytes(16, "little", signed=True), pa.binary(16)), "bytes for the integers"),
    (one(0.1, pa.float64()), one("0.1"), "text for the doubles"),
    (one(float("inf")), one("Infinity"), "text for the doubles"),
    (one(1.5, pa.float16()), one(1.5, pa.float32()), ""),
    (one(True), one("true"), "text for the booleans"),
    (one(True), one(1), "integers for the booleans"),
    (one(MOMENT, pa.timestamp("ms")), one(MOMENT, pa.timestamp("ns", "UTC")), ""),
    (one(MOMENT, pa.timestamp("us")), one("2024-02-29T12:34:56.789Z"), "text for the timestamps"),
    (one(MOMENT, pa.timestamp("us")), one("2024-02-29 14:34:56.789+02"), "text for the timestamps"),
    (one(MOMENT, pa.timestamp("ms")), one(1_709_210_096_789), "integers for the timestamps"),
    (one(datetime.date(2024, 2, 29)), one(datetime.datetime(2024, 2, 29)), ""),
    (one(datetime.date(1970, 1, 3)), one(2, pa.uint16()), "integers for the dates"),
    (one(datetime.date(9999, 12, 31)), one("9999-12-31"), "text for the dates"),
    (one(datetime.time(1, 2, 3)), one("01:02:03.000"), "text for the times"),
    (one(datetime.time(1, 2, 3), pa.time32("s")), one(datetime.time(1, 2, 3), pa.time64("ns")), ""),
    (one(datetime.time(1, 2, 3)), one(datetime.datetime(1970, 1, 1, 1, 2, 3)), "timestamps for the times"),
    (one(b"ab"), one("ab"), "bytes for the text"),
    (one(b"\xff\x00"), one("\\xff00"), "bytes written as text"),
    (one(b"\xff\x00"), one("FF00"), "bytes written as text"),
    (one(b"\xffa"), one("\\xFFa"), "bytes written as text"),
    (one(b"\x05\xfd"), one("101"), "bytes written as text"),
    (one(b"\x06\xfe\xaa"), one("1010101010"), "bytes written as text"),
    (one(["a", None]).cast(pa.list_(pa.string())), one(["a", None], pa.list_(pa.large_string())), ""),
    (one([U.bytes], pa.list_(pa.binary(16))), one([str(U)]), "UUIDs as text and as bytes in lists"),
    (one([1, 2]), one("[1, 2]"), "text for the lists"),
    (one([1, None]), one("{1,NULL}"), "text for the lists"),
    (one([("a", 1), ("b", 2)], PAIRS), one([("b", 2), ("a", 1)], PAIRS), ""),
    (one([("a", 1)], PAIRS), one([{"key": "a", "value": 1}]), "lists of pairs for the maps"),
    (one([("a", 1), ("b", 3), ("a", 2)], PAIRS), one([("a", 2), ("b", 3)], PAIRS), ""),
    (one({"a": D("1.10"), "b": None}), one({"a": 1.1, "b": None}), "doubles for the decimals in structs"),
    (one("a").dictionary_encode(), one("a"), ""),
    (one('{"a": 1, "b": 2}', pa.json_()), one('{"b":2,"a":1}'), "JSON in another spelling"),
    (one('{"a": 1, "b": 2}', pa.json_()), one('{"b":2,"a":1}', pa.json_()), "JSON in another spelling"),
    (one('{"a": 1, "b": [1, 2]}'), one('{"a":1,"b":[1,2]}', pa.string_view()), "JSON in another spelling"),
    (one(['{"a": 1}']).cast(pa.list_(pa.json_())), one(['{"a":1}']).cast(pa.list_(pa.json_())),
     "JSON in another spelling in lists"),
    (pa.nulls(1), one(None, pa.int32()), ""),
    (one(D("-0.5"), pa.decimal256(76, 36)), one(-0.49999999999999994), "doubles for the decimals, to 15 digits"),
    (one('{"a": 1, "b": null}', pa.json_()), one('{"a":1}'), "JSON without its members that are null"),
    (one(True), one("t"), "text for the booleans"),
    (one(False), one("0"), "text for the booleans"),
    (one(U.bytes, pa.binary(16)), one(str(U).encode(), pa.binary()), "UUIDs as text and as bytes"),
    (one(0.1, pa.float32()), one(0.1), "floats of another width, by their digits"),
    (one(0.1, pa.float32()), one("0.1"), "text for the doubles"),
    (one(0.1, pa.float16()), one(0.1, pa.float32()), "floats of another width, by their digits"),
    (one({"a": 1, "b": "x"}), one("{'a': 1, 'b': x}"), "text for the structs"),
    (one({"a": 1, "b": "x"}), one('{"b": "x", "a": 1}'), "text for the structs"),
    (one({"a": 1, "b": "x"}), one({"b": "x", "a": 1}, pa.struct([("b", pa.string()), ("a", pa.int64())])),
     "structs in another order of their names"),
    (one({"a": 1}), one({"A": 1}), "structs with other names"),
    (pa.StructArray.from_arrays([pa.array([1]), pa.array([2])], ["x", "x"]), one({"x": 1, "x_1": 2}),
     "structs with other names"),
    (one([("k", 1), ("j", None)], PAIRS), one('{"k": 1, "j": null}'), "text for the maps"),
    (one([("k", 1), ("j", None)], PAIRS), one("{k=1, j=NULL}"), "text for the maps"),
]  # fmt: skip


@pytest.mark.parametrize(("mine", "theirs", "form"), EQUAL)
def test_equal_values_are_equal_in_any_form(mine: pa.Array, theirs: pa.Array, form: str) -> None:
    assert same(mine, theirs) == (True, form, "")


@pytest.mark.parametrize(("mine", "theirs"), [
    (one(U.bytes, pa.binary(16)), one(str(U).replace("a", "b"))),
    (one(U.bytes, pa.binary(16)), one(str(U)[:-1])),
    (SPAN, one("3 days 04:05:06.788")),
    (SPAN, one(b"\x01" + DAY[1:], pa.binary(12))),
    (MONTHS, one("1 year 2 months 4 days 04:05:06")),
    (one((1, 0, 0), pa.month_day_nano_interval()), one("30 days")),
    (one(D("1.10")), one("1.11")),
    (one(D("1.10")), one("1.1x")),
    (one(D("1.10")), one(" 1.1")),
    (one(D("1.10")), one(1.1000000000000003)),
    (one(2**64 - 1, pa.uint64()), one(-1)),
    (one(D(1)), one((2).to_bytes(16, "little"), pa.binary(16))),
    (one(True), one("false")),
    (one(MOMENT, pa.timestamp("us")), one("2024-02-29 12:34:56.788")),
    (one(MOMENT, pa.timestamp("us")), one("1816-03-29 08:56:08.066277")),
    (one(datetime.time(1, 2, 3)), one(datetime.datetime(1970, 1, 2, 1, 2, 3))),
    (one(b"\xff\x00"), one("\\xff01")),
    (one(b"\x05\xfd"), one("100")),
    (one(b"\x05\xfd"), one("00101")),
    (one([1, 2]), one("[1, 3]")),
    (one([1, 2], pa.list_(pa.int32())), one(["1", "3"])),
    (one([], pa.list_(pa.int32())), one(None, pa.list_(pa.string()))),
    (one("", pa.string()), one(None, pa.binary())),
    (one([("a", 1)], PAIRS), one([{"key": "a", "value": 2}])),
    (one({"a": 1}), one({"a": 1, "b": None})),
    (one('{"a": 1}', pa.json_()), one('{"a": 2}')),
    (one('{"a": 1}', pa.json_()), one('{"a": 2}', pa.json_())),
    (one('{"a": 1}'), one('{"a": 2}')),
    (one('{"a": 1} '), one('{"a": 1}x')),
    (one("[ a ]"), one("[a]")),
    (pa.nulls(1), one(0)),
    (one(True), one("f")),
    (one(D("-0.5"), pa.decimal256(76, 36)), one(-0.4999999999999)),
    (one(0.1), one(0.1 + 1e-6, pa.float32())),
    (one(123456789.25), one(123456789.25, pa.float32())),
    (one({"a": 1, "b": 2}), one({"b": 1, "a": 2}, pa.struct([("b", pa.int64()), ("a", pa.int64())]))),
    (one({"a": 1, "b": "x"}), one('{"b": "y", "a": 1}')),
    (one([("k", 1)], PAIRS), one('{"k": 2}')),
    (one([("k", 1)], PAIRS), one('{"j": 1}')),
])  # fmt: skip
def test_other_values_are_other_values_in_any_form(mine: pa.Array, theirs: pa.Array) -> None:
    agrees, _, unchecked = same(mine, theirs)
    assert (agrees, unchecked) == (False, "")


@pytest.mark.parametrize(("mine", "theirs", "why"), [
    (one({"a": 1}), one(b"x"), "bytes and structs have no form in common"),
    (one(MOMENT), one([1]), "timestamps and lists have no form in common"),
    (one([0.5]), one("[0.50]"), ""),
    (one([0.5]), one("<0.5>"), "text for the lists, whose members may be written in more than one way"),
    (pa.array([1], pa.timestamp("ns")), pa.array([0], pa.timestamp("us")),
     "one side has microseconds alone, and the other one parts of them"),
    (pa.array([1_500], pa.timestamp("us")), one(1), "one side has milliseconds alone, and the other one parts of them"),
    (one({"a": 1, "b": "x"}), one("(1,x)"), "text for the structs, whose members may be written in more than one way"),
    (one({"metadata": b"\1", "value": b"", "typed_value": 1}), one({"metadata": b"\1", "value": b"\x0c\1"}),
     "each reader puts the parts of a variant together in bytes of its own"),
])  # fmt: skip
def test_what_has_no_form_in_common_is_not_compared(mine: pa.Array, theirs: pa.Array, why: str) -> None:
    assert same(mine, theirs)[2] == why


def compared(mine: pa.Array, theirs: pa.Array, kind: Any = "string") -> Any:
    """Two answers of one column, as a gate compares them."""
    schema = ResultSchema(columns=(Column(name="v", kind=kind),))
    return compare.compare(pa.table({"v": mine}), pa.table({"v": theirs}), schema)


@pytest.mark.parametrize("theirs", [pa.binary(16), pa.binary(), pa.large_binary(), pa.uuid()])
@pytest.mark.parametrize("nested", [False, True])
def test_uuids_of_an_extension_are_their_bytes(theirs: pa.DataType, nested: bool) -> None:
    plain = one(U.bytes, pa.binary(16))
    mine, other = (plain.cast(kind) for kind in (pa.uuid(), theirs))
    if nested:
        mine, other = (pa.ListArray.from_arrays([0, 1], array) for array in (mine, other))
    assert compared(mine, other).agrees
    assert compared(other, mine).agrees


def test_texts_that_look_like_uuids_are_texts() -> None:
    assert not compared(one(str(U)), one(str(U).upper())).agrees
    assert compared(one(str(U)), one(U.bytes, pa.binary(16))).notes == (
        "A7: UUIDs as text and as bytes of v: compared by value",
    )


@pytest.mark.promise("An answer with such a column is `unverified`")
def test_an_answer_without_a_form_in_common_confirms_nothing_and_contradicts_nothing() -> None:
    found = compared(one({"a": 1}), one(b"x"))
    assert (found.agrees, found.open) == (True, True)
    assert found.notes == ("A14.unchecked: column v is not compared: bytes and structs have no form in common",)


def test_the_other_columns_of_such_an_answer_are_compared() -> None:
    schema = ResultSchema(columns=(Column(name="v", kind="string"), Column(name="n", kind="integer")), ordered_by=(1,))
    mine = pa.table({"v": one({"a": 1}), "n": [1]})
    assert compare.compare(mine, pa.table({"v": [b"x"], "n": [1]}), schema).agrees
    assert not compare.compare(mine, pa.table({"v": [b"x"], "n": [2]}), schema).agrees


FORMS: dict[str, tuple[Any, Callable[[Any], pa.Array], list[Callable[[Any], pa.Array]]]] = {
    "uuid": (
        st.uuids(),
        lambda v: one(v.bytes, pa.binary(16)),
        [lambda v: one(str(v)), lambda v: one(v.hex.upper()), lambda v: one(v.bytes, pa.large_binary())],
    ),
    "decimal": (
        st.decimals(-(10**9), 10**9, places=3),
        lambda v: one(v, pa.decimal128(20, 3)),
        [
            lambda v: one(str(v)),
            lambda v: one(f"{v}0"),
            lambda v: one(v, pa.decimal256(50, 10)),
            lambda v: one(float(v)),
        ],
    ),
    "integer": (
        st.integers(-(2**63), 2**63 - 1),
        lambda v: one(v, pa.int64()),
        [
            lambda v: one(str(v)),
            lambda v: one(D(v), pa.decimal128(38, 0)),
            lambda v: one(v.to_bytes(16, "little", signed=True), pa.binary(16)),
        ],
    ),
    "double": (st.floats(allow_nan=False), one, [lambda v: one(repr(v)), lambda v: one(f"{v:.17e}")]),
    "timestamp": (
        st.datetimes(),
        lambda v: one(v, pa.timestamp("us")),
        [
            lambda v: one(v, pa.timestamp("us", "Asia/Tokyo")),
            lambda v: one(v.isoformat(" ")),
            lambda v: one(f"{v.isoformat()}Z"),
        ],
    ),
    "date": (st.dates(), one, [lambda v: one(v.isoformat()), lambda v: one(v).cast(pa.timestamp("s"))]),
    "time": (
        st.times(),
        one,
        [
            lambda v: one(v.isoformat()),
            lambda v: one(datetime.datetime.combine(datetime.date(1970, 1, 1), v)),
        ],
    ),
    "bytes": (
        st.binary(),
        one,
        [lambda v: one("\\x" + v.hex()), lambda v: one(v.hex().upper()), lambda v: one(v, pa.large_binary())],
    ),
    "list": (
        st.lists(st.integers(-(2**31), 2**31 - 1) | st.none()),
        lambda v: one(v, pa.list_(pa.int32())),
        [lambda v: one(v, pa.large_list(pa.int64())), lambda v: one(str(v).replace("None", "null"))],
    ),
}


@pytest.mark.parametrize("name", FORMS)
@settings(max_examples=40)
@given(data=st.data())
def test_any_value_is_itself_in_each_form_and_no_other_value(name: str, data: st.DataObject) -> None:
    values, plain, forms = FORMS[name]
    value, other = data.draw(values), data.draw(values)
    form = data.draw(st.sampled_from(forms))
    agrees, _, unchecked = same(plain(value), form(value))
    assert agrees and not unchecked
    if value != other and not (name == "decimal" and float(value) == float(other)):
        assert not same(plain(value), form(other))[0]


@pytest.mark.parametrize(
    "kind", [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())]
)
def test_columns_of_text_are_looked_at_whatever_holds_them(kind: pa.DataType) -> None:
    spaced, dense = (pa.chunked_array([pa.array(texts)]) for texts in ([None, '{"a": 1}'], [None, '{"a":1}']))
    held = spaced.dictionary_encode() if pa.types.is_dictionary(kind) else spaced.cast(kind)
    assert differ_in_form(held, dense)
    assert not differ_in_form(held, held)
    assert not differ_in_form(pa.chunked_array([["a"], [None]]), pa.chunked_array([["b"]]).cast(pa.string_view()))
    assert not differ_in_form(pa.chunked_array([], pa.string()), dense)
