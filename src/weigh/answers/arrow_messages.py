"""What the messages of an Arrow stream declare: bytes and rows, added up before any of it is made.

The layout of the messages is that of Arrow's ``Message.fbs``, encoded by FlatBuffers.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.model.units import Bytes, Rows

LEAST_LIMIT: Bytes = 256 << 20
LIMIT_SHARE = 20
"""An answer may be this many times as large in memory as its stream, and 256 MiB in any case: it may be compressed."""
FREE_ROWS: Rows = 10_000_000
"""Rows that an answer may have without a byte for eight of them: columns of nothing but NULL take none."""

_DICTIONARY, _RECORDS = 2, 3
"""Kinds of messages with buffers."""


class BadStream(Exception):
    """It is no Arrow stream, or one that must not be read."""


def limit(size: Bytes) -> Bytes:
    """Bytes in memory that a stream of that size may come to."""
    return max(LEAST_LIMIT, LIMIT_SHARE * size)


def check(content: bytes) -> None:
    """Look at what all messages declare, before any of it is made.

    Raises:
        BadStream: it is more than the stream may hold.
    """
    size = rows = 0
    for message in _messages(content):
        size += message.size
        rows += message.rows
    if size > limit(len(content)):
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
