"""Numbers and moments as logs write them: what is none, or beyond what there can be, is None and never an error."""

from __future__ import annotations

import re
from datetime import UTC, datetime

_NUMBER = re.compile(r"(?:\d{1,30}(?:\.\d{0,30})?|\.\d{1,30})(?:[eE][-+]?\d{1,3})?")
_WHOLE = re.compile(r"\d{1,18}")
LONGEST_CALL = 1e8
"""Seconds: three years."""
_LATEST = datetime(9999, 1, 1, tzinfo=UTC).timestamp()


def number(text: str | None, most: float = LONGEST_CALL) -> float | None:
    """A number that is not negative, written in digits, and not above the most."""
    if text is None or _NUMBER.fullmatch(text) is None:
        return None
    found = float(text)
    return found if found <= most else None


def whole(text: str | None) -> int | None:
    """A whole number that is not negative, of up to 18 digits."""
    return int(text) if text is not None and _WHOLE.fullmatch(text) else None


def epoch(text: str | None) -> float | None:
    """Seconds of the epoch."""
    return number(text, _LATEST)
