"""Names of the columns of an answer, where the query promises them.

A name that the query gives with AS is a promise. How an engine calls an expression without a name, or a column that is
written with its table, is its own affair.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from weigh.answers.comparison import mismatch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.answers.comparison import Comparison

_LONGEST = 63
"""Bytes of a name that every engine keeps: PostgreSQL cuts the rest off."""


def swapped(got: Sequence[str], names: Sequence[str]) -> Comparison | None:
    """What differs where an answer has the names of its schema in another order; compared without case."""
    ours, known = _folded(got), _folded(names)
    if ours == known or sorted(ours) != sorted(known) or len(set(known)) < len(known):
        return None
    return mismatch("(column names)", ", ".join(got), ", ".join(names))


def renamed(got: Sequence[str], names: Sequence[str], sql: str) -> Comparison | None:
    """What differs where a column that the query names with AS comes under another name."""
    ours, known = _folded(got), _folded(names)
    if ours == known or len(ours) != len(known):
        return None
    promised = _aliases(sql)
    if len(promised) != len(known):
        return None
    for mine, right, alias, header in zip(ours, known, promised, got, strict=True):
        if alias is not None and alias == right and mine != right and len(right.encode()) <= _LONGEST:
            return mismatch("(column names)", header, right)
    return None


def _folded(names: Sequence[str]) -> list[str]:
    return [name.casefold() for name in names]


@cache
def _aliases(sql: str) -> tuple[str | None, ...]:
    """The name that a query gives to each of its columns, None where it gives none; empty where it cannot be read."""
    import sqlglot
    from sqlglot import exp

    try:
        query = sqlglot.parse_one(sql, read="duckdb")
    except (sqlglot.errors.SqlglotError, RecursionError):
        return ()
    if not isinstance(query, exp.Query) or any(one.is_star for one in query.selects):
        return ()
    return tuple(one.alias.casefold() if isinstance(one, exp.Alias) else None for one in query.selects)
