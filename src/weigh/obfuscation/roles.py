"""What a literal is for.

One that is compared with a column, or written to it, is a value of it; the 10 of LIMIT 10 is none.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.obfuscation.literals import Role

_ROWS = "Limit Offset Fetch Ordered Group DataTypeParam DataType WindowSpec TableSample"
"""What is under these says how many rows, or which column by its place."""
_SIZES = (
    "Round Trunc Left Right Pad Substring Overlay SplitPart Ntile Lag Lead NthValue GenerateSeries "
    "ExplodingGenerateSeries PercentileCont PercentileDisc Repeat Chr"
)
_FORMATS = (
    "TimestampTrunc DateTrunc Extract ToChar StrToTime StrToDate TimeToStr TsOrDsToDate StrToUnix DateAdd DateSub "
    "DateDiff TimestampAdd TimestampDiff ToNumber"
)
_RELATIONS = frozenset(("nextval", "currval", "setval", "to_regclass"))


def role(node: Any) -> Role:
    """Of a literal of sqlglot's tree."""
    from sqlglot import exp

    parent, child = node.parent, node
    while isinstance(parent, (exp.Paren, exp.Neg, exp.Tuple)):
        parent, child = parent.parent, parent
    if isinstance(parent, exp.Cast):
        return _cast(node, parent)
    if isinstance(parent, _types(_ROWS)):
        return "count"
    if isinstance(parent, _types("Interval AtTimeZone")):
        return "kept"
    if isinstance(parent, _types("Mul Div Mod IntDiv Pow")):
        return "value" if node.is_string else "kept"
    if isinstance(parent, (exp.Add, exp.Sub)):
        other = parent.expression if parent.this is child else parent.this
        dated = any(isinstance(one, exp.Cast) and one.is_type("date", "timestamp") for one in (other, other.parent))
        return "kept" if dated and not node.is_string else "value"
    if isinstance(parent, exp.Anonymous):
        return "name" if node.is_string and str(parent.this).lower() in _RELATIONS else "value"
    if isinstance(parent, _types(_FORMATS)):
        return "kept"
    if isinstance(parent, _types(_SIZES)):
        return "value" if node.is_string else "kept"
    return _compared_role(parent, child)


def column(node: Any) -> str | None:
    """The name of the column that a literal is compared with, or written to; None where there is none, or two."""
    from sqlglot import exp

    parent, child = node.parent, node
    while isinstance(parent, (exp.Paren, exp.Neg, exp.Cast, exp.Any, exp.Array)):
        parent, child = parent.parent, parent
    if isinstance(parent, exp.Tuple) and isinstance(parent.parent, exp.Values):
        into = parent.parent.parent
        names = into.this.expressions if isinstance(into, exp.Insert) and isinstance(into.this, exp.Schema) else []
        place = next(number for number, one in enumerate(parent.expressions) if one is child)
        return str(names[place].name) if place < len(names) else None
    if isinstance(parent, _types("EQ NEQ LT LTE GT GTE NullSafeEQ NullSafeNEQ Between In")):
        found = [str(one.name) for one in _compared(parent, child) if isinstance(one, exp.Column)]
        return found[0] if len(found) == 1 else None
    return None


def _cast(node: Any, parent: Any) -> Role:
    from sqlglot import exp

    kind = parent.to.this
    if kind in (exp.DataType.Type.INTERVAL, exp.DataType.Type.BOOLEAN):
        return "kept"
    if parent.to.sql("postgres").lower() in ("regclass", "oid"):
        return "name"
    if parent.is_type(*_numeric()):
        return "number" if node.is_string else role(parent)
    return "value" if node.is_string else role(parent)


@lru_cache(maxsize=1)
def _numeric() -> tuple[Any, ...]:
    from sqlglot import exp

    return tuple(exp.DataType.NUMERIC_TYPES)


def _compared_role(parent: Any, child: Any) -> Role:
    from sqlglot import exp

    for other in _compared(parent, child):
        if isinstance(other, (exp.Extract, exp.Year)):
            year = isinstance(other, exp.Year) or str(other.this).lower() == "year"
            return "year" if year else "kept"
        if isinstance(other, _types("Count Length")):
            return "count"
    return "value"


def _compared(parent: Any, child: Any) -> Iterator[Any]:
    """What a literal is compared with."""
    from sqlglot import exp

    if isinstance(parent, (exp.Binary, exp.Between, exp.In)):
        for one in (parent.this, parent.args.get("expression")):
            if one is not None and one is not child:
                yield one.unnest() if isinstance(one, exp.Paren) else one


@lru_cache(maxsize=16)
def _types(names: str) -> tuple[Any, ...]:
    from sqlglot import exp

    return tuple(getattr(exp, name) for name in names.split() if hasattr(exp, name))
