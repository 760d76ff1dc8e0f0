"""Parquet into SQLite: the types, row by row; and the way back from what is stored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from weigh_worker import Unsupported
from weigh_worker.parquet_files import in_microseconds, opened

if TYPE_CHECKING:
    from collections.abc import Mapping

BATCH_ROWS = 16_384
_MOST = (1 << 63) - 1


def identifier(name: str) -> str:
    """A name in quotation marks."""
    return '"' + name.replace('"', '""') + '"'


class NoColumn(Unsupported):
    """A column that SQLite cannot have."""

    def __init__(self, column: str, why: str) -> None:
        super().__init__(why)
        self.column = column


def fill(connection: Any, name: str, paths: list[str], without: Mapping[str, str]) -> None:
    """Make a table of Parquet files, without some of their columns; raises NoColumn, and Unsupported with none left."""
    table = identifier(name)
    for number, path in enumerate(paths):
        with opened(path) as file:
            schema = pa.schema([field for field in file.schema_arrow if field.name not in without])
            if not schema.names:
                raise Unsupported("; ".join(f"column {column}: {why}" for column, why in without.items()))
            columns = [(field.name, _kind(field)) for field in schema]
            if number == 0:
                first = columns
                made = ", ".join(f"{identifier(column)} {kind}" for column, kind in columns)
                connection.execute(f"CREATE TABLE {table} ({made})")
            elif columns != first:
                raise TypeError(f"{path} has other columns than {paths[0]}")
            insert = f"INSERT INTO {table} VALUES ({', '.join('?' * len(schema))})"
            for batch in file.iter_batches(BATCH_ROWS, columns=schema.names):
                connection.executemany(insert, zip(*map(_values, schema, batch.columns), strict=True))


def _kind(field: Any) -> str:
    """SQLite's type of a column."""
    kind, is_ = field.type, pa.types
    kind = kind.value_type if is_.is_dictionary(kind) else kind
    if is_.is_integer(kind) or is_.is_boolean(kind):
        return "INTEGER"
    if is_.is_floating(kind) or is_.is_decimal(kind):
        return "REAL"
    if str(kind) in ("string", "large_string", "string_view") or is_.is_date(kind) or is_.is_timestamp(kind):
        return "TEXT"
    if str(kind) in ("binary", "large_binary", "binary_view") or is_.is_fixed_size_binary(kind):
        return "BLOB"
    raise NoColumn(field.name, f"SQLite has no type for {kind}")


def _values(field: Any, column: Any) -> list[Any]:
    """A column as values that SQLite stores.

    Raises:
        NoColumn: it cannot store one of them.
    """
    try:
        if column.type == pa.uint64() and (pc.max(column).as_py() or 0) > _MOST:
            raise NoColumn(field.name, f"it holds {pc.max(column)}, and SQLite's integers end at {_MOST}")
        return _plain(column)
    except (pa.ArrowException, OverflowError) as error:
        raise NoColumn(field.name, f"SQLite cannot hold its values: {error}") from error


def _plain(column: Any) -> list[Any]:
    """A column as values that SQLite stores."""
    kind = column.type
    if pa.types.is_decimal(kind):
        # Through text: Arrow's own cast is off by a bit for one value in seven.
        column = column.cast(pa.string()).cast(pa.float64())
    elif pa.types.is_timestamp(kind):
        # In UTC, and refused where nanoseconds would be lost.
        column = in_microseconds(column).cast(pa.timestamp("us")).cast(pa.string())
    elif pa.types.is_date(kind):
        column = column.cast(pa.date32()).cast(pa.string())
    return list(column.to_pylist())


def plain_schema(schema: Any) -> Any:
    """The types in which stored rows are handed out: dictionaries are a form of the files alone."""
    return pa.schema([(field.name, _plain_type(field.type)) for field in schema])


def _plain_type(kind: Any) -> Any:
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def restored(field: Any, values: tuple[Any, ...]) -> Any:
    """Stored values in the type that they had: the way back from ``_plain``; raises where a value cannot go it."""
    kind, is_ = _plain_type(field.type), pa.types
    if is_.is_decimal(kind):
        texts = [None if value is None else f"{value:.{kind.scale}f}" for value in values]
        return pa.array(texts, pa.string()).cast(kind)
    if is_.is_timestamp(kind):
        return pa.array(values, pa.string()).cast(pa.timestamp("us")).cast(pa.timestamp("us", kind.tz)).cast(kind)
    if is_.is_date(kind):
        return pa.array(values, pa.string()).cast(pa.date32()).cast(kind)
    if is_.is_boolean(kind):
        return pa.array(values, pa.int64()).cast(kind)
    if is_.is_floating(kind):
        return pa.array(values, pa.float64()).cast(kind)
    return pa.array(values, kind)
