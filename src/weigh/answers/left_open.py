"""What SQL leaves open: constructs in which right engines differ, so that no majority tells who is right."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from sqlglot import exp

    from weigh.answers.comparison import Comparison
    from weigh.model.gate import Difference
    from weigh.model.operation import Operation

_ORDERS = re.compile(r"\b(min|max|greatest|least|median|mode|quantile\w*|percentile\w*|arg_?m(in|ax))\s*\(", re.I)
"""Functions whose answer depends on where NaN stands."""
_CUT = re.compile(r"\border\s+by\b.*\b(limit|fetch|top)\b", re.I | re.S)
_NULLS = re.compile(r"\bnulls\s+(first|last)\b", re.I)
_BY_ROWS = {"first_value", "last_value", "nth_value", "array_agg", "list", "string_agg", "group_concat", "listagg",
            "lead", "lag", "row_number", "ntile"}  # fmt: skip
"""Window functions whose value depends on which of several equal rows comes first."""
_ANY = {"array_agg", "list", "string_agg", "group_concat", "listagg", "first", "last", "any_value", "arbitrary"}
"""Aggregates that depend on the sequence of rows, which a group has none of."""
_LENGTHS = {"length", "len", "char_length", "character_length", "strlen"}
_CASES = {"upper", "lower", "ucase", "lcase", "initcap"}
_WRAP = 2**32
_WIDEST = 2**63
_BYTES = 4
"""Of a character in UTF-8, at most."""


def reason(operation: Operation, compared: Comparison) -> str:
    """Why two answers may both be right; empty where nothing known explains how they differ.

    Another number of rows or columns is never explained. What a construct explains is the column that it stands in, and
    any column where the query has another query in it.
    """
    cells = compared.differences
    if not cells or any(one.column in ("(rows)", "(columns)", "(column names)", "(digest)") for one in cells):
        return ""
    if _of_order(operation, compared):
        return "where NaN stands in an order is left open by SQL"
    if _of_nulls(operation, cells):
        return "where NULL stands in an order is left open by SQL: NULLS FIRST or NULLS LAST says it"
    if all(map(_wrapped, cells)):
        return "integers are of different widths, and a number beyond them wraps around"
    whys = []
    for column in dict.fromkeys(one.column for one in cells):
        those = [one for one in cells if one.column == column]
        names = tuple(one.name for one in operation.schema.columns) if operation.schema else ()
        why = next((why for why, explains in _constructs(operation.sql, names, column) if explains(those)), "")
        if not why:
            return ""
        whys.append(why)
    return "; ".join(dict.fromkeys(whys))


def _of_order(operation: Operation, compared: Comparison) -> bool:
    """Whether answers differ in nothing but NaN for another number, in a question that puts numbers in order."""
    cells = compared.differences
    if len(cells) < compared.count or not _ORDERS.search(operation.sql):
        return False
    return all("nan" in (one.got.strip("'").lower(), one.expected.strip("'").lower()) for one in cells)


def _of_nulls(operation: Operation, cells: Sequence[Difference]) -> bool:
    """Whether rows come in another order from a NULL on that the query gives no place, or a LIMIT cut others for it."""
    if _NULLS.search(operation.sql) is not None:
        return False
    if all(one.row.endswith("in order") for one in cells):
        return all("NULL" in (one.got, one.expected) for one in cells)
    if not _CUT.search(operation.sql):
        return False
    if not any(one.row for one in cells):
        # Of one row each.
        return any("NULL" in (one.got, one.expected) for one in cells)
    if any(one.column != "(row)" for one in cells):
        return False
    # The side that has NULLs first has nothing else before the cut.
    has_null: dict[bool, list[bool]] = {True: [], False: []}
    for one in cells:
        has_null[_times(one.got) > _times(one.expected)].append("NULL" in one.row.split(", "))
    return any(side and all(side) for side in has_null.values())


def _times(text: str) -> int:
    """Of ``3 times``, of a row."""
    return int(text.split(maxsplit=1)[0])


def _number(text: str) -> Decimal | None:
    try:
        value = Decimal(text)
    except InvalidOperation:
        return None
    return value if value.is_finite() else None


def _numbers(cells: list[Difference]) -> list[tuple[Decimal, Decimal]] | None:
    pairs = [(_number(one.got), _number(one.expected)) for one in cells]
    found = [(a, b) for a, b in pairs if a is not None and b is not None]
    return found if len(found) == len(pairs) else None


def _wrapped(one: Difference) -> bool:
    """Whether those who agree have the number of one modulo a power of two that is the width of an integer.

    The other way round two lineages that agree on the whole sum tell that one wraps.
    """
    try:
        a, b = int(one.got), int(one.expected)
    except ValueError:
        return False
    return abs(a) > abs(b) and (a - b) % _WRAP == 0 and (abs(a) >= _WIDEST or min(a, b) < _WRAP // 2)


def _whole(cells: list[Difference]) -> bool:
    """Whether one side has nothing but integers, none of them greater than the other side's number."""
    pairs = _numbers(cells)
    return pairs is not None and any(
        all(pair[side] == int(pair[side]) and abs(pair[side]) <= abs(pair[1 - side]) for pair in pairs)
        for side in (0, 1)
    )


def _longer(cells: list[Difference]) -> bool:
    """Whether one side has the greater numbers, as bytes are more than characters."""
    pairs = _numbers(cells)
    return pairs is not None and any(
        all(0 <= pair[1 - side] < pair[side] <= _BYTES * pair[1 - side] for pair in pairs) for side in (0, 1)
    )


def _near(unit: Decimal) -> Callable[[list[Difference]], bool]:
    most = unit * (1 + Decimal("1e-9"))

    def explains(cells: list[Difference]) -> bool:
        pairs = _numbers(cells)
        return pairs is not None and all(abs(a - b) <= most for a, b in pairs)

    return explains


def _folded(cells: list[Difference]) -> bool:
    """Whether texts are the same but for the case of letters, some of which are not ASCII."""
    return all(
        one.got.casefold() == one.expected.casefold() and not (one.got + one.expected).isascii() for one in cells
    )


def _texts(cells: list[Difference]) -> bool:
    return all(one.got[:1] in "'\"N" and one.expected[:1] in "'\"N" for one in cells)


def _any(_cells: list[Difference]) -> bool:
    return True


_Explained = tuple[str, "Callable[[list[Difference]], bool]"]


@cache
def _constructs(sql: str, names: tuple[str, ...], column: str) -> tuple[_Explained, ...]:
    """The constructs that bear on a column of the answer, each with whether it explains how cells of it differ."""
    import sqlglot
    from sqlglot import exp

    try:
        query = sqlglot.parse_one(sql, read="duckdb")
    except (sqlglot.errors.SqlglotError, RecursionError):
        return ()
    part: exp.Expr = query
    selects = query.selects if isinstance(query, exp.Select) else []
    nested = sum(1 for _ in query.find_all(exp.Select)) > 1
    if not nested and len(selects) == len(names) and names.count(column) == 1:
        part = selects[names.index(column)]
    return tuple(found for node in part.walk() for found in _construct(node))


def _name(node: exp.Expr) -> str:
    from sqlglot import exp

    if isinstance(node, (exp.IgnoreNulls, exp.RespectNulls, exp.Filter)):
        return _name(node.this)
    if isinstance(node, exp.Anonymous):
        return str(node.name).lower()
    return node.sql_name().lower() if isinstance(node, exp.Func) else ""


def _construct(node: exp.Expr) -> Iterator[_Explained]:
    from sqlglot import exp

    name = _name(node)
    if isinstance(node, exp.Window):
        spec = node.args.get("spec")
        if _name(node.this) in _BY_ROWS or (spec is not None and str(spec.args.get("kind")).upper() == "ROWS"):
            yield "which of several equal rows comes first in a window is left open by SQL", _any
    elif name in _ANY and not isinstance(node.this, exp.Order) and not node.find(exp.Order):
        yield f"the sequence of rows in {name} is left open by SQL", _any
    elif isinstance(node, exp.Div):
        yield "/ between integers is an integer to some engines and a fraction to others", _whole
    elif isinstance(node, exp.Cast) and node.is_type(*exp.DataType.INTEGER_TYPES):
        yield "a cast of a fraction to an integer rounds in some engines and truncates in others", _near(Decimal(1))
    elif isinstance(node, exp.Round):
        digits = node.args.get("decimals")
        unit = Decimal(1).scaleb(-int(digits.name)) if digits is not None and digits.name.isdigit() else Decimal(1)
        yield "a half is rounded to the even digit by some engines and away from zero by others", _near(unit)
    elif isinstance(node, exp.Substring):
        start = node.args.get("start")
        if not isinstance(start, exp.Literal) or start.name == "0":
            yield "a part of a text from a place before its first character is left open by SQL", _texts
    elif name == "replace" and _replaces_nothing(node):
        yield "replacing an empty text is left open by SQL", _texts
    elif name in _LENGTHS:
        yield "the length of a text is in bytes to some engines and in characters to others", _longer
    elif name in _CASES:
        yield "the case of letters that are not ASCII is left open by SQL", _folded


def _replaces_nothing(node: exp.Expr) -> bool:
    from sqlglot import exp

    searched = node.args.get("expression") or (node.expressions[1] if len(node.expressions) > 1 else None)
    return not isinstance(searched, exp.Literal) or not searched.name
