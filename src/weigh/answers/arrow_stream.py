"""Arrow streams of strangers: read with bounds, and checked whole before anybody uses them.

A stream is a sequence of messages whose lengths, offsets and sizes are written in it. One wrong byte of them made
readers reach outside the buffers, and a few bytes can declare more rows than there is memory. So what the messages
declare is added up first, then they are read, and then every value is validated.
"""

from __future__ import annotations

import os
import stat
import struct
from typing import TYPE_CHECKING

from weigh.answers import arrow_messages
from weigh.answers.arrow_messages import BadStream

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

    from weigh.model.units import Bytes

_INTERVALS = {"day_time_interval": 8, "month_interval": 4}
"""Types of intervals that PyArrow has no arrays for, and the bytes of a value."""
_VIEW = 16
"""Bytes of a view of a string."""


def read(path: Path) -> pa.Table:
    """The table in a file.

    Raises:
        BadStream: it cannot be read, or declares more than it holds.
    """
    return table(content(path))


def table(content: bytes) -> pa.Table:
    """The table in the content of such a file.

    Raises:
        BadStream: it declares more than it holds.
    """
    import pyarrow as pa

    try:
        arrow_messages.check(content)
        found = readable_intervals(pa.ipc.open_stream(content).read_all())
        try:
            found.validate(full=True)
        except pa.ArrowInvalid:
            # Engines without a type for bytes hand them out as text.
            found = _bytes_of_texts(found)
            found.validate(full=True)
        found = _written_out(found, len(content))
        _check_repeated(found, len(content))
    except (pa.ArrowException, OSError, ValueError, OverflowError, MemoryError, struct.error, LookupError) as error:
        raise BadStream(str(error)) from None
    return found


def content(path: Path) -> bytes:
    """The whole of a regular file: whoever wrote it may cut it off while a map of it is read.

    Raises:
        BadStream: it cannot be read.
    """
    try:
        # Not one that waits for a writer, nor one that leads elsewhere.
        number = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(number, "rb") as file:  # noqa: PTH123 # it is a descriptor
            if not stat.S_ISREG(os.fstat(number).st_mode):
                raise BadStream("it is no regular file")
            return file.read()
    except OSError as error:
        raise BadStream(error.strerror or str(error)) from None


def readable_intervals(table: pa.Table) -> pa.Table:
    """Intervals of days and milliseconds, or of months, in the one type of intervals that PyArrow has arrays for.

    Args:
        table: as it was read from a stream: no array begins within its buffers.

    Raises:
        BadStream: they are within a type in which they cannot be replaced.
    """
    import pyarrow as pa

    if not any(map(_has_intervals, table.schema.types)):
        return _counted_nulls(table)
    viewed = pa.struct([pa.field(str(at), _carried(kind)) for at, kind in enumerate(table.schema.types)])
    fields = [field.with_type(_readable(field.type)) for field in table.schema]
    schema = pa.schema(fields, table.schema.metadata)
    batches = []
    for batch in table.to_batches():
        columns = batch.to_struct_array().view(viewed).flatten()
        parts = [_read(column, kind) for column, kind in zip(columns, table.schema.types, strict=True)]
        batches.append(pa.RecordBatch.from_arrays(parts, schema=schema))
    return pa.Table.from_batches(batches, schema)


def _counted_nulls(table: pa.Table) -> pa.Table:
    """A table whose members without a type say how many NULLs they are: DuckDB counts none of them."""
    import pyarrow as pa

    for at, field in enumerate(table.schema):
        if _has_nulls(field.type):
            chunks = [_read(chunk, field.type) for chunk in table.column(at).chunks]
            table = table.set_column(at, field, pa.chunked_array(chunks, field.type))
    return table


def _has_nulls(kind: pa.DataType) -> bool:
    """Whether a list, map or struct has members without a type."""
    import pyarrow as pa

    if pa.types.is_union(kind) or pa.types.is_dictionary(kind):
        return False
    return pa.types.is_null(kind) or any(_has_nulls(member.type) for member in _members(kind))


def _members(kind: pa.DataType) -> list[pa.Field]:
    import pyarrow as pa

    types = pa.types
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        return [kind.value_field]
    if types.is_map(kind):
        return [kind.key_field, kind.item_field]
    if types.is_struct(kind) or types.is_union(kind):
        return [kind.field(at) for at in range(kind.num_fields)]
    return [pa.field("", kind.value_type)] if types.is_dictionary(kind) else []


def _has_intervals(kind: pa.DataType) -> bool:
    return str(kind) in _INTERVALS or any(_has_intervals(member.type) for member in _members(kind))


def _with(kind: pa.DataType, members: list[pa.Field]) -> pa.DataType:
    """The type of the same form with other members."""
    import pyarrow as pa

    types = pa.types
    if types.is_struct(kind):
        return pa.struct(members)
    if types.is_map(kind):
        return pa.map_(*members, keys_sorted=kind.keys_sorted)
    if types.is_list(kind) or types.is_large_list(kind):
        return (pa.list_ if types.is_list(kind) else pa.large_list)(members[0])
    if types.is_fixed_size_list(kind):
        return pa.list_(members[0], kind.list_size)
    raise BadStream(f"a column is of type {kind}, which weigh does not read")


def _carried(kind: pa.DataType) -> pa.DataType:
    """The type with integers for intervals, whose arrays are those of lists of entries for maps."""
    import pyarrow as pa

    if not _has_intervals(kind):
        return kind
    if width := _INTERVALS.get(str(kind)):
        return pa.int32() if width == 4 else pa.int64()
    members = [member.with_type(_carried(member.type)) for member in _members(kind)]
    return pa.list_(pa.field("entries", pa.struct(members), False)) if pa.types.is_map(kind) else _with(kind, members)


def _readable(kind: pa.DataType) -> pa.DataType:
    import pyarrow as pa

    if str(kind) in _INTERVALS:
        return pa.month_day_nano_interval()
    if not _has_intervals(kind):
        return kind
    return _with(kind, [member.with_type(_readable(member.type)) for member in _members(kind)])


def _read(column: pa.Array, kind: pa.DataType) -> pa.Array:
    """Values of a type, given those of :func:`_carried`."""
    import pyarrow as pa

    if not _has_intervals(kind) and not _has_nulls(kind):
        return column
    if width := _INTERVALS.get(str(kind)):
        return _intervals(column, width)
    if pa.types.is_null(kind):
        return pa.nulls(len(column))
    types = pa.types
    if types.is_struct(kind):
        children = [_read(column.field(at), member.type) for at, member in enumerate(_members(kind))]
    elif types.is_map(kind):
        children = [_read(column.values, pa.struct(_members(kind)))]
    else:
        children = [_read(column.values, kind.value_type)]
    buffers = column.buffers()[: 1 if types.is_struct(kind) or types.is_fixed_size_list(kind) else 2]
    return pa.Array.from_buffers(_readable(kind), len(column), buffers, children=children)


def _intervals(column: pa.Array, width: Bytes) -> pa.Array:
    import pyarrow as pa

    def interval(value: int) -> tuple[int, int, int]:
        if width == 4:
            return value, 0, 0
        days, milliseconds = struct.unpack("<ii", struct.pack("<q", value))
        return 0, days, milliseconds * 1_000_000

    values = [None if value is None else interval(value) for value in column.to_pylist()]
    return pa.array(values, pa.month_day_nano_interval())


def _bytes_of_texts(table: pa.Table) -> pa.Table:
    """A table with bytes for its texts in those columns where these are no UTF-8."""
    import pyarrow as pa

    for at, field in enumerate(table.schema):
        column = table.column(at)
        try:
            column.validate(full=True)
        except pa.ArrowInvalid:
            kind = _without_text(field.type)
            viewed = pa.chunked_array([chunk.view(kind) for chunk in column.chunks], kind)
            table = table.set_column(at, field.with_type(kind), viewed)
    return table


def _without_text(kind: pa.DataType) -> pa.DataType:
    import pyarrow as pa

    types = pa.types
    if types.is_string(kind) or types.is_large_string(kind):
        return pa.binary() if types.is_string(kind) else pa.large_binary()
    if types.is_list(kind) or types.is_large_list(kind):
        made = pa.list_ if types.is_list(kind) else pa.large_list
        return made(kind.value_field.with_type(_without_text(kind.value_type)))
    if types.is_struct(kind):
        return pa.struct([field.with_type(_without_text(field.type)) for field in kind])
    return kind


def _check_repeated(table: pa.Table, size: Bytes) -> None:
    """Columns whose values share their bytes: written out they may be much larger than what was read."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for field, column in zip(table.schema, table.columns, strict=True):
        kind = field.type
        if pa.types.is_list_view(kind) or pa.types.is_large_list_view(kind):
            raise BadStream(f"column {field.name} is of type {kind}, which weigh does not read")
        whole = 0
        for chunk in column.chunks:
            if pa.types.is_string_view(kind) or pa.types.is_binary_view(kind):
                whole += _viewed(chunk)
            elif pa.types.is_dictionary(kind) and (
                pa.types.is_string(kind.value_type) or pa.types.is_binary(kind.value_type)
            ):
                lengths = pc.binary_length(chunk.dictionary).cast(pa.int64())
                whole += pc.sum(lengths.take(chunk.indices)).as_py() or 0
        if whole > arrow_messages.limit(size):
            raise BadStream(f"{size:,} bytes that declare {whole:,} in column {field.name}")


def _written_out(table: pa.Table, size: Bytes) -> pa.Table:
    """Run-end encoded columns with a value for every row."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for at, field in enumerate(table.schema):
        if not pa.types.is_run_end_encoded(field.type):
            continue
        column = table.column(at)
        most = max((_widest(chunk.values) for chunk in column.chunks), default=0)
        if most * table.num_rows > arrow_messages.limit(size):
            raise BadStream(f"{size:,} bytes that declare {most * table.num_rows:,} in column {field.name}")
        kind = field.type.value_type
        written = pa.chunked_array([pc.run_end_decode(chunk) for chunk in column.chunks], kind)
        table = table.set_column(at, field.with_type(kind), written)
    return table


def _widest(values: pa.Array) -> Bytes:
    """Bytes of the largest value, at most."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_string(values.type) or pa.types.is_binary(values.type):
        return int(pc.max(pc.binary_length(values)).as_py() or 0)
    try:
        return (int(values.type.bit_width) + 7) // 8
    except ValueError:
        return int(values.nbytes)


def _viewed(chunk: pa.Array) -> Bytes:
    """Bytes that the views of a chunk show together; each view of 16 bytes begins with its length."""
    import numpy as np

    views = chunk.buffers()[1]
    if views is None:
        return 0
    lengths = np.frombuffer(views, dtype="<i4")[:: _VIEW // 4]
    return int(lengths[chunk.offset : chunk.offset + len(chunk)].sum(dtype=np.int64))
