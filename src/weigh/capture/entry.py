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

SENTENCES: dict[Reason, str] = {
    "broken": "lines or entries are not in the form of the source",
    "torn": "entries end before their statement does",
    "too-long": "entries are longer than weigh reads, and were passed over",
    "not-utf8": "lines are no UTF-8 and were read as Latin-1; --encoding says what they are",
    "no-statement": "durations or parameters have no statement before them; log_statement or "
    "log_min_duration_statement adds it",
    "phases": "entries are of parsing, planning or fetching more rows, and belong to a call that is counted",
    "other-messages": "messages of the server are no calls",
    "background": "entries are of processes of the server itself",
    "filtered": "calls are of another database than --database",
    "failed": "calls failed, or are of a transaction of which one did: they are in no script",
    "utility": "calls are of commands that are no queries and change no rows: they are in no script",
    "accounts": "calls make or change accounts and passwords: they are nowhere in the output",
    "copy": "calls are COPY, whose rows no source has: they are nowhere in the output",
    "unreadable": "calls have a text in which no literals could be found, such as one that was cut off",
    "too-many": "calls are of statements beyond the number that is kept apart",
    "rare": "calls are of the rarest statements, beyond what --cover and --top ask for: they are in no script",
    "no-values": "calls have parameters whose values the source does not tell; a log with parameters tells them, or "
    "pg_stats by URL",
    "cut-transaction": "calls are of transactions whose beginning or end the source does not have: each stands alone",
    "redacted": "values were secrets, or stood where secrets stand: another text stands in their place",
}
"""What each reason for leaving something out, or for changing it, means; the number comes before it."""


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
