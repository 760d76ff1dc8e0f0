"""A history in a table of ClickHouse, by URL of its HTTP interface.

ClickHouse has no unique keys: of two who add the same entry at the same moment both may be told that it was not there,
and it is read once.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, unquote, urlsplit

from weigh.history.remote.database import Database, DatabaseHistory
from weigh.load.target.secrecy import hide
from weigh.model.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

PASSWORD = "CLICKHOUSE_PASSWORD"
"""Where the password may stand instead, as ClickHouse's own client has it."""
USER = "CLICKHOUSE_USER"
_WRITTEN = "write clickhouse://USER@HOST:PORT/DATABASE, with ?secure=true for TLS"
_ANOTHER = "there is a table weigh_history that weigh did not make: name another database"
CLICKHOUSE = Database(
    title="ClickHouse",
    program=Path(__file__).parent / "clickhouse_program.py",
    requires=("clickhouse-connect==1.12.0",),
    # By ClickHouse's number of the error (its ErrorCodes.cpp).
    remedies={
        **dict.fromkeys(("16", "47", "181"), _ANOTHER),
        "81": "check the name of the database",
        "164": "this user may only read: name one that may write",
        "too-old": "this server is too old for ClickHouse's own client: name one of a newer version",
        "497": "let an administrator GRANT CREATE TABLE, SELECT and INSERT on weigh_history to this user",
        "516": "check the user and the password",
    },
    otherwise="see whether it runs there, and whether this is its HTTP port",
)


def history(text: str, environment: Mapping[str, str] = os.environ) -> DatabaseHistory:
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
    return DatabaseHistory(name, CLICKHOUSE, connect | ({"database": database} if database else {}))


def _without_password(text: str, password: str | None) -> str:
    return text if password is None else text.replace(f":{password}@", "@", 1)
