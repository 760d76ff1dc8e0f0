"""All maps of one key."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from weigh.obfuscation.dates import Dates
from weigh.obfuscation.names import Names
from weigh.obfuscation.numbers import Numbers
from weigh.obfuscation.words import Words

if TYPE_CHECKING:
    from weigh.obfuscation.ids import Ids
    from weigh.obfuscation.key import Key


class Mapping:
    """What becomes of values and names.

    Args:
        key: decides.
        ids: of columns that hold identifiers; None where there are none.
    """

    def __init__(self, key: Key, ids: Ids | None = None) -> None:
        self.key = key
        self.ids = ids
        self.numbers = Numbers(key)
        self.dates = Dates(key)
        self.words = Words(key)
        self.name = Names(key).name
        self.text = lru_cache(maxsize=65_536)(self._text)

    def _text(self, text: str) -> str:
        """The image of a text: as a whole a date, or words."""
        moved = self.dates.text(text)
        return self.words.text(text) if moved is None else moved
