"""Results into Arrow. The result is complete in client memory; here it only changes its form."""

from __future__ import annotations

import contextlib
import re
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
from psycopg.types.string import TextLoader

from weigh_worker import Unsupported

if TYPE_CHECKING:
    from collections.abc import Iterator

    import psycopg

_ROWS = 20_000
_NUMERIC = 1700
_TIME, _INTERVAL = 1083, 1186
_MONEY = 790
_SPAN = re.compile(
    r"(?:(?P<years>[-+]?\d+) years? ?)?(?:(?P<months>[-+]?\d+) mons? ?)?(?:(?P<days>[-+]?\d+) days? ?)?"
    r"(?P<clock>(?P<sign>[-+]?)(?P<h>\d+):(?P<m>\d\d):(?P<s>\d\d)(?:\.(?P<us>\d{1,6}))?)?"
)
"""An interval as IntervalStyle ``postgres`` writes it (PostgreSQL manual, 8.5.5)."""
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
    1266: pa.string(),  # timetz, with its zone
    _INTERVAL: pa.month_day_nano_interval(),
    1560: pa.string(),  # bit(n)
    1562: pa.string(),  # varbit
    2950: pa.string(),  # uuid
    3802: pa.string(),  # jsonb
}
"""Arrow types by the object ids of PostgreSQL's types (src/include/catalog/pg_type.dat), which never change."""
_CENTS = pa.decimal128(21, 2)
"""Of money."""
_ARRAYS = {
    1000: 16, 1001: 17, 1002: 18, 1003: 19, 1005: 21, 1007: 23, 1009: 25, 1014: 1042, 1015: 1043, 1016: 20,
    1021: 700, 1022: 701, 1028: 26, 1115: 1114, 1182: 1082, 1185: 1184, 1231: _NUMERIC, 2951: 2950,
}  # fmt: skip
"""Types of elements by the types of their arrays."""
_AS_TEXT = (114, _NUMERIC, 1082, _TIME, 1114, 1184, 1266, _INTERVAL, 1560, 1562, 2950, 3802)
"""Read as text and cast by Arrow, column by column, instead of through a Python object for each value."""
_WIDEST_128 = 38
_WIDEST_256 = 76


def prepare(connection: psycopg.Connection[Any]) -> None:
    """Have the connection hand out text where Arrow casts it, and of every type that Arrow has none like."""
    others = (one for known in connection.adapters.types for one in (known.oid, known.array_oid))
    for kind in (*_AS_TEXT, *(one for one in others if one not in _KINDS and one not in _ARRAYS and one != _NUMERIC)):
        connection.adapters.register_loader(kind, TextLoader)


def table(cursor: psycopg.Cursor[Any]) -> pa.Table:
    """The result that the cursor holds, typed also when it is empty.

    Raises:
        Unsupported: a value of a column has no Arrow form.
    """
    described = cursor.description or ()
    kinds = [_kind(column) for column in described]
    chunks: list[list[Any]] = [[] for _ in described]
    if described and cursor.rowcount:
        # It may have been read before.
        cursor.scroll(0, mode="absolute")
        while rows := cursor.fetchmany(_ROWS):
            for chunk, kind, column, values in zip(chunks, kinds, described, zip(*rows, strict=True), strict=True):
                with _named(column):
                    chunk.append(_array(values, kind))
    columns = []
    for chunk, kind, column in zip(chunks, kinds, described, strict=True):
        with _named(column):
            columns.append(_column(chunk, kind))
    return pa.table(columns, names=[column.name for column in described])


def stream(cursor: psycopg.Cursor[Any]) -> memoryview:
    """The result as the bytes of an Arrow IPC stream."""
    found = table(cursor)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, found.schema) as writer:
        writer.write_table(found)
    return memoryview(sink.getvalue())


@contextlib.contextmanager
def _named(column: Any) -> Iterator[None]:
    """A value that Arrow cannot hold, such as infinity as a date, is no failure of the server.

    Raises:
        Unsupported: there was one.
    """
    try:
        yield
    except (pa.ArrowException, OverflowError, TypeError, ValueError) as error:
        (line, *_) = str(error).splitlines() or [""]
        raise Unsupported(
            f"no Arrow form for a value of the {column.type_display} column {column.name}: {line}"
        ) from None


def _kind(column: Any) -> pa.DataType | None:
    """Arrow type of a result column; None for a numeric, whose scale only its values know.

    A type that Arrow has none like (inet, a range, an enum, a row) is handed out as PostgreSQL writes it.
    """
    if column.type_code == _NUMERIC:
        return None
    if column.type_code == _MONEY:
        return _CENTS
    if column.type_code in _ARRAYS:
        element = _ARRAYS[column.type_code]
        # The scale of numerics is that of all elements of the column.
        return pa.list_(pa.null() if element == _NUMERIC else _KINDS[element])
    return _KINDS.get(column.type_code, pa.string())


def _array(values: tuple[Any, ...], kind: pa.DataType | None) -> pa.Array:
    if kind is None:
        return pa.array(values, pa.string())
    if pa.types.is_list(kind):
        element = kind.value_type
        texts = pa.types.is_null(element) or pa.types.is_temporal(element)
        found = pa.array(values, pa.list_(pa.string() if texts else element))
        return found if pa.types.is_null(element) else found.cast(kind)
    if kind == _CENTS:
        # In the form of en_US and C; in that of another place Arrow reads no number, and it is unsupported.
        return pc.replace_substring_regex(pa.array(values, pa.string()), "[$,]", "").cast(kind)
    if pa.types.is_interval(kind):
        return pa.array([None if value is None else _span(value) for value in values], kind)
    if pa.types.is_time(kind):
        # Arrow casts no text to a time of day.
        texts = pc.binary_join_element_wise("1970-01-01", pa.array(values, pa.string()), " ")
        return texts.cast(pa.timestamp("us")).cast(kind)
    if pa.types.is_temporal(kind):
        return pa.array(values, pa.string()).cast(kind)
    return pa.array(values, kind)


def _span(text: str) -> pa.MonthDayNano:
    """An interval by its text.

    Raises:
        ValueError: it is none of finite length.
    """
    found = _SPAN.fullmatch(text)
    if found is None or not text:
        raise ValueError(f"the interval {text!r}")
    part = {name: int(value or 0) for name, value in found.groupdict().items() if name not in ("clock", "sign", "us")}
    micros = ((part["h"] * 60 + part["m"]) * 60 + part["s"]) * 1_000_000 + int((found["us"] or "").ljust(6, "0"))
    nanos = micros * 1_000 * (-1 if found["sign"] == "-" else 1)
    return pa.MonthDayNano([part["years"] * 12 + part["months"], part["days"], nanos])


def _column(chunks: list[Any], kind: pa.DataType | None) -> pa.ChunkedArray:
    if kind is None:
        return _decimal(pa.chunked_array(chunks, pa.string()))
    if pa.types.is_list(kind) and pa.types.is_null(kind.value_type):
        lists = pa.chunked_array(chunks, pa.list_(pa.string()))
        elements = _decimal(pa.chunked_array([chunk.flatten() for chunk in chunks], pa.string())).type
        return lists.cast(pa.list_(elements))
    return pa.chunked_array(chunks, kind)


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
