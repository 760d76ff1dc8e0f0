"""Names of tables and columns: words that can be spoken, by the key."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from weigh.obfuscation.key import Key

_CONSONANTS = "bdfghjklmnprstvwz"
_VOWELS = "aeiou"
_SYLLABLES = 4
_RETAINED = frozenset(("public", "excluded", "information_schema", "ctid", "oid", "new", "old", "default"))
_SERVER = re.compile(
    r"pg_(?:catalog|toast|aggregate|am|amop|amproc|attrdef|attribute|auth_members|authid|cast|class|collation|constraint|"
    r"conversion|cursors|database|depend|description|enum|extension|foreign_(?:data_wrapper|server|table)|group|index|"
    r"indexes|inherits|language|largeobject|locks|matviews|namespace|opclass|operator|opfamily|partitioned_table|"
    r"policies|policy|prepared_(?:statements|xacts)|proc|publication|range|replication_(?:origin|slots)|rewrite|roles|"
    r"rules|sequence|sequences|settings|shadow|shdepend|stat_(?:activity|archiver|bgwriter|checkpointer|database|io|"
    r"progress_\w+|replication|slru|ssl|statements|wal|(?:all|sys|user)_(?:indexes|tables)|user_functions)|"
    r"statio_(?:all|sys|user)_(?:indexes|sequences|tables)|statistic|stats|subscription|tables|tablespace|"
    r"timezone_(?:abbrevs|names)|transform|trigger|ts_(?:config|config_map|dict|parser|template)|type|user|views)"
)
"""What PostgreSQL itself has: a table of anybody's may begin so, too."""


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
        if not lowered or lowered in _RETAINED or _SERVER.fullmatch(lowered):
            return name
        made = self._key.derived(f"name {lowered}")
        pairs = zip(made[:_SYLLABLES], made[_SYLLABLES : 2 * _SYLLABLES], strict=True)
        return "".join(_CONSONANTS[one % len(_CONSONANTS)] + _VOWELS[two % 5] for one, two in pairs)
