"""The slow log of MySQL, MariaDB and Percona Server, as a file.

A block is a head of lines with a ``#`` and the statement behind them. Which lines the head has differs: ``# Time:``
only where the second changed (MySQL 5), ``# Thread_id: … Schema:`` (MariaDB), ``# Schema: … Last_errno:`` (Percona),
more fields behind ``# Query_time:`` (MySQL 8), or nothing but that one.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from weigh.capture.entry import Entry
from weigh.capture.sources import numbers
from weigh.capture.sources.lines import LONGEST

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from weigh.capture.entry import Tally

_TIME = re.compile(r"#\s*Time: (\S+(?: +\d+:\d\d:\d\d(?:\.\d+)?)?)")
_SESSION = re.compile(r"\b(?:Id|Thread_id): +(\d{1,20})\b")
_SCHEMA = re.compile(r"\b(?:Schema|Db): (?!\w+: )(\S*)")
_TOOK = re.compile(r"\bQuery_time: *(\S+)")
_SENT = re.compile(r"\bRows_sent: *(\d+)")
_AFFECTED = re.compile(r"\bRows_affected: *(\d+)")
_ERROR = re.compile(r"\b(?:Last_errno|Errno): *(\d{1,6})\b")
_START = re.compile(r"\bStart: (\d{4}-\S+)")
_STAMP = re.compile(r"SET (?:timestamp|TIMESTAMP)=(\d+(?:\.\d+)?);\s*$")
_USE = re.compile(r"use `?([^`;]+)`?;\s*$", re.IGNORECASE)
_HEAD = re.compile(
    r"#\s*(?:Time|User@Host|Query_time|Thread_id|Schema|Bytes_sent|Rows_affected|Tmp_tables|QC_Hit|QC_hit|Full_scan|Filesort|"
    r"InnoDB_\w+|No InnoDB|Log_slow_rate_type|Stored_routine|Stored routine|Profile_\w+|explain|administrator command):"
)
_BANNER = re.compile(r".*, Version: .*\. (?:started with|embedded library):|Tcp port: |Time +Id Command +Argument")


class _Block:
    """Lines of one head and what stands behind it."""

    def __init__(self) -> None:
        self.head: list[str] = []
        self.body: list[str] = []
        self.room = LONGEST

    @property
    def whole(self) -> bool:
        """Whether the statement has ended, so that a head may begin."""
        return bool(self.body) and self.body[-1].rstrip().endswith(";") and not _STAMP.match(self.body[-1])


def is_head(line: str) -> bool:
    """Whether it is the line of a slow log that says how long a statement took."""
    return re.match(r"#\s*(?:.*\s)?Query_time: *\d", line) is not None


def read(lines: Iterable[str], database: str | None, tally: Tally) -> Iterator[Entry]:
    """Calls of a slow log.

    Args:
        lines: of the log.
        database: whose calls are wanted; None for all.
        tally: counts what is no call.
    """
    block, schema, time = _Block(), "", ""
    for line in lines:
        # Behind the head, a line with a # is a comment of the statement, or names a command of the protocol.
        begins = line.startswith(("# Time: ", "# User@Host: ")) or (block.whole and _HEAD.match(line) is not None)
        if begins or (line.startswith("#") and not block.body):
            if block.body:
                found, schema = _calls(block, time, schema, database, tally)
                yield from found
                block = _Block()
            elif is_head(line) and any(map(is_head, block.head)):
                # Of that one there is no statement.
                tally.add("torn")
                block = _Block()
            if _TIME.match(line):
                time = line
            else:
                block.head.append(line[:LONGEST])
                block.head = block.head[-50:]
        elif _BANNER.match(line):
            continue
        elif block.head:
            block.room -= len(line)
            if block.room >= 0:
                block.body.append(line)
        elif line.strip():
            tally.add("broken")
    if block.body:
        yield from _calls(block, time, schema, database, tally)[0]
    elif block.head:
        tally.add("torn")


def _calls(block: _Block, time: str, schema: str, database: str | None, tally: Tally) -> tuple[list[Entry], str]:
    """The calls behind a head, and the schema that holds from there on.

    Where a head is missing there is more than one: each begins with its ``SET timestamp``, and how long it took is
    known of the first alone.
    """
    head = " ".join(block.head)
    named = _SCHEMA.search(head)
    # The Schema of MariaDB is always there; MySQL writes `use` where it changes.
    schema = named[1] if named and named[1] else schema
    parts: list[tuple[float | None, str, list[str]]] = [(None, schema, [])]
    for line in block.body:
        stamp, _, body = parts[-1]
        if found := _STAMP.match(line):
            if any(one.strip() for one in body):
                parts.append((numbers.epoch(found[1]), schema, []))
            else:
                parts[-1] = (numbers.epoch(found[1]), schema, body)
        elif (use := _USE.match(line)) and not any(one.strip() for one in body):
            schema = use[1]
            parts[-1] = (stamp, schema, body)
        else:
            body.append(line)
    if block.room < 0:
        tally.add("too-long")
        return [], schema
    made = []
    for place, (stamp, of, body) in enumerate(parts):
        text = "\n".join(body).strip()
        if "administrator command:" in head or text.startswith("# administrator command"):
            tally.add("other-messages")
        elif database is not None and of and of != database:
            tally.add("filtered")
        else:
            entry = _call(head, text, time, stamp, tally, first=place == 0)
            made += [entry] if entry is not None else []
    return made, schema


def _call(head: str, text: str, time: str, stamp: float | None, tally: Tally, *, first: bool) -> Entry | None:
    took = _TOOK.search(head) if first else None
    duration = numbers.number(took[1]) if took else None
    if not text or (first and duration is None):
        tally.add("broken")
        return None
    ended = _seconds(time)
    started = _START.search(head)
    begun = _iso(started[1]) if started and first else None
    # `# Time` has microseconds and is the end (MySQL 8, MariaDB 11); the stamp is the beginning in whole seconds.
    if begun is None and ended is not None and "." in time and first:
        begun = ended - (duration or 0.0)
    at = next((one for one in (begun, stamp, ended) if one is not None), None)
    if at is None:
        tally.add("no-moment")
    session, sent, changed, error = (one.search(head) for one in (_SESSION, _SENT, _AFFECTED, _ERROR))
    counted = [numbers.whole(one[1]) for one in (sent, changed) if one and first]
    return Entry(
        at=at or 0.0,
        session=session[1] if session else "",
        text=text.rstrip(";").rstrip(),
        duration_s=duration,
        rows=max((one for one in counted if one is not None), default=None),
        error=error[1] if error and first and error[1].strip("0") else None,
    )


def _seconds(line: str) -> float | None:
    """Of ``# Time:``, which is ISO 8601 (MySQL), or ``YYMMDD hh:mm:ss`` (MariaDB)."""
    found = _TIME.match(line)
    if found is None:
        return None
    text = " ".join(found[1].split())
    if " " not in text:
        return _iso(text)
    form = "%y%m%d %H:%M:%S.%f" if "." in text else "%y%m%d %H:%M:%S"
    try:
        return datetime.strptime(text, form).replace(tzinfo=UTC).timestamp()
    except ValueError:
        return _iso(text)


def _iso(text: str) -> float | None:
    try:
        at = datetime.fromisoformat(text)
        return (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None
