"""Parquet files, replaced batch by batch: memory holds one row group of a table, and the rows that are measured."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

import msgspec
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pyarrow.types as kinds

from weigh.data import sides
from weigh.data.layout import parquet_reading
from weigh.host.new_folder import new_folder
from weigh.model.errors import DataFault, UsageError
from weigh.obfuscation import arrays, measures, results
from weigh.obfuscation.draws import drawn
from weigh.obfuscation.ids import LARGEST, Ids
from weigh.obfuscation.mapping import Mapping
from weigh.obfuscation.results import Exchanged, ObfuscationResults, TableMeasured
from weigh.obfuscation.sketches import sample

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from weigh.model.progress import Progress
    from weigh.obfuscation.sketches import Sample

_BATCH = 1 << 16
_GROUP = 1 << 20
"""Rows of a row group at most."""
_SAMPLED = 10_000_000
"""Rows of the largest table after which permutations of identifiers are chosen."""
_REMEDY = "name readable, undamaged Parquet files"


def obfuscate(
    source: str, out: Path, mapping: Mapping, progress: Progress, ids: str | None = None
) -> ObfuscationResults:
    """Write every table of a source under its new name.

    Args:
        source: a dataset folder, a Parquet file, a folder of them, or a pattern.
        out: a folder that is not there.
        mapping: decides.
        progress: reports how far it is.
        ids: a pattern of the names of columns that hold identifiers; None for none.

    Raises:
        DataFault: a file cannot be read, or a value cannot be replaced.
        UsageError: a column's type cannot be replaced; the output is in use; the pattern fits no identifiers.
    """
    found = sides.tables(source)
    for path in (path for paths in found.values() for path in paths):
        _guard(path)
    off: float | None = None
    if ids is not None:
        first = _ids(found, ids, mapping)
        chosen, off = drawn(first, [*_samples(found, first, mapping)])
        mapping = Mapping(mapping.key, chosen)
    total = sum(_rows(path) for paths in found.values() for path in paths)
    made: list[TableMeasured] = []
    done = 0
    with new_folder(out) as place:
        for name, paths in found.items():
            table = _Table(name, paths, mapping, source)
            for rows in table.write(place):
                done += rows
                progress.step(done, total, "rows")
            made.append(table.measured())
        of = mapping.ids
        whole = ObfuscationResults(
            key=mapping.key.id,
            tables=tuple(sorted(made, key=lambda one: one.name)),
            ids=None
            if of is None
            else Exchanged(columns=tuple(sorted(of.columns)), limits=of.limits, draws=of.draws, off=off),
        )
        body = msgspec.json.format(msgspec.json.encode(whole), indent=2)
        (place / results.FILE).write_bytes(body + b"\n")
    return whole


def _ids(found: dict[str, list[Path]], pattern: str, mapping: Mapping) -> Ids:
    """Of the columns of whole numbers that a pattern fits; their ends are its limits."""
    columns: set[str] = set()
    limits: set[int] = set()
    for paths in found.values():
        with _open(paths[0]) as file:
            fields = list(file.schema_arrow)
        for field in fields:
            if kinds.is_integer(field.type) and fnmatchcase(field.name.lower(), pattern.lower()):
                columns.add(mapping.name(field.name))
                low, high = _ends(paths, field.name)
                if low < 0 or high > LARGEST:
                    reason = (
                        f"identifiers are whole numbers from 0 to {LARGEST:,}, and a column that it fits has others"
                    )
                    raise UsageError(
                        reason, where=f"--ids {pattern}", remedy="give a pattern that leaves it out: --ids"
                    )
                limits |= {low, high + 1}
    if not columns:
        remedy = "give a pattern of the names of such columns, as '*_id'"
        raise UsageError(f"--ids {pattern}: no column of whole numbers is called so", remedy=remedy)
    return Ids(mapping.key, columns, sorted(limits))


def _samples(found: dict[str, list[Path]], ids: Ids, mapping: Mapping) -> Iterator[Sample]:
    """Of all columns of identifiers, but of very large tables."""
    for paths in found.values():
        if sum(map(_rows, paths)) > _SAMPLED:
            continue
        with _open(paths[0]) as file:
            fields = list(file.schema_arrow)
        for field in fields:
            if kinds.is_integer(field.type) and mapping.name(field.name) in ids.columns:
                yield sample(_groups(paths, field.name))


def _groups(paths: Sequence[Path], column: str) -> Iterator[pa.Array]:
    """Of a column, each row group."""
    for path in paths:
        with _open(path) as file:
            for group in range(file.num_row_groups):
                yield file.read_row_group(group, columns=[column]).column(0).combine_chunks()


class _Table:
    """One table on its way.

    Args:
        name: of it.
        paths: its files.
        mapping: decides.
        source: as the user named it. No message says a name of the data: who reads it knows columns by their places.
    """

    def __init__(self, name: str, paths: Sequence[Path], mapping: Mapping, source: str) -> None:
        self._paths, self._mapping = paths, mapping
        self._source = source
        self._number = 1
        self.name = mapping.name(name)
        self.rows = 0
        self._before: list[pa.RecordBatch] = []
        self._after: list[pa.RecordBatch] = []
        self._columns = 0

    def write(self, place: Path) -> Iterator[int]:
        """Write its files; yields how many rows came further."""
        with _open(self._paths[0]) as file:
            first = file.schema_arrow
        schema = self._schema(first)
        for number, path in enumerate(self._paths):
            self._number = number + 1
            with _open(path) as file:
                if not file.schema_arrow.equals(first):
                    raise UsageError("files of one table have different columns", where=self._where(), remedy=_REMEDY)
                name = self.name if len(self._paths) == 1 else f"{self.name}-{number:04}"
                with pq.ParquetWriter(place / f"{name}.parquet", schema, compression=_codec(file)) as writer:
                    for group in range(file.num_row_groups):
                        yield from self._group(file, group, writer, schema)

    def _group(self, file: pq.ParquetFile, group: int, writer: pq.ParquetWriter, schema: pa.Schema) -> Iterator[int]:
        batches: list[pa.RecordBatch] = []
        try:
            for read in file.iter_batches(_BATCH, row_groups=[group]):
                batch = pa.RecordBatch.from_arrays(list(map(arrays.stored, read.columns)), names=read.schema.names)
                made = self._mapped(batch, schema)
                self._keep(batch, made)
                batches.append(made)
                if sum(one.num_rows for one in batches) >= _GROUP:
                    writer.write_table(pa.Table.from_batches(batches, schema), row_group_size=_GROUP)
                    batches = []
                self.rows += batch.num_rows
                yield batch.num_rows
        except pa.ArrowException as error:
            raise DataFault(f"it cannot be read: {type(error).__name__}", where=self._where(), remedy=_REMEDY) from None
        if batches:
            writer.write_table(pa.Table.from_batches(batches, schema), row_group_size=_GROUP)

    def measured(self) -> TableMeasured:
        """What obfuscation changed of the table, measured before and after."""
        before = pa.Table.from_batches(self._before) if self._before else None
        after = pa.Table.from_batches(self._after) if self._after else None
        there = before is not None and after is not None
        return TableMeasured(
            name=self.name,
            rows=self.rows,
            measured=self._columns,
            files=len(self._paths),
            columns=tuple(measures.columns(before, after)) if there else (),
            pairs=tuple(measures.pairs(before, after)) if there else (),
        )

    def _keep(self, before: pa.RecordBatch, after: pa.RecordBatch) -> None:
        more = min(measures.ROWS - self._columns, before.num_rows)
        if more > 0:
            self._before.append(before.slice(0, more))
            self._after.append(after.slice(0, more))
            self._columns += more

    def _mapped(self, batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
        columns = [
            arrays.exchanged(column, ids)
            if (ids := self._ids(field.name, column.type)) is not None
            else arrays.mapped(column, field.type, self._mapping, f"{self._where()}, column {place + 1}")
            for place, (column, field) in enumerate(zip(batch.columns, schema, strict=True))
        ]
        return pa.RecordBatch.from_arrays(columns, schema=schema)

    def _schema(self, first: pa.Schema) -> pa.Schema:
        """New names, and types that the images fit in; nothing of the metadata, which may hold names."""
        names = [self._mapping.name(name) for name in first.names]
        self._refuse_twins(names)
        fields = []
        for place, field in enumerate(first):
            stays = self._ids(names[place], field.type) is not None
            kind = field.type if stays else self._type(field.type, self._largest(field))
            fields.append(pa.field(names[place], kind, nullable=field.nullable))
        return pa.schema(fields)

    def _refuse_twins(self, names: Sequence[str]) -> None:
        if len(set(names)) < len(names):
            first = next(place for place, name in enumerate(names) if name in names[:place])
            what = f"columns {names.index(names[first]) + 1} and {first + 1} are called alike but for their case"
            raise UsageError(what, where=self._where(), remedy="rename one of them")

    def _where(self) -> str:
        return f"{self._source}, file {self._number} of a table of {len(self._paths)}"

    def _ids(self, name: str, kind: pa.DataType) -> Ids | None:
        """What becomes of a column of identifiers; None of another."""
        ids = self._mapping.ids
        return ids if ids is not None and name in ids.columns and kinds.is_integer(kind) else None

    def _type(self, kind: pa.DataType, largest: int | None) -> pa.DataType:
        """The type of the images; without a largest value the widest of its kind."""
        mapping = self._mapping
        kind = arrays.storage(kind)
        if kinds.is_struct(kind):
            names = [mapping.name(one.name) for one in kind]
            self._refuse_twins(names)
            return pa.struct([(name, self._type(one.type, None)) for name, one in zip(names, kind, strict=True)])
        if kinds.is_map(kind):
            return pa.map_(self._type(kind.key_type, None), self._type(kind.item_type, None))
        if kinds.is_fixed_size_list(kind):
            return pa.list_(pa.field("element", self._type(kind.value_type, None)), kind.list_size)
        if kinds.is_list(kind):
            return pa.list_(pa.field("element", self._type(kind.value_type, None)))
        if kinds.is_large_list(kind):
            return pa.large_list(pa.field("element", self._type(kind.value_type, None)))
        if largest is None and kinds.is_decimal(kind):
            return pa.decimal128(38, kind.scale)
        if largest is None and kinds.is_integer(kind):
            return pa.decimal128(20, 0) if kind == pa.uint64() else pa.int64()
        return arrays.fitting(kind, largest or 0, mapping.numbers.one)

    def _largest(self, field: pa.Field) -> int:
        """Magnitude of a column's numbers: a type is fixed before the first row is written."""
        if not (kinds.is_integer(field.type) or kinds.is_decimal(field.type)):
            return 0
        found = 0
        for path in self._paths:
            with _open(path) as file:
                for batch in file.iter_batches(_BATCH, columns=[field.name]):
                    found = max(found, arrays.largest(batch.column(0)))
        return found


def _ends(paths: Sequence[Path], column: str) -> tuple[int, int]:
    """The least and the largest whole number of a column; 0 where it has none."""
    found: list[int] = []
    for path in paths:
        with _open(path) as file:
            for batch in file.iter_batches(_BATCH, columns=[column]):
                found += (one for one in pc.min_max(batch.column(0)).as_py().values() if one is not None)
                found = [min(found), max(found)] if found else []
    return (found[0], found[1]) if found else (0, 0)


def _guard(path: Path) -> None:
    from weigh._native import DigestError

    try:
        parquet_reading.guarded(path)
    except (OSError, DigestError) as error:
        raise parquet_reading.fault(path, error) from None


def _open(path: Path) -> pq.ParquetFile:
    try:
        return parquet_reading.opened(path)
    except (pa.ArrowException, OSError) as error:
        raise DataFault(str(error), where=str(path), remedy=_REMEDY) from None


def _rows(path: Path) -> int:
    with _open(path) as file:
        return int(file.metadata.num_rows)


def _codec(file: pq.ParquetFile) -> str:
    meta = file.metadata
    if not meta.num_row_groups or not meta.num_columns:
        return "zstd"
    codec = meta.row_group(0).column(0).compression.lower()
    return "none" if codec == "uncompressed" else codec
