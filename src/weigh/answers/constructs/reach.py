"""How far the integers of an answer may go by the data: what is beyond has not wrapped around anywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.answers.constructs.widths import Ranged, Width, columns_of, parsed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlglot import exp

    from weigh.answers.constructs.widths import Range

UNKNOWN = "?"
NOWHERE = "-"
_COLUMNS = "; "
_WIDE = Width(64, signed=True)
"""What is beyond it wraps around in several ways."""


def columns(sql: str) -> frozenset[str]:
    """Names of columns that what a query computes depends on, in small letters; none where nothing is to be known."""
    from sqlglot import exp

    query = parsed(sql)
    if not isinstance(query, exp.Select):
        return frozenset()
    return frozenset(columns_of(*(one for one in query.selects if not isinstance(one.unalias(), exp.Column))))


def described(sql: str, ranges: Mapping[str, Range]) -> str:
    """For each column of the answer its smallest and greatest number, or that none of them leaves a type, in one text.

    Args:
        sql: the query.
        ranges: of the data's columns, by name in small letters.
    """
    from sqlglot import exp

    query = parsed(sql)
    if not isinstance(query, exp.Select) or query.is_star:
        return ""
    # Names of columns behind that of a table are of what may be computed; joined rows are more than a table's.
    named = any(one.args.get("columns") for one in query.find_all(exp.TableAlias))
    many = sum(1 for _ in query.find_all(exp.Table, exp.Unnest, exp.Explode, exp.Lateral)) > 1
    return _COLUMNS.join(UNKNOWN if named else _of(query, one.unalias(), ranges, many) for one in query.selects)


def may_be(text: str, at: int, value: int) -> bool:
    """Whether a number in a column of an answer may be that which wraps around in some engines.

    Args:
        text: of :func:`described`; empty where nothing is known.
        at: position of the column.
        value: the number.
    """
    known = text.split(_COLUMNS)
    one = known[at] if text and at < len(known) else UNKNOWN
    if one in (UNKNOWN, NOWHERE):
        return one == UNKNOWN
    low, high = map(int, one.split())
    return low <= value <= high


def _of(query: exp.Expr, select: exp.Expr, ranges: Mapping[str, Range], many: bool) -> str:
    from sqlglot import exp

    if isinstance(select, exp.Count):
        return NOWHERE
    if many and any(not isinstance(one, exp.Count) for one in query.find_all(exp.Sum, exp.Count)):
        return UNKNOWN
    ranged = Ranged(query, ranges)
    found = ranged.of(select)
    if found is None or not found.whole or not _WIDE.holds(*found[:2]):
        return UNKNOWN
    # Who does not narrow, as SQLite, has the number from before.
    if any(one.kind == "cast" for one in ranged.overflows):
        return UNKNOWN
    # An engine without such types has only half of their numbers.
    unsigned = any(not one.signed and found.high > Width(one.bits, signed=True).most for one in found.widths)
    if not (ranged.overflows or ranged.wraps or unsigned):
        return NOWHERE
    return f"{int(found.low)} {int(found.high)}"
