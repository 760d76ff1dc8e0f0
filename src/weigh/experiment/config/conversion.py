"""A user's files that are not Parquet: converted once, into the cache, by a library; every contender reads the same."""

from __future__ import annotations

import codecs
import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from weigh.data import user_files
from weigh.data.layout import parquet
from weigh.data.layout.program import fault
from weigh.engines.duckdb_sql import NAME, DuckDB
from weigh.evidence import whole
from weigh.experiment.config import losses, table_folders
from weigh.experiment.config.csv_options import FOUND, CsvTable
from weigh.model import units
from weigh.model.dataset import Conversion
from weigh.model.errors import DataFault, UsageError, nearest

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    import pyarrow as pa

    from weigh.model.progress import Progress

_HOUR = 3600.0
"""A conversion that takes longer has gone wrong."""
_BATCH = parquet.ROW_GROUP_ROWS
_NOTED = "with notes of values, of the file alone"
"""Of a conversion, in the name of its file: those of before have none."""
_READ = "sample_size = -1, hive_partitioning = false"
"""Every row decides on types, and a folder named k=v is no column."""


class Converted(NamedTuple):
    """Files that are Parquet, all of them.

    Attributes:
        tables: files by table.
        conversions: where they come from, of those that were converted.
    """

    tables: user_files.Tables
    conversions: tuple[Conversion, ...]


def converted(tables: user_files.Tables, cache: Path, progress: Progress, csv: CsvTable = FOUND) -> Converted:
    """The tables with every file that is not Parquet replaced by one that is, from the cache or made now.

    Args:
        tables: files by table, in any form of :data:`weigh.data.user_files.FORMATS`, and folders that are tables.
        cache: weigh's cache directory.
        progress: reports what is converted.
        csv: how files of CSV are read.

    Raises:
        UsageError: a file is of no known form, or a database has no such table.
        DataFault: a file is damaged, or not what its name says.
        EnvironmentFault: no space, or DuckDB cannot be had.
    """
    found: user_files.Tables = {}
    conversions = []
    for table, files in tables.items():
        for file in files:
            if file.is_dir():
                listed, conversion = table_folders.files(table, file, cache, progress)
                found.setdefault(table, []).extend(listed)
                conversions.append(conversion)
                continue
            made = _parquet(table, file, cache, progress, csv)
            found.setdefault(table, []).append(made.path)
            if made.conversion:
                conversions.append(made.conversion)
    return Converted(found, tuple(conversions))


def database_tables(file: Path, cache: Path) -> list[str]:
    """The tables and views of a DuckDB database, in its default schema.

    Raises:
        DataFault: it is none, or somebody holds it open.
    """
    query = "SELECT table_name FROM information_schema.tables WHERE table_catalog = 'source' AND table_schema = 'main'"
    (rows,) = _answers(file, cache, _attached(file), [f"{query} ORDER BY table_name"])
    return [str(row["table_name"]) for row in rows]


class _Made(NamedTuple):
    path: Path
    conversion: Conversion | None = None


def _parquet(table: str, file: Path, cache: Path, progress: Progress, csv: CsvTable) -> _Made:
    from weigh._native import hash_bytes, hash_file

    form = user_files.form(file)
    if form == user_files.PARQUET:
        return _Made(file)
    try:
        digest = hash_file(file)
    except OSError as error:
        raise UsageError(f"it cannot be read: {error}", where=str(file), remedy="give readable files") from error
    if not file.stat().st_size:
        raise UsageError("it is empty", where=str(file), remedy="leave it out, or give one with rows")
    by = f"pyarrow {_pyarrow()}" if form == "Arrow" else NAME
    inside = _inside(table, file, cache) if form == "DuckDB" else ""
    csv = csv if form == "CSV" else FOUND
    options = [csv.written] if csv.written else []
    key = hash_bytes("\0".join((digest, form, by, inside, _NOTED, *options)).encode())[:24]
    target = cache / "data" / "files" / "converted" / f"{key}.parquet"
    if not target.exists():
        what = f"{file.name}, {inside}" if inside else file.name
        progress.say(f"data: {what} ({form}, {units.size(file.stat().st_size)}) becomes Parquet, by {by}")
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            _convert(form, inside, file, target, cache, csv)
        except OSError as error:
            raise fault(error, target.parent) from error
    name = f"{file.name}, {inside}" if inside else file.name
    made = Conversion(table=table, source=name, form=form, blake3=digest, by=by)
    notes = _notes(target)
    return _Made(target, msgspec.structs.replace(made, notes=notes) if notes else made)


def _notes(target: Path) -> tuple[str, ...]:
    """What was guessed or lost when it was made."""
    try:
        return msgspec.json.decode(target.with_suffix(".notes.json").read_bytes(), type=tuple[str, ...])
    except (OSError, msgspec.DecodeError):
        return ()


def _source(form: str, inside: str, file: Path, options: str) -> str:
    """How DuckDB reads it."""
    return {
        "CSV": f"read_csv({_text(file)}, {_READ}{options})",
        "JSON": f"read_json({_text(file)}, {_READ}, maximum_object_size = 268435456)",
        "DuckDB": f'source.main."{inside.replace(chr(34), chr(34) * 2)}"',
    }[form]


def _convert(form: str, inside: str, file: Path, target: Path, cache: Path, csv: CsvTable) -> None:
    """Made aside and moved into place whole."""
    with whole.aside(target) as aside:
        if form == "Arrow":
            _by_pyarrow(file, aside)
        else:
            source = _source(form, inside, file, csv.sql + csv.types(_columns(file, cache, csv)))
            script = f"COPY (SELECT * FROM {source}) TO {_text(aside)} (FORMAT parquet, COMPRESSION zstd);"
            attached = _attached(file) if form == "DuckDB" else ""
            answers = _answers(file, cache, attached + script, losses.questions(file, form, source, aside, csv))
            notes = losses.notes(file, form, aside, answers, lambda queries: _answers(file, cache, "", queries), csv)
            whole.write(target.with_suffix(".notes.json"), msgspec.json.encode(notes))


def _columns(file: Path, cache: Path, csv: CsvTable) -> list[str]:
    """Columns of a file some of which have a type that is named; none where none has."""
    if not csv.text:
        return []
    (rows,) = _answers(file, cache, "", [f"DESCRIBE SELECT * FROM {_source('CSV', '', file, csv.sql)}"])
    return [str(row["column_name"]) for row in rows]


def _answers(file: Path, cache: Path, script: str, queries: list[str]) -> list[list[dict[str, object]]]:
    try:
        return DuckDB(cache, timeout=_HOUR)(f"SET TimeZone = 'UTC'; SET memory_limit = '2GB'; {script}", queries)
    except DataFault as error:
        # What follows names options of DuckDB that nobody can give here.
        what = re.split(r" Possible Solution:| LINE 1:", error.what.replace("cannot compute it", "cannot read it"))[0]
        remedy = "mend the file, or convert it to Parquet yourself"
        if "not utf-8" in what:
            name = shlex.quote(str(file))
            remedy = f"iconv -f LATIN1 -t UTF-8 {name} makes text in UTF-8 of it, where it is Latin-1"
            with file.open("rb") as opened:
                if opened.read(2) in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
                    remedy = f"it is UTF-16: iconv -f UTF-16 -t UTF-8 {name} makes text in UTF-8 of it"
        elif user_files.form(file) == "DuckDB":
            remedy += "; a database must be open nowhere else"
        raise DataFault(what, where=str(file), remedy=remedy) from None


def _attached(file: Path) -> str:
    return f"ATTACH {_text(file)} AS source (TYPE duckdb, READ_ONLY);"


def _inside(table: str, file: Path, cache: Path) -> str:
    """The table of a database that is meant: that of the same name, or the only one."""
    names = database_tables(file, cache)
    if table in names:
        return table
    if len(names) == 1:
        return names[0]
    raise UsageError(
        f"the database has no table '{table}'",
        where=str(file),
        remedy=nearest(table, names) if names else "it has none at all",
    )


def _by_pyarrow(file: Path, target: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        schema, batches = _batches(file)
        with pq.ParquetWriter(target, schema, compression="zstd") as writer:
            for batch in batches:
                # A flipped byte would otherwise be read as an address.
                batch.validate(full=True)
                writer.write_table(pa.Table.from_batches([batch]), row_group_size=_BATCH)
    except (pa.ArrowException, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise DataFault(
            f"it cannot be read as Arrow: {error}", where=str(file), remedy="give an undamaged Arrow or Feather file"
        ) from None


def _batches(file: Path) -> tuple[pa.Schema, Iterable[pa.RecordBatch]]:
    """Schema and batches of a file, a stream, or the first version of Feather."""
    from pyarrow import feather, ipc

    with file.open("rb") as opened:
        begin = opened.read(6)
    if begin == b"ARROW1":
        reader = ipc.open_file(file)
        return reader.schema, (reader.get_batch(number) for number in range(reader.num_record_batches))
    if begin.startswith(b"FEA1"):
        table = feather.read_table(file)
        return table.schema, table.to_batches()
    stream = ipc.open_stream(file)
    return stream.schema, stream


def _pyarrow() -> str:
    import pyarrow as pa

    return str(pa.__version__)


def _text(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"
