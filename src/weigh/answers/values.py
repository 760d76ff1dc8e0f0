"""The values of an answer: cells that are equal where they mean the same, whatever type they came in."""

from __future__ import annotations

import datetime
import decimal
import math
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

    from weigh.model.answer import Column, ResultSchema

Cell = Any


Row = tuple[Cell, ...]

DIGITS = decimal.Context(prec=100)
"""More digits than any engine's decimals have; the default context would round to 28."""


def rows(table: pa.Table, schema: ResultSchema) -> list[Row]:
    """Rows as canonical values: equal things are equal whatever type they came in."""
    columns = [
        [_canonical(value, wanted) for value in _plain(column)]
        for column, wanted in zip(table.columns, schema.columns, strict=True)
    ]
    return list(zip(*columns, strict=True)) if columns else []


def shown(row: Row) -> str:
    """Cells for people."""
    return ", ".join(map(cell, row))


def cell(value: Cell) -> str:
    """A cell for people."""
    return "NULL" if value is None else repr(value) if isinstance(value, str) else str(value)


def _plain(column: pa.ChunkedArray) -> list[Any]:
    import pyarrow as pa

    # Python's datetime has no nanoseconds; what does not fit in microseconds stays a whole number of them.
    if pa.types.is_timestamp(column.type) and column.type.unit == "ns":
        try:
            column = column.cast(pa.timestamp("us", column.type.tz))
        except pa.ArrowInvalid:
            column = column.cast(pa.int64())
    values: list[Any] = column.to_pylist()
    return values


def _canonical(value: Any, wanted: Column) -> Cell:
    if value is None:
        return None
    if isinstance(value, bool):
        # Python's True is 1; an engine that answers a number with a truth value has answered something else.
        return value if wanted.kind == "boolean" else f"boolean {str(value).lower()}"
    if isinstance(value, bytes):
        value = value.decode("utf-8", "surrogateescape")
    if isinstance(value, str) and wanted.kind == "decimal":
        value = _decimal(value)
    if isinstance(value, decimal.Decimal):
        if wanted.match == "quotient":
            return value
        return int(value) if value == value.to_integral_value() else value.normalize(DIGITS)
    if isinstance(value, int):
        return bool(value) if wanted.kind == "boolean" and value in (0, 1) else value
    if isinstance(value, float):
        if math.isnan(value):
            return "NaN" if wanted.match == "exact" else value
        return int(value) if wanted.kind == "integer" and value.is_integer() else value + 0.0
    if isinstance(value, str):
        return _moment(value) if wanted.kind in ("date", "timestamp") else value
    if isinstance(value, datetime.datetime):
        return value.astimezone(datetime.UTC).replace(tzinfo=None) if value.tzinfo else value
    if isinstance(value, datetime.date):
        return datetime.datetime(value.year, value.month, value.day)
    # Lists and structs: rows are counted, so cells must be hashable.
    return repr(value) if isinstance(value, (list, dict)) else value


def _decimal(text: str) -> decimal.Decimal | str:
    """A decimal that an engine or a driver gave as text, digit by digit; other text as it is."""
    with suppress(decimal.InvalidOperation):
        value = decimal.Decimal(text)
        return value if value.is_finite() else text
    return text


def _moment(text: str) -> Cell:
    """A date or timestamp that an engine without such types gave as ISO text."""
    try:
        value = datetime.datetime.fromisoformat(text)
    except ValueError:
        return text
    return value.astimezone(datetime.UTC).replace(tzinfo=None) if value.tzinfo else value
