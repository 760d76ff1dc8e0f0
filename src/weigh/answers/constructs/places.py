"""Where a part of a query stands: in one column of the answer, in the sequence of its rows alone, or elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
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
