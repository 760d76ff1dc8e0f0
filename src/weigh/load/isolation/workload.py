"""What a load of the workload ``isolation`` is made of. Knows nothing of other loads."""

from __future__ import annotations

import msgspec

NAME = "isolation"
TABLE = "weigh_isolation"
"""The table of its lists."""
LEVELS = ("read-uncommitted", "read-committed", "repeatable-read", "serializable")
"""Levels of SQL, the weakest first."""


class IsolationWorkload(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Transactions whose history is recorded.

    Attributes:
        level: of :data:`LEVELS`, that each of them asks for; None where they take the server's own.
    """

    level: str | None = None

    @property
    def sql(self) -> str | None:
        """The level as SQL names it."""
        return self.level.upper().replace("-", " ") if self.level else None


def normal(level: str) -> str:
    """A level as a server names it, in weigh's form: ``REPEATABLE-READ`` and ``repeatable read`` are one."""
    return level.strip().lower().replace(" ", "-").replace("_", "-")
