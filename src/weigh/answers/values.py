"""The values of an answer: cells that are equal where they mean the same, whatever type they came in."""

from __future__ import annotations

import datetime
import decimal
import math
from collections import defaultdict
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from weigh.answers.cells import is_text
from weigh.model.answer import Column

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import pyarrow as pa

    from weigh.model.answer import ResultSchema

Cell = Any


Row = tuple[Cell, ...]

_DAY = 86_400 * 10**9
_UNITS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}
"""Nanoseconds in Arrow's units of time."""
_PART = Column(name="", kind="string")
"""Of a list or a struct: no schema says what is in it."""
DIGITS = decimal.Context(prec=100)
"""More digits than any engine's decimals have; the default context would round to 28."""
_FEW = 1_000
"""Pairs of rows that are looked at as they are."""


def rows(table: pa.Table, schema: ResultSchema) -> list[Row]:
    """Rows as canonical values: equal things are equal whatever type they came in."""
    columns = [
        [_canonical(value, wanted) for value in _plain(column)]
        for column, wanted in zip(table.columns, schema.columns, strict=True)
    ]
    return list(zip(*columns, strict=True)) if columns else []


def printed(row: Row) -> str:
    """Cells for people."""
    return ", ".join(map(cell, row))


def cell(value: Cell) -> str:
    """A cell for people."""
    return "NULL" if value is None else repr(value) if isinstance(value, str) else str(value)


def _plain(column: pa.ChunkedArray) -> list[Any]:
    import pyarrow as pa

    # Python's datetime has no nanoseconds; what does not fit in microseconds stays a whole number of them.
    coarse = _microseconds(column.type)
    if coarse is not None:
        with suppress(pa.ArrowException):
            column = column.cast(coarse)
    try:
        values: list[Any] = column.to_pylist()
    except (OverflowError, ValueError, pa.ArrowException):
        values = [_nanoseconds(value) for value in column]
    return values


def _microseconds(kind: pa.DataType) -> pa.DataType | None:
    """The type in microseconds of one in nanoseconds; None where it is none."""
    import pyarrow as pa

    if pa.types.is_timestamp(kind) and kind.unit == "ns":
        return pa.timestamp("us", kind.tz)
    if pa.types.is_duration(kind) and kind.unit == "ns":
        return pa.duration("us")
    return pa.time64("us") if pa.types.is_time64(kind) and kind.unit == "ns" else None


def _nanoseconds(value: pa.Scalar) -> Any:
    """A cell; a moment or a span that Python has no value for, such as the year 20000, as nanoseconds."""
    import pyarrow as pa

    try:
        return value.as_py()
    except (OverflowError, ValueError, pa.ArrowException):
        pass
    kind = value.type
    if isinstance(value, pa.StructScalar):
        return {name: _nanoseconds(one) for name, one in value.items()}
    if isinstance(value, (pa.ListScalar, pa.LargeListScalar, pa.FixedSizeListScalar)):
        return [_nanoseconds(one) for one in value.values]
    if is_text(kind):
        # An engine that counts in bytes cuts letters in two.
        return value.as_buffer().to_pybytes().decode("utf-8", "surrogateescape")
    if pa.types.is_date32(kind):
        return int(value.value) * _DAY
    return int(value.value) * (_UNITS["ms"] if pa.types.is_date64(kind) else _UNITS[kind.unit])


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
    if _is_interval(value):
        return _interval(value)
    # Lists and structs: rows are counted, so cells must be hashable.
    return repr(_nested(value)) if isinstance(value, (list, dict)) else value


def _is_interval(value: Any) -> bool:
    return type(value).__name__ == "MonthDayNano"


def _interval(value: pa.MonthDayNano) -> Cell:
    """An interval of days and less, as a span of time; with months in it, which have no length, as text."""
    if value.months or value.nanoseconds % 1_000:
        return f"{value.months} months, {value.days} days, {value.nanoseconds} ns"
    return datetime.timedelta(days=value.days, microseconds=value.nanoseconds // 1_000)


def _nested(value: Any) -> Any:
    """The same in the parts of a list or a struct: what is an integer there comes as a decimal, too."""
    if isinstance(value, dict):
        return {name: _nested(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_nested(one) for one in value]
    if isinstance(value, tuple) and not _is_interval(value):
        return tuple(_nested(one) for one in value)
    return value if isinstance(value, bool) else _canonical(value, _PART)


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


def near_parts(
    left: Sequence[Row], right: Sequence[Row], schema: ResultSchema
) -> Iterator[tuple[list[int], list[int]]]:
    """Numbers of the rows of either side, part by part: two that are equal within all tolerances are in one part.

    Of many rows with few values in their approximate columns each would be looked at for each.

    Args:
        left: rows of one answer.
        right: those of the other one, with the same exact columns.
        schema: of both.
    """
    if len(left) * len(right) <= _FEW:
        yield list(range(len(left))), list(range(len(right)))
        return
    places = [
        (at, _clusters((row[at] for rows in (left, right) for row in rows), schema.columns[at]))
        for at in schema.loose
        if schema.columns[at].match == "approx"
    ]
    found: dict[tuple[float | str, ...], tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    for side, rows in enumerate((left, right)):
        for number, row in enumerate(rows):
            found[tuple(of[_place(row[at])] for at, of in places)][side].append(number)
    yield from found.values()


def _clusters(values: Iterable[Cell], column: Column) -> dict[float | str, float | str]:
    """Of each value the first one of its cluster: from one to the next in a cluster is no more than the tolerance."""
    each = {_place(value) for value in values}
    found: dict[float | str, float | str] = {one: one for one in each}
    first, before = 0.0, -math.inf
    for one in sorted(one for one in each if not isinstance(one, str)):
        # A little more than the tolerance, so that rounding here parts none.
        reach = 1.001 * max(column.rel * max(abs(one), abs(before)), column.absolute or 0.0)
        if not math.isfinite(before) or not one - before <= reach:
            first = one
        found[one], before = first, one
    return found


def _place(value: Cell) -> float | str:
    """A number, or what stands for what is none: it is equal to its like alone."""
    if value is None:
        return "NULL"
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return "no number"
    return number if not math.isnan(number) else "NaN"
