"""A history in a table of ClickHouse, by URL of its HTTP interface."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, unquote, urlsplit

from weigh.history.remote.program import Reply, ask
from weigh.load.target.secrecy import hide
from weigh.model.errors import EnvironmentFault, EvidenceFault, UsageError
from weigh.model.text import sentences

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

REQUIRES = ("clickhouse-connect==1.12.0",)
PASSWORD = "CLICKHOUSE_PASSWORD"
"""Where the password may stand instead, as ClickHouse's own client has it."""
USER = "CLICKHOUSE_USER"
_PROGRAM = Path(__file__).parent / "clickhouse_program.py"
_SHORT = 12
"""Characters of an id that name a row."""
_WRITTEN = "write clickhouse://USER@HOST:PORT/DATABASE, with ?secure=true for TLS"
_ANOTHER = "there is a table weigh_history that weigh did not make: name another database"
_REMEDIES = {
    **dict.fromkeys(("16", "47", "181"), _ANOTHER),
    "81": "check the name of the database",
    "164": "this user may only read: name one that may write",
    "497": "let an administrator GRANT CREATE TABLE, SELECT and INSERT on weigh_history to this user",
    "516": "check the user and the password",
}
"""By ClickHouse's number of the error (its ErrorCodes.cpp)."""


@dataclass(frozen=True, slots=True)
class ClickHouseHistory:
    """A history in the table ``weigh_history``, which the first entry makes.

    Attributes:
        name: its URL, without a password.
        connect: as clickhouse-connect takes it.
    """

    name: str
    connect: dict[str, Any] = field(repr=False)

    def __str__(self) -> str:
        """Without a password."""
        return self.name

    def add(self, entries: Sequence[tuple[str, str]]) -> list[str]:
        """Keep entries, each an id and its JSON.

        Returns:
            Ids of those that were not there. ClickHouse has no unique keys: of two who add the same entry at the same
            moment both may be told so, and it is read once.

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
            REQUIRES,
            {"connect": self.connect, "add": entries},
            where=self.name,
            silent="the server did not answer as ClickHouse does",
        )
        if said.code == "no-table":
            raise EvidenceFault(
                "there is no history", where=self.name, remedy="weigh history add EVIDENCE --to URL makes one"
            )
        if said.error is not None:
            raise EnvironmentFault(
                f"the history there cannot be used: {sentences(said.error)}",
                where=self.name,
                remedy=_REMEDIES.get(said.code, "see whether it runs there, and whether this is its HTTP port"),
            )
        return said


def history(text: str, environment: Mapping[str, str] = os.environ) -> ClickHouseHistory:
    """The history of a URL; the password is hidden from the list of processes.

    Raises:
        UsageError: it is no URL of a server. The text of the error has no password.
    """
    try:
        parts = urlsplit(text)
        host, port, given = parts.hostname, parts.port, dict(parse_qsl(parts.query, keep_blank_values=True))
    except ValueError:
        # What Python says of it may quote the password.
        raise UsageError("the URL of the history is none", remedy=_WRITTEN) from None
    if "@" in parts.path + parts.query + parts.fragment:
        raise UsageError(
            "the URL of the history has an '@' behind its host",
            remedy="in a password write / ? # @ as %2F %3F %23 %40",
        )
    secure = given.pop("secure", "false").lower()
    database = unquote(parts.path.strip("/"))
    if not host or given or secure not in ("true", "false") or "/" in database:
        raise UsageError("the URL of the history names no server and database", remedy=_WRITTEN)
    user = unquote(parts.username) if parts.username else environment.get(USER, "default")
    password = unquote(parts.password) if parts.password is not None else environment.get(PASSWORD, "")
    name = _without_password(text, parts.password)
    if parts.password is not None:
        hide(text, name)
    connect = {
        "host": host,
        "port": port or (8443 if secure == "true" else 8123),
        "username": user,
        "password": password,
        "secure": secure == "true",
    }
    return ClickHouseHistory(name, connect | ({"database": database} if database else {}))


def _without_password(text: str, password: str | None) -> str:
    return text if password is None else text.replace(f":{password}@", "@", 1)
