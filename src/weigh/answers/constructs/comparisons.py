"""Columns whose values a part of a query compares with each other: in them NaN and -0.0 are a matter of the engine."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlglot import exp

ALL = "*"
"""Name for every column, where a query does not name them."""


def compared(node: exp.Expr) -> Iterator[tuple[str, bool]]:
    """Names of columns that a node compares, and whether their values as they are: not what is computed of them."""
    from sqlglot import exp

    for part in _parts(node):
        if part.is_star:
            yield ALL, True
        plain = part.unalias().unnest()
        for column in plain.find_all(exp.Column):
            # Of a member of a struct nobody knows here which of the names is that of a column.
            yield from ((one.name.lower(), column is plain) for one in column.parts)


def quotients(node: exp.Expr) -> Iterator[str]:
    """Names of columns of which a node compares a quotient or a mean, or computes with one, under whatever name."""
    from sqlglot import exp

    aliases: dict[str, list[exp.Expr]] = {}
    for alias in node.root().find_all(exp.Alias):
        aliases.setdefault(alias.alias.lower(), []).append(alias.this)

    def meant(part: exp.Expr, passed: frozenset[str]) -> Iterator[exp.Expr]:
        yield part
        for name in {column.name.lower() for column in part.find_all(exp.Column)} - passed:
            for one in aliases.get(name, ()):
                yield from meant(one, passed | {name})

    for part in (*_parts(node), *_operands(node)):
        for whole in meant(part, frozenset()):
            for quotient in whole.find_all(exp.Div, exp.Avg):
                if isinstance(quotient, exp.Div) and any(map(_is_double, quotient.iter_expressions())):
                    continue
                for of in meant(quotient, frozenset()):
                    yield from (one.name.lower() for one in of.find_all(exp.Column) if not cast_to_double(one))


def _operands(node: exp.Expr) -> Iterator[exp.Expr]:
    """What a node computes with: who hands a value on as it is, or cuts it off, adds nothing to what is lost in it."""
    from sqlglot import exp

    hands_on = (exp.Case, exp.If, exp.Coalesce, exp.Nullif, exp.Min, exp.Max, exp.Round)
    if isinstance(node, (exp.Func, exp.Binary)) and not isinstance(node, (exp.Predicate, exp.Connector, *hands_on)):
        yield from node.iter_expressions()


def put_in_order(node: exp.Expr) -> Iterator[str]:
    """Names of columns whose values a node tells the greater from the less of."""
    from sqlglot import exp

    tells = (exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Between, exp.Min, exp.Max, exp.Greatest, exp.Least)
    parts = _parts(node) if isinstance(node, exp.Ordered) else node.iter_expressions()
    if isinstance(node, (exp.Ordered, *tells)):
        yield from dict.fromkeys(one.name.lower() for part in parts for one in part.find_all(exp.Column))


def taken_over_rows(node: exp.Expr) -> Iterator[str]:
    """Names of columns of which a window takes the first or last value, without saying what of NULL."""
    from sqlglot import exp

    if isinstance(node, (exp.FirstValue, exp.LastValue, exp.NthValue)) and not isinstance(
        node.parent, (exp.IgnoreNulls, exp.RespectNulls)
    ):
        yield from dict.fromkeys(one.name.lower() for one in node.find_all(exp.Column))


def _is_double(node: exp.Expr) -> bool:
    from sqlglot import exp

    return isinstance(node.unnest(), exp.Cast) and node.unnest().is_type("double")


def cast_to_double(column: exp.Expr) -> bool:
    """Whether it is cast first, and so a double to everybody."""
    from sqlglot import exp

    return isinstance(column.parent, exp.Cast) and column.parent.is_type("double")


@cache
def orders_columns(sql: str) -> bool:
    """Whether an order in a query depends on the data: ``ORDER BY NULL`` does not. True where nobody can tell."""
    import sqlglot
    from sqlglot import exp

    try:
        query = sqlglot.parse_one(sql, read="duckdb")
    except (sqlglot.errors.SqlglotError, RecursionError):
        return True
    return any(
        one.find(exp.Column, exp.AggFunc) or (isinstance(one.this, exp.Literal) and one.this.is_int)
        for one in query.find_all(exp.Ordered)
    )


@cache
def ordering_columns(sql: str) -> frozenset[str] | None:
    """Columns of the data, in small letters, that all orders of a query are by; None where they are by anything else.

    What an outer join or a total fills in is none of them.
    """
    import sqlglot
    from sqlglot import exp

    try:
        query = sqlglot.parse_one(sql, read="duckdb")
    except (sqlglot.errors.SqlglotError, RecursionError):
        return None
    terms = [one.this for one in query.find_all(exp.Ordered)]
    filled = any(one.side for one in query.find_all(exp.Join)) or query.find(exp.Rollup, exp.Cube, exp.GroupingSets)
    if not terms or filled or not all(isinstance(one, exp.Column) for one in terms):
        return None
    found = frozenset(one.name.lower() for one in terms)
    return None if found.intersection(one.alias.lower() for one in query.find_all(exp.Alias)) else found


def _parts(node: exp.Expr) -> Iterator[exp.Expr]:
    from sqlglot import exp

    if isinstance(node, exp.Predicate) and not isinstance(node, (exp.Is, exp.Exists)):
        yield from node.iter_expressions()
    elif isinstance(node, exp.Ordered):
        yield from _named([node.this], node.find_ancestor(exp.Select))
    elif isinstance(node, exp.Group):
        selects = node.parent.selects if isinstance(node.parent, exp.Select) else []
        yield from _named(node.expressions, node.parent)
        if node.args.get("all"):
            yield from selects
        for key in ("rollup", "cube", "grouping_sets"):
            for one in node.args.get(key) or ():
                yield from one.find_all(exp.Column)
    elif isinstance(node, exp.Distinct):
        yield from node.parent.selects if isinstance(node.parent, exp.Select) else node.expressions
    elif isinstance(node, exp.SetOperation):
        if node.args.get("distinct") or not isinstance(node, exp.Union):
            yield from (*node.left.selects, *node.right.selects)
    elif isinstance(node, exp.Window):
        yield from node.args.get("partition_by") or ()
    elif isinstance(node, exp.Join):
        yield from (exp.column(one.name) for one in node.args.get("using") or ())


def _named(parts: list[exp.Expr], query: exp.Expr | None) -> Iterator[exp.Expr]:
    """What is meant where a part is the place or the name of something selected."""
    from sqlglot import exp

    selects = query.selects if isinstance(query, exp.Select) else []
    places = {str(at): one for at, one in enumerate(selects, start=1)}
    names = {one.alias.lower(): one for one in selects if one.alias}
    for part in parts:
        if isinstance(part, exp.Literal):
            yield places.get(part.name, part)
        else:
            yield part
            if isinstance(part, exp.Column) and part.name.lower() in names:
                yield names[part.name.lower()]
