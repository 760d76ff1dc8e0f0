"""What flags and files of a load say: numbers, durations, rates, texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.model.errors import UsageError
from weigh.model.units import parse_duration

if TYPE_CHECKING:
    from pathlib import Path

LONGEST_NUMBER = 20
"""Digits."""
_LEAST_RATE, _MOST_RATE = 1e-6, 1e7
"""Requests a second that a schedule can have: ``positive`` in crates/weigh-load/src/schedule/arrivals.rs."""


def text_of(what: str, path: Path, most: int) -> str:
    """What a file holds.

    Raises:
        UsageError: it is no regular file, is larger than that many bytes, or holds no text.
    """
    complaint = ""
    try:
        if not path.is_file():
            complaint = "it is no file" if path.exists() else "No such file or directory"
        elif path.stat().st_size > most:
            complaint = f"it has more than {most} bytes"
        else:
            return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        complaint = (error.strerror or str(error)) if isinstance(error, OSError) else "it is no UTF-8 text"
    raise UsageError(f"the {what} cannot be read: {complaint}", where=str(path), remedy="name a file")


def whole(flag: str, text: str) -> int:
    """A whole number above 0."""
    if not text.strip().isdecimal() or len(text) > LONGEST_NUMBER or int(text) < 1:
        raise UsageError(f"{flag} {text} cannot be", remedy="give a whole number above 0")
    return int(text)


def positive(flag: str, value: int | None, usual: int) -> int:
    """The same of a flag that may be left out."""
    if value is None:
        return usual
    if value < 1:
        raise UsageError(f"{flag} {value} cannot be", remedy="give a whole number above 0")
    return value


def duration_of(flag: str, text: str, *, zero: bool = False) -> float:
    """Seconds."""
    value = parse_duration(text)
    if value < 0 or (value == 0 and not zero):
        raise UsageError(f"{flag} {text} cannot be", remedy="give a duration above 0, e.g. 60s")
    return value


def number(text: str) -> float:
    """Any number; `/s` may stand behind it."""
    try:
        return float(text.strip().removesuffix("/s"))
    except ValueError:
        raise UsageError(f"'{text}' is not a number", remedy="write 1000") from None


def rate_of(text: str) -> float:
    """Requests a second; `k` and `M` may stand behind it."""
    compact = text.strip().lower().removesuffix("/s")
    factor = {"k": 1e3, "m": 1e6}.get(compact[-1:], 1.0)
    value = number(compact[:-1] if factor > 1 else compact) * factor
    if not _LEAST_RATE <= value <= _MOST_RATE:
        raise UsageError(
            f"a rate of {text} cannot be",
            remedy="give requests a second, from 0.000001 to 10,000,000, e.g. --rate 1000",
        )
    return value
