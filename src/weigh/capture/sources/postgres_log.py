"""Logs of PostgreSQL: ``stderr`` with a ``log_line_prefix``, ``csvlog`` and ``jsonlog``."""

from __future__ import annotations

import csv
import re
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec

from weigh.capture.sources import log_line_prefix, numbers
from weigh.capture.sources.lines import LONGEST
from weigh.capture.sources.postgres_messages import Calls, Message

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from weigh.capture.entry import Entry, Tally

_FIELD = r'(?:"(?:[^"]|""){0,200}"|[^",]{0,200}),'
_CSV_BEGINS = re.compile(r'\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} [A-Za-z0-9+\-:/_]{1,40},["\w,]')
_CSV_HEAD = re.compile(rf"{_CSV_BEGINS.pattern[:-6]}{_FIELD}{_FIELD}\d*,{_FIELD}(?:[0-9a-f]+\.[0-9a-f]+)?,\d*,")
_CSV_COLUMNS = 14
"""Up to the message; servers before PostgreSQL 13 have fewer behind it than later ones."""
_BACKEND = 23
"""Column that says whose process wrote it, since PostgreSQL 13."""
_CLIENTS = ("client backend", "parallel worker", "")
_PARTS = {"DETAIL": "detail", "STATEMENT": "statement"}
"""Lines that belong to the message before them -> where they go; of other such lines nothing is kept."""
_BELONGS = (*_PARTS, "HINT", "CONTEXT", "QUERY", "LOCATION", "BACKTRACE")


class _Text:
    """A message of a log of text, line by line."""

    def __init__(self, at: float, fields: dict[str, str | None], message: str) -> None:
        self.at = at
        self.fields = fields
        self.parts: dict[str, list[str]] = {}
        self.begin("text", message)
        self.room = LONGEST

    def begin(self, part: str, text: str) -> None:
        """Lines from now on belong there."""
        self.lines = self.parts.setdefault(part, [])
        self.lines.append(text)

    def add(self, line: str) -> None:
        """One more line; of an entry that is too long nothing is kept any more."""
        self.room -= len(line)
        if self.room >= 0:
            self.lines.append(line)

    def message(self) -> Message:
        """As a whole."""
        text = {part: "\n".join(lines) for part, lines in self.parts.items() if part != "ignored"}
        return Message(
            at=self.at,
            session=self.fields.get("session") or self.fields.get("pid") or "",
            severity=self.fields["severity"] or "",
            state=self.fields.get("state") or "",
            **text,
        )


def stderr(lines: Iterable[str], prefix: str, database: str | None, tally: Tally) -> Iterator[Entry]:
    """Calls of a log of text.

    Args:
        lines: of the log.
        prefix: the server's ``log_line_prefix``.
        database: whose calls are wanted; None for all.
        tally: counts what is no call.

    Raises:
        UsageError: the prefix has no time, or is none.
    """
    split, calls = log_line_prefix.Prefix(prefix).split, Calls(tally)
    text: _Text | None = None
    skipping = False
    for line in lines:
        begun = split(line)
        if begun is None:
            if text is not None and line.startswith("\t"):
                text.add(line[1:])
            elif not skipping or not line.startswith("\t"):
                tally.add("broken")
            continue
        fields, message = begun
        severity = fields["severity"]
        if severity in _BELONGS:
            if text is not None:
                text.begin(_PARTS.get(severity, "ignored"), message)
            elif not skipping:
                tally.add("broken")
            continue
        yield from _ended(text, calls, tally)
        text, skipping = None, True
        at = _epoch(fields)
        if at is None:
            tally.add("broken")
        elif database is not None and fields.get("database") not in (None, database):
            tally.add("filtered")
        else:
            text = _Text(at, fields, message)
    yield from _ended(text, calls, tally)
    yield from calls.rest()


def csvlog(lines: Iterable[str], database: str | None, tally: Tally) -> Iterator[Entry]:
    """Calls of a ``csvlog``; arguments and errors as of :func:`stderr`."""
    calls = Calls(tally)
    for record in _records(lines, tally):
        try:
            [row] = csv.reader([record], strict=True)
        except (csv.Error, ValueError):
            tally.add("broken")
            continue
        at = seconds(row[0]) if len(row) >= _CSV_COLUMNS else None
        if at is None:
            tally.add("broken")
            continue
        if len(row) > _BACKEND and row[_BACKEND] not in _CLIENTS:
            tally.add("background")
            continue
        if database is not None and row[2] != database:
            tally.add("filtered")
            continue
        message = Message(
            at=at,
            session=row[5] or row[3],
            severity=row[11],
            state=row[12],
            text=row[13],
            detail=row[14] if len(row) > 14 else "",
            statement=row[19] if len(row) > 19 else "",
        )
        yield from calls.of(message)
    yield from calls.rest()


class _Json(msgspec.Struct):
    timestamp: str
    error_severity: str
    message: str = ""
    session_id: str = ""
    pid: int = 0
    dbname: str | None = None
    state_code: str = ""
    detail: str = ""
    statement: str = ""
    backend_type: str = ""


def jsonlog(lines: Iterable[str], database: str | None, tally: Tally) -> Iterator[Entry]:
    """Calls of a ``jsonlog``; arguments and errors as of :func:`stderr`."""
    calls, decode = Calls(tally), msgspec.json.Decoder(_Json).decode
    for line in lines:
        try:
            fields = decode(line)
        except (msgspec.MsgspecError, UnicodeError):
            tally.add("broken")
            continue
        at = seconds(fields.timestamp)
        if at is None:
            tally.add("broken")
        elif fields.backend_type not in _CLIENTS:
            tally.add("background")
        elif database is not None and fields.dbname != database:
            tally.add("filtered")
        else:
            message = Message(
                at=at,
                session=fields.session_id or str(fields.pid),
                severity=fields.error_severity,
                state=fields.state_code,
                text=fields.message,
                detail=fields.detail,
                statement=fields.statement,
            )
            yield from calls.of(message)
    yield from calls.rest()


def begins_csv(line: str) -> bool:
    """Whether a record of a ``csvlog`` begins with this line."""
    return _CSV_HEAD.match(line) is not None


def _ended(text: _Text | None, calls: Calls, tally: Tally) -> Iterator[Entry]:
    if text is None:
        return
    if text.room < 0:
        tally.add("too-long")
    else:
        yield from calls.of(text.message())


def _records(lines: Iterable[str], tally: Tally) -> Iterator[str]:
    """Records of CSV, which go over several lines inside quotes.

    A quote that nobody closes ends where the next record must begin: it costs one record, and not the rest of the log.
    """
    held: list[str] = []
    size, quotes = 0, 0
    for line in lines:
        if held and (quotes % 2 == 0 or _CSV_BEGINS.match(line)):
            tally.add("broken")
            held, size, quotes = [], 0, 0
        held.append(line)
        size += len(line)
        quotes += line.count('"')
        if size > LONGEST:
            if held:
                tally.add("too-long")
            held, size, quotes = [], 0, 0
        elif quotes % 2 == 0:
            yield "\n".join(held)
            held, size, quotes = [], 0, 0
    if held:
        tally.add("torn")


def _epoch(fields: dict[str, str | None]) -> float | None:
    epoch = fields.get("epoch")
    return numbers.epoch(epoch) if epoch else seconds(fields.get("time") or "")


def seconds(time: str) -> float | None:
    """Of a moment as PostgreSQL writes it; of the epoch where it knows the zone's name. None where it is none."""
    day, _, rest = time.partition(" ")
    clock, _, zone = rest.partition(" ")
    at, dot, part = clock.partition(".")
    whole = _whole(day, at, zone)
    if whole is None or not dot:
        return whole
    fraction = numbers.number(f".{part}")
    return None if fraction is None else whole + fraction


_OFFSET = re.compile(r"([+-]\d\d):?(\d\d)?$")


@lru_cache(maxsize=64)
def _whole(day: str, clock: str, zone: str) -> float | None:
    try:
        at = datetime.fromisoformat(f"{day}T{clock}").replace(tzinfo=UTC)
    except ValueError:
        return None
    offset = _OFFSET.match(zone)
    if offset is None:
        # A name such as CET: moments within a log are right, and its distance from UTC is not known.
        return at.timestamp()
    minutes = int(offset[1]) * 60 + int(offset[1][0] + (offset[2] or "0"))
    return at.timestamp() - minutes * 60
