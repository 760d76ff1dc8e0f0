"""Where a part of a query stands: in one column, in the sequence of rows alone or elsewhere; what names stand for."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlglot import exp


def position(node: exp.Expr, selects: list[exp.Expr]) -> int | None:
    """Position of the select expression that a node is in."""
    while node.parent is not None:
        at = next((at for at, one in enumerate(selects) if one is node), None)
        if at is not None:
            return at
        node = node.parent
    return None


def is_all(node: exp.Expr, select: exp.Expr) -> bool:
    """Whether a select expression is a node, but for its name and parentheses."""
    return select.unalias().unnest() is node.unnest()


def reused(query: exp.Expr, select: exp.Expr, at: int) -> bool:
    """Whether rows are grouped, ordered or distinguished by a select expression."""
    from sqlglot import exp

    if query.args.get("distinct") or query.args.get("qualify") or query.args.get("having"):
        return True
    # An order that cuts nothing off changes no row.
    order = query.args.get("order") if cuts(query) else None
    for part in (query.args.get("group"), order):
        for one in part.expressions if part is not None else ():
            wanted = one.this if isinstance(one, exp.Ordered) else one
            if isinstance(wanted, exp.Literal) and wanted.name == str(at + 1):
                return True
            if wanted == select.unalias() or any(
                column.name == select.alias_or_name for column in wanted.find_all(exp.Column)
            ):
                return True
        if part is not None and (part.args.get("all") or part.find(exp.Var)):
            return True
    return False


def cuts(query: exp.Expr) -> bool:
    """Whether a query takes some of its rows, by their order or not."""
    from sqlglot import exp

    # Of UNION it is a flag: whether equal rows are one.
    distinct = query.args.get("distinct")
    return any(query.args.get(one) is not None for one in ("limit", "offset", "fetch")) or (
        isinstance(distinct, exp.Distinct) and distinct.args.get("on") is not None
    )


def orders_only(node: exp.Expr, query: exp.Expr) -> bool:
    """Whether nothing but the sequence of a query's rows depends on a node, in an order that cuts none off."""
    while node.parent is not None and node.parent is not query:
        node = node.parent
    return node.parent is query and node.arg_key == "order" and not cuts(query)


def aliases_of(query: exp.Expr) -> dict[str, list[exp.Expr]]:
    """What names of a query that it gives itself stand for, in small letters.

    Where no expression is known, as of the columns of VALUES or of a function, it is where the rows come from.
    """
    from sqlglot import exp

    found: dict[str, list[exp.Expr]] = {}
    for one in query.find_all(exp.Alias):
        found.setdefault(one.alias.lower(), []).append(one.this)
    for union in query.find_all(exp.SetOperation):
        # Its columns have the names of its first query.
        for at, name in enumerate(union.named_selects):
            other = [one for one in _selected(union.right, at) if not _is_called(one, name)]
            if other:
                found.setdefault(name.lower(), []).extend(other)
    for named in query.find_all(exp.TableAlias):
        source = named.parent
        within = source.this if isinstance(source, (exp.CTE, exp.Subquery)) else None
        for at, column in enumerate(named.columns):
            meant = _selected(within, at) if isinstance(within, exp.Query) else filter(None, [source])
            found.setdefault(column.name.lower(), []).extend(meant)
        if within is None and source is not None and not isinstance(source.this, exp.Identifier):
            # The column of a function may have the name of its rows.
            found.setdefault(named.name.lower(), []).append(source)
    return found


def named_twice(query: exp.Expr) -> list[str]:
    """Names that a query gives to something else than the column of that name, which it reads too; in small letters."""
    from sqlglot import exp

    if not isinstance(query, exp.Select):
        return []
    given = {one.alias.lower(): one for one in query.selects if isinstance(one, exp.Alias)}
    parts = [query.args.get(one) for one in ("where", "group", "having", "qualify")]
    order = query.args.get("order")
    # A name alone in ORDER BY is the alias to everybody.
    parts += [one for one in order.expressions if not isinstance(one.this, exp.Column)] if order is not None else []
    found: dict[str, None] = {}
    for part in (*query.selects, *filter(None, parts)):
        for column in part.find_all(exp.Column):
            name = column.name.lower()
            alias = given.get(name)
            other = alias is not None and alias is not part and not _is_called(alias.this, name)
            if other and not column.table and column.find_ancestor(exp.Select) is query:
                found[name] = None
    return list(found)


def _selected(query: exp.Expr, at: int) -> Iterator[exp.Expr]:
    """What each query of a UNION, or one, selects at a position; the query itself where that is not known."""
    from sqlglot import exp

    query = query.unnest()
    if isinstance(query, exp.SetOperation):
        yield from _selected(query.left, at)
        yield from _selected(query.right, at)
    elif isinstance(query, exp.Select) and not query.is_star and at < len(query.selects):
        yield query.selects[at].unalias()
    else:
        yield query


def _is_called(node: exp.Expr, name: str) -> bool:
    from sqlglot import exp

    return isinstance(node, exp.Column) and node.name.lower() == name.lower()
