"""URLs of servers: taken apart, and without their passwords."""

from __future__ import annotations

import os
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlsplit

import msgspec

from weigh.model.errors import UsageError, nearest

_SCHEMES = {
    "postgres": "postgres",
    "postgresql": "postgres",
    "redis": "redis",
    "rediss": "redis",
    "valkey": "redis",
    "valkeys": "redis",
}
_PORTS = {"postgres": 5432, "redis": 6379}
_PASSWORDS = {"postgres": "PGPASSWORD", "redis": "REDISCLI_AUTH"}
"""Where a password may stand instead, as the servers' own clients have it."""
_TLS = {
    "disable": "off",
    "allow": "off",
    "prefer": "off",
    "require": "require",
    "verify-ca": "verify",
    "verify-full": "verify",
}
_KNOWN = ("host", "password", "sslmode", "sslrootcert")


class Url(msgspec.Struct, frozen=True, kw_only=True):
    """A server's address.

    Attributes:
        text: as the user wrote it, without the password.
        socket: folder of the unix socket for PostgreSQL, its path for Redis; None over TCP.
        tls: ``off``, ``require``, or ``verify``.
        ca: file of certificates that ``verify`` trusts; None for the system's.
    """

    text: str
    kind: str
    host: str
    port: int
    socket: str | None
    user: str | None
    password: str | None
    database: str | None
    tls: str
    ca: str | None

    def connect(self) -> dict[str, Any]:
        """As the generator takes it."""
        return {
            "kind": self.kind,
            "host": self.host,
            "port": self.port,
            "socket": self.socket,
            "user": self.user,
            "password": self.password,
            "database": self.database,
            "tls": self.tls,
            "ca": self.ca,
        }


def parse(text: str) -> Url:
    """Take a URL apart.

    Raises:
        UsageError: the scheme or a parameter is not known, or it is no URL. The text of the error has no password.
    """
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        # What Python says of it may quote the password.
        raise UsageError(
            "the target's URL is none: its port is no number, or a character of its password needs %-encoding",
            remedy="write postgres://USER@HOST:PORT/DB",
        ) from None
    if "@" in parts.path + parts.query + parts.fragment:
        raise UsageError(
            "the target's URL has an '@' behind its host", remedy="in a password write / ? # @ as %2F %3F %23 %40"
        )
    if parts.scheme not in _SCHEMES:
        raise UsageError(f"'{parts.scheme}://' is no target", remedy=nearest(parts.scheme, _SCHEMES))
    kind = _SCHEMES[parts.scheme]
    given = dict(parse_qsl(parts.query))
    for name in given:
        if name not in _KNOWN:
            raise UsageError(f"the target's URL has an unknown parameter '{name}'", remedy=nearest(name, _KNOWN))
    mode = given.get("sslmode", "verify-full" if parts.scheme in ("rediss", "valkeys") else "disable")
    if mode not in _TLS:
        raise UsageError(f"sslmode={mode} is not known", remedy=nearest(mode, _TLS))
    password = parts.password if parts.password is not None else given.get("password")
    database = unquote(parts.path.lstrip("/")) or None
    user = unquote(parts.username) if parts.username else None
    if kind == "postgres":
        user = user or os.environ.get("PGUSER") or _login()
        database = database or user
    return Url(
        text=_without_password(parts.scheme, parts.netloc, parts.path, given),
        kind=kind,
        host=parts.hostname or ("localhost" if _is_socket(given) else given.get("host") or "localhost"),
        port=port or _PORTS[kind],
        socket=given["host"] if _is_socket(given) else None,
        user=user,
        password=unquote(password) if password is not None else os.environ.get(_PASSWORDS[kind]),
        database=database,
        tls=_TLS[mode],
        ca=given.get("sslrootcert"),
    )


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
