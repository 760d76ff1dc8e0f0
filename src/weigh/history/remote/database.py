"""A history in a table of a database, whichever it is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from weigh.history.remote.program import Reply, ask
from weigh.model.errors import EnvironmentFault, EvidenceFault
from weigh.model.text import sentences

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_SHORT = 12
"""Characters of an id that name a row."""


@dataclass(frozen=True, slots=True)
class Database:
    """A kind of database.

    Attributes:
        title: as its makers write it.
        program: that asks it; imports nothing of weigh.
        requires: exact requirements of the program's environment.
        remedies: by its code of an error.
        otherwise: what to do about any other error.
    """

    title: str
    program: Path
    requires: Sequence[str]
    remedies: Mapping[str, str]
    otherwise: str


@dataclass(frozen=True, slots=True)
class DatabaseHistory:
    """A history in the table ``weigh_history``, which the first entry makes.

    Attributes:
        name: its URL, without a password.
        database: what answers there.
        connect: as its program takes it.
    """

    name: str
    database: Database
    connect: dict[str, Any] = field(repr=False)

    def __str__(self) -> str:
        """Without a password."""
        return self.name

    def add(self, entries: Sequence[tuple[str, str]]) -> list[str]:
        """Keep entries, each an id and its JSON.

        Returns:
            Ids of those that were not there.

        Raises:
            EnvironmentFault: the server cannot be reached, or does not let this user write.
        """
        return self._ask(entries).added if entries else []

    def read(self) -> list[tuple[str, str]]:
        """All entries, each its row's name and its JSON.

        Raises:
            EnvironmentFault: the server cannot be reached, or does not let this user read.
            EvidenceFault: it has no history.
        """
        return [(f"row {identifier[:_SHORT]}", text) for identifier, text in self._ask(()).entries]

    def _ask(self, entries: Sequence[tuple[str, str]]) -> Reply:
        database = self.database
        reply = ask(
            database.program,
            database.requires,
            {"connect": self.connect, "add": entries},
            where=self.name,
            silent=f"the server did not answer as {database.title} does",
        )
        if reply.code == "no-table":
            raise EvidenceFault(
                "there is no history", where=self.name, remedy="weigh history add EVIDENCE --to URL makes one"
            )
        if reply.error is not None:
            raise EnvironmentFault(
                f"the history there cannot be used: {sentences(reply.error)}",
                where=self.name,
                remedy=database.remedies.get(reply.code, database.otherwise),
            )
        return reply
