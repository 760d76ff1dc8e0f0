"""Which form a source has, by its first lines."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Literal

from weigh.capture.entry import Tally
from weigh.capture.sources import log_line_prefix, monitor, postgres_log, totals
from weigh.capture.sources.lines import Lines
from weigh.model.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

Form = Literal[
    "postgres-log",
    "postgres-csvlog",
    "postgres-jsonlog",
    "pg_stat_statements",
    "mysql-slow-log",
    "performance-schema",
    "monitor",
]
FORMS: dict[Form, str] = {
    "postgres-log": "PostgreSQL's log",
    "postgres-csvlog": "PostgreSQL's csvlog",
    "postgres-jsonlog": "PostgreSQL's jsonlog",
    "pg_stat_statements": "pg_stat_statements",
    "mysql-slow-log": "MySQL's slow log",
    "performance-schema": "performance_schema's digests",
    "monitor": "MONITOR of Valkey or Redis",
}
"""Names of forms, and for people."""
_LOOK = 2_000
"""Lines that are looked at."""


def found(paths: Sequence[Path], encoding: str) -> Form:
    """The form of the first file.

    Raises:
        UsageError: it is empty, cannot be read, or has none of the forms.
    """
    head = list(islice(Lines(paths[:1], encoding, Tally()), _LOOK))
    where = str(paths[0])
    filled = [line for line in head if line.strip()]
    if not filled:
        raise UsageError("the source is empty", where=where, remedy="name a file with calls in it")
    first = filled[0]
    if totals.is_mysql(first):
        return "performance-schema"
    if totals.is_postgres(first):
        return "pg_stat_statements"
    if any(monitor.LINE.match(line) for line in filled[:50]):
        return "monitor"
    if any(line.startswith("# Query_time: ") for line in filled):
        return "mysql-slow-log"
    if first.startswith("{") and any('"error_severity"' in line for line in filled):
        return "postgres-jsonlog"
    if any(postgres_log.begins_csv(line) for line in filled[:200]):
        return "postgres-csvlog"
    try:
        log_line_prefix.found(filled)
    except UsageError:
        raise UsageError(
            "the source has none of the forms that weigh reads",
            where=where,
            remedy="say which it is with --format; of PostgreSQL's log also --log-line-prefix, as the server has it",
        ) from None
    return "postgres-log"
