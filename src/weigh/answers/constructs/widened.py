"""A query in which no integer leaves its type: the same question, of which right engines have one answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.answers.constructs.widths import Range, arithmetic, overflows, parsed, width_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlglot import exp

_WIDE = "BIGINT"


def widened(sql: str, ranges: Mapping[str, Range]) -> str | None:
    """The query with its arithmetic in 64 bits; None where no value leaves its type, or some would leave that one too.

    Args:
        sql: the query.
        ranges: of the data's columns, by name in small letters.
    """
    import sqlglot
    from sqlglot import exp

    found = overflows(sql, ranges)
    query = parsed(sql)
    if not found or query is None:
        return None
    query = query.copy()
    for node in [one for one in query.walk() if arithmetic(one) and one.sql() in found]:
        for part in list(node.walk()):
            if isinstance(part, exp.Cast) and width_of(part.to) is not None:
                part.set("to", exp.DataType.build(_WIDE))
            elif _operand(part, ranges) and not _is_cast(part.parent):
                part.replace(exp.cast(part.copy(), _WIDE))
    try:
        text = query.sql(dialect="duckdb", unsupported_level=sqlglot.ErrorLevel.RAISE)
    except sqlglot.errors.SqlglotError:
        return None
    return None if overflows(text, ranges) else text


def _operand(part: exp.Expr, ranges: Mapping[str, Range]) -> bool:
    """Whether it is what integers are read from: a column of them, or a part of a moment."""
    from sqlglot import exp

    if isinstance(part, exp.Column):
        known = ranges.get(part.name.lower())
        return known is not None and known.whole
    return isinstance(part, (exp.Extract, exp.Length))


def _is_cast(node: exp.Expr | None) -> bool:
    from sqlglot import exp

    return isinstance(node, exp.Cast) and width_of(node.to) is not None
