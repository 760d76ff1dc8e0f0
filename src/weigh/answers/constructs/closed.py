"""Parts of a query in another form, of which right engines have one value: fractions are cut off, not rounded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.answers.constructs.widths import aliases_of

if TYPE_CHECKING:
    from collections.abc import Collection

    from sqlglot import exp

_MOST_DIGITS = 9
"""Of a rounding: a power of ten that is exact as a double, times numbers as they come."""


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
        if isinstance(node, (exp.Cast, exp.Round, exp.Div)) and _plain(node.this, aliases):
            changed |= _close(node, aliases)
        elif isinstance(node, (exp.Upper, exp.Lower)) and _of_column(node.this, aliases):
            node.replace(_named(node, node.this))
            changed = True
    for node in list(query.find_all(exp.Column)) if singles else ():
        if node.name.lower() in singles and node.name.lower() not in aliases and not _is_double(node.parent):
            node.replace(_named(node, _double(node)))
            changed = True
    return changed


def _close(node: exp.Cast | exp.Round | exp.Div, aliases: Collection[str]) -> bool:
    from sqlglot import exp

    if isinstance(node, exp.Div):
        divisor = node.expression
        if not _plain(divisor, aliases):
            return False
        whole = isinstance(divisor.unnest(), exp.Literal)
        below = divisor.copy() if whole else exp.Nullif(this=divisor.copy(), expression=exp.Literal.number(0))
        above = node.this.copy() if _is_double(node.this) else exp.cast(node.this.copy(), "DOUBLE")
        node.replace(_named(node, exp.Paren(this=exp.Div(this=above, expression=below))))
        return True
    if isinstance(node, exp.Round):
        digits = node.args.get("decimals")
        if digits is not None and not (digits.name.isdigit() and int(digits.name) <= _MOST_DIGITS):
            return False
        power = exp.Literal.number(10 ** int(digits.name)) if digits is not None else None
        value = exp.Paren(this=_in_doubles(node.this))
        cut = exp.Floor(this=exp.Mul(this=value, expression=power) if power else value)
        node.replace(
            _named(node, exp.Paren(this=exp.Div(this=_double(cut), expression=power.copy())) if power else cut)
        )
        return True
    if not node.is_type(*exp.DataType.INTEGER_TYPES) or isinstance(node.this, exp.Literal):
        return False
    node.set("this", exp.Floor(this=_in_doubles(node.this)))
    return True


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
