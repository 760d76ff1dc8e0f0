"""Names of tables and columns: words that can be spoken, by the key."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from weigh.obfuscation.key import Key

_CONSONANTS = "bdfghjklmnprstvwz"
_VOWELS = "aeiou"
_SYLLABLES = 4
_KEPT = frozenset(("public", "excluded", "information_schema", "ctid", "oid", "new", "old", "default"))


class Names:
    """The map. Case means nothing, as in SQL.

    Args:
        key: decides.
    """

    def __init__(self, key: Key) -> None:
        self._key = key
        self.name = lru_cache(maxsize=16_384)(self._name)

    def _name(self, name: str) -> str:
        """The image of a name; those that the server itself has stay."""
        lowered = name.lower()
        if not lowered or lowered in _KEPT or lowered.startswith("pg_"):
            return name
        made = self._key.derived(f"name {lowered}")
        pairs = zip(made[:_SYLLABLES], made[_SYLLABLES : 2 * _SYLLABLES], strict=True)
        return "".join(_CONSONANTS[one % len(_CONSONANTS)] + _VOWELS[two % 5] for one, two in pairs)
