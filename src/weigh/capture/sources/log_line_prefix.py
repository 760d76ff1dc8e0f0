"""``log_line_prefix`` of PostgreSQL: from the setting to a pattern of lines."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from weigh.model.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

_ORDERS = ("user=%u,db=%d", "db=%d,user=%u", "user=%u,database=%d")
_ENDS = ("", ",app=%a", ",client=%h", ",app=%a,client=%h", ",client=%h,app=%a")
USUAL = (
    "%m [%p] ",
    "%t [%p] ",
    "%m [%p] %q%u@%d ",
    "%t [%p]: ",
    *(
        f"{time} [%p]{number} {order}{end} "
        for time in ("%t", "%m")
        for number in (": [%l-1]", ":", "")
        for order in _ORDERS
        for end in _ENDS
    ),
    "%t:%r:%u@%d:[%p]:",
    "%m:%r:%u@%d:[%p]:",
    "%m [%p] %u@%d ",
    "%m [%p] [%a] %u@%d ",
    "%m [%c] ",
    "%n [%p] ",
    "%t ",
    "%m ",
)
"""Those of PostgreSQL itself, of Debian, pgBadger's documentation and Amazon RDS; the first that fits is taken."""
_TIME = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d"
_ZONE = r"(?: [A-Z0-9+\-:a-z/_]+)"
_ESCAPES = {
    "a": r".{0,64}?",
    "u": r"\S{0,64}?",
    "d": r"(?P<database>\S{0,64}?)",
    "r": r"\S{0,128}?",
    "h": r"\S{0,128}?",
    "b": r"[\w ]{0,64}?",
    "p": r"(?P<pid>\d+)",
    "P": r"\d*",
    "t": rf"(?P<time>{_TIME}{_ZONE})",
    "m": rf"(?P<time>{_TIME}\.\d{{3}}{_ZONE})",
    "n": r"(?P<epoch>\d{9,11}\.\d{3})",
    "i": r".{0,64}?",
    "e": r"(?P<state>[0-9A-Z]{5})",
    "c": r"(?P<session>[0-9a-f]+\.[0-9a-f]+)",
    "l": r"\d+",
    "s": rf"{_TIME}{_ZONE}",
    "v": r"[0-9/]*",
    "x": r"\d+",
    "Q": r"-?\d+",
    "%": "%",
}
_SEVERITIES = (
    r"(?P<severity>LOG|ERROR|FATAL|PANIC|WARNING|NOTICE|INFO|DEBUG\d?|DETAIL|HINT|STATEMENT|CONTEXT|QUERY|LOCATION"
    r"|BACKTRACE)"
)
_HEAD = 2_000
"""Characters of a line among which its prefix is looked for."""
_LOOK = 400
"""Lines that are looked at."""
_MOST = 200, 8
"""Characters of a setting, and names in it whose length nobody knows: with more a line fits in too many ways."""
REMEDY = "give the server's own: --log-line-prefix \"$(psql -Atc 'show log_line_prefix')\""
"""Where a setting is none, or fits no line."""


class Prefix:
    """The beginning of lines.

    Args:
        setting: ``log_line_prefix``.

    Raises:
        UsageError: it has an escape that PostgreSQL does not know, or no time, or is too long.
    """

    def __init__(self, setting: str) -> None:
        self._match = _pattern(setting).match

    def split(self, line: str) -> tuple[dict[str, str | None], str] | None:
        """What it says of a line, and the message behind it; None of a line that begins otherwise."""
        found = self._match(line, 0, _HEAD)
        return None if found is None else (found.groupdict(), line[found.end() :])


def _pattern(prefix: str) -> re.Pattern[str]:
    """Of the beginning of lines with that prefix."""
    parts, observed, ended = [], set(), False
    if len(prefix) > _MOST[0] or sum(prefix.count(f"%{letter}") for letter in "audrhbi") > _MOST[1]:
        raise UsageError("this log_line_prefix is longer than weigh reads", where=prefix[:80], remedy=REMEDY)
    escapes = re.finditer(r"%(-?\d*)(.)|[^%]+|%$", prefix)
    for found in escapes:
        letter = found[2]
        if letter is None:
            parts.append(re.escape(found[0]))
        elif letter == "q":
            # Processes of the server itself stop here.
            parts.append("" if ended else "(?:")
            ended = True
        elif letter not in _ESCAPES:
            raise UsageError(f"log_line_prefix has no %{letter}", where=prefix, remedy=REMEDY)
        else:
            named = re.search(r"\?P<(\w+)>", _ESCAPES[letter])
            # A name may be there once.
            again = named is not None and named[1] in observed
            one = _ESCAPES[letter].replace(f"?P<{named[1]}>", "?:") if named and again else _ESCAPES[letter]
            observed |= {named[1]} if named else set()
            padded = rf" *{one} *" if found[1] else one
            parts.append(padded)
    if not {"time", "epoch"} & observed:
        raise UsageError("this log_line_prefix has no time (%m, %t or %n)", where=prefix, remedy=REMEDY)
    return re.compile("".join(parts) + (")?" if ended else "") + _SEVERITIES + r":  ?")


def fits(setting: str, lines: Iterable[str]) -> int:
    """How many of these lines begin with it; errors as of :class:`Prefix`."""
    prefix = Prefix(setting)
    return sum(prefix.split(line) is not None for line in lines)


def found(lines: Iterable[str]) -> str:
    """The usual prefix that these lines have.

    Raises:
        UsageError: they have none of them.
    """
    lines = [line for line in lines if line and not line.startswith("\t")][:_LOOK]
    scores = [(fits(one, lines), one) for one in USUAL]
    best = max(score for score, _ in scores)
    if best < max(1, len(lines) // 20):
        raise UsageError(
            "no line of this log begins as one of the usual settings of log_line_prefix has it", remedy=REMEDY
        )
    return next(one for score, one in scores if score == best)
