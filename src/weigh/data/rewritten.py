"""Rewritten files: the rows of a user's own files in another layout. Copies in the cache; the files stay."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pyarrow as pa

from weigh.data import cache as store
from weigh.data.ground_truth import Truth
from weigh.data.layout import parquet_reading
from weigh.data.making import GivenRows
from weigh.data.user_files import plain_type
from weigh.model.errors import DataFault

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from concurrent.futures import Executor
    from pathlib import Path

    from weigh.data.generator import Progress, Table
    from weigh.data.making import Environment
    from weigh.model.spec import LayoutSpec

_BATCH = 1 << 16


def rewritten(
    cached: store.CachedData,
    layout: LayoutSpec,
    cache: Path,
    environment: Environment,
    progress: Progress | None = None,
) -> store.CachedData:
    """A user's own rows in a layout: from the cache after verification, or written now.

    Args:
        cached: the files as they are.
        layout: the form that is wanted.
        cache: weigh's cache directory.
        environment: for the writer's requirements; asked only if something is written.
        progress: receives messages now and then.

    Raises:
        UsageError: an impossible layout.
        DataFault: a writer wrote other rows, by their digest; the cached files were changed since they were written.
        EnvironmentFault: disk full, cache not writable, no environment for the writer.
    """
    # The rows are the same whatever the seed of the experiment.
    name = msgspec.structs.replace(cached.manifest.dataset, seed=None)
    given = GivenRows(_UserRows(cached), cached.manifest.digests)
    made = store.ensure(name, layout, cache, environment=environment, given=given, progress=progress)
    manifest = msgspec.structs.replace(
        made.manifest, dataset=cached.manifest.dataset, converted=cached.manifest.converted
    )
    return made._replace(manifest=manifest)


class _UserRows:
    """The tables of a user's own files, as a source of rows."""

    def __init__(self, cached: store.CachedData) -> None:
        self.tables: Mapping[str, Table] = {
            table: _UserTable(
                [cached.folder / path for path in cached.manifest.paths(table)], cached.manifest.rows(table)
            )
            for table in cached.manifest.tables
        }

    def truth(self) -> Truth:
        """Nothing is known about them."""
        return Truth({})


class _UserTable:
    def __init__(self, files: Sequence[Path], rows: int) -> None:
        self._files = files
        self.rows = rows
        self.schema = _schema(files)

    def batches(self, executor: Executor) -> Iterator[pa.RecordBatch]:
        """Every row, in the order of the files."""
        for path in self._files:
            try:
                with parquet_reading.opened(path) as file:
                    for batch in file.iter_batches(_BATCH):
                        yield batch.cast(self.schema)
            except pa.ArrowException as error:
                raise DataFault(
                    f"its rows cannot be read to be written in another layout: {error}",
                    where=str(path.resolve()),
                    remedy="leave out the layout: files are read as they are without one",
                ) from error


def _schema(files: Sequence[Path]) -> pa.Schema:
    given = [parquet_reading.opened(file).schema_arrow for file in files]
    first, *others = [pa.schema([_plain_field(field) for field in one]) for one in given]
    if all(other.equals(first) for other in others):
        return first
    # They differ in what may be NULL: everything may then.
    return pa.schema([(field.name, plain_type(_plain(field.type))) for field in first])


def _plain_field(field: pa.Field) -> pa.Field:
    """Without what its writer noted for itself: ids of fields, and the form in which texts are held in memory."""
    return pa.field(field.name, _plain(field.type), field.nullable)


def _plain(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_dictionary(kind):
        return _plain(kind.value_type)
    if pa.types.is_string_view(kind):
        return pa.string()
    if pa.types.is_binary_view(kind):
        return pa.binary()
    if pa.types.is_struct(kind):
        return pa.struct([_plain_field(field) for field in kind])
    if pa.types.is_map(kind):
        return pa.map_(_plain_field(kind.key_field), _plain_field(kind.item_field), kind.keys_sorted)
    if pa.types.is_large_list(kind):
        return pa.large_list(_plain_field(kind.value_field))
    if pa.types.is_fixed_size_list(kind):
        return pa.list_(_plain_field(kind.value_field), kind.list_size)
    return pa.list_(_plain_field(kind.value_field)) if pa.types.is_list(kind) else kind
