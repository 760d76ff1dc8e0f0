"""The client by which ``weigh run`` asks the server of a load."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from weigh.model.contender import URL, Contender
from weigh.model.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from weigh.model.contender import Setting

KINDS = ("postgres", "mysql")
"""Protocols of servers that can be asked."""
_TLS = {"off": "disable", "verify": "verify-full"}
"""As libpq has it, where that is another word."""


def client(connect: dict[str, Any], place: Path) -> Contender:
    """The contender of ``weigh run`` that is this server.

    Args:
        connect: how the generator reaches it, with its password.
        place: a folder for the password.

    Raises:
        UsageError: the client cannot encrypt as the generator does.
    """
    if connect["kind"] == "postgres":
        return Contender(name="queries", engine="postgres", settings={URL: _conninfo(connect)})
    settings: dict[str, Setting] = {URL: _url(connect)}
    if connect["socket"]:
        settings["unix_socket"] = connect["socket"]
    if connect["ca"]:
        settings["ssl_ca"] = connect["ca"]
    elif connect["tls"] != "off":
        raise UsageError("--with asks MariaDB over TLS only with the authority's file", remedy="add sslrootcert=FILE")
    if connect["password"]:
        file = place / "password"
        with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as opened:
            opened.write(connect["password"])
        settings["weigh.secret"] = str(file)
    return Contender(name="queries", engine="mariadb", settings=settings)


def _conninfo(connect: dict[str, Any]) -> str:
    """As libpq reads it (PostgreSQL manual, "Connection Strings")."""
    given = {
        "host": connect["socket"] or connect["host"],
        "port": connect["port"],
        "user": connect["user"],
        "password": connect["password"],
        "dbname": connect["database"],
        "sslmode": _TLS.get(connect["tls"], connect["tls"]),
        "sslrootcert": connect["ca"],
    }
    return " ".join(f"{name}='{_escaped(value)}'" for name, value in given.items() if value not in (None, ""))


def _escaped(value: object) -> str:
    return str(value).replace("\\", "\\\\").replace("'", "\\'")


def _url(connect: dict[str, Any]) -> str:
    user = f"{quote(connect['user'], safe='')}@" if connect["user"] else ""
    port = f":{connect['port']}" if connect.get("port") else ""
    return f"mariadb://{user}{connect['host'] or 'localhost'}{port}/{quote(connect['database'] or '', safe='')}"
