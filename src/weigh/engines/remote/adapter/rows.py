"""Rows of DB-API into Arrow. They are complete in client memory; here they only change their form."""

from __future__ import annotations

import datetime
import decimal
import uuid
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    from collections.abc import Sequence

_WIDEST_128 = 38
WIDEST = 76
"""Digits of Arrow's widest decimal."""
_KINDS: dict[type, pa.DataType | str] = {
    bool: pa.bool_(),
    int: pa.int64(),
    float: pa.float64(),
    decimal.Decimal: "decimal",
    str: pa.string(),
    bytes: pa.binary(),
    bytearray: pa.binary(),
    datetime.datetime: pa.timestamp("us"),
    datetime.date: pa.date32(),
    datetime.time: pa.time64("us"),
    datetime.timedelta: pa.duration("us"),
    uuid.UUID: pa.string(),
}
_LARGEST = 1 << 63


def stream(
    names: Sequence[str], kinds: Sequence[pa.DataType | str | None], rows: Sequence[Sequence[Any]]
) -> memoryview:
    """The bytes of an Arrow IPC stream.

    Args:
        names: of the columns; two may be called the same.
        kinds: Arrow types; ``"decimal"`` and None as :meth:`Profile.kind`.
        rows: what was fetched.

    Raises:
        TypeError: values of a column are of several types, or of one that has no Arrow form here.
    """
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(names)
    arrays = [_array(name, kind, values) for name, kind, values in zip(names, kinds, columns, strict=True)]
    return written(pa.Table.from_arrays(arrays, names=list(names)))


def written(table: pa.Table) -> memoryview:
    """The bytes of an Arrow IPC stream of a table."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return memoryview(sink.getvalue())


def _array(name: str, kind: pa.DataType | str | None, values: Sequence[Any]) -> pa.Array:
    wanted = _inferred_type(name, values) if kind is None else kind
    if wanted == "decimal":
        return decimals(
            pa.array(
                [
                    None if value is None else format(value, "f") if isinstance(value, decimal.Decimal) else str(value)
                    for value in values
                ],
                pa.string(),
            )
        )
    if wanted == pa.string():
        return pa.array([value if value is None or isinstance(value, str) else str(value) for value in values], wanted)
    if pa.types.is_floating(wanted):
        # Also from text, whose last digit counts.
        return pa.array([None if value is None else float(value) for value in values], wanted)
    if pa.types.is_timestamp(wanted):
        return pa.array([_instant(value) for value in values], pa.timestamp("us")).cast(wanted)
    if pa.types.is_temporal(wanted) and any(isinstance(value, str) for value in values):
        return pa.array(values, pa.string()).cast(wanted)
    return pa.array(values, wanted)


def _instant(value: Any) -> Any:
    """An instant in UTC, without saying so: sessions are in UTC."""
    if isinstance(value, datetime.datetime) and value.tzinfo is not None:
        return value.astimezone(datetime.UTC).replace(tzinfo=None)
    return datetime.datetime.fromisoformat(value).replace(tzinfo=None) if isinstance(value, str) else value


def _inferred_type(name: str, values: Sequence[Any]) -> pa.DataType | str:
    """The type that the values have."""
    found = {type(value) for value in values} - {type(None)}
    if not found:
        return pa.null()
    if found == {int}:
        return pa.int64() if all(-_LARGEST <= value < _LARGEST for value in values if value is not None) else "decimal"
    if found <= {int, decimal.Decimal}:
        return "decimal"
    if found == {int, float}:
        return pa.float64()
    if len(found) > 1:
        mixed = ", ".join(sorted(one.__name__ for one in found))
        raise TypeError(f"column {name} holds {mixed}: a column of an answer has one type")
    (one,) = found
    if one not in _KINDS:
        raise TypeError(f"column {name} holds {one.__name__}, which has no Arrow form here")
    return _KINDS[one]


def decimals(texts: pa.Array) -> pa.Array:
    """Numbers as text with a scale that holds every value; as doubles where one has an exponent, is NaN or infinite.

    Raises:
        TypeError: a value has more than 76 digits.
    """
    if pc.any(pc.match_substring_regex(texts, "[NnIiEe]")).as_py():
        return texts.cast(pa.float64())
    plain = pc.replace_substring_regex(texts, "^[+-]", "")
    length = pc.binary_length(plain)
    point = pc.find_substring(plain, ".")
    whole = pc.equal(point, -1)
    scale = pc.max(pc.if_else(whole, 0, pc.subtract(pc.subtract(length, point), 1))).as_py() or 0
    digits = (pc.max(pc.if_else(whole, length, point)).as_py() or 0) + scale
    if digits > WIDEST:
        raise TypeError(f"a number of {digits} digits: Arrow's decimals have {WIDEST}")
    return texts.cast(pa.decimal128(_WIDEST_128, scale) if digits <= _WIDEST_128 else pa.decimal256(WIDEST, scale))
