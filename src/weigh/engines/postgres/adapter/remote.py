"""A server that is reached by URL: a life is a connection to it, and the tables lie in a schema of their own there."""

from __future__ import annotations

import ipaddress
import json
import secrets
import socket
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import psycopg
from psycopg import sql

from weigh_worker import Failed, silence

from . import copy_in, settings

if TYPE_CHECKING:
    from collections.abc import Mapping

_NOTE = "schema"
_CONNECT_LIMIT = 30
_BUILTIN_COLLATIONS = 170_000
"""First version (server_version_num) with the collation pg_c_utf8."""
_SESSION = {
    # Text in which dates, instants and doubles arrive.
    "DateStyle": "ISO, YMD",
    "TimeZone": "UTC",
    "extra_float_digits": "1",
    # A life that is killed must not leave a query running.
    "client_connection_check_interval": "1s",
}


def connect(url: str, session: Mapping[str, str]) -> psycopg.Connection[Any]:
    """A connection with the contender's settings in force, as far as a session may change them.

    Raises:
        ValueError: a setting is not known or cannot be changed by a session.
        psycopg.OperationalError: the server cannot be reached.
    """
    with silence.given_up(*_address(url), silence.POSTGRES):
        connection = psycopg.connect(
            url,
            autocommit=True,
            prepare_threshold=None,
            client_encoding="UTF8",
            application_name="weigh",
            connect_timeout=_CONNECT_LIMIT,
        )
    for name, value in {**_SESSION, **session}.items():
        try:
            connection.execute("SELECT set_config(%s, %s, false)", (name, value))
        except psycopg.Error as error:
            raise ValueError(f"{name} = {value} cannot be set for a connection by URL: {error}") from None
    settings.check(connection, session)
    return connection


def _address(url: str) -> tuple[str, int]:
    """Where it is; empty of several hosts, and of one that the environment names."""
    parts = urlsplit(url)
    return ("", 0) if "," in parts.netloc else (parts.hostname or "", parts.port or 5432)


def processes(connection: psycopg.Connection[Any]) -> list[int]:
    """The server's first process, where it is one of this machine's and can be observed."""
    address = connection.info.hostaddr
    if address and not ipaddress.ip_address(address).is_loopback:
        return []
    ((backend,),) = connection.execute("SELECT pg_backend_pid()").fetchall()
    try:
        name, rest = Path("/proc", str(backend), "stat").read_text().split("(", 1)[1].rsplit(")", 1)
    except OSError:
        return []
    # Behind a forwarded port its numbers are those of a container.
    return [int(rest.split()[1])] if name.startswith("postgres") else []


def load(connection: psycopg.Connection[Any], tables: dict[str, list[str]], copy: Path) -> None:
    """Load into a new schema; the copy only notes its name, and tables that could not be made."""
    schema = f"weigh_{secrets.token_hex(6)}"
    # Compared by bytes whatever the database's collation is, as the other engines do.
    collation = "pg_c_utf8" if connection.info.server_version >= _BUILTIN_COLLATIONS else "C"
    with connection.transaction():
        connection.execute("SET LOCAL transaction_read_only = off")
        connection.execute(f"CREATE SCHEMA {schema}")
        whose = f"tables of weigh on {socket.gethostname()}; to be dropped when weigh's cache there is gone"
        connection.execute(sql.SQL("COMMENT ON SCHEMA {} IS {}").format(sql.Identifier(schema), sql.Literal(whose)))
        connection.execute(f"SET LOCAL search_path = {schema}")
        made = copy_in.create_each(connection, tables, copy, collation=collation)
    for name in made:
        connection.execute(f"VACUUM (ANALYZE) {schema}.{copy_in.quoted(name)}")
    (copy / _NOTE).write_text(schema)
    # What a transaction had begun when it was killed the server undoes itself.
    info = connection.info
    note = {
        "schema": schema,
        "address": f"postgres://{info.user}@{info.host}:{info.port}/{info.dbname}",
        "drop": f"DROP SCHEMA {schema} CASCADE",
    }
    (copy / "tables.json").write_text(json.dumps(note))


def attach(connection: psycopg.Connection[Any], copy: Path) -> None:
    """See the schema's tables.

    Raises:
        Failed: the server does not have it any more.
    """
    schema = (copy / _NOTE).read_text()
    if not connection.execute("SELECT 1 FROM pg_namespace WHERE nspname = %s", (schema,)).fetchall():
        raise Failed(f"the server has no schema {schema} any more; remove {copy}, and it is loaded again")
    connection.execute("SELECT set_config('search_path', %s, false)", (schema,))
    connection.execute("SET default_transaction_read_only = on")
