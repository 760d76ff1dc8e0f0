"""Which form a source has, by its first lines."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Literal, NamedTuple

from weigh.capture.entry import Tally
from weigh.capture.sources import (
    envelopes,
    log_line_prefix,
    monitor,
    mysql_general_log,
    mysql_slow_log,
    postgres_log,
    totals,
)
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
    "mysql-general-log",
    "performance-schema",
    "monitor",
]
FORMS: dict[Form, str] = {
    "postgres-log": "PostgreSQL's log",
    "postgres-csvlog": "PostgreSQL's csvlog",
    "postgres-jsonlog": "PostgreSQL's jsonlog",
    "pg_stat_statements": "pg_stat_statements",
    "mysql-slow-log": "MySQL's slow log",
    "mysql-general-log": "MySQL's general log",
    "performance-schema": "performance_schema's digests",
    "monitor": "MONITOR of Valkey or Redis",
}
"""Names of forms, and for people."""
_LOOK = 2_000
"""Lines that are looked at."""


class Found(NamedTuple):
    """Of a source.

    Attributes:
        form: of its lines.
        wrapped: whether they stand inside the lines of whoever collected them.
    """

    form: Form
    wrapped: bool = False


def found(paths: Sequence[Path], encoding: str, form: Form | None = None, prefix: str | None = None) -> Found:
    """The form of the first file.

    Args:
        paths: of the files.
        encoding: of their text.
        form: that is given; None where the lines tell.
        prefix: ``log_line_prefix`` that is given: lines that begin with it are of a log of text.

    Raises:
        UsageError: it is empty, cannot be read, or has none of the forms.
    """
    head = list(islice(Lines(paths[:1], encoding, Tally()), _LOOK))
    where = str(paths[0])
    filled = [line for line in head if line.strip()]
    if not filled:
        if form is not None:
            return Found(form)
        raise UsageError("the source is empty", where=where, remedy="name a file with calls in it")
    wrapped = envelopes.are(filled)
    if wrapped:
        filled = [line for line in envelopes.inside(filled, Tally()) if line.strip()] or [""]
    if form is not None:
        return Found(form, wrapped)
    if prefix is not None and log_line_prefix.fits(prefix, filled):
        return Found("postgres-log", wrapped)
    return Found(_form(filled, where, wrapped=wrapped), wrapped)


def _form(filled: Sequence[str], where: str, *, wrapped: bool) -> Form:
    first = filled[0]
    if totals.is_mysql(first):
        return "performance-schema"
    if totals.is_postgres(first):
        return "pg_stat_statements"
    if any(monitor.LINE.match(line) for line in filled[:50]):
        return "monitor"
    if any(mysql_slow_log.is_head(line) for line in filled):
        return "mysql-slow-log"
    if any(mysql_general_log.LINE.match(line) for line in filled[:200]):
        return "mysql-general-log"
    if first.startswith("{") and any('"error_severity"' in line for line in filled):
        return "postgres-jsonlog"
    if any(postgres_log.begins_csv(line) for line in filled[:200]):
        return "postgres-csvlog"
    try:
        log_line_prefix.found(filled)
    except UsageError:
        if envelopes.are_syslog(filled):
            raise UsageError(
                "these are lines of syslog, which cuts statements into parts: weigh does not read them",
                where=where,
                remedy="let the server write its own log: log_destination = 'stderr,jsonlog', logging_collector = on",
            ) from None
        if wrapped:
            raise UsageError(
                "the lines are JSON with others in them, and those have none of the forms that weigh reads",
                where=where,
                remedy="take out the text of each line, as `jq -r .log` does, and say with --format what it is",
            ) from None
        if first.startswith("{"):
            raise UsageError(
                "the lines are JSON, and not what PostgreSQL's jsonlog writes (timestamp, error_severity, message)",
                where=where,
                remedy="take out of each line what the server wrote, as `jq -r .KEY` does, and capture that",
            ) from None
        raise UsageError(
            "the source has none of the forms that weigh reads",
            where=where,
            remedy="say which it is with --format; of PostgreSQL's log also --log-line-prefix, as the server has it",
        ) from None
    return "postgres-log"
