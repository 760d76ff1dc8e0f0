"""What a source tells: calls one by one, or totals of statements."""

from __future__ import annotations

from collections import Counter
from typing import Literal

import msgspec

from weigh.model.units import Seconds

Reason = Literal[
    "broken",
    "torn",
    "too-long",
    "not-utf8",
    "no-statement",
    "phases",
    "other-messages",
    "background",
    "filtered",
    "failed",
    "utility",
    "accounts",
    "copy",
    "unreadable",
    "too-many",
    "rare",
    "no-values",
    "cut-transaction",
    "redacted",
]

_SENTENCES: dict[Reason, tuple[str, str, str]] = {
    "broken": ("line or entry is not", "lines or entries are not", "in the form of the source"),
    "torn": ("entry ends before its statement does", "entries end before their statement does", ""),
    "too-long": (
        "entry is longer than weigh reads, and was",
        "entries are longer than weigh reads, and were",
        "passed over",
    ),
    "not-utf8": (
        "line is no UTF-8 and was",
        "lines are no UTF-8 and were",
        "read as Latin-1; --encoding says what it is",
    ),
    "no-statement": (
        "duration or parameter line has",
        "durations or parameters have",
        "no statement before; log_statement or log_min_duration_statement adds it",
    ),
    "phases": (
        "entry is",
        "entries are",
        "of parsing, planning or fetching more rows, which belong to a call that is counted",
    ),
    "other-messages": ("message of the server is no call", "messages of the server are no calls", ""),
    "background": ("entry is", "entries are", "of processes of the server itself"),
    "filtered": ("call is", "calls are", "of another database than --database"),
    "failed": ("call", "calls", "failed, or in a transaction of which one did: in no script"),
    "utility": (
        "call is a command that is no query and changes",
        "calls are commands that are no queries and change",
        "no rows: in no script",
    ),
    "accounts": ("call makes or changes", "calls make or change", "accounts and passwords: nowhere in the output"),
    "copy": ("call is", "calls are", "COPY, whose rows no source has: nowhere in the output"),
    "unreadable": (
        "call has",
        "calls have",
        "a text in which no literals could be found, such as one that was cut off",
    ),
    "too-many": ("call is", "calls are", "of statements beyond the number that is kept apart"),
    "rare": ("call is", "calls are", "of the rarest statements, beyond what --cover and --top ask for: in no script"),
    "no-values": (
        "call has",
        "calls have",
        "parameters whose values the source does not tell; a log with parameters tells them, or pg_stats by URL",
    ),
    "cut-transaction": (
        "call is",
        "calls are",
        "of transactions whose beginning or end the source does not have: each stands alone",
    ),
    "redacted": (
        "value was a secret, or stood where secrets stand",
        "values were secrets, or stood where secrets stand",
        ": another text stands there",
    ),
}
"""What each reason means: of one, of several, and how both go on."""


def sentence(reason: Reason, number: int) -> str:
    """What a reason for leaving something out, or for changing it, means; the number comes before it."""
    one, several, rest = _SENTENCES[reason]
    said = one if number == 1 else several
    return said + rest if rest.startswith(":") else f"{said} {rest}".rstrip()


class Entry(msgspec.Struct, kw_only=True):
    """One call.

    Attributes:
        at: its moment in seconds, of the epoch where the source says the time zone.
        session: what tells the source's sessions apart.
        text: of the statement, as it was sent; empty of ``redis``.
        bound: values that were sent beside it, for ``$1``, ``$2``, ...
        words: of ``redis``: the command and its arguments, as ``MONITOR`` escapes them.
        duration_s: how long it took.
        rows: that it returned or changed.
        error: SQLSTATE or the like.
    """

    at: float
    session: str
    text: str = ""
    bound: tuple[str | None, ...] = ()
    words: tuple[str, ...] = ()
    duration_s: Seconds | None = None
    rows: int | None = None
    error: str | None = None


class Total(msgspec.Struct, kw_only=True):
    """All calls of one statement.

    Attributes:
        text: with ``$1`` or ``?`` in the place of its values.
        calls: how many.
        time_s: that they took together.
        rows: that they returned or changed together.
        sample: one of them with its values; empty where the source has none.
    """

    text: str
    calls: int
    time_s: Seconds
    rows: int
    sample: str = ""


class Tally:
    """Counts what was left out, by reason."""

    def __init__(self) -> None:
        self.numbers: Counter[Reason] = Counter()

    def add(self, reason: Reason, number: int = 1) -> None:
        """Count it."""
        self.numbers[reason] += number
