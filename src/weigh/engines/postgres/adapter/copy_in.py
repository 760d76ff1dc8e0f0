"""Parquet into tables: the types, and COPY in bounded memory."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING, Any

import psycopg
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyarrow import csv

from weigh_worker import Unsupported
from weigh_worker.left_out import LeftOut
from weigh_worker.parquet_files import in_microseconds, opened

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path

_OF_COLUMN = re.compile(r"^COPY .*?, line \d+, column ([^:,]+)")
"""Where the server says that a value stands which it does not take."""
_BATCH_ROWS = 65_536
_OF_THE_TABLE = ("22", "42", "54", "0A")
"""Classes of errors that are of names, types and values, and of no server (PostgreSQL manual, appendix A)."""
_PLAIN = csv.WriteOptions(include_header=False)
_NAMES: dict[pa.DataType, str] = {
    pa.bool_(): "boolean",
    pa.int8(): "smallint",
    pa.int16(): "smallint",
    pa.int32(): "integer",
    pa.int64(): "bigint",
    pa.uint8(): "smallint",
    pa.uint16(): "integer",
    pa.uint32(): "bigint",
    pa.uint64(): "numeric(20,0)",
    pa.float16(): "real",
    pa.float32(): "real",
    pa.float64(): "double precision",
    pa.date32(): "date",
    pa.date64(): "date",
    pa.string(): "text",
    pa.large_string(): "text",
    pa.string_view(): "text",
    pa.binary(): "bytea",
    pa.large_binary(): "bytea",
    pa.binary_view(): "bytea",
}


def create_each(
    connection: psycopg.Connection[Any], tables: dict[str, list[str]], copy: Path, *, collation: str = ""
) -> list[str]:
    """Make the tables, each by itself: one that PostgreSQL cannot hold takes no other one with it.

    Args:
        connection: to the server, in a transaction.
        tables: Parquet files by table.
        copy: gets the note of those that could not be made.
        collation: of their text columns; empty for the database's.

    Returns:
        The tables that were made.

    Raises:
        Unsupported: none of them could be.
    """
    left_out = LeftOut({}, {})
    for name, paths in tables.items():
        without: dict[str, str] = {}
        while name not in left_out.tables:
            try:
                # FREEZE asks for a table that was made in the same transaction, or as here in the same part of one.
                with connection.transaction():
                    create(connection, name, paths, collation=collation, without=without)
                left_out.columns.update({name: without} if without else {})
                break
            except NoColumn as why:
                without[why.column] = str(why)
            except (Unsupported, pa.ArrowException) as why:
                left_out.tables[name] = str(why)
            except psycopg.Error as error:
                if not (error.sqlstate or "").startswith(_OF_THE_TABLE):
                    raise
                reason = f"PostgreSQL cannot hold its values: {str(error).splitlines()[0]}"
                column = _column_of(error, paths, without)
                (without if column else left_out.tables)[column or name] = reason
    if left_out.tables and left_out.tables.keys() == tables.keys():
        raise Unsupported("; ".join(dict.fromkeys(left_out.tables.values())))
    left_out.write(copy)
    return [name for name in tables if name not in left_out.tables]


class NoColumn(Unsupported):
    """A column that PostgreSQL cannot have."""

    def __init__(self, column: str, why: str) -> None:
        super().__init__(why)
        self.column = column


def _column_of(error: psycopg.Error, paths: list[str], without: Collection[str]) -> str:
    """The column whose value the server does not take; empty where it does not say so."""
    found = _OF_COLUMN.match(error.diag.context or "")
    names = {name.lower(): name for name in pq.read_schema(paths[0]).names if name not in without}
    return names.get(found[1].lower(), "") if found else ""


def create(
    connection: psycopg.Connection[Any],
    name: str,
    paths: list[str],
    *,
    collation: str = "",
    without: Mapping[str, str] | None = None,
) -> int:
    """Make a table from Parquet files. Call it inside a transaction.

    Names become lower case, as PostgreSQL reads names that are not quoted. Rows are frozen as they arrive, so no later
    query has anything to write.

    Args:
        connection: to the server.
        name: of the table.
        paths: its files.
        collation: of its text columns; empty for the database's.
        without: columns that are left out, and why.

    Returns:
        How many rows the server says that it has taken.

    Raises:
        NoColumn: a column has a type that is not loaded into PostgreSQL, or a value that it cannot hold.
        Unsupported: no column is left.
    """
    # Another file may hold NULL where the first one does not.
    fields = [field for field in pq.read_schema(paths[0]) if field.name not in (without or {})]
    schema = pa.schema([(field.name, field.type) for field in fields])
    if not fields and without:
        raise Unsupported("; ".join(f"column {column}: {why}" for column, why in without.items()))
    collate = f' COLLATE "{collation}"' if collation else ""
    kinds = {field.name: type_name(field.type, field.name) for field in schema}
    columns = ", ".join(f"{quoted(column)} {kind}{collate if kind == 'text' else ''}" for column, kind in kinds.items())
    connection.execute(f"CREATE TABLE {quoted(name)} ({columns})")
    listed = ", ".join(quoted(column) for column in kinds)
    with connection.cursor() as cursor:
        command = f"COPY {quoted(name)} ({listed}) FROM STDIN (FORMAT csv, FREEZE)"
        with cursor.copy(command) as sink:
            for path in paths:
                with opened(path) as file:
                    for batch in file.iter_batches(_BATCH_ROWS, columns=list(kinds)):
                        part = batch.select(list(kinds))
                        sink.write(_text(part.cast(_with_moments_of(schema, part.schema))))
        return int(cursor.rowcount)


def _with_moments_of(schema: pa.Schema, found: pa.Schema) -> pa.Schema:
    """A schema with moments in the units in which they come: far ones in INT96 are none of those that it says."""
    pairs = zip(schema, found, strict=True)
    return pa.schema([there if pa.types.is_timestamp(there.type) else field for field, there in pairs])


def type_name(kind: pa.DataType, column: str) -> str:
    """The PostgreSQL type of an Arrow type.

    Raises:
        NoColumn: there is none.
    """
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if pa.types.is_decimal(kind):
        return f"numeric({kind.precision},{kind.scale})"
    if pa.types.is_timestamp(kind):
        return "timestamptz" if kind.tz else "timestamp"
    if pa.types.is_time(kind):
        return "time"
    if _is_uuid(kind):
        return "uuid"
    if pa.types.is_fixed_size_binary(kind):
        return "bytea"
    if kind not in _NAMES:
        raise NoColumn(column, f"weigh loads no {kind} into PostgreSQL")
    return _NAMES[kind]


def _is_uuid(kind: pa.DataType) -> bool:
    return isinstance(kind, pa.BaseExtensionType) and kind.extension_name == "arrow.uuid"


def quoted(name: str) -> str:
    """A name as PostgreSQL reads it when it is not quoted, quoted."""
    return '"' + name.lower().replace('"', '""') + '"'


def _text(batch: pa.RecordBatch) -> memoryview:
    """Rows as COPY reads them: text is quoted, so that an empty one is not NULL."""
    sink = io.BytesIO()
    columns = [_converted(name, column) for name, column in zip(batch.schema.names, batch.columns, strict=True)]
    csv.write_csv(pa.record_batch(columns, names=[str(number) for number in range(len(columns))]), sink, _PLAIN)
    return sink.getbuffer()


def _converted(name: str, column: pa.Array) -> pa.Array:
    """A column that the CSV writer knows; raises NoColumn where PostgreSQL cannot hold one of its values."""
    try:
        return _plain(column)
    except pa.ArrowException as error:
        raise NoColumn(name, f"PostgreSQL cannot hold its values: {error}") from error


def _plain(column: pa.Array) -> pa.Array:
    """A column that the CSV writer knows.

    Raises:
        pa.ArrowInvalid: an instant is finer than a microsecond, or lies before the year 1, which CSV would mistake.
    """
    kind = column.type
    if pa.types.is_dictionary(kind):
        column = column.dictionary_decode()
        kind = column.type
    if _is_uuid(kind):
        values = column.storage.to_pylist()
        column = pa.array([None if value is None else value.hex() for value in values], pa.string())
    elif kind == pa.string_view():
        column = column.cast(pa.large_string())
    elif pa.types.is_timestamp(kind):
        column = in_microseconds(column)
    elif pa.types.is_time(kind):
        column = column.cast(pa.time64("us"))
    elif kind == pa.float16():
        column = column.cast(pa.float32())
    elif type_name(kind, "") == "bytea":
        column = pa.array([None if value is None else "\\x" + value.hex() for value in column.to_pylist()], pa.string())
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        first = pc.min(pc.year(column)).as_py()
        if first is not None and first < 1:
            raise pa.ArrowInvalid(f"a date in the year {first}: PostgreSQL is given dates from the year 1 on")
    return column
