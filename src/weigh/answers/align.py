"""Two columns of the same values in different types, brought to one: what is equal in it is equal by value."""

from __future__ import annotations

import decimal
import math
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa

from weigh.answers.cells import UnreadableType, cells
from weigh.answers.families import family
from weigh.answers.forms import JSON, NAN, Form, Incomparable, forms
from weigh.answers.texts import NotThat

if TYPE_CHECKING:
    from weigh.answers.families import Family

_NUMBERS = {"boolean", "integer", "decimal", "float"}
_INSTANTS = {"date", "timestamp"}
_TEXT = {"text"}
_NAMED = {"text", "integer"}
_UNREAD = ", which cannot be read"


class Aligned(NamedTuple):
    """Two columns as they can be compared.

    Attributes:
        one, other: in one type; as they were where they cannot be compared.
        form: what was needed beyond equality, for people; empty where nothing was.
        unchecked: why they cannot be compared; empty where they can.
    """

    one: pa.ChunkedArray
    other: pa.ChunkedArray
    form: str = ""
    unchecked: str = ""


def differ_in_form(one: pa.ChunkedArray, other: pa.ChunkedArray) -> bool:
    """Whether two columns of an answer must be aligned; numbers among each other, and instants, are equal by value."""
    mine, theirs = family(one.type), family(other.type)
    names = {mine.name, theirs.name}
    if (
        names <= _NUMBERS and not _of_other_width(mine, theirs) and not mine.extension and not theirs.extension
    ) or "null" in names:
        return False
    if "variant" in names or (one.type == other.type and mine.has_json):
        return not one.equals(other)
    if "unknown" in names or _strange(one.type) or _strange(other.type):
        return True
    if names == _TEXT and not mine.extension and not theirs.extension:
        return _like_json(one) and _like_json(other) and not one.equals(other)
    if names <= _INSTANTS:
        return mine.unit != theirs.unit and not (_whole(one) and _whole(other))
    return mine.shape != theirs.shape or mine.holds("map") or _otherwise(mine, theirs)


def _like_json(column: pa.ChunkedArray) -> bool:
    """Whether the first text of a column may be an object or an array of JSON, as functions of it give."""
    for chunk in column.chunks:
        at = chunk.is_valid().index(True).as_py()
        if at >= 0:
            return cells(chunk.slice(at, 1))[0][:1] in ("{", "[")
    return False


def _strange(kind: pa.DataType) -> bool:
    """An interval that PyArrow cannot read."""
    return str(kind) in ("day_time_interval", "month_interval")


def _otherwise(mine: Family, theirs: Family) -> bool:
    """Whether types of one shape have other units or names, or values that PyArrow hands out otherwise."""
    here = (mine.unit, mine.extension, mine.names) != (theirs.unit, theirs.extension, theirs.names)
    return here or _of_other_width(mine, theirs) or any(map(_otherwise, mine.parts, theirs.parts))


def _of_other_width(mine: Family, theirs: Family) -> bool:
    return mine.name == theirs.name == "float" and mine.size != theirs.size


def _whole(column: pa.ChunkedArray) -> bool:
    """Whether instants are whole microseconds."""
    if not pa.types.is_timestamp(column.type) or column.type.unit != "ns":
        return True
    try:
        column.cast(pa.timestamp("us", column.type.tz))
    except pa.ArrowException:
        return False
    return True


def align(one: pa.ChunkedArray, other: pa.ChunkedArray) -> Aligned:
    """Both columns in one type, by the form in which most of their values are equal."""
    try:
        common = forms(family(one.type), family(other.type))
        common += [JSON] if family(one.type).name == family(other.type).name == "text" else []
        mine, theirs = cells(one), cells(other)
    except (Incomparable, UnreadableType) as error:
        return Aligned(one, other, unchecked=_one_reason(error))
    best, read = _best([form for form in common if not form.lossy], mine, theirs)
    if _unequal(*read):
        lossy, coarse = _best([form for form in common if form.lossy], mine, theirs)
        if lossy and not _unequal(*coarse):
            return Aligned(one, other, unchecked=lossy.lossy)
    if family(one.type).name in _NAMED and family(other.type).name in _NAMED and any(map(_none_read, read)):
        return Aligned(
            one, other, unchecked="text for the integers, none of which is a number, such as names of an enum"
        )
    assert best is not None
    kind = _type([*read[0], *read[1]])
    made, known = (pa.chunked_array([_array(values, kind)]) for values in read)
    return Aligned(made, known, best.name)


def _one_reason(error: Exception) -> str:
    text = str(error)
    return text if isinstance(error, Incomparable) else f"nothing here reads {text}"


def _best(common: list[Form], mine: list[Any], theirs: list[Any]) -> tuple[Form | None, tuple[list[Any], list[Any]]]:
    """The first form with the most values in common."""
    found: tuple[int, Form | None, tuple[list[Any], list[Any]]] = (-1, None, ([], [0]))
    for form in common:
        read = [_read(one, form.one) for one in mine], [_read(one, form.other) for one in theirs]
        alike = (Counter(read[0]) & Counter(read[1])).total()
        if alike > found[0]:
            found = alike, form, read
        if alike == len(mine) == len(theirs):
            break
    return found[1], found[2]


def _none_read(values: list[Any]) -> bool:
    """Whether none of some values has the form that the other side has."""
    present = [value for value in values if value is not None]
    return bool(present) and all(isinstance(value, str) and value.endswith(_UNREAD) for value in present)


def _unequal(mine: list[Any], theirs: list[Any]) -> bool:
    return Counter(mine) != Counter(theirs)


def _read(value: Any, read: Any) -> Any:
    """A value in its form; as it is, and so unlike every other, where it has none."""
    if value is None:
        return None
    try:
        return read(value)
    except (NotThat, ValueError, TypeError, OverflowError, ArithmeticError):
        return f"{value!r}{_UNREAD}"


def _type(values: list[Any]) -> pa.DataType:
    kinds = {type(value) for value in values} - {type(None)}
    if float in kinds and all(value == NAN for value in values if isinstance(value, str)) and kinds <= {float, str}:
        return pa.float64()
    if kinds == {bool}:
        return pa.bool_()
    if kinds == {int} and all(-(2**63) <= value < 2**63 for value in values if value is not None):
        return pa.int64()
    return pa.binary()


def _array(values: list[Any], kind: pa.DataType) -> pa.Array:
    if kind == pa.float64():
        return pa.array([math.nan if value == NAN else value for value in values], kind)
    return pa.array([_written(value) for value in values] if kind == pa.binary() else values, kind)


def _written(value: Any) -> bytes | None:
    """As bytes: of texts that are no UTF-8 nothing is lost."""
    if value is None or isinstance(value, bytes):
        return value
    text = value if isinstance(value, str) else f"{value:f}" if isinstance(value, decimal.Decimal) else repr(value)
    return text.encode("utf-8", "surrogateescape")
