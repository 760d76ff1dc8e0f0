"""Arrow streams of strangers: read with bounds, and checked whole before anybody uses them.

A stream is a sequence of messages whose lengths, offsets and sizes are written in it. One wrong byte of them made
readers reach outside the buffers, and a few bytes can declare more rows than there is memory. So what the messages
declare is added up first, then they are read, and then every value is validated.

The layout of the messages is that of Arrow's ``Message.fbs``, encoded by FlatBuffers.
"""

from __future__ import annotations

import os
import stat
import struct
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pyarrow as pa

    from weigh.model.units import Bytes, Rows

LEAST_LIMIT: Bytes = 256 << 20
LIMIT_SHARE = 20
"""An answer may be this many times as large in memory as its stream, and 256 MiB in any case: it may be compressed."""
FREE_ROWS: Rows = 10_000_000
"""Rows that an answer may have without a byte for eight of them: columns of nothing but NULL take none."""

_DICTIONARY, _RECORDS = 2, 3
"""Kinds of messages with buffers."""


_INTERVALS = {"day_time_interval": 8, "month_interval": 4}
"""Types of intervals that PyArrow has no arrays for, and the bytes of a value."""
_VIEW = 16
"""Bytes of a view of a string."""


class BadStream(Exception):
    """It is no Arrow stream, or one that must not be read."""


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
        _check_declared(content)
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
    """Intervals of days and milliseconds, or of months, in the one type of intervals that PyArrow has arrays for."""
    import pyarrow as pa

    widths = {at: _INTERVALS[str(kind)] for at, kind in enumerate(table.schema.types) if str(kind) in _INTERVALS}
    if not widths:
        return table
    integers = {4: pa.int32(), 8: pa.int64()}
    kinds = [integers[widths[at]] if at in widths else kind for at, kind in enumerate(table.schema.types)]
    names = [str(at) for at in range(len(kinds))]
    viewed = pa.struct([pa.field(name, kind) for name, kind in zip(names, kinds, strict=True)])
    parts = []
    for batch in table.to_batches():
        columns = batch.to_struct_array().view(viewed).flatten()
        parts.append([_intervals(one, widths[at]) if at in widths else one for at, one in enumerate(columns)])
    made = [pa.month_day_nano_interval() if at in widths else kind for at, kind in enumerate(kinds)]
    schema = pa.schema([table.schema.field(at).with_type(kind) for at, kind in enumerate(made)])
    return pa.Table.from_batches([pa.RecordBatch.from_arrays(columns, schema=schema) for columns in parts], schema)


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


def _limit(size: Bytes) -> Bytes:
    return max(LEAST_LIMIT, LIMIT_SHARE * size)


def _check_declared(content: bytes) -> None:
    """What all messages declare together, before any of it is made."""
    size = rows = 0
    for message in _messages(content):
        size += message.size
        rows += message.rows
    if size > _limit(len(content)):
        raise BadStream(f"{len(content):,} bytes that declare {size:,} in memory")
    if rows > FREE_ROWS + 8 * size:
        raise BadStream(f"{len(content):,} bytes that declare {rows:,} rows")


class _Message(NamedTuple):
    """What one message declares: bytes of its buffers when decompressed, and rows."""

    size: Bytes
    rows: Rows


def _messages(content: bytes) -> Iterator[_Message]:
    import pyarrow as pa

    with pa.BufferReader(content) as source:
        while True:
            try:
                message = pa.ipc.read_message(source)
            except EOFError:
                return
            head = memoryview(message.metadata)
            root = _Fields(head, _offset(head, 0))
            kind = root.number("B", 1)
            if kind in (_DICTIONARY, _RECORDS):
                batch = root.table(2) if kind == _RECORDS else root.table(2).table(1)
                yield _Message(_size(batch, memoryview(message.body)), _count(batch.number("q", 0)))


def _size(batch: _Fields, body: memoryview) -> Bytes:
    """Bytes of the buffers of a batch; a compressed one begins with its length."""
    compressed = batch.has(3)
    size = 0
    for begin, length in batch.structs("qq", 2):
        if compressed and length:
            (whole,) = struct.unpack_from("<q", body, _count(begin))
            size += length if whole == -1 else _count(whole)
        else:
            size += _count(length)
    return size


def _count(number: int) -> int:
    if number < 0:
        raise BadStream("a length below zero")
    return number


class _Fields:
    """A table of FlatBuffers: its fields by number; one that is not there is 0 or empty."""

    def __init__(self, data: memoryview, at: int) -> None:
        self._data = data
        self._at = at
        self._index = at - struct.unpack_from("<i", data, _count(at))[0]

    def has(self, field: int) -> bool:
        """Whether the field is there."""
        return self._place(field) > 0

    def number(self, form: str, field: int) -> int:
        """A field with a number of that form (of :mod:`struct`)."""
        place = self._place(field)
        return int(struct.unpack_from(f"<{form}", self._data, place)[0]) if place else 0

    def table(self, field: int) -> _Fields:
        """A field with another table."""
        return _Fields(self._data, _offset(self._data, self._needed(field)))

    def structs(self, form: str, field: int) -> Iterator[tuple[int, ...]]:
        """A field with a vector of structs of that form."""
        if not self.has(field):
            return
        begin = _offset(self._data, self._needed(field))
        (number,) = struct.unpack_from("<I", self._data, begin)
        one = struct.Struct(f"<{form}")
        for place in range(number):
            yield one.unpack_from(self._data, begin + 4 + place * one.size)

    def _needed(self, field: int) -> int:
        place = self._place(field)
        if not place:
            raise BadStream("a message without its content")
        return place

    def _place(self, field: int) -> int:
        """Where a field lies; 0 where it is not there."""
        (size,) = struct.unpack_from("<H", self._data, _count(self._index))
        entry = 4 + 2 * field
        if entry + 2 > size:
            return 0
        (offset,) = struct.unpack_from("<H", self._data, self._index + entry)
        return self._at + offset if offset else 0


def _offset(data: memoryview, at: int) -> int:
    """What an offset in FlatBuffers points to."""
    return at + int(struct.unpack_from("<I", data, at)[0])


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
        if whole > _limit(size):
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
        if most * table.num_rows > _limit(size):
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
        return int(values.type.bit_width + 7) // 8
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
