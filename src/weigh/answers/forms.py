"""Forms: how the values of two types are made alike, for every pair of families that engines give for one another.

A form is a pair of functions. Which of several is meant (bytes as hexadecimal digits or as they are) is decided by the
values. What has no form in common is not compared, and that is no mistake of anybody.
"""

from __future__ import annotations

import itertools
import math
import struct
from collections.abc import Callable
from typing import Any, NamedTuple

from weigh.answers import nested_text, texts
from weigh.answers.families import NAMES, PLURAL, Family
from weigh.answers.moments import INTERVAL_BYTES, ROUNDINGS, clock, interval, interval_of, moment, span
from weigh.answers.nested_text import number

Value = Any
Read = Callable[[Value], Value]
_INTEGER_BYTES = (16, 32)
"""Widths in which integers of 128 and 256 bits are handed out as bytes."""
_UUID_BYTES = 16
_UNIT_NAMES = {10**9: "seconds", 10**6: "milliseconds", 10**3: "microseconds"}
_COUNTED = (*_UNIT_NAMES, 1)
NAN = "NaN"
"""What every NaN is read as: it equals itself."""
_MOST = 24
"""Forms of a nested type that are tried."""


class Incomparable(Exception):
    """Two types whose values have no form in common; its text says which."""


class Form(NamedTuple):
    """How the values of two types become equal where they mean the same.

    Attributes:
        name: for people; empty where both are read by value as a matter of course.
        one, other: read a value of either, never None.
        lossy: what one of the types cannot hold, where the form leaves it out; empty where nothing is.
    """

    name: str
    one: Read
    other: Read
    lossy: str = ""


def forms(one: Family, other: Family) -> list[Form]:
    """The forms that two families have in common, the likeliest first.

    Raises:
        Incomparable: there is none.
    """
    if NAMES.index(one.name) > NAMES.index(other.name):
        return [form._replace(one=form.other, other=form.one) for form in forms(other, one)]
    found = _SAME[one.name](one, other) if one.name == other.name else _of_pair(one, other)
    if not found:
        raise Incomparable(f"{PLURAL[one.name]} and {PLURAL[other.name]} have no form in common")
    return found


def _of_pair(one: Family, other: Family) -> list[Form]:
    if one.name == "null":
        return [Form("", _itself, _itself)]
    if other.name == "text":
        return _as_text(one, other)
    rule = _PAIRS.get((one.name, other.name))
    found = rule(one, other) if rule else []
    return [*found, *_text_in_bytes(one, other)] if other.name == "bytes" else found


def _text_in_bytes(one: Family, other: Family) -> list[Form]:
    """Values for which somebody gave text, and that as bytes."""

    def read(then: Read) -> Read:
        return lambda value: then(texts.decoded(value))

    found = _as_text(one, other._replace(name="text"))
    return [form._replace(name=f"{form.name}, in bytes", other=read(form.other)) for form in found]


def _itself(value: Value) -> Value:
    return value


def _double(value: float) -> Value:
    return NAN if math.isnan(value) else value + 0.0


def _single(value: float) -> Value:
    """The float of 32 bits next to a number."""
    try:
        return _double(struct.unpack("<f", struct.pack("<f", value))[0])
    except OverflowError:
        return _double(value)


def _shortest(size: int) -> Read:
    """The double that is written with the fewest digits which give back a float of so many bytes."""
    import numpy as np

    kind = {2: np.float16, 4: np.float32}.get(size)
    return _double if kind is None else lambda value: _double(float(str(kind(value))))


def _floats(one: Family, other: Family) -> list[Form]:
    found = [Form("", _double, _double)]
    if one.size != other.size:
        found.append(Form("floats of another width, by their digits", _shortest(one.size), _shortest(other.size)))
    return found


def _bytes(one: Family, other: Family) -> list[Form]:
    """Bytes, among them UUIDs that one side has in letters."""
    found = [Form("", _itself, _itself)]
    for binary, text in ((one, other), (other, one)):
        if binary.size == _UUID_BYTES and text.size != _UUID_BYTES:
            letters = Form("UUIDs as text and as bytes", _uuid, lambda value: _uuid(texts.uuid(texts.decoded(value))))
            found.append(letters if binary is one else letters._replace(one=letters.other, other=letters.one))
    return found


def _nearest(value: Value) -> Value:
    """The double next to a number."""
    try:
        return float(value)
    except OverflowError:
        return value


def _count(unit: int, write: Callable[[int], str]) -> Read:
    return lambda value: write(value * unit)


def _uuid(content: bytes) -> str:
    if len(content) != _UUID_BYTES:
        raise texts.NotThat(content)
    digits = content.hex()
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


_WRITERS: dict[str, Callable[[int], str]] = {"date": moment, "timestamp": moment, "time": clock, "duration": span}


def _by_value(read: Read) -> Callable[[Family, Family], list[Form]]:
    return lambda _one, _other: [Form("", read, read)]


def _counts(one: Family, other: Family) -> list[Form]:
    """Instants, times and durations in their units, and as far as the coarser of them goes."""
    write = _WRITERS[one.name]
    found = [Form("", _count(one.unit, write), _count(other.unit, write))]
    coarse = max(one.unit, other.unit)
    if one.unit != other.unit:
        unit = _UNIT_NAMES.get(coarse, "days")
        lossy = f"one side has {unit} alone, and the other one parts of them"
        for rounded in ROUNDINGS:
            ours, theirs = (_rounded(side.unit, coarse, rounded, write) for side in (one, other))
            found.append(Form("", ours, theirs, lossy))
    return found


def _rounded(unit: int, coarse: int, rounded: Callable[[int, int], int], write: Callable[[int], str]) -> Read:
    return lambda value: write(rounded(value * unit, coarse) * coarse)


JSON = Form("JSON in another spelling", nested_text.json_value, nested_text.json_value)


def _texts(one: Family, other: Family) -> list[Form]:
    if one.json or other.json:
        # ClickHouse keeps no members that are null.
        read = nested_text.json_without_null
        return [JSON, Form("JSON without its members that are null", read, read)]
    return [Form("", _itself, _itself)]


def _lists(one: Family, other: Family) -> list[Form]:
    return [
        Form(form.name and f"{form.name} in lists", _each(form.one), _each(form.other), form.lossy)
        for form in forms(one.parts[0], other.parts[0])
    ]


def _each(read: Read) -> Read:
    return lambda members: tuple(None if one is None else read(one) for one in members)


def _structs(one: Family, other: Family) -> list[Form]:
    if len(one.parts) != len(other.parts):
        return [Form("", str, str)]
    if one.names == other.names:
        return _paired("structs", one.parts, other.parts, tuple)
    order = nested_text.order(one.names, other.names)
    parts = tuple(other.parts[at] for at in order)
    found = _paired("structs", one.parts, parts, tuple)
    how = "structs with other names" if order == tuple(range(len(order))) else "structs in another order of their names"
    return [
        form._replace(name=", ".join(filter(None, (form.name, how))), other=_ordered(form.other, order))
        for form in found
    ]


def _ordered(read: Read, order: tuple[int, ...]) -> Read:
    return lambda members: read(tuple(members[at] for at in order))


def _maps(one: Family, other: Family) -> list[Form]:
    found = _paired("maps", one.parts, other.parts, tuple)
    return [form._replace(one=_unordered(form.one), other=_unordered(form.other)) for form in found]


def _unordered(read: Read) -> Read:
    """A map has no order, and the last of the values of one key is its value (parquet-format, LogicalTypes, Maps)."""
    return lambda entries: tuple(one for _, one in sorted({repr(one[0]): one for one in map(read, entries)}.items()))


def _variants(one: Family, other: Family) -> list[Form]:
    raise Incomparable("each reader puts the parts of a variant together in bytes of its own")


def _lists_for_maps(one: Family, other: Family) -> list[Form]:
    entry = one.parts[0]
    if entry.name != "struct" or len(entry.parts) != len(other.parts):
        return []
    return [form._replace(name=form.name or "lists of pairs for the maps") for form in _maps(entry, other)]


def _paired(where: str, some: tuple[Family, ...], others: tuple[Family, ...], made: Callable[..., Value]) -> list[Form]:
    """Members of several families: each in one of its forms."""
    each = [forms(one, other) for one, other in zip(some, others, strict=True)]
    found = []
    for chosen in itertools.islice(itertools.product(*each), _MOST):
        names = dict.fromkeys(form.name for form in chosen if form.name)
        lossy = next((form.lossy for form in chosen if form.lossy), "")
        name = f"{', '.join(names)} in {where}" if names else ""
        reads = (_members([form.one for form in chosen], made), _members([form.other for form in chosen], made))
        found.append(Form(name, *reads, lossy))
    return found


def _members(reads: list[Read], made: Callable[..., Value]) -> Read:
    def read(members: tuple[Value, ...]) -> Value:
        return made(None if one is None else of(one) for of, one in zip(reads, members, strict=True))

    return read


def _counted(one: Family, other: Family) -> list[Form]:
    """Integers for instants, times and durations: counts since 1970 or midnight, in a unit that is not given."""
    write = _WRITERS[other.name]
    units = dict.fromkeys((other.unit, *_COUNTED, *((texts.DAY,) if other.name != "time" else ())))
    name = f"integers for the {PLURAL[other.name]}"
    found = [Form(name, _count(unit, write), _count(other.unit, write)) for unit in units]
    for unit in (unit for unit in _COUNTED if unit > other.unit):
        lossy = f"one side has {_UNIT_NAMES[unit]} alone, and the other one parts of them"
        found += [
            Form(name, _count(unit, write), _rounded(other.unit, unit, rounded, write), lossy) for rounded in ROUNDINGS
        ]
    return found


def _counted_intervals(_one: Family, _other: Family) -> list[Form]:
    """Integers for intervals, such as those between two dates: counts of days or of a unit of time."""
    name = "integers for the intervals"

    def of_time(unit: int) -> Form:
        return Form(name, lambda value: interval((0, 0, value * unit)), interval)

    return [Form(name, lambda value: interval((0, value, 0)), interval), *map(of_time, _COUNTED)]


def _doubles_for_decimals(one: Family, other: Family) -> list[Form]:
    """The double next to a decimal; engines without decimals of 256 bits may miss it in its last bit."""
    name = "doubles for the decimals"
    found = [Form(name, _nearest, _double)]
    return [*found, Form(f"{name}, to 15 digits", _rounded_double, _rounded_double)] if one.size else found


def _rounded_double(value: Value) -> Value:
    return _double(float(f"{_nearest(value):.14e}"))


def _wide_integers(one: Family, other: Family) -> list[Form]:
    """Integers of 128 and 256 bits as bytes, the lowest first."""
    if other.size not in _INTEGER_BYTES:
        return []

    def read(*, signed: bool) -> Read:
        return lambda value: int.from_bytes(value, "little", signed=signed)

    return [Form("bytes for the integers", number, read(signed=signed)) for signed in (True, False)]


def _instants(one: Family, other: Family) -> list[Form]:
    """Dates for timestamps, and times as moments of 1970-01-01."""
    name = "timestamps for the times" if "time" in (one.name, other.name) else ""
    return [Form(name, _count(one.unit, moment), _count(other.unit, moment))]


def _durations(one: Family, other: Family) -> list[Form]:
    name = f"{PLURAL[one.name]} and {PLURAL[other.name]}"
    read = interval if other.name == "interval" else _count(other.unit, span)
    return [Form(name, _count(one.unit, span), read)]


def _interval_bytes(one: Family, other: Family) -> list[Form]:
    found = [Form("bytes for the intervals", interval, lambda value: interval(interval_of(value)))]
    return found if other.size in (0, INTERVAL_BYTES) else []


def _interval_structs(one: Family, other: Family) -> list[Form]:
    kinds = [part.name for part in other.parts]
    if kinds[:2] != ["integer"] * 2 or kinds[2:] not in (["integer"], ["duration"]):
        return []
    if one.name == "bytes" and one.size != INTERVAL_BYTES:
        return []
    ours: Read = interval if one.name == "interval" else lambda value: interval(interval_of(value))
    units = (1, 10**6) if kinds[2] == "integer" else (other.parts[2].unit,)
    theirs = [lambda value, unit=unit: interval((value[0], value[1], value[2] * unit)) for unit in units]
    return [Form("structs for the intervals", ours, read) for read in theirs]


def _as_text(one: Family, other: Family) -> list[Form]:
    """Values for which somebody gave text."""
    if one.name in ("list", "map", "struct"):
        name = f"text for the {PLURAL[one.name]}"
        lossy = f"{name}, whose members may be written in more than one way"
        return [
            Form(name, read, of_text, lossy if left_open else "") for read, of_text, left_open in nested_text.forms(one)
        ]
    name = f"text for the {PLURAL[one.name]}"
    count = _count(one.unit, _WRITERS[one.name]) if one.name in _WRITERS else _itself
    reads: dict[str, tuple[Read, Read]] = {
        "boolean": (_itself, texts.truth),
        "integer": (number, lambda text: number(texts.number(text))),
        "decimal": (number, lambda text: number(texts.number(text))),
        "float": (_double, lambda text: _double(texts.double(text))),
        "single": (_single, lambda text: _single(texts.double(text))),
        "date": (count, lambda text: moment(texts.moment(text))),
        "timestamp": (count, lambda text: moment(texts.moment(text))),
        "time": (count, lambda text: clock(texts.time(text))),
        "duration": (count, lambda text: interval(texts.interval(text))),
        "interval": (interval, lambda text: interval(texts.interval(text))),
    }
    if one.name == "float" and one.size:
        # The fewest digits that are read back as 32 bits are another double.
        return [Form(name, *reads["float"]), Form(name, *reads["single"])]
    if one.name in reads:
        local = Form(name, count, lambda text: clock(texts.local_time(text)), "one side has times without their zone")
        return [Form(name, *reads[one.name]), *([local] if one.name == "time" else [])]
    return _bytes_text(one, other) if one.name == "bytes" else []


def _bytes_text(one: Family, other: Family) -> list[Form]:
    found: list[Form] = []
    if one.size in (0, _UUID_BYTES):
        found.append(Form("UUIDs as text and as bytes", _uuid, lambda text: _uuid(texts.uuid(text))))
    if one.size in (0, INTERVAL_BYTES):
        read = lambda text: interval(texts.interval(text))  # noqa: E731
        found.append(Form("text for the intervals", lambda value: interval(interval_of(value)), read))
    if one.json or other.json:
        found.append(
            Form(
                "JSON as text and as bytes",
                lambda value: nested_text.json_value(value.decode("utf-8", "replace")),
                nested_text.json_value,
            )
        )
    plain = Form("bytes for the text", _itself, texts.utf_8)
    written = (texts.hexadecimal, texts.escaped, texts.base_64, texts.bits)
    found = [*found, plain] if one.size else [plain, *found]
    return [*found, *(Form("bytes written as text", _itself, read) for read in written)]


_SAME: dict[str, Callable[[Family, Family], list[Form]]] = {
    **dict.fromkeys(("null", "boolean"), _by_value(_itself)),
    **dict.fromkeys(("integer", "decimal"), _by_value(number)),
    **dict.fromkeys(("date", "timestamp", "time", "duration"), _counts),
    "bytes": _bytes, "float": _floats, "interval": _by_value(interval), "text": _texts, "list": _lists, "map": _maps,
    "struct": _structs, "variant": _variants, "unknown": lambda _one, _other: [],
}  # fmt: skip
_PAIRS: dict[tuple[str, str], Callable[[Family, Family], list[Form]]] = {
    ("boolean", "integer"): lambda _one, _other: [Form("integers for the booleans", int, _itself)],
    ("integer", "decimal"): _by_value(number),
    ("integer", "float"): lambda _one, _other: [Form("doubles for the integers", _nearest, _double)],
    ("decimal", "float"): _doubles_for_decimals,
    **{("integer", name): _counted for name in ("date", "timestamp", "time", "duration")},
    ("integer", "interval"): _counted_intervals,
    ("integer", "bytes"): _wide_integers, ("decimal", "bytes"): _wide_integers,
    ("date", "timestamp"): _instants, ("timestamp", "time"): _instants,
    ("time", "duration"): _durations, ("duration", "interval"): _durations, ("time", "interval"): _durations,
    ("interval", "bytes"): _interval_bytes,
    ("interval", "struct"): _interval_structs, ("bytes", "struct"): _interval_structs,
    ("list", "map"): _lists_for_maps,
}  # fmt: skip
