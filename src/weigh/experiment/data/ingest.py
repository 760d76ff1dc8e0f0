"""Loading the tables of a dataset under the clock: what it needs, and where it lies meanwhile."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, NamedTuple

from weigh.data.layout import second_reader
from weigh.engines import engine as engines
from weigh.experiment.data.data_link import tables_of
from weigh.host import scratch
from weigh.model import units
from weigh.model.contender import URL
from weigh.model.data.catalog import FORMATS, TITLES
from weigh.model.errors import EnvironmentFault, UsageError
from weigh.model.spec import FORMAT_TITLES
from weigh.workloads import ingest

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

    from weigh.engines.loaded import Tables
    from weigh.engines.prepared import PreparedContender
    from weigh.experiment.data.dataset import Data
    from weigh.model.contender import Contender
    from weigh.model.dataset import Manifest
    from weigh.model.operation import Operation, Workload
    from weigh.model.spec import Format, Spec

_LIFE = "weigh-load"
"""What the folders of lives that load begin with."""
_COPIES = 2
"""What an engine may need for a table, in uncompressed sizes: its own form of the rows, and a log of writing them."""


class Loading(NamedTuple):
    """What loading a table needs.

    Attributes:
        table: its name.
        paths: its Parquet files.
        under: folder in which each life gets a place of its own.
        question: the first query, as this engine gets it.
        answer: what that must answer.
    """

    table: str
    paths: list[str]
    under: Path
    question: str
    answer: tuple[int | None, ...]

    @classmethod
    def of(cls, operation: Operation, ready: PreparedContender, tables: Tables) -> Loading:
        """Of an operation that loads a table.

        Args:
            operation: that loads.
            ready: who loads.
            tables: as it finds them.
        """
        load = operation.ingest
        assert load
        question = operation.text(operation.cases[0], ready.engine.dialect)
        return cls(load.table, tables.paths[load.table], loads_folder(ready.cache), question, load.answer)


def loads_folder(cache: Path) -> Path:
    """Where everything that is loaded under the clock lies: on the disk of the cache."""
    return cache / "loads"


def check(contender: Contender, files: Format = "parquet") -> None:
    """Refuse who keeps no tables, before anything is made.

    Raises:
        UsageError: it reads Parquet where it lies, or files that are none, or through a catalog, or is a server that
            somebody else started.
    """
    engine = engines.load(contender.engine)
    if not engine.ingests:
        raise UsageError(
            f"weigh does not load tables into {engine.name} under the clock",
            where=f"contender {contender.name}",
            remedy=f"leave it out, or leave out --ingest; these can: {', '.join(_able())}",
        )
    if files != "parquet":
        raise UsageError(
            f"what is loaded are Parquet files, and those of its layout are {FORMAT_TITLES[files]}",
            where=f"contender {contender.name}",
            remedy="give it a layout of Parquet, or leave out --ingest",
        )
    if contender.catalog in FORMATS:
        raise UsageError(
            f"what is loaded are the files themselves, not tables of {TITLES[contender.catalog]}",
            where=f"contender {contender.name}",
            remedy="leave out catalog, or leave out --ingest",
        )
    if contender.remote:
        raise UsageError(
            "a server that weigh did not start is not loaded: its disk and its other work are not weigh's to see",
            where=f"contender {contender.name}",
            remedy=f"leave out {URL}: weigh starts a server of its own",
        )


def _able() -> list[str]:
    """Engines that load."""
    return [name for name in sorted(engines.installed()) if engines.load(name).ingests]


def sweep(cache: Path) -> None:
    """Remove what killed processes had loaded."""
    scratch.sweep_in(loads_folder(cache), _LIFE)


def check_space(data: Data, spec: Spec, cache: Path) -> None:
    """Refuse what does not fit on the disk, before anything is loaded.

    Raises:
        EnvironmentFault: the disk of the cache is too small.
    """
    lives = len(spec.contenders) + 1
    each = _COPIES * max(unpacked_bytes(data.manifest).values(), default=0)
    there = next(path for path in (loads_folder(cache), *loads_folder(cache).parents) if path.exists())
    free = shutil.disk_usage(there).free
    if lives * each > free:
        raise EnvironmentFault(
            f"{lives} lives that load at the same time may need {units.size(lives * each)} "
            f"({_COPIES} times the largest table unpacked, each), and {units.size(free)} are free",
            where=str(loads_folder(cache)),
            remedy="choose a smaller --scale, free space, or set WEIGH_CACHE to another disk",
        )


def unpacked_bytes(manifest: Manifest) -> dict[str, int]:
    """What the columns of each table take without compression."""
    found: dict[str, int] = {}
    for file in manifest.files:
        size = sum(int(column["uncompressed_bytes"]) for column in file.parquet["columns"].values())
        found[file.table] = found.get(file.table, 0) + size
    return found


def rows(tables: Tables, table: str) -> pa.Table:
    """The rows of the files of a table."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    paths = tables.paths[table]
    parts = [pq.ParquetFile(path).read() for path in paths]
    return second_reader.ranged(paths, pa.concat_tables(parts, promote_options="permissive"))


def workload(queries: Workload, data: Data) -> Workload:
    """Loading the tables of a workload's data, in the place of its queries."""
    tables = tables_of(data.folder, data.manifest)
    return ingest.workload(
        queries.name, queries.dataset, {table: rows(tables, table) for table in tables.paths}, queries.notice
    )
