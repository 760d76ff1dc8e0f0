"""Queries that leave open which of several equal rows they take: LIMIT within a query, OFFSET, DISTINCT ON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.answers.constructs.construct import SEQUENCE, Construct, anything

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlglot import exp


def of_rows(query: exp.Select) -> Iterator[Construct]:
    """Columns of rows of which OFFSET or DISTINCT ON takes any: those that their order or the key does not fix."""
    distinct = query.args.get("distinct")
    key = distinct.args.get("on") if distinct is not None else None
    if key is not None:
        fixed, why = (
            [*(one.unnest() for one in key.expressions), *_ordered(query)],
            "which of its rows DISTINCT ON takes is left open by SQL",
        )
    elif query.args.get("offset") is not None and query.args.get("order") is not None:
        fixed, why = _ordered(query), "which of several equal rows OFFSET passes over is left open by SQL"
    else:
        return
    if query.is_star:
        yield Construct(SEQUENCE, why, None, None, anything)
        return
    for at, select in enumerate(query.selects):
        if not _is_in(select, fixed):
            yield Construct(SEQUENCE, why, at, at, anything)


def takes_any(node: exp.Limit | exp.Fetch | exp.Offset | exp.Distinct) -> bool:
    """Whether a part of a query within the query may take other rows: what is selected is not all in its order."""
    from sqlglot import exp

    query = node.parent
    if not isinstance(query, exp.Select) or query.parent is None or isinstance(query.parent, exp.Exists):
        return False
    if isinstance(node, exp.Distinct):
        return node.args.get("on") is not None
    ordered = _ordered(query)
    return not all(_is_in(select, ordered) for select in query.selects)


def _ordered(query: exp.Select) -> list[exp.Expr]:
    """What a query orders by, places of its columns among them as these."""
    from sqlglot import exp

    order = query.args.get("order")
    found = [one.this for one in order.expressions] if order is not None else []
    selects = query.selects
    places = {str(at): select.unalias() for at, select in enumerate(selects, start=1)}
    return [places.get(one.name, one) if isinstance(one, exp.Literal) else one for one in found]


def _is_in(select: exp.Expr, fixed: list[exp.Expr]) -> bool:
    """Whether a select expression, or its name, is one of some."""
    from sqlglot import exp

    plain = select.unalias()
    return any(one == plain or (isinstance(one, exp.Column) and one.name == select.alias_or_name) for one in fixed)
