"""Damage: one bit flipped inside a page of a file, so that a value changes and the page can still be decoded.

Only for copies: the file is written to.
"""

from __future__ import annotations

import zlib
from typing import IO, TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator
    from pathlib import Path

    from weigh._native import Page

_TRIES = 96
"""Bits that are tried in a page, each with decoding its column."""
_GZIP_HEAD = 10
"""Bytes before the compressed ones, as every writer of Parquet writes them."""

Kind = Literal["data", "dictionary"]


class Flip(NamedTuple):
    """One bit that was flipped.

    Attributes:
        row_group: counted from 0.
        column: name of the column.
        kind: what the page holds.
        page: number of the page in column and row group.
        offset: of the byte in the file.
        checksum: whether the page has a checksum, which it does not fit any more.
        decodes: whether the page can still be decoded, to other values; a decompressor that checks by itself, or a
            broken stream, raises without any checksum of the page.
    """

    row_group: int
    column: str
    kind: Kind
    page: int
    offset: int
    checksum: bool
    decodes: bool


def flip(path: Path, row_group: int, column: str, chance: random.Random, kind: Kind | None = None) -> Flip | None:
    """Flip one bit of a page, such that other values are decoded from it if there is such a bit among those tried.

    Args:
        path: the file, which is changed.
        row_group: counted from 0.
        column: a top-level column.
        chance: chooses page and bit.
        kind: of page; by default whichever there is.

    Returns:
        the bit; None where the column has no such page with anything in it.

    Raises:
        DataFault: the file cannot be read.
    """
    from weigh._native import DigestError, column_pages
    from weigh.data.layout import parquet_reading

    try:
        pages = column_pages(path, row_group, column)
    except (OSError, DigestError) as error:
        raise parquet_reading.fault(path, error) from error
    fit = [(n, page) for n, page in enumerate(pages) if page.compressed > 8 and page.kind == (kind or page.kind)]
    if not fit:
        return None
    number, page = chance.choice(fit)
    before = _decoded(path, row_group, column)
    with path.open("r+b", buffering=0) as file:
        whole = _contents(file, page)
        decodes = False
        for offset, mask in _places(page, chance):
            _toggle(file, offset, mask)
            after = _decoded(path, row_group, column)
            decodes = after not in (None, before)
            if decodes or (after is None and _inflates(whole, _contents(file, page), page.uncompressed)):
                break
            _toggle(file, offset, mask)
        else:
            _toggle(file, offset, mask)
    return Flip(
        row_group=row_group,
        column=column,
        kind="dictionary" if page.kind == "dictionary" else "data",
        page=number,
        offset=offset,
        checksum=page.checksum is not None,
        decodes=decodes,
    )


def _places(page: Page, chance: random.Random) -> Iterator[tuple[int, int]]:
    """Bits of a page: none of its beginning, where the levels are and a compressor's own header."""
    first = min(page.compressed // 4, 4096)
    for _ in range(_TRIES):
        yield page.contents + chance.randrange(first, page.compressed), 1 << chance.randrange(8)


def _contents(file: IO[bytes], page: Page) -> bytes:
    file.seek(page.contents)
    return file.read(page.compressed)


def _toggle(file: IO[bytes], offset: int, mask: int) -> None:
    file.seek(offset)
    (byte,) = file.read(1)
    file.seek(offset)
    file.write(bytes([byte ^ mask]))


def _decoded(path: Path, row_group: int, column: str) -> str | None:
    """Digest of the values in order, as a reader that checks nothing decodes them; None where it cannot."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from weigh._native import digest_arrow

    try:
        with pq.ParquetFile(path) as file:
            table = file.read_row_group(row_group, columns=[column])
        numbered = table.append_column("weigh_row", pa.array(range(table.num_rows), pa.int64()))
        numbered.validate(full=True)
        return str(digest_arrow(numbered))
    except (pa.ArrowException, OSError, ValueError):
        return None


def _inflates(before: bytes, after: bytes, length: int) -> bool:
    """Whether a page compressed as gzip inflates to other bytes for those who do not look at gzip's own checksum."""
    if before[:2] != b"\x1f\x8b":
        return False
    try:
        one, other = (zlib.decompressobj(-15).decompress(page[_GZIP_HEAD:]) for page in (before, after))
    except zlib.error:
        return False
    # The first bytes may be levels, which count values.
    return len(one) == len(other) == length and one != other and one[:64] == other[:64]
