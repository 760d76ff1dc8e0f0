"""The pages of a column chunk, as their headers say: what no footer tells.

A header is a structure of Thrift's compact protocol; of its fields only those are kept that say how a page is written.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Literal, NamedTuple

from weigh.data.layout import thrift
from weigh.model.errors import DataFault

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from weigh.model.units import Bytes

Kind = Literal["data", "dictionary", "index"]

_WINDOW = 512
"""Bytes that hold nearly every header."""
_LONGEST = 1 << 24
"""Statistics of long texts lie in a header; a longer one is damaged."""
_KINDS: dict[int, tuple[Kind, int]] = {0: ("data", 5), 1: ("index", 6), 2: ("dictionary", 7), 3: ("data", 8)}
"""Of a page's type: what it is, and the field that describes it."""
_ENCODINGS = {
    0: "PLAIN", 2: "PLAIN_DICTIONARY", 3: "RLE", 4: "BIT_PACKED", 5: "DELTA_BINARY_PACKED",
    6: "DELTA_LENGTH_BYTE_ARRAY", 7: "DELTA_BYTE_ARRAY", 8: "RLE_DICTIONARY", 9: "BYTE_STREAM_SPLIT",
}  # fmt: skip


class Page(NamedTuple):
    """One page.

    Attributes:
        kind: what is in it.
        version: of the header of a page of data, 1 or 2; 1 of others.
        encoding: of its values.
        values: how many, NULLs counted.
        body: where its bytes begin in the file.
        compressed: bytes in the file, without the header.
        uncompressed: bytes that they stand for.
        levels: bytes at its beginning that are never compressed.
        packed: whether the rest is compressed, where the column has a codec.
        checksum: whether the header has one.
    """

    kind: Kind
    version: int
    encoding: str
    values: int
    body: int
    compressed: Bytes
    uncompressed: Bytes
    levels: Bytes
    packed: bool
    checksum: bool


def pages(path: Path, begin: int, end: int) -> Iterator[Page]:
    """The pages between two positions of a file, in order.

    Raises:
        DataFault: there is something else, or the file ends before.
    """
    with path.open("rb", buffering=0) as file:
        while begin < end:
            page = _page(file.fileno(), begin, path)
            if page.body + page.compressed > end:
                raise _damaged(path, f"a page at byte {begin:,} is longer than its column")
            yield page
            begin = page.body + page.compressed


def _page(file: int, begin: int, path: Path) -> Page:
    window = _WINDOW
    while True:
        content = os.pread(file, window, begin)
        try:
            fields, length = thrift.structure(content)
            break
        except IndexError:
            if len(content) < window or window >= _LONGEST:
                raise _damaged(path, f"the page at byte {begin:,} has no whole header") from None
            window *= 8
        except ValueError as error:
            raise _damaged(path, f"there is no page at byte {begin:,}: {error}") from None
    try:
        kind, place = _KINDS[fields[1]]
        header = fields.get(place, {})
        second = fields[1] == 3
        page = Page(
            kind=kind,
            version=2 if second else 1,
            encoding=_ENCODINGS.get(header.get(4 if second else 2, 0), "another") if kind != "index" else "",
            values=header.get(1, 0),
            body=begin + length,
            compressed=fields[3],
            uncompressed=fields[2],
            levels=header.get(5, 0) + header.get(6, 0) if second else 0,
            packed=bool(header.get(7, True)) if second else True,
            checksum=4 in fields,
        )
        sound = page.compressed >= 0 and page.uncompressed >= 0 and 0 <= page.levels <= page.compressed
    except (KeyError, TypeError, AttributeError):
        sound = False
    if not sound:
        raise _damaged(path, f"there is no page at byte {begin:,}")
    return page


def _damaged(path: Path, what: str) -> DataFault:
    return DataFault(what, where=str(path), remedy="name readable, undamaged Parquet files")
