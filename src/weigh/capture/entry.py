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
    "free-text",
    "copy",
    "unreadable",
    "too-many",
    "rare",
    "no-moment",
    "no-values",
    "cut-transaction",
    "own",
    "redacted",
    "unreplaceable",
]

MARK = "/* weigh capture */"
"""Stands in every statement that a capture sends by itself, and in no other."""

_SENTENCES: dict[Reason, tuple[str, str, str]] = {
    "broken": ("line or entry is", "lines or entries are", "not in the form of the source"),
    "torn": ("entry ends", "entries end", "before the statement does"),
    "too-long": ("entry is", "entries are", "longer than weigh reads, and passed over"),
    "not-utf8": ("line is", "lines are", "no UTF-8 and read as Latin-1; --encoding says what it is"),
    "no-statement": (
        "duration or parameter has",
        "durations or parameters have",
        "no statement before it; log_statement or log_min_duration_statement adds it",
    ),
    "phases": ("entry is", "entries are", "of parsing, planning or fetching more rows of a call that is counted"),
    "other-messages": ("message of the server is", "messages of the server are", "no call"),
    "background": ("entry is", "entries are", "of the server's own processes"),
    "filtered": ("call is", "calls are", "of another database than --database"),
    "failed": ("call", "calls", "failed, or belonged to a transaction that did: in no script"),
    "utility": (
        "call is a command that is no query and changes",
        "calls are commands that are no queries and change",
        "no rows: in no script",
    ),
    "accounts": (
        "call makes or changes",
        "calls make or change",
        "accounts, or hold a word of a secret in a command that is no query or that failed: nowhere in the output",
    ),
    "free-text": (
        "call is a command that carries",
        "calls are commands that carry",
        "any text (COMMENT, DO, NOTIFY, bodies of functions): nowhere in the output",
    ),
    "copy": ("call is", "calls are", "COPY, whose rows no source has: nowhere in the output"),
    "unreadable": (
        "call has",
        "calls have",
        "a text in which no literals could be found, such as one that was cut off or has more than 20,000 words or "
        "4,000,000 characters",
    ),
    "too-many": ("call is", "calls are", "of statements beyond the number that is kept apart"),
    "rare": ("call is", "calls are", "of the rarest statements, beyond what --cover and --top ask for: in no script"),
    "no-moment": ("call has", "calls have", "no moment: no rate and no law of arrivals follows from them"),
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
    "own": ("call is", "calls are", "of weigh capture itself, when it asked this server: nowhere in the output"),
    "redacted": (
        "value is",
        "values are",
        "of calls that hold a secret or may hold one, or look random: another of the same form stands there",
    ),
    "unreplaceable": (
        "call has",
        "calls have",
        "a name or a value that could not be replaced: nowhere in the output",
    ),
}
"""What each reason for leaving something out, or for changing it, means: of one, of several, and the rest."""


def sentence(reason: Reason, number: int) -> str:
    """What so many of a reason mean; the number comes before it."""
    one, several, rest = _SENTENCES[reason]
    return f"{one if number == 1 else several} {rest}"


class Entry(msgspec.Struct, kw_only=True):
    """One call.

    Attributes:
        at: its moment in seconds, of the epoch where the source says the time zone.
        session: what tells the source's sessions apart.
        text: of the statement, as it was sent; empty of ``redis``.
        bound: values that were sent alongside it, for ``$1``, ``$2``, ...
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
