"""URLs of servers: taken apart, and without their passwords."""

from __future__ import annotations

import os
import re
from typing import Any
from urllib.parse import SplitResult, quote, unquote, urlsplit

import msgspec

from weigh.load.target import pgpass
from weigh.load.target.tls import Tls, from_environment, requested
from weigh.model.data import schemes
from weigh.model.errors import UsageError, nearest

_SCHEMES = {
    "cassandra": "cql",
    "mariadb": "mysql",
    "mysql": "mysql",
    "postgres": "postgres",
    "postgresql": "postgres",
    "redis": "redis",
    "redis-cluster": "redis",
    "rediss": "redis",
    "rediss-cluster": "redis",
    "scylla": "cql",
    "valkey": "redis",
    "valkey-cluster": "redis",
    "valkeys": "redis",
    "valkeys-cluster": "redis",
}
_ALL = (*_SCHEMES, "clickhouse", "http", "https", "sqlite")
_CLUSTER = "-cluster"
_PORTS = {"cql": 9042, "mysql": 3306, "postgres": 5432, "redis": 6379}
_PASSWORDS = {"mysql": "MYSQL_PWD", "postgres": "PGPASSWORD", "redis": "REDISCLI_AUTH"}
"""Where a password may stand instead, as the servers' own clients have it."""
_SOCKET = re.compile(r"^([a-z]+://(?:[^@/?#]*@)?)(%2F[^:/?#]*)([^?#]*)\??", re.IGNORECASE)
_KNOWN = ("dbname", "host", "password", "port", "sslmode", "sslrootcert", "user")


class Url(msgspec.Struct, frozen=True, kw_only=True):
    """A server's address.

    Attributes:
        text: as the user wrote it, without the password.
        socket: folder of the unix socket for PostgreSQL, its path for the others; None over TCP.
        inline: whether the password stood in what the user wrote.
        tls: how far it goes.
        cluster: whether it is any node of a cluster, all of whose nodes are the target.
    """

    text: str
    kind: str
    host: str
    port: int
    socket: str | None
    user: str | None
    password: str | None
    database: str | None
    inline: bool
    tls: Tls
    cluster: bool = False

    def connect(self, *, encrypted: bool = False) -> dict[str, Any]:
        """As the generator takes it.

        Args:
            encrypted: what the server decided, where the URL leaves it to the server.
        """
        decided = "require" if encrypted else "off"
        return {
            "kind": self.kind,
            "host": self.host,
            "port": self.port,
            "socket": self.socket,
            "user": self.user,
            "password": self.password,
            "database": self.database,
            "tls": decided if self.tls.mode in ("allow", "prefer") else self.tls.mode,
            "ca": self.tls.ca,
            "cluster": self.cluster,
        }


class ByUrl:
    """A server that is there already: weigh does not begin its life.

    Args:
        url: where it is.
    """

    restarts = False

    def __init__(self, url: Url) -> None:
        self.url = url
        self.text = url.text


def parse(text: str) -> Url:
    """Take a URL apart.

    Raises:
        UsageError: the scheme or a parameter is not known, or it is no URL. The text of the error has no password.
    """
    # A folder of sockets in the place of the host is another form of libpq's.
    text = _SOCKET.sub(r"\1\3?host=\2&", text)
    try:
        parts = urlsplit(text)
        given = _parameters(parts.query)
        port = _port(parts.port, given.get("port"))
    except ValueError:
        # What Python says of it may quote the password.
        scheme, _, _ = text.partition("://")
        form = "HOST:PORT/NUMBER" if _SCHEMES.get(scheme) == "redis" else "USER@HOST:PORT/DB"
        raise UsageError(
            "the target's URL is none: its port is no number from 1 to 65535, a character of its password needs "
            "%-encoding, or an address of IPv6 has no brackets, as [::1] has",
            remedy=f"write {scheme if scheme in _SCHEMES else 'postgres'}://{form}",
        ) from None
    if "@" in parts.path + parts.query + parts.fragment:
        raise UsageError(
            "the target's URL has an '@' behind its host", remedy="in a password write / ? # @ as %2F %3F %23 %40"
        )
    if parts.scheme not in _SCHEMES:
        raise UsageError(
            f"'{parts.scheme}://' is no target",
            remedy=schemes.for_target(schemes.jdbc(text) or parts.scheme) or nearest(parts.scheme, _ALL),
        )
    kind = _SCHEMES[parts.scheme]
    cluster = parts.scheme.endswith(_CLUSTER)
    for name, value in given.items():
        if name not in _KNOWN:
            raise UsageError(
                f"the target's URL has a parameter '{name}', which weigh does not have",
                remedy=f"leave it out; {nearest(name, _KNOWN)}",
            )
        if not value:
            raise UsageError(f"the target's URL has nothing behind '{name}='", remedy="leave it out, or give a value")
    _agree(parts, given)
    password = unquote(parts.password) if parts.password is not None else given.get("password")
    database = unquote(parts.path.lstrip("/")) or given.get("dbname")
    user = unquote(parts.username) if parts.username else given.get("user")
    if kind == "postgres":
        user = user or os.environ.get("PGUSER") or _login()
        database = database or user
    if kind == "mysql":
        user = user or _login()
    if "," in (parts.hostname or given.get("host", "")):
        raise UsageError("the target's URL names several hosts", remedy="name the one that is to be loaded")
    host = parts.hostname or ("localhost" if _is_socket(given) else given.get("host") or "localhost")
    if cluster and (database not in (None, "0") or _is_socket(given)):
        raise UsageError(
            "a cluster has one database, and its nodes are reached over the network",
            remedy=f"write {parts.scheme}://HOST:PORT",
        )
    inline = password is not None
    if password is None:
        password = os.environ.get(_PASSWORDS.get(kind, ""))
    if password is None and kind == "postgres":
        password = pgpass.password(host, port or _PORTS[kind], database, user)
    return Url(
        text=_without_password(parts.scheme, parts.netloc, parts.path, given),
        kind=kind,
        host=host,
        port=port or _PORTS[kind],
        socket=given["host"] if _is_socket(given) else None,
        user=user,
        password=password,
        inline=inline,
        database=None if cluster else database,
        cluster=cluster,
        tls=requested(
            parts.scheme.removesuffix(_CLUSTER),
            from_environment(given) if kind == "postgres" else given,
            socket=_is_socket(given),
        ),
    )


def _parameters(query: str) -> dict[str, str]:
    """What stands behind the question mark. A plus is a plus there, as libpq has it, and no blank.

    Raises:
        UsageError: a parameter has two values.
    """
    found: dict[str, str] = {}
    for one in query.split("&") if query else ():
        name, value = (unquote(part) for part in one.partition("=")[::2])
        # Another name may be a piece of a password.
        if name and found.setdefault(name, value) != value and name in _KNOWN:
            raise _twice(name)
    return found


def _port(place: int | None, given: str | None) -> int | None:
    """The port, wherever it stands.

    Raises:
        ValueError: it is none.
    """
    ports = [place] if place is not None else []
    ports += [int(given)] if given else []
    if not all(1 <= port <= 65535 for port in ports):
        raise ValueError
    return ports[0] if ports else None


def _agree(parts: SplitResult, given: dict[str, str]) -> None:
    """Nothing may be reported differently before the question mark and behind it.

    Raises:
        UsageError: something is.
    """
    before = {
        "host": parts.hostname,
        "port": str(parts.port) if parts.port else None,
        "user": unquote(parts.username) if parts.username else None,
        "password": unquote(parts.password) if parts.password is not None else None,
        "dbname": unquote(parts.path.lstrip("/")) or None,
    }
    for name, value in before.items():
        # The folder of a socket is on this machine.
        local = name == "host" and value == "localhost" and _is_socket(given)
        if value is not None and given.get(name, value) != value and not local:
            raise _twice(name)


def _twice(name: str) -> UsageError:
    # Without the values: one may be a password.
    return UsageError(f"the target's URL says '{name}' twice, and differently", remedy="say it once")


def _is_socket(given: dict[str, str]) -> bool:
    """Whether ``host=`` names a folder, as libpq has it."""
    return given.get("host", "").startswith("/")


def _login() -> str:
    import getpass

    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "postgres"


def _without_password(scheme: str, place: str, path: str, given: dict[str, str]) -> str:
    login, at, host = place.rpartition("@")
    user = login.split(":", 1)[0]
    query = "&".join(f"{name}={quote(value, safe='/')}" for name, value in given.items() if name != "password")
    return f"{scheme}://{user}{at if user else ''}{host}{path}{'?' + query if query else ''}"
