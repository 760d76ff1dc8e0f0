"""A history in a table of PostgreSQL, by URL: several machines can add to it without a shared disk."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weigh.engines.postgres import PSYCOPG
from weigh.history.remote.program import Reply, ask
from weigh.load.target import url as urls
from weigh.load.target.postgres import psycopg_connect
from weigh.load.target.secrecy import hide
from weigh.model.errors import EnvironmentFault, EvidenceFault
from weigh.model.text import sentences

if TYPE_CHECKING:
    from collections.abc import Sequence

_PROGRAM = Path(__file__).parent / "postgres_program.py"
_SHORT = 12
"""Characters of an id that name a row."""
_REMEDIES = {
    "42501": "let an administrator GRANT CREATE ON SCHEMA public, or SELECT and INSERT on weigh_history, to this user",
    "42703": "there is a table weigh_history that weigh did not make: name another database",
    "28P01": "check the user and the password",
    "3D000": "check the name of the database",
}


@dataclass(frozen=True, slots=True)
class PostgresHistory:
    """A history in the table ``weigh_history``, which the first entry makes.

    Attributes:
        name: of the server, without a password.
        connect: as psycopg takes it.
    """

    name: str
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
        return [(f"row {own[:_SHORT]}", text) for own, text in self._ask(()).entries]

    def _ask(self, entries: Sequence[tuple[str, str]]) -> Reply:
        said = ask(
            _PROGRAM,
            PSYCOPG,
            {"connect": self.connect, "add": entries},
            where=self.name,
            silent="the server did not answer as PostgreSQL does",
        )
        if said.code == "no-table":
            raise EvidenceFault(
                "there is no history", where=self.name, remedy="weigh history add EVIDENCE --to URL makes one"
            )
        if said.error is not None:
            raise EnvironmentFault(
                f"the history there cannot be used: {sentences(said.error)}",
                where=self.name,
                remedy=_REMEDIES.get(said.code, "see whether it runs there"),
            )
        return said


def history(text: str) -> PostgresHistory:
    """The history of a URL; the password is hidden from the list of processes.

    Raises:
        UsageError: it is no URL of a server.
    """
    url = urls.parse(text)
    if url.inline:
        hide(text, url.text)
    return PostgresHistory(url.text, psycopg_connect(url))
