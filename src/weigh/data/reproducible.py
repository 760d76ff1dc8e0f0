"""Whether a dataset that is made twice has the same bytes, and where it does not."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from weigh.data import cache as store
from weigh.host import scratch
from weigh.model import units
from weigh.model.errors import DataFault

if TYPE_CHECKING:
    from pathlib import Path

    from weigh.data.generator import Progress
    from weigh.data.making import Environment

_NAME = "again"
_COLUMNS = 4


class Unequal(msgspec.Struct, frozen=True, kw_only=True):
    """A file that became another.

    Attributes:
        path: relative to the manifest.
        first: BLAKE3 of its bytes when it was made first, hex.
        second: the same of the second time.
        where: what differs.
    """

    path: str
    first: str
    second: str
    where: str


class Reproduction(msgspec.Struct, frozen=True, kw_only=True):
    """What came of making a dataset again.

    Attributes:
        writer: of the files, with its version.
        files: how many there are.
        unequal: those whose bytes are others; empty where all are the same.
    """

    writer: str
    files: int
    unequal: tuple[Unequal, ...]


def again(data: store.CachedData, cache: Path, environment: Environment, progress: Progress) -> Reproduction:
    """Make a stored dataset a second time, aside, and compare every file's hash.

    Args:
        data: the dataset, as it was made.
        cache: weigh's cache directory: the second lies there meanwhile, and needs as much space.
        environment: for the generator's and the writer's requirements.
        progress: receives messages now and then.

    Raises:
        DataFault: the second has other rows.
        EnvironmentFault: no space.
    """
    manifest = data.manifest
    assert manifest.layout is not None
    scratch.sweep_in(cache, _NAME)
    place = scratch.made(_NAME, cache)
    try:
        store.check(manifest.dataset, [manifest.layout], place)
        second = store.ensure(manifest.dataset, manifest.layout, place, environment=environment, progress=progress)
        if second.manifest.digests != manifest.digests:
            raise DataFault(
                f"{manifest.dataset.generator} made other rows the second time",
                where=str(data.folder),
                remedy="report this: the same version, scale and seed mean the same rows",
            )
        return compare(data, second)
    finally:
        shutil.rmtree(place, ignore_errors=True)


def compare(first: store.CachedData, second: store.CachedData) -> Reproduction:
    """The files of two makings by their hashes; both have the same rows."""
    unequal = [
        Unequal(path=one.path, first=one.blake3, second=other.blake3, where=_where(first, second, one.path))
        for one, other in zip(first.manifest.files, second.manifest.files, strict=True)
        if one.blake3 != other.blake3
    ]
    return Reproduction(writer=first.manifest.writer, files=len(first.manifest.files), unequal=tuple(unequal))


def _where(first: store.CachedData, second: store.CachedData, name: str) -> str:
    one, other = first.folder / name, second.folder / name
    if first.manifest.vortex:
        return "the same rows; other bytes"
    if _groups(one) != _groups(other):
        return f"row groups of {_groups(one)} rows, and of {_groups(other)}"
    if not _same_order(one, other):
        return "the rows are in another order"
    columns = _unequal_columns(one, other)
    if not columns:
        return "the pages are the same: the footer, or what lies between the columns, is another"
    listed = ", ".join(columns[:_COLUMNS]) + (f" and {len(columns) - _COLUMNS} more" if len(columns) > _COLUMNS else "")
    return f"the same rows in the same order; other bytes in {units.count(len(columns), 'column')}: {listed}"


def _groups(path: Path) -> str:
    from weigh._native import parquet_footer

    rows = [group["rows"] for group in parquet_footer(path)["groups"]]
    return ", ".join(f"{one:,}" for one in rows[:_COLUMNS]) + (", ..." if len(rows) > _COLUMNS else "")


def _same_order(one: Path, other: Path) -> bool:
    with pq.ParquetFile(one) as mine, pq.ParquetFile(other) as theirs:
        for group in range(mine.num_row_groups):
            rows, others = mine.read_row_group(group), theirs.read_row_group(group)
            if not _equal(rows, others):
                return False
    return True


def _equal(one: pa.Table, other: pa.Table) -> bool:
    from weigh._native import digest_arrow

    # Arrow calls NaN unequal to itself; a digest of rows with their numbers does not, and knows every type.
    numbers = pa.array(range(one.num_rows), pa.int64())
    digests = [digest_arrow(table.append_column("", numbers)) for table in (one, other)]
    return digests[0] == digests[1]


def _unequal_columns(one: Path, other: Path) -> list[str]:
    from weigh._native import parquet_footer

    mine, theirs = parquet_footer(one), parquet_footer(other)
    found = []
    with one.open("rb") as first, other.open("rb") as second:
        for number, column in enumerate(mine["columns"]):
            for group, twin in zip(mine["groups"], theirs["groups"], strict=True):
                chunks = (first, group["chunks"][number]), (second, twin["chunks"][number])
                contents = []
                for file, chunk in chunks:
                    file.seek(chunk["begin"])
                    contents.append(file.read(chunk["bytes"]))
                if contents[0] != contents[1]:
                    found.append(column["name"])
                    break
    return found
