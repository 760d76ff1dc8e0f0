"""Unseen data: rows that nobody can have known beforehand, in files of the same names and types as the given ones.

Of a generator with a seed they are another dataset, of a seed that is drawn now. Of all other files they are a part of
the given rows, drawn now.
"""

from __future__ import annotations

import os
import secrets
import shutil
from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec

from weigh.data import cache as store
from weigh.data.generator import generator
from weigh.data.ground_truth import Truth
from weigh.data.layout import file_facts, views, vortex
from weigh.model import units
from weigh.model.dataset import DatasetName, Manifest
from weigh.model.errors import DataFault
from weigh.model.spec import LayoutSpec

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    import pyarrow as pa

    from weigh.data.making import Environment
    from weigh.model.dataset import FileFacts

ROWS = 5_000
"""Of a generated table; of given files at most four times as many are looked at."""
RETAINED = 0.9
"""Of given rows: few enough to change counts and sums, and most joins still find their partners."""
_TAIL = 8
"""Bytes after the footer of a Parquet file: its length, and the mark of the format."""
WHOLE = 1_000
"""A table of fewer rows is kept whole alongside a larger one: without a region, TPC-H would answer nothing."""


def make(data: store.CachedData, place: Path, environment: Environment) -> store.CachedData:
    """Such data in a folder, with the truth about it in memory alone.

    Args:
        data: the given data.
        place: an empty folder.
        environment: for a generator that needs one.

    Raises:
        DataFault: it cannot be made of these files.
    """
    layout = data.manifest.layout
    family = data.manifest.dataset.generator.partition("/")[0]
    if layout is not None and not data.manifest.dataset.from_user and generator(family).seeded:
        made = _generated(data.manifest, layout, place, environment)
        return _renamed(made, data.manifest) if data.placed else made
    return _sampled(data, place, environment)


def _generated(manifest: Manifest, layout: LayoutSpec, place: Path, environment: Environment) -> store.CachedData:
    made_by = generator(manifest.dataset.generator.partition("/")[0])
    given = manifest.dataset.scale
    few = ROWS if made_by.unit == "rows" else made_by.least
    if made_by.unit == "rows" and given is not None:
        # Fewer, so that the files can be made as long as the given ones.
        few = min(max(ROWS, layout.files), max(1, int(RETAINED * given)))
    name = msgspec.structs.replace(
        manifest.dataset, scale=few if given is None else min(given, few), seed=secrets.randbits(31)
    )
    # PyArrow needs no process of its own, and the names of the files are the same.
    written = layout if layout.vortex else LayoutSpec(writer="pyarrow", codec=layout.codec, files=layout.files)
    made = store.ensure(name, written, place, environment=environment, threads=1)
    # Whoever looks for the answers alongside the rows must not find them.
    shutil.rmtree(made.folder / store.TRUTH)
    return made


def _renamed(made: store.CachedData, given: Manifest) -> store.CachedData:
    """With the names of parts, which are others than those of the files that one machine makes."""
    files = []
    for table in made.manifest.tables:
        ours = [one for one in made.manifest.files if one.table == table]
        for one, name in zip(ours, given.paths(table), strict=True):
            (made.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (made.folder / one.path).rename(made.folder / name)
            files.append(msgspec.structs.replace(one, path=name))
    return made._replace(manifest=msgspec.structs.replace(made.manifest, files=tuple(files)))


def _sampled(data: store.CachedData, place: Path, environment: Environment) -> store.CachedData:
    import numpy as np
    import pyarrow as pa

    salt = secrets.randbits(53)
    drawn = np.random.default_rng(salt)
    most = max((data.manifest.rows(table) for table in data.manifest.tables), default=0)
    files: list[FileFacts] = []
    for file in data.manifest.files:
        path = place / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        rows = data.manifest.rows(file.table)
        try:
            here = data.folder / file.path
            given = here if not data.store or here.exists() else _another_copy(data, file.table)
            few = _few(given, drawn, whole=rows < min(WHOLE, most), environment=environment)
            # Rows of a file that was not copied from its store are nobody's to draw.
            few = few if given == here else few.slice(0, 0)
            # An engine that reads them wrongly must not be shown any where it was given none.
            statistics = path.suffix == vortex.SUFFIX or _statistics(given)
            files.append(_written(few, path, file.table, file.path, environment, statistics=statistics))
        except (OSError, pa.ArrowException) as error:
            raise DataFault(f"{file.path} cannot be written with fewer rows: {error}", remedy="report this") from error
    manifest = msgspec.structs.replace(
        data.manifest,
        dataset=DatasetName(generator=data.manifest.dataset.generator, scale=data.manifest.dataset.scale, seed=salt),
        files=tuple(files),
        digests=file_facts.merged(files),
    )
    return store.CachedData(place, manifest, Truth({}))


def _another_copy(data: store.CachedData, table: str) -> Path:
    """A file of the table that was copied from the store."""
    return next(data.folder / name for name in data.manifest.paths(table) if (data.folder / name).exists())


def _few(given: Path, drawn: np.random.Generator, *, whole: bool, environment: Environment) -> pa.Table:
    """A part of the rows of a file."""
    import pyarrow as pa

    from weigh.data.layout import parquet_reading

    if given.suffix == vortex.SUFFIX:
        table = vortex.head(given, 4 * ROWS, environment(vortex.REQUIREMENTS))
    else:
        with parquet_reading.opened(given) as file:
            first: pa.RecordBatch | None = next(file.iter_batches(4 * ROWS), None)
            table = pa.Table.from_batches([first] if first is not None else [], file.schema_arrow)
    table = _settled(table.cast(views.plain(table.schema)))
    if whole or not table.num_rows:
        return table
    stay = drawn.random(table.num_rows) < RETAINED
    if stay.all() or not stay.any():
        # Of few rows all may stay: the right answers would be those to the given ones.
        stay[:] = table.num_rows > 1
        stay[drawn.integers(table.num_rows)] = table.num_rows == 1
    return table.filter(pa.array(stay))


def _settled(table: pa.Table) -> pa.Table:
    """With another number for NaN and -0.0, which engines compare differently: on these rows right answers are one."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for at, field in enumerate(table.schema):
        if field.type not in (pa.float32(), pa.float64()):
            continue
        column = table.column(at)
        numbers = pc.if_else(pc.is_nan(column), pa.scalar(0.5, field.type), column)
        zeros = pc.if_else(pc.equal(numbers, pa.scalar(0.0, field.type)), pa.scalar(0.0, field.type), numbers)
        table = table.set_column(at, field, zeros)
    return table


def _statistics(given: Path) -> bool:
    """Whether a Parquet file says anything of the values in its columns."""
    import pyarrow.parquet as pq

    found = pq.read_metadata(given)
    return any(
        found.row_group(group).column(column).is_stats_set
        for group in range(min(found.num_row_groups, 1))
        for column in range(found.num_columns)
    )


def _written(
    rows: pa.Table, path: Path, table: str, name: str, environment: Environment, *, statistics: bool = True
) -> FileFacts:
    """Rows in one file, of the form that its name says."""
    import pyarrow.parquet as pq

    if path.suffix != vortex.SUFFIX:
        pq.write_table(rows, path, write_statistics=statistics)
        return file_facts.file_facts(path, table, name)
    python = environment(vortex.REQUIREMENTS)
    # Views are held in memory alone.
    schema = views.plain(rows.schema)
    vortex.write([(path, iter(rows.cast(schema).to_batches()))], [path], schema=schema, python=python)
    (facts,) = vortex.file_facts([path], table, [name], python)
    return facts


def laid_out(made: store.CachedData, data: store.CachedData, place: Path, environment: Environment) -> store.CachedData:
    """The same unseen rows in files of the names and types of another layout.

    Args:
        made: the unseen rows.
        data: the given data in that layout.
        place: a folder that is not there yet.
        environment: for a format that is read and written in one.

    Raises:
        DataFault: they cannot be written so.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    from weigh.data.layout import parquet_reading

    files: list[FileFacts] = []
    for table in data.manifest.tables:
        paths = [made.folder / path for path in made.manifest.paths(table)]
        if made.manifest.vortex:
            rows = vortex.table(paths, environment(vortex.REQUIREMENTS))
        else:
            read = [parquet_reading.opened(path).read() for path in paths]
            rows = pa.concat_tables(read, promote_options="permissive")
        names = data.manifest.paths(table)
        # Types that are not those of the files are read all the same.
        with suppress(pa.ArrowException):
            given = data.folder / names[0]
            if data.manifest.vortex:
                rows = rows.cast(vortex.schema(given, environment(vortex.REQUIREMENTS)))
            else:
                rows = rows.cast(pq.read_schema(given).remove_metadata())
        for number, name in enumerate(names):
            first, end = (rows.num_rows * at // len(names) for at in (number, number + 1))
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            files.append(_written(rows.slice(first, end - first), place / name, table, name, environment))
    manifest = msgspec.structs.replace(
        data.manifest, dataset=made.manifest.dataset, files=tuple(files), digests=file_facts.merged(files)
    )
    if manifest.digests != made.manifest.digests:
        raise DataFault("the unseen rows are others in another layout", remedy="report this")
    return store.CachedData(place, manifest, made.truth)


def disguised(made: store.CachedData, data: store.CachedData) -> store.CachedData:
    """The unseen rows in files as long and as old as the given ones, as far as they fit into them.

    Who keeps something of the given files, and looks from outside whether they have changed, sees that they have not.
    """
    sizes = {
        one.path: one.bytes if data.store else (data.folder / one.path).stat().st_size for one in data.manifest.files
    }
    files = []
    for file in made.manifest.files:
        path = made.folder / file.path
        if path.suffix != vortex.SUFFIX and _lengthened(path, sizes[file.path]):
            # When an object was made its store says.
            if not data.store:
                given = (data.folder / file.path).stat()
                os.utime(path, ns=(given.st_atime_ns, given.st_mtime_ns))
            files.append(file_facts.file_facts(path, file.table, file.path))
        else:
            files.append(file)
    return made._replace(manifest=msgspec.structs.replace(made.manifest, files=tuple(files)))


def _lengthened(path: Path, size: int) -> bool:
    """Move the footer of a Parquet file so far back that the file is so long; whether it was no longer before.

    Places in a Parquet file are counted from its beginning, so a gap before the footer means nothing to a reader.
    """
    with path.open("r+b") as file:
        end = file.seek(0, os.SEEK_END)
        if end > size or end < _TAIL:
            return False
        file.seek(end - _TAIL)
        length = int.from_bytes(file.read(4), "little") + _TAIL
        file.seek(end - length)
        footer = file.read(length)
        file.truncate(end - length)
        file.seek(size - length)
        file.write(footer)
    return True


def described(manifest: Manifest) -> str:
    """What the rows are, for people: ``netflow/1, 5,000 rows, seed 7``."""
    rows = units.count(sum(manifest.rows(table) for table in manifest.tables), "row")
    generated = manifest.layout is not None and not manifest.dataset.from_user
    drawn = "seed" if generated and generator(_family(manifest)).seeded else "a part drawn by"
    return f"{manifest.dataset.generator}, {rows}, {drawn} {manifest.dataset.seed}"


def _family(manifest: Manifest) -> str:
    return manifest.dataset.generator.partition("/")[0]
