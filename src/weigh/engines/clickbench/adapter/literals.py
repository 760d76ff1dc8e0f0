"""Rows as Python prints them: ``(1, 'x', None)``, one a line, with every value whole."""

from __future__ import annotations

import ast
import datetime
import decimal
from typing import Any

import pyarrow as pa

_MADE = {
    "date": datetime.date,
    "datetime": datetime.datetime,
    "time": datetime.time,
    "timedelta": datetime.timedelta,
    "Decimal": decimal.Decimal,
}
_WORDS = {"nan": float("nan"), "inf": float("inf")}


def rows(text: str) -> list[list[Any]]:
    """The rows.

    Raises:
        ValueError: a line is no tuple or list of plain values, or they have different numbers of cells.
    """
    found = []
    for line in text.splitlines():
        try:
            value = _value(ast.parse(line.strip(), mode="eval").body)
        except (SyntaxError, TypeError, ValueError, KeyError, ArithmeticError, RecursionError, MemoryError):
            value = None
        if not isinstance(value, (tuple, list)):
            raise ValueError(f"a line that is no row as Python prints it: {line.strip()[:60]}")
        found.append(list(value))
    if len({len(row) for row in found}) > 1:
        raise ValueError("rows of different numbers of cells")
    return found


def table(found: list[list[Any]], names: list[str]) -> Any:
    """The rows as columns.

    Raises:
        ValueError: a column has values of kinds that do not go together.
    """
    arrays = []
    for at, name in enumerate(names):
        values = [row[at] for row in found]
        if {type(one) for one in values if one is not None} == {int, float}:
            values = [None if one is None else float(one) for one in values]
        try:
            arrays.append(_array(values))
        except (pa.ArrowException, TypeError) as error:
            raise ValueError(f"the column {name} has values of several kinds: {error}") from None
    return pa.Table.from_arrays(arrays, names=names)


def _array(values: list[Any]) -> Any:
    try:
        return pa.array(values)
    except OverflowError:
        return pa.array([None if one is None else decimal.Decimal(one) for one in values], pa.decimal256(39, 0))


def _value(node: ast.expr) -> Any:
    """The value of an expression of constants."""
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return tuple(_value(part) for part in parts)
        case ast.UnaryOp(op=ast.USub(), operand=part):
            return -_value(part)
        case ast.Name(id=name):
            return _WORDS[name]
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=parts, keywords=named):
            return _MADE[name](*(_value(part) for part in parts), **{str(one.arg): _value(one.value) for one in named})
    raise ValueError(ast.dump(node)[:60])
