"""Contenders that are data frames: questions as they take them, and what exists as SQL alone."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from weigh.answers import constructs
from weigh.model import codes, units
from weigh.model.data import frames

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from weigh.engines.prepared import PreparedContender
    from weigh.experiment.gate.sampled_rows import Sample
    from weigh.model.finding import Finding
    from weigh.model.operation import Workload


_PLAIN = re.compile(r"[A-Za-z_]\w*")
_RESERVED = frozenset({
    "all", "and", "any", "as", "asc", "case", "cast", "check", "column", "constraint", "create", "cross",
    "default", "desc", "distinct", "else", "end", "except", "false", "from", "full", "grant", "group", "having",
    "in", "inner", "intersect", "into", "is", "join", "left", "like", "limit", "natural", "not", "null",
    "offset", "on", "or", "order", "outer", "primary", "references", "right", "select", "set", "table", "then",
    "to", "true", "union", "unique", "user", "using", "values", "when", "where", "window", "with",
})  # fmt: skip
"""Words that no engine takes for the name of a table without quotation marks."""
_BACKTICKS = ("mysql", "spark", "databricks", "bigquery")


def _named(table: str, dialect: str) -> str:
    """The name of a table or a column in SQL: in quotation marks where it must be."""
    if _PLAIN.fullmatch(table) and table.lower() not in _RESERVED:
        return table
    mark = "`" if dialect in _BACKTICKS else '"'
    return f"{mark}{table.replace(mark, 2 * mark)}{mark}"


def every_row(table: str, dialect: str, columns: Sequence[str] = ()) -> str:
    """All rows of a table, or some columns of them, which are asked in SQL alone."""
    if frames.is_frames(dialect):
        return frames.whole(table, dialect)
    return f"SELECT {_listed(columns, dialect)} FROM {_named(table, dialect)}"


def _listed(columns: Sequence[str], dialect: str) -> str:
    return ", ".join(_named(one, dialect) for one in columns) or "*"


def row_count(table: str, dialect: str) -> str:
    """The number of its rows."""
    return (
        frames.counted(table, dialect)
        if frames.is_frames(dialect)
        else f"SELECT count(*) AS n FROM {_named(table, dialect)}"
    )


def drawn_rows(table: str, dialect: str, sample: Sample, columns: Sequence[str] = ()) -> str:
    """The rows of a sample, or some columns of them, which are asked in SQL alone."""
    if frames.is_frames(dialect):
        return frames.drawn(table, dialect, sample.column, sample.modulus, sample.remainder)
    return f"SELECT {_listed(columns, dialect)} FROM {_named(table, dialect)} WHERE {sample.predicate}"


def findings(contenders: Sequence[PreparedContender], workload: Workload) -> list[Finding]:
    """That some contenders execute functions, what that compares, and what could not be put to them."""
    ours = [one for one in contenders if frames.is_frames(one.engine.dialect)]
    if not ours:
        return []
    others = [one.name for one in contenders if one not in ours]
    names = ", ".join(one.name for one in ours)
    found = [
        codes.X_FRAMES.finding(
            text=f"{names} {'execute functions' if len(ours) > 1 else 'executes functions'}, "
            + (f"and {', '.join(others)} SQL: the same question, in SQL and as an expression" if others else "no SQL")
            + ", and a difference is one of both the library and the function",
            remedy="the page and workload.json have the text of each function",
        )
    ]
    for one in ours:
        without = [each.name for each in workload.operations if one.engine.dialect not in each.dialect]
        if without:
            found.append(
                codes.X_FRAMES_SQL.finding(
                    contender=one.name,
                    text=f"{units.count(len(without), 'operation')} of {len(workload.operations)} "
                    f"{'exist' if len(without) > 1 else 'exists'} as SQL alone: {', '.join(without)}",
                    remedy=f"write a function of that name for {one.engine.dialect.removeprefix(frames.PREFIX)}",
                )
            )
    return found


def unasked(contender: str, queries: Iterable[str]) -> list[Finding]:
    """The probes of what SQL leaves open, which are constants of SQL.

    Args:
        contender: name of a data frame.
        queries: the SQL of operations that no witness knows the answer of.
    """
    keys = {one.key for sql in queries for one in constructs.of(sql)}
    number = sum(len(constructs.PROBES[key]) for key in keys if key in constructs.PROBES)
    if not number:
        return []
    return [
        codes.X_FRAMES_SQL.finding(
            contender=contender,
            text=f"{units.count(number, 'question')} about what SQL leaves open exist as SQL alone, and "
            f"{'was' if number == 1 else 'were'} not put to it",
            remedy="nothing is wrong; its answers were compared as always",
        )
    ]
