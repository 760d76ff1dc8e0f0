"""The general log of MySQL and MariaDB, as a file: every statement as it came, without how long it took.

MariaDB and MySQL until 5.6 write the moment to the second, and only where it changed; MySQL from 5.7 on writes it on
every line, to the microsecond.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from weigh.capture.entry import Entry
from weigh.capture.sources.lines import LONGEST

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from weigh.capture.entry import Tally

_COMMANDS = (
    "Sleep", "Quit", "Init DB", "Query", "Field List", "Create DB", "Drop DB", "Refresh", "Shutdown", "Statistics",
    "Processlist", "Connect", "Kill", "Debug", "Ping", "Time", "Delayed insert", "Change user", "Binlog Dump",
    "Table Dump", "Connect Out", "Register Slave", "Prepare", "Execute", "Long Data", "Close stmt", "Reset stmt",
    "Set option", "Fetch", "Daemon", "Reset connection", "Bulk_execute",
)  # fmt: skip
LINE = re.compile(
    r"(?P<at>\d{6} +\d{1,2}:\d\d:\d\d|\d{4}-\d\d-\d\dT\S+)?\t+ *(?P<session>\d{1,20}) "
    rf"(?P<command>{'|'.join(_COMMANDS)})(?:\t(?P<text>.*)|\s*)$"
)
_CALLS = ("Query", "Execute")
_CONNECTED = re.compile(r"\S+@\S* on (\S*)(?: using|$)|\S+@\S*(?: as \S+)? on (\S+)")
_BANNER = re.compile(r".*, Version: .*\. (?:started with|embedded library):|Tcp port: |Time\s+Id Command\s+Argument")


def read(lines: Iterable[str], database: str | None, tally: Tally) -> Iterator[Entry]:
    """Calls of a general log.

    Args:
        lines: of the log.
        database: whose calls are wanted; None for all.
        tally: counts what is no call.
    """
    schemas: dict[str, str] = {}
    at: float | None = None
    session, body = "", list[str]()

    def call() -> Iterator[Entry]:
        if not body:
            return
        text = "\n".join(body).strip().rstrip(";").rstrip()
        schema = schemas.get(session, "")
        if len(text) > LONGEST:
            tally.add("too-long")
        elif database is not None and schema and schema != database:
            tally.add("filtered")
        elif text:
            if at is None:
                tally.add("no-moment")
            yield Entry(at=at or 0.0, session=session, text=text)

    for line in lines:
        found = LINE.match(line)
        if found is None:
            if body:
                # A statement of several lines.
                body.append(line)
            elif line.strip() and not _BANNER.match(line):
                tally.add("broken")
            continue
        yield from call()
        body, session = [], found["session"]
        at = _moment(found["at"]) if found["at"] else at
        text = found["text"] or ""
        if found["command"] in _CALLS:
            body = [text]
            continue
        if found["command"] == "Init DB":
            schemas[session] = text.strip()
        elif found["command"] == "Connect" and (named := _CONNECTED.match(text)):
            schemas[session] = named[1] or named[2] or ""
        tally.add("other-messages")
    yield from call()


def _moment(text: str) -> float | None:
    form = "%y%m%d %H:%M:%S"
    try:
        # The log names no zone where it has this form.
        found = datetime.fromisoformat(text) if "T" in text else datetime.strptime(" ".join(text.split()), form)
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None
