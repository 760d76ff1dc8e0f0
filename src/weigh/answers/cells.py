"""Cells of a column as plain values that nothing is lost of, whatever the type: times are counts of their unit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

Value = Any
"""None, bool, int, float, Decimal, str, bytes; (months, days, nanoseconds) of an interval; a tuple of the members of a
list or a struct, of pairs of a map."""

_DAY_TIME, _MONTHS = "day_time_interval", "month_interval"
"""Types of intervals that PyArrow carries and cannot read."""


class UnreadableType(Exception):
    """Values of a type that nobody here can read; its text says which."""


def plain(kind: pa.DataType) -> pa.DataType:
    """A type without what is only a form: what a dictionary, runs or an extension hold."""
    import pyarrow as pa

    while True:
        if isinstance(kind, pa.BaseExtensionType):
            kind = kind.storage_type
        elif pa.types.is_dictionary(kind) or pa.types.is_run_end_encoded(kind):
            kind = kind.value_type
        else:
            return kind


def cells(column: pa.ChunkedArray | pa.Array) -> list[Value]:
    """The values of a column, one a row.

    Raises:
        UnreadableType: of a union, and of what PyArrow has no reader for.
    """
    import pyarrow as pa

    if isinstance(column, pa.ChunkedArray):
        return [value for chunk in column.chunks for value in cells(chunk)]
    if isinstance(column, pa.ExtensionArray):
        return cells(column.storage)
    kind, types = column.type, pa.types
    if types.is_dictionary(kind):
        return cells(column.dictionary_decode())
    if types.is_run_end_encoded(kind):
        return cells(pa.compute.run_end_decode(column))
    if types.is_map(kind):
        keys, items = cells(column.keys), cells(column.items)
        return _spans(column, list(zip(keys, items, strict=True)))
    if types.is_fixed_size_list(kind):
        return _fixed(column, kind.list_size)
    if types.is_list(kind) or types.is_large_list(kind):
        return _spans(column, cells(column.values))
    if types.is_struct(kind):
        fields = [cells(column.field(number)) for number in range(kind.num_fields)]
        rows = list(zip(*fields, strict=True)) if fields else [()] * len(column)
        return [row if valid else None for row, valid in zip(rows, column.is_valid().to_pylist(), strict=True)]
    return _flat(column)


def _fixed(column: pa.FixedSizeListArray, size: int) -> list[Value]:
    members = cells(column.values)[column.offset * size :]
    valid = column.is_valid().to_pylist()
    return [tuple(members[row * size : (row + 1) * size]) if one else None for row, one in enumerate(valid)]


def _spans(column: pa.Array, members: list[Value]) -> list[Value]:
    """Members cut into the rows that they belong to."""
    offsets = column.offsets.to_pylist()
    valid = column.is_valid().to_pylist()
    return [tuple(members[offsets[row] : offsets[row + 1]]) if one else None for row, one in enumerate(valid)]


def _flat(column: pa.Array) -> list[Value]:
    import pyarrow as pa

    kind, types = column.type, pa.types
    if str(kind) in (_DAY_TIME, _MONTHS):
        return _intervals(column)
    if types.is_date32(kind) or types.is_time32(kind):
        column = column.cast(pa.int32())
    elif types.is_temporal(kind) and not types.is_interval(kind):
        column = column.cast(pa.int64())
    elif is_text(kind):
        # Texts of strangers need not be in UTF-8.
        wide = types.is_large_string(kind)
        raw = column.cast(pa.large_binary() if wide else pa.binary()).to_pylist()
        return [None if one is None else one.decode("utf-8", "surrogateescape") for one in raw]
    elif types.is_union(kind) or types.is_list_view(kind) or types.is_large_list_view(kind):
        raise UnreadableType(str(kind))
    try:
        values: list[Value] = column.to_pylist()
    except (pa.ArrowException, ValueError, NotImplementedError, OverflowError) as error:
        raise UnreadableType(f"{kind}: {error}") from None
    if types.is_interval(kind):
        return [None if one is None else (one.months, one.days, one.nanoseconds) for one in values]
    return values


def _intervals(column: pa.Array) -> list[Value]:
    """Days and milliseconds, or months: each of 32 bits."""
    import numpy as np

    words = np.frombuffer(column.buffers()[1], dtype="<i4").tolist()
    width = 2 if str(column.type) == _DAY_TIME else 1
    found: list[Value] = []
    for row, valid in enumerate(column.is_valid().to_pylist(), start=column.offset):
        first, *rest = words[width * row : width * (row + 1)]
        found.append(((0, first, rest[0] * 1_000_000) if rest else (first, 0, 0)) if valid else None)
    return found


def is_text(kind: pa.DataType) -> bool:
    """Whether it is one of the types of text."""
    import pyarrow as pa

    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def is_bytes(kind: pa.DataType) -> bool:
    """Whether it is one of the types of bytes of any length, or of a fixed one."""
    import pyarrow as pa

    types = pa.types
    return bool(
        types.is_binary(kind)
        or types.is_large_binary(kind)
        or types.is_binary_view(kind)
        or types.is_fixed_size_binary(kind)
    )
