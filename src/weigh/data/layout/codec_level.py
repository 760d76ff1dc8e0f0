"""The level of a codec, which no Parquet file says: the one at which the same bytes come out again."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pyarrow as pa

from weigh.data.layout.knobs import LEVELS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from weigh._native import Page

_LEAST, _ENOUGH, _MOST = 256, 128 << 10, 4 << 20
"""Bytes of a page, uncompressed: in a smaller one most levels find the same, a larger one tells no more, and of one
beyond the last the highest levels take seconds."""
_TRIED = 3
"""Pages of a column."""
_USUAL = {"zstd": 3, "gzip": 6}
"""What most writers use, tried first."""

Levels = tuple[int, int]
"""The lowest and the highest level that make these bytes."""


def suitable(pages: Iterable[Page], *, cheap: bool = False) -> list[Page]:
    """Those of a column's pages that tell most about its level; with ``cheap`` no large ones."""
    most = _ENOUGH if cheap else _MOST
    fit = [page for page in pages if page.kind == "data" and page.packed and _LEAST <= page.uncompressed <= most]
    fit.sort(key=lambda page: abs(page.uncompressed - _ENOUGH))
    return fit[:_TRIED] if fit and fit[0].uncompressed <= _ENOUGH else fit[:1]


def level(path: Path, pages: Sequence[Page], codec: str) -> Levels | None:
    """The levels at which a codec makes these pages; None where it has none, or its library is another than Arrow's.

    Args:
        path: the file.
        pages: of one column.
        codec: as a layout names it.
    """
    if codec not in LEVELS or not pages:
        return None
    try:
        packed = [_packed(path, page, codec) for page in pages]
    except (OSError, pa.ArrowException):
        return None
    lowest, highest = LEVELS[codec]

    def makes(level: int) -> bool:
        packer = pa.Codec(codec, compression_level=level)
        return all(packer.compress(plain, asbytes=True) == there for plain, there in packed)

    order = sorted(range(lowest, highest + 1), key=lambda level: abs(level - _USUAL[codec]))
    found = next((level for level in order if makes(level)), None)
    if found is None:
        return None
    low = high = found
    while low > lowest and makes(low - 1):
        low -= 1
    while high < highest and makes(high + 1):
        high += 1
    return low, high


def common(levels: Iterable[Levels | None]) -> Levels | None:
    """What all columns have in common; None where nothing does. Texts without repetition tell nothing by themselves."""
    known = [one for one in levels if one is not None]
    low, high = max((one[0] for one in known), default=1), min((one[1] for one in known), default=0)
    return (low, high) if low <= high else None


def _packed(path: Path, page: Page, codec: str) -> tuple[bytes, bytes]:
    """What was compressed, and what it became."""
    with path.open("rb", buffering=0) as file:
        there = os.pread(file.fileno(), page.compressed - page.levels, page.contents + page.levels)
    return pa.Codec(codec).decompress(there, page.uncompressed - page.levels, asbytes=True), there
