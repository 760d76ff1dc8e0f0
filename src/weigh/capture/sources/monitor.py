"""What ``MONITOR`` of Valkey and Redis prints, as a file."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from weigh.capture.entry import Entry
from weigh.capture.sources import numbers

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from weigh.capture.entry import Tally

LINE = re.compile(r'\+?(\d{9,11}\.\d{1,6}) \[(\d+) ([^\]]+)\] ("(?:[^"\\]|\\.)*"(?: "(?:[^"\\]|\\.)*")*)$')
_WORD = re.compile(r'"((?:[^"\\]|\\.)*)"')


def read(lines: Iterable[str], database: str | None, tally: Tally) -> Iterator[Entry]:
    """Commands of clients.

    Args:
        lines: of the dump.
        database: the number of the one whose commands are wanted; None for all.
        tally: counts what is no command of a client.
    """
    for line in lines:
        found = LINE.match(line)
        if found is None:
            if line not in ("OK", "+OK", ""):
                tally.add("broken")
        elif found[3] == "lua":
            # Of a script, whose call is a line of its own.
            tally.add("background")
        elif database is not None and found[2] != database:
            tally.add("filtered")
        else:
            yield Entry(at=numbers.epoch(found[1]) or 0.0, session=found[3], words=tuple(_WORD.findall(found[4])))
