"""Parts of a query in another form, of which right engines have one value: fractions are cut off, not rounded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.answers.constructs.places import aliases_of

if TYPE_CHECKING:
    from collections.abc import Collection

    from sqlglot import exp

_MOST_DIGITS = 9
"""Of a rounding: a power of ten that is exact as a double, times numbers as they come."""
_OFF = "0.00000370881"
"""Added to what is cut off, and to a quotient as a part of it: a number at an edge would fall on either side of it
where one engine divides by a literal and another multiplies by its reciprocal, as Polars."""


def close(query: exp.Query, singles: Collection[str]) -> bool:
    """Change what engines take differently, in place: whether there was any.

    Casts and roundings of fractions become the whole number below, divisions are of doubles and NULL by zero, letters
    keep their case, and floats of 32 bits are doubles first. What is counted in doubles of a column's values alone has
    the same bits everywhere; a sum has not, and what is computed of one stays as it is.

    Args:
        query: its tree.
        singles: names of columns of floats with fewer than 64 bits, in small letters.
    """
    from sqlglot import exp

    # Names of columns behind that of a table are of what may be computed.
    if any(one.args.get("columns") for one in query.find_all(exp.TableAlias)):
        return False
    changed = False
    aliases = aliases_of(query)
    # What stands within another one comes first.
    for node in reversed(list(query.walk())):
        if isinstance(node, (exp.Cast, exp.Round)) and _plain(node.this, aliases):
            changed |= _cut(node)
        elif isinstance(node, exp.Div):
            changed |= _divided(node, aliases)
        elif isinstance(node, exp.Avg) and _plain(node.this, aliases) and not _is_selected(node, query):
            node.set("this", _in_doubles(node.this))
            changed = True
        elif isinstance(node, (exp.Upper, exp.Lower)) and _of_column(node.this, aliases):
            node.replace(_named(node, node.this))
            changed = True
    for node in list(query.find_all(exp.Column)) if singles else ():
        if node.name.lower() in singles and node.name.lower() not in aliases and not _is_double(node.parent):
            node.replace(_named(node, _double(node)))
            changed = True
    return changed


def _divided(node: exp.Div, aliases: Collection[str]) -> bool:
    from sqlglot import exp

    above, below = node.this, node.expression
    if not (_counted(above, aliases) and _counted(below, aliases)):
        return False
    above = above.copy() if _is_double(above) else exp.cast(above.copy(), "DOUBLE")
    whole = isinstance(below.unnest(), exp.Literal)
    below = below.copy() if whole else exp.Nullif(this=below.copy(), expression=exp.Literal.number(0))
    off = exp.Literal.number(f"1{_OFF[1:]}")
    node.replace(_named(node, exp.Paren(this=exp.Mul(this=exp.Div(this=above, expression=below), expression=off))))
    return True


def _cut(node: exp.Cast | exp.Round) -> bool:
    from sqlglot import exp

    off = exp.Literal.number(_OFF)
    if isinstance(node, exp.Round):
        digits = node.args.get("decimals")
        if digits is not None and not (digits.name.isdigit() and int(digits.name) <= _MOST_DIGITS):
            return False
        power = exp.Literal.number(10 ** int(digits.name)) if digits is not None else None
        value = _in_doubles(node.this)
        cut = exp.Floor(this=exp.Add(this=exp.Mul(this=value, expression=power) if power else value, expression=off))
        node.replace(
            _named(node, exp.Paren(this=exp.Div(this=_double(cut), expression=power.copy())) if power else cut)
        )
        return True
    if not node.is_type(*exp.DataType.INTEGER_TYPES) or isinstance(node.this, exp.Literal):
        return False
    node.set("this", exp.Floor(this=exp.Add(this=_in_doubles(node.this), expression=off)))
    return True


def _is_selected(node: exp.Expr, query: exp.Query) -> bool:
    """Whether it is all of a column of the answer, and its digits are compared as far as engines give them."""
    from sqlglot import exp

    while isinstance(node.parent, (exp.Alias, exp.Paren)):
        node = node.parent
    return node.parent is query


def _counted(node: exp.Expr, aliases: Collection[str]) -> bool:
    """Whether it is arithmetic of columns and of aggregates of them, which in doubles is nearly the same everywhere."""
    from sqlglot import exp

    node = node.unnest()
    if isinstance(node, (exp.Sum, exp.Avg, exp.Min, exp.Max)):
        return _plain(node.this, aliases)
    if isinstance(node, (exp.Add, exp.Sub, exp.Mul, exp.Div)):
        return _counted(node.this, aliases) and _counted(node.expression, aliases)
    if isinstance(node, exp.Nullif) or _is_double(node):
        return _counted(node.this, aliases)
    return isinstance(node, exp.Count) or _plain(node, aliases)


def _plain(node: exp.Expr, aliases: Collection[str]) -> bool:
    """Whether it is arithmetic of columns of tables and of numbers, which in doubles has the same bits everywhere."""
    from sqlglot import exp

    node = node.unnest()
    if isinstance(node, exp.Column):
        return _of_column(node, aliases)
    if isinstance(node, exp.Literal):
        return not node.is_string
    if isinstance(node, (exp.Add, exp.Sub, exp.Mul, exp.Div)):
        return _plain(node.this, aliases) and _plain(node.expression, aliases)
    if isinstance(node, (exp.Neg, exp.Floor, exp.Nullif)):
        return _plain(node.this, aliases)
    return _is_double(node) and _plain(node.this, aliases)


def _of_column(node: exp.Expr, aliases: Collection[str]) -> bool:
    from sqlglot import exp

    return isinstance(node, exp.Column) and node.name.lower() not in aliases and "(" not in node.name


def _in_doubles(node: exp.Expr) -> exp.Expr:
    """Arithmetic whose columns and fractions are doubles first: a decimal has other digits than a double."""
    from sqlglot import exp

    found = exp.Paren(this=node.copy())
    for one in list(found.find_all(exp.Column, exp.Literal)):
        if not _is_double(one.parent) and not (isinstance(one, exp.Literal) and one.is_int):
            one.replace(_double(one))
    return found


def _double(node: exp.Expr) -> exp.Cast:
    from sqlglot import exp

    return exp.cast(node.copy(), "DOUBLE")


def _is_double(node: exp.Expr | None) -> bool:
    from sqlglot import exp

    return isinstance(node, exp.Cast) and node.is_type("double")


def _named(node: exp.Expr, instead: exp.Expr) -> exp.Expr:
    """What stands instead of a column of the answer keeps its name."""
    from sqlglot import exp

    selected = isinstance(node.parent, exp.Select) and node.arg_key == "expressions"
    name = node.name if isinstance(node, exp.Column) else ""
    return exp.alias_(instead, name, quoted=bool(node.this.args.get("quoted"))) if selected and name else instead
