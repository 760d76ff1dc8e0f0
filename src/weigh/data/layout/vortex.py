"""Vortex: the other format of a layout's files, written and read back by vortex-data in an environment of its own."""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from weigh.data.layout import views
from weigh.data.layout.program import by_program
from weigh.data.layout.programs import vortex_reader, vortex_writer
from weigh.model.dataset import FileFacts
from weigh.model.errors import DataFault
from weigh.model.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from weigh.model.units import Rows

VORTEX = "vortex-data==0.93.0"
"""What writes the files, and reads them back."""
REQUIREMENTS = [VORTEX, "pyarrow==26.0.1"]
"""What its environment must hold."""
_ERROR = re.compile(r"[\w.]*(Error|Exception|Panic)\b")
SUFFIX = ".vortex"
"""By which files are distinguished from Parquet."""


def write(
    parts: Iterable[tuple[Path, Iterator[pa.RecordBatch]]],
    paths: list[Path],
    *,
    schema: pa.Schema,
    python: Path | None,
) -> None:
    """Write the files of one table; arguments and errors are those of :func:`weigh.data.layout.program.by_program`.

    Raises:
        DataFault: a column is of a type that vortex-data does not write, or that nobody here reads from it.
    """
    for field in schema:
        if _lacking(field.type):
            raise DataFault(
                f"vortex-data {VORTEX.partition('==')[2]} and its readers have no form for column {field.name} of type "
                f"{field.type}",
                where="layout with format = 'vortex'",
                remedy="leave out format: Parquet keeps these rows",
            )
    stored = pa.schema([field.with_type(_stored(field.type)) for field in schema])
    stored_parts = ((path, (batch.cast(stored) for batch in part)) for path, part in parts)
    try:
        by_program(vortex_writer.__file__, {}, VORTEX, stored_parts, paths, schema=stored, python=python)
    except pa.ArrowInvalid as error:
        raise DataFault(
            f"Vortex has no form for these rows that is read everywhere: {error}",
            where="layout with format = 'vortex'",
            remedy="leave out format: Parquet keeps these rows",
        ) from error


def _stored(kind: pa.DataType) -> pa.DataType:
    """The type in which values are stored: of instants the one that is read everywhere, which keeps them as they are.

    DuckDB's extension takes instants in microseconds of UTC alone.
    """
    return pa.timestamp("us", "UTC") if pa.types.is_timestamp(kind) and kind.tz is not None else kind


def _lacking(kind: pa.DataType) -> bool:
    """Whether the writer refuses a type, or the extension of DuckDB 1.5.5 refuses, or dies of, what it wrote."""
    kinds = pa.types
    lack: tuple[Callable[[pa.DataType], bool], ...] = (
        kinds.is_duration, kinds.is_interval, kinds.is_fixed_size_binary, kinds.is_null, kinds.is_map,
        kinds.is_float16, kinds.is_time32, kinds.is_date64, kinds.is_decimal256,
    )  # fmt: skip
    if kind == pa.time64("ns"):
        return True
    inner = [kind.field(number).type for number in range(kind.num_fields)]
    return any(one(kind) for one in lack) or any(map(_lacking, inner))


@contextmanager
def opened(paths: Sequence[Path | str], python: Path) -> Iterator[Iterator[pa.RecordBatchReader]]:
    """The rows of files as vortex-data reads them, one stream a file; each must be read to its end before the next.

    Args:
        paths: the files.
        python: interpreter of an environment with ``REQUIREMENTS``.

    Raises:
        DataFault: one is missing, or is damaged.
    """
    command = [str(python), "-I", str(Path(vortex_reader.__file__)), json.dumps({"files": [str(one) for one in paths]})]
    # A file, not a pipe: a panic says more than a pipe holds, while nobody reads it.
    with (
        tempfile.TemporaryFile() as complaints,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=complaints) as process,
    ):
        assert process.stdout is not None
        try:
            yield (_plain(pa.ipc.open_stream(process.stdout)) for _ in paths)
        except (pa.ArrowException, OSError) as error:
            # It ended in the middle of a stream: why stands in its complaint, before a stack of calls.
            process.stdout.close()
            process.wait()
            complaints.seek(0)
            lines = complaints.read().decode(errors="replace").splitlines()
            why = next((line for line in reversed(lines) if _ERROR.match(line)), str(error))
            raise DataFault(
                f"vortex-data cannot read it: {one_line(why)}",
                where=str(Path(paths[0]).parent),
                remedy="give readable, undamaged Vortex files",
            ) from error
        finally:
            # Whoever wanted the first rows alone leaves the others unread.
            process.kill()


def _plain(rows: pa.RecordBatchReader) -> pa.RecordBatchReader:
    """With texts in the form in which everybody takes them, not as views."""
    schema = views.plain(rows.schema)
    return pa.RecordBatchReader.from_batches(schema, (batch.cast(schema) for batch in rows))


def schema(path: Path | str, python: Path) -> pa.Schema:
    """The columns of a file; raises as ``opened``."""
    with opened([path], python) as streams:
        return next(streams).schema


def table(paths: Sequence[Path | str], python: Path) -> pa.Table:
    """All rows of the files of one table; raises as ``opened``."""
    with opened(paths, python) as streams:
        return pa.concat_tables([stream.read_all() for stream in streams], promote_options="permissive")


def head(path: Path | str, rows: Rows, python: Path) -> pa.Table:
    """The first rows of a file; raises as ``opened``."""
    with opened([path], python) as streams:
        stream = next(streams)
        found: list[pa.RecordBatch] = []
        while sum(batch.num_rows for batch in found) < rows:
            try:
                found.append(stream.read_next_batch())
            except StopIteration:
                break
        return pa.Table.from_batches(found, stream.schema).slice(0, rows)


def digested(
    batches: Iterable[pa.RecordBatch], columns: pa.Schema, table: str, digests: dict[str, str]
) -> Iterator[pa.RecordBatch]:
    """The rows as they are handed to the writer; what is read back is compared with their digest.

    There may be no other layout of them to compare with.

    Args:
        batches: every row of a table.
        columns: its plain types.
        table: its name.
        digests: gets the row digest of the table once all rows were drawn.
    """
    from weigh._native import digest_arrow, merge_digests

    found = []
    for batch in batches:
        plain = batch.cast(columns)
        found.append(digest_arrow(plain))
        yield plain
    digests[table] = merge_digests(found)


def other_rows(table: str, columns: pa.Schema, path: Path, python: Path) -> DataFault:
    """What to say of rows that are read back otherwise: in which columns the types changed.

    Args:
        table: whose.
        columns: as they were handed over.
        path: of one of the files.
        python: interpreter of an environment with ``REQUIREMENTS``.
    """
    changed = [
        f"{mine.name} ({mine.type}, read back as {theirs.type})"
        for mine, theirs in zip(columns, schema(path, python), strict=False)
        if mine.type != theirs.type
    ]
    return DataFault(
        f"{VORTEX.replace('==', ' ')} reads back other rows of {table} than it was given"
        + (f": {', '.join(changed)}" if changed else ", and the types of its columns are the same"),
        where="layout with format = 'vortex'",
        remedy="leave out format: Parquet keeps these rows",
    )


class _Counted:
    """A stream whose rows are counted while somebody else reads it."""

    def __init__(self, rows: pa.RecordBatchReader) -> None:
        self.rows = 0
        self._rows = rows

    def stream(self) -> pa.RecordBatchReader:
        return pa.RecordBatchReader.from_batches(self._rows.schema, self._batches())

    def _batches(self) -> Iterator[pa.RecordBatch]:
        for batch in self._rows:
            self.rows += batch.num_rows
            yield batch


def file_facts(paths: Sequence[Path], table: str, names: Sequence[str], python: Path) -> list[FileFacts]:
    """Read the files of a table completely: hashes, and digests of the rows that vortex-data reads.

    Args:
        paths: the files.
        table: logical table whose rows they hold.
        names: what the facts call them.
        python: interpreter of an environment with ``REQUIREMENTS``.

    Raises:
        DataFault: one is missing, or is damaged.
    """
    from weigh._native import DigestError, digest_arrow, hash_file

    found = []
    with opened(paths, python) as streams:
        for path, name, rows in zip(paths, names, streams, strict=True):
            counted = _Counted(rows)
            try:
                digest = digest_arrow(counted.stream())
            except DigestError as error:
                # What ended the stream is told by whoever opened it.
                raise pa.ArrowInvalid(str(error)) from error
            found.append(
                FileFacts(
                    path=name,
                    table=table,
                    bytes=path.stat().st_size,
                    blake3=hash_file(path),
                    rows=counted.rows,
                    digest=digest,
                )
            )
    return found
