"""Instants, times of day, durations and intervals as people read them: what is one moment is one text."""

from __future__ import annotations

import datetime

from weigh.answers import texts

INTERVAL_BYTES = 12
"""Of Parquet's INTERVAL: months, days, milliseconds, each of 32 bits."""


def moment(nanoseconds: int) -> str:
    """An instant for people; ``ns`` at its end where it has parts of a microsecond."""
    days, rest = divmod(nanoseconds, texts.DAY)
    cycles, within = divmod(days + texts.EPOCH - 1, 146_097)
    day = datetime.date.fromordinal(within + 1)
    return f"{day.year + 400 * cycles:04}-{day.month:02}-{day.day:02} {clock(rest)}"


def clock(nanoseconds: int) -> str:
    """A time of day for people; ``ns`` at its end where it has parts of a microsecond."""
    seconds, rest = divmod(nanoseconds, 10**9)
    text = f"{seconds // 3_600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    if not rest:
        return text
    return f"{text}.{rest:09} ns" if rest % 1_000 else f"{text}.{rest // 1_000:06}"


def span(nanoseconds: int) -> str:
    """A duration for people: ``3 days 04:05:06``, of which ``-1 days 23:00:00`` is one of minus an hour."""
    days, rest = divmod(nanoseconds, texts.DAY)
    return f"{days:,} {'day' if days == 1 else 'days'} {clock(rest)}"


def interval(value: tuple[int, int, int]) -> str:
    """An interval, of which a day is 24 hours: a duration where it has no months."""
    months, days, nanoseconds = value
    rest = span(days * texts.DAY + nanoseconds)
    return f"{months} months and {rest}" if months else rest


def interval_of(content: bytes) -> tuple[int, int, int]:
    """Months, days and nanoseconds of Parquet's INTERVAL.

    Raises:
        NotThat: it has another width.
    """
    if len(content) != INTERVAL_BYTES:
        raise texts.NotThat(content)
    months, days, milliseconds = (int.from_bytes(content[at : at + 4], "little") for at in (0, 4, 8))
    return months, days, milliseconds * 10**6


def _down(value: int, unit: int) -> int:
    return value // unit


def _to_zero(value: int, unit: int) -> int:
    return -(-value // unit) if value < 0 else value // unit


def _to_nearest(value: int, unit: int) -> int:
    return (2 * value + unit) // (2 * unit)


ROUNDINGS = (_down, _to_zero, _to_nearest)
"""How engines make a count coarser: of a value in some unit, how many of the coarser unit it is."""
