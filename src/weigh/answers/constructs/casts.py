"""Casts, roundings and remainders: what they do to a fraction is left open, and to a whole number it is not."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from weigh.answers.constructs.construct import FRACTION, anything
from weigh.answers.constructs.explaining import near, number, remaining

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlglot import exp

    from weigh.answers.constructs.construct import Explains

_FIRST_YEAR, _LAST_YEAR = 1900, 2299
"""Of ClickHouse's Date32."""


def cast(node: exp.Cast) -> Iterator[tuple[str, str, Explains]]:
    """What a cast leaves open."""
    from sqlglot import exp

    if node.is_type("date", "timestamp", "datetime") and _far(node.this):
        yield "years", "a date before 1900 or after 2299 is another one to some engines, as ClickHouse", anything
    if node.is_type(*exp.DataType.INTEGER_TYPES):
        yield (
            f"{FRACTION}integer {node.sql()}",
            "a cast of a fraction to an integer rounds in some engines and truncates in others",
            near(Decimal(1)),
        )
    elif node.is_type(*exp.DataType.TEXT_TYPES):
        yield (
            "text",
            "how numbers, booleans and times are written as text, and padded or cut to a length, is left open by SQL",
            anything,
        )
    elif node.is_type("array", "list", "map", "struct"):
        yield "members", "how text is read as a list, a map or a struct is left open by SQL", anything
    elif node.is_type("decimal"):
        arguments = [one.name for one in node.to.expressions]
        digits = int(arguments[1]) if len(arguments) > 1 and arguments[1].isdigit() else 0
        yield (
            f"{FRACTION}decimal {node.sql()}",
            "a cast to fewer decimal places rounds in some engines and truncates in others",
            near(Decimal(1).scaleb(-digits)),
        )


def _far(node: exp.Expr) -> bool:
    """Whether it is the text of a day that ClickHouse has not."""
    from sqlglot import exp

    year = node.name[:4] if isinstance(node, exp.Literal) and node.is_string else ""
    return year.isdigit() and not _FIRST_YEAR <= int(year) <= _LAST_YEAR


def fraction(node: exp.Expr) -> bool:
    """Whether a number is written so that it is none of the integers."""
    from sqlglot import exp

    node = node.unnest()
    if isinstance(node, exp.Literal):
        return not node.is_string and not node.is_int
    if isinstance(node, exp.Cast):
        return node.is_type(*exp.DataType.REAL_TYPES) or node.is_type("decimal")
    if isinstance(node, (exp.Mul, exp.Add, exp.Sub)):
        return fraction(node.this) or fraction(node.expression)
    return isinstance(node, exp.Neg) and fraction(node.this)


def mixed(node: exp.Expr) -> bool:
    """Whether it is of what has another type in each engine: 8.0, what is divided, a sum that is divided.

    Those are decimals or doubles, and the sum of 64-bit integers is an integer or, to PostgreSQL, a decimal.
    """
    from sqlglot import exp

    if isinstance(node, exp.Div):
        return any(one.find(exp.Sum) is not None for one in node.iter_expressions())
    if not isinstance(node, (exp.Cast, exp.Round)):
        return False
    return any(
        isinstance(one, exp.Div) or (isinstance(one, exp.Literal) and not one.is_string and not one.is_int)
        for one in node.this.walk()
    )


def remainder(node: exp.Mod) -> Iterator[tuple[str, str, Explains]]:
    """What a remainder leaves open: its sign, and what becomes of fractions, so that it is off by a divisor at most."""
    from sqlglot import exp

    by = node.expression.unnest()
    by = by.this if isinstance(by, exp.Neg) else by
    divisor = number(by.name) if isinstance(by, exp.Literal) else None
    explains = remaining(divisor) if divisor is not None else anything
    yield (
        f"{FRACTION}modulo {node.sql()}",
        "% of negative numbers and of fractions is left open by SQL",
        explains,
    )
    if any(isinstance(one, exp.Literal) and fraction(one) for one in node.walk()):
        yield "remainder", "what is written with a point is a decimal to some engines and a double to others", explains


def rounded(node: exp.Round) -> Iterator[tuple[str, str, Explains]]:
    """What a rounding leaves open."""
    from sqlglot import exp

    digits = node.args.get("decimals")
    if isinstance(digits, exp.Neg):
        yield "round up", "digits before the point are not rounded by some engines, as SQLite", anything
    unit = Decimal(1).scaleb(-int(digits.name)) if digits is not None and digits.name.isdigit() else Decimal(1)
    known = digits is None or digits.name.isdigit()
    yield (
        f"{FRACTION}round {node.sql()}" if known else "round",
        "a half is rounded to the even digit by some engines and away from zero by others",
        near(unit),
    )
