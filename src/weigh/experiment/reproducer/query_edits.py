"""Edits of a query that leave one part of it out. A tree is changed in place; what comes out need not be valid."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from sqlglot import exp

Columns = Mapping[str, Sequence[str]]
"""Columns of every table there is."""

_FEW = 8
"""Up to this many values of an IN list are left out one by one; of a longer one whole halves."""


class Edit(NamedTuple):
    """One kind of edit.

    Attributes:
        choices: in how many ways it can be made at a node.
        make: makes it in one of these ways; False where nothing sensible is left.
    """

    choices: Callable[[exp.Expr], int]
    make: Callable[[exp.Expr, int, Columns], bool]


def keys(select: exp.Expr) -> list[exp.Expr]:
    """The keys of its GROUP BY."""
    group = select.args.get("group")
    return list(group.expressions) if group else []


def spell_out(select: exp.Select) -> None:
    """``GROUP BY 1`` as the item that it means: its number changes when an item before it is left out."""
    for clause in ("group", "order"):
        for key in list(select.args[clause].expressions) if select.args.get(clause) else ():
            number = key.this if isinstance(key, exp.Ordered) else key
            if isinstance(number, exp.Literal) and number.is_int and 1 <= int(number.this) <= len(select.selects):
                number.replace(select.selects[int(number.this) - 1].unalias().copy())


def _side(node: exp.Expr, choice: int, _: Columns) -> bool:
    """One side of a UNION or of an OR."""
    assert isinstance(node, (exp.SetOperation, exp.Or))
    node.replace((node.left, node.right)[choice].copy())
    return True


def _source(node: exp.Expr, choice: int, tables: Columns) -> bool:
    """A table of a join less, with all that speaks of it."""
    sources = _sources(node)
    gone = sources[choice]
    apart = _apart(node, tables)
    joins = node.args["joins"]
    if choice:
        joins[choice - 1].pop()
    else:
        first = joins[0]
        if first.side or first.args.get("using"):
            return False
        first.pop()
        node.args["from_"].this.replace(first.this)
        if first.args.get("on"):
            assert isinstance(node, exp.Select)
            node.where(first.args["on"], copy=False)
    others = {name for source in sources if source is not gone for name in _names(source, tables)}
    names = _names(gone, tables) - others
    name = gone.alias_or_name.casefold()

    def speaks(part: exp.Expr) -> bool:
        columns = part.find_all(exp.Column)
        return any(one.table.casefold() == name if one.table else one.name.casefold() in names for one in columns)

    for holder in [*(node.args.get("joins") or ()), node.args.get("where"), node.args.get("having")]:
        if holder is not None:
            _keep(holder, [part for part in _conjuncts(holder) if not speaks(part)])
    # Of a chain not the middle: the product of its ends would never end either.
    return _apart(node, tables) <= apart and _without(node, speaks)


def _condition(node: exp.Expr, _: int, __: Columns) -> bool:
    """A WHERE or HAVING less, unless it joins tables: their product would never end."""
    if any(_ties(part) for part in _conjuncts(node)):
        return False
    node.pop()
    return True


def _unsorted(node: exp.Expr, _: int, __: Columns) -> bool:
    """No ORDER BY, and no LIMIT, whose answer would be left to chance."""
    for clause in ("order", "limit", "offset"):
        node.set(clause, None)
    return True


def _unlimited(node: exp.Expr, _: int, __: Columns) -> bool:
    node.set("limit", None)
    node.set("offset", None)
    return True


def _indistinct(node: exp.Expr, _: int, __: Columns) -> bool:
    node.set("distinct", None)
    return True


def _key(node: exp.Expr, choice: int, _: Columns) -> bool:
    """A key of GROUP BY less, with the items that are it."""
    key = keys(node)[choice]
    text = key.sql()
    same = {text, *(item.alias for item in node.expressions if item.alias and item.unalias().sql() == text)}
    return _without(node, lambda part: part.unalias().sql() in same)


def _item(node: exp.Expr, choice: int, _: Columns) -> bool:
    node.expressions[choice].pop()
    return True


def _conjunct(node: exp.Expr, choice: int, _: Columns) -> bool:
    parts = _conjuncts(node)
    if _ties(parts[choice]):
        return False
    _keep(node, parts[:choice] + parts[choice + 1 :])
    return True


def _listed(node: exp.Expr, choice: int, _: Columns) -> bool:
    """A value of an IN list less, or a half of them."""
    values = node.expressions
    half = len(values) // 2
    left = [values[:half], values[half:]][choice] if len(values) > _FEW else values[:choice] + values[choice + 1 :]
    node.set("expressions", [value.copy() for value in left])
    return True


def _sources(select: exp.Expr) -> list[exp.Expr]:
    """What a SELECT reads: tables and subqueries."""
    if not select.args.get("from_"):
        return []
    return [select.args["from_"].this, *(join.this for join in select.args.get("joins") or ())]


def _names(source: exp.Expr, tables: Columns) -> set[str]:
    """Names of a source's columns."""
    if isinstance(source, exp.Table):
        known = {name.casefold(): columns for name, columns in tables.items()}
        return {column.casefold() for column in known.get(source.name.casefold(), ())}
    return {name.casefold() for name in getattr(source, "named_selects", ())}


def _apart(select: exp.Expr, tables: Columns) -> int:
    """Into how many parts its sources fall that no condition joins."""
    sources = _sources(select)
    group = list(range(len(sources)))
    holders = [select.args.get("where"), *(select.args.get("joins") or ())]
    for part in [part for holder in holders if holder is not None for part in _conjuncts(holder)]:
        if _ties(part):
            ends = {
                group[at]
                for at, one in enumerate(sources)
                for column in (part.this, part.expression)
                if _owns(one, column, tables)
            }
            group = [min(ends) if one in ends else one for one in group]
    return len(set(group))


def _owns(source: exp.Expr, column: exp.Column, tables: Columns) -> bool:
    if column.table:
        return column.table.casefold() == source.alias_or_name.casefold()
    return column.name.casefold() in _names(source, tables)


def _conjuncts(holder: exp.Expr) -> list[exp.Expr]:
    """The conditions of a WHERE, a HAVING or a JOIN that must all be true."""
    condition = holder.args.get("on") if isinstance(holder, exp.Join) else holder.args.get("this")
    if condition is None:
        return []
    return list(condition.flatten()) if isinstance(condition, exp.And) else [condition]


def _keep(holder: exp.Expr, parts: list[exp.Expr]) -> None:
    """Leave only these conditions."""
    if len(parts) == len(_conjuncts(holder)):
        return
    condition = exp.and_(*(part.copy() for part in parts), copy=False) if parts else None
    if isinstance(holder, exp.Join):
        holder.set("on", condition)
    elif condition is None:
        holder.pop()
    else:
        holder.set("this", condition)


def _ties(part: exp.Expr) -> bool:
    """Whether a condition joins two tables."""
    return isinstance(part, exp.EQ) and isinstance(part.left, exp.Column) and isinstance(part.right, exp.Column)


def _without(select: exp.Expr, gone: Callable[[exp.Expr], bool]) -> bool:
    """Leave out the items and keys that are gone; False where nothing sensible is left."""
    order = select.args.get("order")
    if order is not None and any(gone(key.this) for key in order.expressions):
        if select.args.get("limit"):
            return False
        order.pop()
    lost = [key for key in keys(select) if gone(key)]
    if lost and len(lost) == len(keys(select)):
        select.args["group"].pop()
    else:
        for key in lost:
            key.pop()
    for item in [item for item in select.expressions if gone(item)]:
        item.pop()
    return bool(select.expressions)


def _several(number: int) -> int:
    return number if number > 1 else 0


def _in_select(choices: Callable[[exp.Expr], int]) -> Callable[[exp.Expr], int]:
    return lambda node: choices(node) if isinstance(node, exp.Select) else 0


def _sides(node: exp.Expr) -> int:
    return 2 * isinstance(node, (exp.SetOperation, exp.Or))


def _values(node: exp.Expr) -> int:
    values = _several(len(node.expressions)) if isinstance(node, exp.In) else 0
    return values if values <= _FEW else 2


def _conditions(node: exp.Expr) -> int:
    return _several(len(_conjuncts(node))) if isinstance(node, (exp.Where, exp.Having, exp.Join)) else 0


EDITS = (
    Edit(_sides, _side),
    Edit(_in_select(lambda node: _several(len(_sources(node)))), _source),
    Edit(lambda node: int(isinstance(node, (exp.Where, exp.Having))), _condition),
    Edit(_in_select(lambda node: int(bool(node.args.get("order")))), _unsorted),
    Edit(_in_select(lambda node: int(bool(node.args.get("limit")))), _unlimited),
    Edit(_in_select(lambda node: int(bool(node.args.get("distinct")))), _indistinct),
    Edit(_in_select(lambda node: len(keys(node))), _key),
    Edit(_in_select(lambda node: _several(len(node.expressions))), _item),
    Edit(_conditions, _conjunct),
    Edit(_values, _listed),
)
"""Every kind, what leaves out most first."""
