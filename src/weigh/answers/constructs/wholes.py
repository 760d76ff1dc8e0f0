"""Casts and roundings of whole numbers, which change none of them, and remainders of those above zero: all alike."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from weigh.answers.constructs.places import aliases_of
from weigh.answers.constructs.widths import Ranged, Width, columns_of, parsed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlglot import exp

    from weigh.answers.constructs.widths import Range

_WIDE = Width(64, signed=True)
"""The widest integers that every engine has."""


@cache
def read_by(sql: str) -> frozenset[str]:
    """Names of columns in what a query casts or rounds, and in what its own names stand for; in small letters."""
    from sqlglot import exp

    query = parsed(sql)
    if query is None or query.find(exp.Cast, exp.Round) is None:
        return frozenset()
    return frozenset(one.name.lower() for one in query.find_all(exp.Column))


def texts(sql: str, columns: Mapping[str, bool]) -> set[str]:
    """SQL of the casts and roundings of a query that are of whole numbers.

    Args:
        sql: the query.
        columns: whether all columns of a name, in small letters, have integers.
    """
    from sqlglot import exp

    query = parsed(sql)
    if query is None or _renames(query):
        return set()
    wholes = _Wholes(aliases_of(query), columns)
    return {node.sql() for node in query.find_all(exp.Cast, exp.Round) if wholes.has(node.this)}


@cache
def divided(sql: str) -> frozenset[str]:
    """Names of columns that remainders in a query depend on, in small letters."""
    from sqlglot import exp

    query = parsed(sql)
    return frozenset(columns_of(*query.find_all(exp.Mod))) if query is not None else frozenset()


def remainders(sql: str, ranges: Mapping[str, Range]) -> set[str]:
    """SQL of the remainders of a query of whole numbers, none of them below zero, by such above it.

    Args:
        sql: the query.
        ranges: of the data's columns, by name in small letters.
    """
    from sqlglot import exp

    query = parsed(sql)
    if query is None or _renames(query):
        return set()
    return {node.sql() for node in query.find_all(exp.Mod) if _alike(query, node, ranges)}


def _alike(query: exp.Expr, node: exp.Mod, ranges: Mapping[str, Range]) -> bool:
    """Whether both of its numbers are integers of one sign, in types that every engine has."""
    ranged = Ranged(query, ranges, sure=True)
    one, by = ranged.of(node.this), ranged.of(node.expression)
    if one is None or by is None or one.mixed or by.mixed or ranged.overflows or ranged.wraps:
        return False
    # Of two 64-bit integers, one of them without a sign, some engines make doubles.
    wide = {width.signed for width in (*one.widths, *by.widths) if width.bits >= _WIDE.bits}
    inside = len(wide) < len((True, False)) and _WIDE.holds(one.low, one.high) and _WIDE.holds(by.low, by.high)
    return inside and one.whole and by.whole and one.low >= 0 and by.low > 0


def _renames(query: exp.Expr) -> bool:
    """Whether names in it may stand for what no alias names: of itself, of a member, of columns that were turned."""
    from sqlglot import exp

    unions = query.find_all(exp.SetOperation)
    recursive = any(one.args.get("recursive") for one in query.find_all(exp.With))
    return recursive or query.find(exp.Pivot, exp.Comprehension) is not None or any(one.is_star for one in unions)


class _Wholes:
    """Which expressions of a query are whole numbers whatever the rows are."""

    def __init__(self, aliases: Mapping[str, list[exp.Expr]], columns: Mapping[str, bool]) -> None:
        self._aliases = aliases
        self._columns = columns
        self._open: set[str] = set()

    def has(self, node: exp.Expr | None) -> bool:
        """Whether an expression is one, or NULL."""
        from sqlglot import exp

        node = node.unnest() if node is not None else None
        if isinstance(node, exp.Literal):
            return node.is_int
        if isinstance(node, exp.Column):
            return self._named(node.name.lower())
        if isinstance(node, (exp.Null, exp.Count, exp.Length, exp.Floor)):
            return True
        if isinstance(node, exp.Cast):
            return node.is_type(*exp.DataType.INTEGER_TYPES)
        if isinstance(node, (exp.Add, exp.Sub, exp.Mul)):
            return self.has(node.this) and self.has(node.expression)
        if isinstance(node, (exp.Coalesce, exp.Greatest, exp.Least)):
            return all(map(self.has, (node.this, *node.expressions)))
        if isinstance(node, exp.Case):
            branches = [*(one.args["true"] for one in node.args["ifs"]), *filter(None, [node.args.get("default")])]
            return all(map(self.has, branches))
        same = (exp.Neg, exp.Abs, exp.Sum, exp.Min, exp.Max, exp.Filter, exp.Window, exp.AnyValue, exp.Distinct)
        if isinstance(node, same):
            return self.has(node.this or next(iter(node.expressions), None))
        return False

    def _named(self, name: str) -> bool:
        meant = self._aliases.get(name, ())
        if not (meant or name in self._columns) or not self._columns.get(name, True):
            return False
        if name in self._open:
            return name in self._columns
        self._open.add(name)
        whole = all(map(self.has, meant))
        self._open.discard(name)
        return whole
