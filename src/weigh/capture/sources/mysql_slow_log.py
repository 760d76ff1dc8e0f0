"""The slow log of MySQL and MariaDB, as a file."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from weigh.capture.entry import Entry
from weigh.capture.sources.lines import LONGEST

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from weigh.capture.entry import Tally

_TIME = re.compile(r"# Time: (\S+(?: +\d+:\d\d:\d\d)?)")
_SESSION = re.compile(r"\b(?:Id|Thread_id): +(\d+)")
_SCHEMA = re.compile(r"\bSchema: (\S*)")
_TOOK = re.compile(r"\bQuery_time: ([\d.]+)")
_SENT = re.compile(r"\bRows_sent: (\d+)")
_AFFECTED = re.compile(r"\bRows_affected: (\d+)")
_ERROR = re.compile(r"\bLast_errno: (\d+)")
_STAMP = re.compile(r"SET timestamp=(\d+(?:\.\d+)?);$")
_USE = re.compile(r"use `?([^`;]+)`?;$", re.IGNORECASE)
_BEGINS = ("# Time: ", "# User@Host: ")
_BANNER = re.compile(r".*, Version: .*\. (?:started with|embedded library):|Tcp port: |Time +Id Command +Argument")


class _Block:
    """Lines of one call."""

    def __init__(self) -> None:
        self.head: list[str] = []
        self.body: list[str] = []
        self.room = LONGEST


def read(lines: Iterable[str], database: str | None, tally: Tally) -> Iterator[Entry]:
    """Calls of a slow log.

    Args:
        lines: of the log.
        database: whose calls are wanted; None for all.
        tally: is told what is no call.
    """
    block, schema, time = _Block(), "", ""
    for line in lines:
        begins = line.startswith(_BEGINS)
        # Behind the head, a line with a # is a comment of the statement, or names a command of the protocol.
        if begins or (line.startswith("# ") and not block.body):
            if block.body:
                found, schema = _call(block, time, schema, database, tally)
                yield from found
                block = _Block()
            if line.startswith("# Time: "):
                time = line
            else:
                block.head.append(line)
        elif _BANNER.match(line):
            continue
        elif block.head:
            block.room -= len(line)
            if block.room >= 0:
                block.body.append(line)
        elif line.strip():
            tally.add("broken")
    if block.body:
        yield from _call(block, time, schema, database, tally)[0]
    elif block.head:
        tally.add("torn")


def _call(block: _Block, time: str, schema: str, database: str | None, tally: Tally) -> tuple[tuple[Entry, ...], str]:
    """The call of a block, and the schema that holds from there on."""
    head = " ".join(block.head)
    body: list[str] = []
    stamp = None
    named = _SCHEMA.search(head)
    # The Schema of MariaDB is always there; MySQL writes `use` where it changes.
    schema = named[1] if named else schema
    for line in block.body:
        if found := _STAMP.match(line):
            stamp = float(found[1])
        elif not body and (use := _USE.match(line)):
            schema = use[1]
        else:
            body.append(line)
    text, took = "\n".join(body).strip(), _TOOK.search(head)
    if "administrator command:" in head or text.startswith("# administrator command"):
        tally.add("other-messages")
        return (), schema
    if block.room < 0:
        tally.add("too-long")
        return (), schema
    ended = _seconds(time)
    duration = float(took[1]) if took else None
    if not text or duration is None or (stamp is None and ended is None):
        tally.add("broken")
        return (), schema
    if database is not None and schema and schema != database:
        tally.add("filtered")
        return (), schema
    # `# Time` has microseconds and is the end (MySQL 8, MariaDB 11); the stamp is the beginning in whole seconds.
    fine = ended is not None and "." in time
    at = ended - duration if fine and ended is not None else stamp if stamp is not None else ended
    session, sent, changed, error = (one.search(head) for one in (_SESSION, _SENT, _AFFECTED, _ERROR))
    rows = max((int(one[1]) for one in (sent, changed) if one), default=None)
    entry = Entry(
        at=at or 0.0,
        session=session[1] if session else "",
        text=text.rstrip(";").rstrip(),
        duration_s=duration,
        rows=rows,
        error=error[1] if error and error[1] != "0" else None,
    )
    return (entry,), schema


def _seconds(line: str) -> float | None:
    """Of ``# Time:``, which is ISO 8601 (MySQL), or ``YYMMDD hh:mm:ss`` (MariaDB)."""
    found = _TIME.match(line)
    if found is None:
        return None
    text = " ".join(found[1].split())
    try:
        if " " in text:
            return datetime.strptime(text, "%y%m%d %H:%M:%S").replace(tzinfo=UTC).timestamp()
        at = datetime.fromisoformat(text)
    except ValueError:
        return None
    return (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()
