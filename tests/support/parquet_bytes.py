"""Parquet written byte by byte: forms that the format allows and no library at hand writes."""

from __future__ import annotations

import gzip
import struct
import zlib
from dataclasses import dataclass
from dataclasses import field as default
from typing import TYPE_CHECKING, Any

import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

BOOLEAN, INT32, INT64, INT96, FLOAT, DOUBLE, BYTE_ARRAY, FIXED = range(8)
REQUIRED, OPTIONAL, REPEATED = range(3)
PLAIN, PLAIN_DICTIONARY, RLE, BIT_PACKED, DELTA_INTEGERS, DELTA_LENGTHS, DELTA_BYTES, RLE_DICTIONARY, SPLIT = (
    0, 2, 3, 4, 5, 6, 7, 8, 9,
)  # fmt: skip
UNCOMPRESSED, SNAPPY, GZIP, BROTLI, LZ4, ZSTD, LZ4_RAW = 0, 1, 2, 4, 5, 6, 7
_PACKED = {SNAPPY: "snappy", BROTLI: "brotli", ZSTD: "zstd", LZ4_RAW: "lz4_raw"}


# Thrift's compact protocol


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def _zigzag(value: int) -> bytes:
    return _varint(value << 1 if value >= 0 else (-value << 1) - 1)


def thrift(fields: dict[int, Any]) -> bytes:
    """A structure: whole numbers are i32, ``("i64", n)``, ``("i16", n)`` and ``("i8", n)`` others; None is left out."""
    out, last = bytearray(), 0
    for number, value in sorted(fields.items()):
        if value is None:
            continue
        kind, body = _value(value)
        out += bytes([(number - last) << 4 | kind]) if 0 < number - last < 16 else bytes([kind]) + _zigzag(number)
        out += body
        last = number
    return bytes([*out, 0])


def _value(value: Any) -> tuple[int, bytes]:
    match value:
        case bool():
            return (1 if value else 2), b""
        case int():
            return 5, _zigzag(value)
        case ("i64", int(number)):
            return 6, _zigzag(number)
        case ("i16", int(number)):
            return 4, _zigzag(number)
        case ("i8", int(number)):
            return 3, struct.pack("b", number)
        case bytes():
            return 8, _varint(len(value)) + value
        case str():
            return _value(value.encode())
        case dict():
            return 12, thrift(value)
        case list():
            kinds = [_value(one) for one in value]
            kind = kinds[0][0] if kinds else 12
            head = bytes([len(kinds) << 4 | kind]) if len(kinds) < 15 else bytes([0xF0 | kind]) + _varint(len(kinds))
            return 9, head + b"".join(body for _, body in kinds)
    raise TypeError(value)


# Values


def byte_arrays(values: Sequence[bytes]) -> bytes:
    """Plain values of bytes."""
    return b"".join(struct.pack("<I", len(one)) + one for one in values)


def int96(nanoseconds: int) -> bytes:
    """An instant, in nanoseconds since 1970."""
    day, inside = divmod(nanoseconds, 86_400 * 10**9)
    return struct.pack("<qi", inside, day + 2_440_588)


def levels(values: Sequence[int], most: int, *, sized: bool = True) -> bytes:
    """Levels, or keys of a dictionary, packed in eights as the hybrid of runs and packed values."""
    width = most.bit_length()
    whole = list(values) + [0] * (-len(values) % 8)
    bits = sum(value << (width * place) for place, value in enumerate(whole))
    body = _varint(len(whole) // 8 << 1 | 1) + bits.to_bytes(len(whole) * width // 8, "little")
    return (struct.pack("<I", len(body)) if sized else b"") + body


def run(value: int, times: int, most: int, *, sized: bool = True) -> bytes:
    """The same of one value many times."""
    body = _varint(times << 1) + value.to_bytes((most.bit_length() + 7) // 8, "little")
    return (struct.pack("<I", len(body)) if sized else b"") + body


def bit_packed(values: Sequence[int], most: int) -> bytes:
    """The deprecated form of levels: from the highest bit on, without a length."""
    width = most.bit_length()
    bits = "".join(f"{one:0{width}b}" for one in values)
    bits += "0" * (-len(bits) % 8)
    return bytes(int(bits[at : at + 8], 2) for at in range(0, len(bits), 8))


# Pages


@dataclass
class Page:
    """A page before it is compressed.

    Attributes:
        body: levels and values; of version 2 the values alone.
        values: how many, NULLs included.
        encoding: of the values.
        dictionary: whether it is one.
        level_encoding: of the levels.
        repetition, definition: levels of version 2.
        rows, nulls: of version 2; None is version 1.
        checksum: whether it has one.
        compressed: of version 2, whether its values are.
    """

    body: bytes
    values: int
    encoding: int = PLAIN
    dictionary: bool = False
    level_encoding: int = RLE
    repetition: bytes = b""
    definition: bytes = b""
    rows: int | None = None
    nulls: int = 0
    checksum: bool = False
    compressed: bool = True


@dataclass
class Column:
    """A leaf.

    Attributes:
        path: of names.
        physical: type.
        pages: in order.
        codec: of all of them.
        values: NULLs included; by default those of its data pages.
        dictionary_offset: what the footer says: None for nothing, or a number; "true" where it lies.
        first: whether `data_page_offset` is that of the first page, a dictionary included.
        encodings: that the footer names.
    """

    path: list[str]
    physical: int
    pages: list[Page]
    codec: int = UNCOMPRESSED
    values: int | None = None
    dictionary_offset: int | str | None = "true"
    first: bool = False
    encodings: list[int] = default(default_factory=lambda: [PLAIN, RLE])


def packed(body: bytes, codec: int) -> bytes:
    """Compressed bytes."""
    if codec == GZIP:
        # Two members, as writers make them that compress pieces.
        half = len(body) // 2
        return gzip.compress(body[:half]) + gzip.compress(body[half:])
    if codec == LZ4:
        # Hadoop's frame: the sizes before and after, highest byte first.
        raw = pa.compress(body, "lz4_raw", asbytes=True)
        return struct.pack(">II", len(body), len(raw)) + raw
    return pa.compress(body, _PACKED[codec], asbytes=True) if codec in _PACKED else body


def _page(page: Page, codec: int) -> bytes:
    is_packed = page.rows is None or page.compressed
    values = packed(page.body, codec) if is_packed else page.body
    contents = page.repetition + page.definition + values
    size = len(page.repetition) + len(page.definition) + len(page.body)
    head: dict[int, Any] = {2: size, 3: len(contents)}
    if page.checksum:
        crc = zlib.crc32(contents)
        head[4] = crc - (1 << 32) if crc >> 31 else crc
    if page.dictionary:
        head |= {1: 2, 7: {1: page.values, 2: page.encoding}}
    elif page.rows is None:
        levels_are = page.level_encoding
        head |= {1: 0, 5: {1: page.values, 2: page.encoding, 3: levels_are, 4: levels_are}}
    else:
        sizes = {5: len(page.definition), 6: len(page.repetition)}
        head |= {1: 3, 8: {1: page.values, 2: page.nulls, 3: page.rows, 4: page.encoding, **sizes, 7: page.compressed}}
    return thrift(head) + contents


# Files


def element(
    name: str,
    repetition: int | None = REQUIRED,
    physical: int | None = None,
    *,
    children: int | None = None,
    converted: int | None = None,
    length: int | None = None,
    scale: int | None = None,
    precision: int | None = None,
    logical: dict[int, Any] | None = None,
) -> dict[int, Any]:
    """An element of a schema."""
    return {
        1: physical, 2: length, 3: repetition, 4: name, 5: children, 6: converted, 7: scale, 8: precision, 10: logical,
    }  # fmt: skip


def root(children: int) -> dict[int, Any]:
    """The first element of a schema."""
    return element("schema", None, children=children)


def write(
    path: Path,
    schema: list[dict[int, Any]],
    groups: Sequence[tuple[int, Sequence[Column]]],
    *,
    created_by: str | None = "handmade",
    keys: Sequence[tuple[bytes, bytes | None]] = (),
    version: int = 1,
    rows: int | None = None,
) -> Path:
    """Write a file.

    Args:
        path: where.
        schema: its elements, depth first.
        groups: rows and columns of each row group.
        created_by: the writer; None for none.
        keys: what the file says besides.
        version: of the format.
        rows: that the footer says in all; by default the sum of the groups.
    """
    content = bytearray(b"PAR1")
    described = []
    for group_rows, columns in groups:
        chunks = []
        for column in columns:
            start, data, dictionary, unpacked = len(content), None, None, 0
            for page in column.pages:
                if page.dictionary:
                    dictionary = len(content)
                elif data is None:
                    data = len(content)
                made = _page(page, column.codec)
                unpacked += len(page.body) + len(page.repetition) + len(page.definition) + 20
                content += made
            data = start if column.first or data is None else data
            offset = dictionary if column.dictionary_offset == "true" else column.dictionary_offset
            values = sum(page.values for page in column.pages if not page.dictionary)
            meta = {
                1: column.physical, 2: list(column.encodings), 3: list(column.path), 4: column.codec,
                5: ("i64", values if column.values is None else column.values), 6: ("i64", unpacked),
                7: ("i64", len(content) - start), 9: ("i64", data), 11: None if offset is None else ("i64", offset),
            }  # fmt: skip
            chunks.append({2: ("i64", start), 3: meta})
        size = ("i64", sum(chunk[3][7][1] for chunk in chunks))
        described.append({1: chunks, 2: size, 3: ("i64", group_rows)})
    total = sum(count for count, _ in groups) if rows is None else rows
    footer = thrift(
        {
            1: version, 2: schema, 3: ("i64", total), 4: described,
            5: [{1: key, 2: value} for key, value in keys] or None, 6: created_by,
        }
    )  # fmt: skip
    path.write_bytes(bytes(content) + footer + struct.pack("<I", len(footer)) + b"PAR1")
    return path
