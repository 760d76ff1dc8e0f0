"""Results into Arrow. The result is complete in client memory; here it only changes its form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
from psycopg.types.string import TextLoader

if TYPE_CHECKING:
    import psycopg

_ROWS = 20_000
_NUMERIC = 1700
_KINDS: dict[int, pa.DataType] = {
    16: pa.bool_(),
    17: pa.binary(),
    18: pa.string(),  # "char"
    19: pa.string(),  # name
    20: pa.int64(),
    21: pa.int16(),
    23: pa.int32(),
    25: pa.string(),
    26: pa.int64(),  # oid
    114: pa.string(),  # json
    700: pa.float32(),
    701: pa.float64(),
    705: pa.string(),  # unknown: a literal
    1042: pa.string(),  # char(n)
    1043: pa.string(),  # varchar
    1082: pa.date32(),
    1083: pa.time64("us"),
    1114: pa.timestamp("us"),
    1184: pa.timestamp("us", "UTC"),
    2950: pa.string(),  # uuid
    3802: pa.string(),  # jsonb
}
"""Arrow types by the object ids of PostgreSQL's types (src/include/catalog/pg_type.dat), which never change."""
_AS_TEXT = (114, _NUMERIC, 1082, 1114, 1184, 2950, 3802)
"""Read as text and cast by Arrow, column by column, instead of through a Python object for each value."""
_WIDEST_128 = 38
_WIDEST_256 = 76


def prepare(connection: psycopg.Connection[Any]) -> None:
    """Have the connection hand out text where Arrow casts it."""
    for kind in _AS_TEXT:
        connection.adapters.register_loader(kind, TextLoader)


def table(cursor: psycopg.Cursor[Any]) -> pa.Table:
    """The result that the cursor holds, typed also when it is empty.

    Raises:
        TypeError: a column has a type that has no Arrow form here.
    """
    described = cursor.description or ()
    kinds = [_kind(column) for column in described]
    chunks: list[list[pa.Array]] = [[] for _ in described]
    if described and cursor.rowcount:
        # It may have been read before.
        cursor.scroll(0, mode="absolute")
        while rows := cursor.fetchmany(_ROWS):
            for chunk, kind, values in zip(chunks, kinds, zip(*rows, strict=True), strict=True):
                chunk.append(_array(values, kind))
    columns = [_column(chunk, kind) for chunk, kind in zip(chunks, kinds, strict=True)]
    return pa.table(columns, names=[column.name for column in described])


def stream(cursor: psycopg.Cursor[Any]) -> memoryview:
    """The result as the bytes of an Arrow IPC stream."""
    found = table(cursor)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, found.schema) as writer:
        writer.write_table(found)
    return memoryview(sink.getvalue())


def _kind(column: Any) -> pa.DataType | None:
    """Arrow type of a result column; None for a numeric, whose scale only its values know."""
    if column.type_code == _NUMERIC:
        return None
    if column.type_code not in _KINDS:
        raise TypeError(f"no Arrow form for the PostgreSQL type {column.type_display} of column {column.name}")
    return _KINDS[column.type_code]


def _array(values: tuple[Any, ...], kind: pa.DataType | None) -> pa.Array:
    if kind is None:
        return pa.array(values, pa.string())
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        return pa.array(values, pa.string()).cast(kind)
    return pa.array(values, kind)


def _column(chunks: list[pa.Array], kind: pa.DataType | None) -> pa.ChunkedArray:
    return _decimal(pa.chunked_array(chunks, pa.string())) if kind is None else pa.chunked_array(chunks, kind)


def _decimal(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    """A numeric column with a scale that holds every value; as doubles where one is NaN or infinite.

    Raises:
        TypeError: a value has more than 76 digits.
    """
    if pc.any(pc.match_substring_regex(texts, "[NI]")).as_py():
        return texts.cast(pa.float64())
    length = pc.binary_length(texts)
    point = pc.find_substring(texts, ".")
    whole = pc.equal(point, -1)
    scale = pc.max(pc.if_else(whole, 0, pc.subtract(pc.subtract(length, point), 1))).as_py() or 0
    digits = (pc.max(pc.if_else(whole, length, point)).as_py() or 0) + scale
    if digits > _WIDEST_256:
        raise TypeError(f"a numeric of {digits} digits: Arrow's decimals have {_WIDEST_256}")
    kind = pa.decimal128(_WIDEST_128, scale) if digits <= _WIDEST_128 else pa.decimal256(_WIDEST_256, scale)
    return texts.cast(kind)
