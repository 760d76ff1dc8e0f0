"""A query in which nothing is left open: the same question with more in its orders, and with fractions cut off."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from weigh.answers.constructs.closed import close

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlglot import exp

BY_ROWS = frozenset(
    (
        "first_value",
        "last_value",
        "nth_value",
        "array_agg",
        "list",
        "string_agg",
        "group_concat",
        "listagg",
        "lead",
        "lag",
        "row_number",
        "ntile",
    )
)
"""Window functions whose value depends on which of several equal rows comes first."""
_LISTS = ("array_agg", "list", "string_agg", "group_concat", "listagg")


@cache
def settled(sql: str, columns: int, singles: frozenset[str] = frozenset()) -> str | None:
    """The query with nothing left open, so that right engines have one answer; None where it is that already.

    What is cut (LIMIT, OFFSET, DISTINCT ON) is ordered by all that is selected, a window by all that its query reads,
    a list by its values, and NULL has a place in every order. What casts, roundings, divisions and floats of 32 bits
    leave open has another form.

    Args:
        sql: the query.
        columns: of its answer.
        singles: names of columns of floats with fewer than 64 bits, in small letters.
    """
    import sqlglot
    from sqlglot import exp

    try:
        query = sqlglot.parse_one(sql, read="duckdb")
        if not isinstance(query, exp.Query):
            return None
        changed = close(query, singles)
        for node in list(query.walk()):
            if isinstance(node, exp.Query):
                changed |= _cut(node, columns if node is query else 0)
            elif isinstance(node, exp.Window):
                changed |= _window(node)
            elif isinstance(node, exp.AggFunc):
                changed |= _list(node)
        if changed:
            _place_nulls(query)
        text = query.sql(dialect="duckdb", unsupported_level=sqlglot.ErrorLevel.IGNORE)
        # The name that most engines know.
        return text.replace("LISTAGG(", "STRING_AGG(") if changed else None
    except (sqlglot.errors.SqlglotError, RecursionError):
        return None


def _place_nulls(query: exp.Query) -> None:
    """Say where NULL stands, also where that is the default of the dialect in which the text is written."""
    from sqlglot import exp

    for order in query.find_all(exp.Order):
        for term in order.expressions if isinstance(order.parent, (exp.Query, exp.Window)) else ():
            down, place = (" DESC" if term.args.get("desc") else ""), term.args.get("nulls_first")
            way = f"{down} NULLS {'FIRST' if place else 'LAST'}"
            term.replace(exp.Var(this=f"{term.this.sql(dialect='duckdb')}{way}"))


def _ordered(term: exp.Expr) -> exp.Ordered:
    from sqlglot import exp

    return exp.Ordered(this=term, nulls_first=False)


def _cut(query: exp.Query, columns: int) -> bool:
    """Order by every column of its answer, by their places, behind what it orders by."""
    from sqlglot import exp

    distinct = query.args.get("distinct") if isinstance(query, exp.Select) else None
    key = distinct.args.get("on") if distinct is not None else None
    if key is None and not any(query.args.get(one) is not None for one in ("limit", "offset")):
        return False
    number = columns if query.is_star else len(query.selects)
    if not number:
        return False
    order = query.args.get("order")
    terms = list(order.expressions) if order is not None else []
    if order is None and key is not None:
        terms = [_ordered(one.copy()) for one in key.expressions]
    terms += [_ordered(exp.Literal.number(at + 1)) for at in range(number)]
    query.set("order", exp.Order(expressions=terms))
    return True


def _read_by(query: exp.Expr | None) -> Iterator[exp.Expr]:
    """All that what a query selects depends on, but for its windows."""
    from sqlglot import exp

    if not isinstance(query, exp.Select) or query.is_star:
        return
    if query.args.get("group") is None:
        yield from dict.fromkeys(one for select in query.selects for one in select.find_all(exp.Column))
    else:
        yield from (one.unalias() for one in query.selects if not one.find(exp.Window))


def _window(window: exp.Window) -> bool:
    from sqlglot import exp

    order = window.args.get("order")
    if not depends_on_rows(window):
        return order is not None and order.find(exp.Column) is not None
    before = list(order.expressions) if order is not None else []
    added = [_ordered(one.copy()) for one in _unordered(window)]
    window.set("order", exp.Order(expressions=[*before, *added]))
    return bool(added)


def depends_on_rows(window: exp.Window) -> bool:
    """Whether which of several equal rows comes first changes its value, and its query has such rows."""
    from sqlglot import exp

    spec = window.args.get("spec")
    called = window.this.this if isinstance(window.this, (exp.IgnoreNulls, exp.RespectNulls)) else window.this
    name = called.sql_name().lower() if isinstance(called, exp.Func) else ""
    name = called.name.lower() if isinstance(called, exp.Anonymous) else name
    if name not in BY_ROWS and (spec is None or str(spec.args.get("kind")).upper() != "ROWS"):
        return False
    query = window.find_ancestor(exp.Select)
    return not isinstance(query, exp.Select) or query.is_star or bool(_unordered(window))


def _unordered(window: exp.Window) -> list[exp.Expr]:
    """What its query reads and it does not order by."""
    from sqlglot import exp

    order = window.args.get("order")
    fixed = [one.this for one in order.expressions] if order is not None else []
    fixed += window.args.get("partition_by") or ()
    return [one for one in _read_by(window.find_ancestor(exp.Select)) if one not in fixed]


def _list(call: exp.AggFunc) -> bool:
    from sqlglot import exp

    name = call.sql_name().lower()
    if isinstance(call, (exp.AnyValue, exp.First, exp.Last)) and isinstance(call.this, exp.Column):
        call.replace((exp.Max if isinstance(call, exp.Last) else exp.Min)(this=call.this.copy()))
        return True
    if name in _LISTS and isinstance(call.this, exp.Column):
        call.set("this", exp.Order(this=call.this.copy(), expressions=[_ordered(call.this.copy())]))
        return True
    return False
