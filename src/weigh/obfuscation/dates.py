"""Dates and moments: all of them are moved by one number of weeks, from 20 to 60 years.

Only so what lies a month apart stays a month apart, and `date + interval` finds what it found.
"""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from weigh.obfuscation.key import Key

_LEAST, _SPAN = 1_044, 2_087
"""Weeks."""
_WHOLE = re.compile(r"(\d{4})-(\d\d)-(\d\d)((?:[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d(?::?\d\d)?)?)?)")
FIRST, LAST = date(2, 1, 1), date(9000, 1, 1)
"""Outside are dates that stand for 'never' or 'unknown': they stay."""


class Dates:
    """The map.

    Args:
        key: decides.
    """

    def __init__(self, key: Key) -> None:
        self.days = 7 * (_LEAST + int.from_bytes(key.derived("weeks")[:4], "big") % _SPAN)

    def text(self, text: str) -> str | None:
        """The image of a text that is an ISO date or moment as a whole; None of another."""
        found = _WHOLE.fullmatch(text)
        if found is None:
            return None
        try:
            day = date(int(found[1]), int(found[2]), int(found[3]))
        except ValueError:
            return None
        return f"{self.day(day).isoformat()}{found[4]}"

    def day(self, day: date) -> date:
        """The image of a day."""
        return day + timedelta(self.days) if FIRST <= day < LAST else day
