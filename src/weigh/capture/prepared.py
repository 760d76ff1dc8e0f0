"""Statements that were prepared under a name, by session: whether what is given to them later may be a secret."""

from __future__ import annotations

import hashlib
import re
from collections import OrderedDict

_NAME = r"(\"(?:[^\"]|\"\"){0,128}\"|`[^`]{0,128}`|[\w$]{1,128})"
_PREPARES = re.compile(rf"\bprepare\s+{_NAME}", re.IGNORECASE)
_EXECUTES = re.compile(rf"\bexecute\s+{_NAME}", re.IGNORECASE)
_MOST_SESSIONS = 10_000
_MOST_NAMES = 200_000
"""Of all sessions; the names of those that are longest unused go first, and are unknown then."""
_MOST_SCRIPTS = 10_000


class Prepared:
    """Remembers names, and scripts of Redis by their sums."""

    def __init__(self) -> None:
        self._sessions: OrderedDict[str, dict[str, bool]] = OrderedDict()
        self._number = 0
        self._scripts: OrderedDict[str, bool] = OrderedDict()

    def prepare(self, session: str, text: str, *, suspicious: bool) -> None:
        """A statement that prepares others, and may hold a word of a secret."""
        names = self._sessions.setdefault(session, {})
        self._sessions.move_to_end(session)
        for found in _PREPARES.finditer(text):
            self._number += found[1].lower() not in names
            names[found[1].lower()] = suspicious
        while len(self._sessions) > _MOST_SESSIONS or self._number > _MOST_NAMES:
            self._number -= len(self._sessions.popitem(last=False)[1])

    def suspicious(self, session: str, text: str) -> bool:
        """Whether a statement executes one that may hold a secret, or one of which nothing is known."""
        names = self._sessions.get(session, {})
        return any(names.get(found[1].lower(), True) for found in _EXECUTES.finditer(text))

    def load(self, script: bytes, *, suspicious: bool) -> None:
        """A script of Redis."""
        self._scripts[hashlib.sha1(script, usedforsecurity=False).hexdigest()] = suspicious
        if len(self._scripts) > _MOST_SCRIPTS:
            self._scripts.popitem(last=False)

    def suspicious_script(self, digest: str) -> bool:
        """Whether a script may hold a secret; one of which nothing is known may."""
        return self._scripts.get(digest.lower(), True)
