"""ClickHouse as a target, by its interface over HTTP: scripts of its own SQL, and what it says of itself."""

from __future__ import annotations

import base64
import http.client
import json
import os
import ssl
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

import msgspec

from weigh.load.runs import TargetRead
from weigh.load.target import secrecy, tls
from weigh.load.target.local_server import named, same_host, whereabouts
from weigh.load.target.target import Reached
from weigh.load.target.url import Url
from weigh.model.errors import EngineFault, UsageError
from weigh.model.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SCHEMES = ("clickhouse://", "clickhouses://")
_PORTS = {"clickhouse": 8123, "clickhouses": 8443}
_PATIENCE = 10.0
_LONGEST = 4 << 20
"""Bytes of an answer: all settings of a server are some 300 kB."""
_LONGEST_VALUE, _LONGEST_ERROR = 200, 300
_RESERVED = ("database", "default_format", "user", "password", "query", "session_id")
_CONNECTION = ("sslmode", "sslrootcert")
_FORMAT = "TabSeparatedWithNamesAndTypes"
_DECIDING = ("async_insert", "log_queries", "max_threads", "use_query_cache", "wait_for_async_insert")
"""Settings that are told whatever their value is, where the server has them."""
_FLUSHED = "fsync_after_insert"
_LOG_FLUSH_S = 7.5
"""Seconds between two writes of the query log (flush_interval_milliseconds, whose default this is)."""
_PROGRAMS = ("clickhouse-serv", "clickhouse")
"""As the kernel shortens them."""
_WRITE = "write clickhouse://USER@HOST:PORT/DATABASE"


class ClickHouseByUrl:
    """A server that is there already.

    Raises:
        UsageError: the URL is none. The text of the error has no password.
    """

    kind = "clickhouse"
    restarts = False

    def __init__(self, text: str) -> None:
        try:
            parts = urlsplit(text)
            port = parts.port or _PORTS[parts.scheme]
            given = dict(parse_qsl(parts.query, keep_blank_values=True))
        except ValueError:
            # What Python says of it may quote the password.
            raise UsageError("the target's URL is none: its port is no number from 1 to 65535", remedy=_WRITE) from None
        database = unquote(parts.path.strip("/"))
        if not parts.hostname or "@" in parts.path + parts.query or parts.fragment or "/" in database:
            raise UsageError("the target's URL names no server and database", remedy=_WRITE)
        for name in given:
            if name in _RESERVED:
                raise UsageError(f"the target's URL has '{name}=' behind its question mark", remedy=_WRITE)
        connection = {name: given.pop(name) for name in _CONNECTION if name in given}
        login, at, place = parts.netloc.rpartition("@")
        user = f"{login.split(':', 1)[0]}@" if at else ""
        password = unquote(parts.password) if parts.password is not None else os.environ.get("CLICKHOUSE_PASSWORD")
        query = f"?{parts.query}" if parts.query else ""
        self.text = f"{parts.scheme}://{user}{place}{parts.path}{query}"
        self.path = "/?" + urlencode({"database": database or "default", "default_format": _FORMAT, **given})
        self.settings = given
        self.url = Url(
            text=self.text,
            kind=self.kind,
            host=parts.hostname,
            port=port,
            socket=None,
            user=unquote(parts.username) if parts.username else os.environ.get("CLICKHOUSE_USER", "default"),
            password=password,
            database=database or "default",
            inline=parts.password is not None,
            tls=tls.requested(parts.scheme, connection, socket=False),
        )

    @secrecy.hidden
    @contextmanager
    def reach(self, cache: Path, connections: int, data: Path | None = None) -> Iterator[Reached]:
        """As of :class:`weigh.load.target.target.Target`.

        Raises:
            EngineFault: it cannot be reached, refuses the user or a setting, or is no ClickHouse.
        """
        near = same_host(self.url.host, self.url.port)
        connect = {**self.url.connect(), "database": None, "path_and_query": self.path}
        age = float(_ask(connect, self.text, "SELECT uptime()")[0][0])
        process = named(_PROGRAMS, age, self.url.port, None) if near else None
        here, servers = whereabouts(near, process)

        def described() -> TargetRead:
            read = _described(connect, self.text, tuple(self.settings))
            return msgspec.structs.replace(read, same_host=here, tls=connect["tls"])

        yield Reached(connect=connect, read=described(), servers=servers, again=described, process=process)


def _described(connect: dict[str, Any], where: str, names: tuple[str, ...]) -> TargetRead:
    version = str(_ask(connect, where, "SELECT version()")[0][0])[:_LONGEST_VALUE]
    rows = _ask(connect, where, "SELECT name, value, changed FROM system.settings")
    in_force = {
        str(name): {"value": str(value)[:_LONGEST_VALUE], "default": None}
        for name, value, changed in rows
        if int(changed) or name in _DECIDING or name in names
    }
    tree = _optional(connect, f"SELECT value FROM system.merge_tree_settings WHERE name = '{_FLUSHED}'")
    errors = _optional(connect, "SELECT name, value FROM system.errors")
    undurable = []
    value = {name: one["value"] for name, one in in_force.items()}
    if not tree or str(tree[0][0]) == "0":
        off = f"{_FLUSHED} is off" if tree else f"this version has no {_FLUSHED}"
        undurable.append(f"{off}: an insert is acknowledged before it is on the disk, and a loss of power may take it")
    if value.get("async_insert") == "1" and value.get("wait_for_async_insert") == "0":
        undurable.append("async_insert without wait_for_async_insert: an insert is acknowledged before it is written")
    return TargetRead(
        kind="clickhouse",
        product="ClickHouse",
        version=version,
        embedded=False,
        in_force=in_force,
        undurable=tuple(undurable),
        durable=not undurable,
        cycles={"query_log written": _LOG_FLUSH_S} if value.get("log_queries") == "1" else {},
        errors=msgspec.UNSET if errors is None else {str(name): int(count) for name, count in errors},
    )


def _optional(connect: dict[str, Any], statement: str) -> list[list[Any]] | None:
    """The rows of a table that older servers do not have, or not everybody may read; None then."""
    try:
        return _ask(connect, "", statement)
    except EngineFault:
        return None


def _ask(connect: dict[str, Any], where: str, statement: str) -> list[list[Any]]:
    """The rows of a statement."""
    try:
        status, body = _post(connect, f"{statement} FORMAT JSONCompact".encode())
    except OSError as error:
        raise EngineFault(
            f"it cannot be reached: {error or type(error).__name__}",
            where=where,
            remedy=f"{tls.remedy(error, connect['tls'])}; the port is that of HTTP ({_PORTS['clickhouse']}, with TLS "
            f"{_PORTS['clickhouses']}), and not of its own protocol",
        ) from error
    except http.client.HTTPException as error:
        # Its text is whatever the server sent.
        raise EngineFault(
            f"it does not answer as HTTP does: {type(error).__name__}",
            where=where,
            remedy="see whether this is ClickHouse's port of HTTP (8123)",
        ) from error
    if status != http.client.OK:
        text = one_line(body.decode(errors="replace"), _LONGEST_ERROR)
        raise EngineFault(
            f"it refuses: {text or status}",
            where=where,
            remedy="check the user, the password (CLICKHOUSE_PASSWORD), the database and the settings of the URL",
        )
    try:
        rows: list[list[Any]] = json.loads(body)["data"]
    except (ValueError, KeyError, TypeError):
        raise EngineFault(
            "it does not answer as ClickHouse does", where=where, remedy="see whether this is ClickHouse's port of HTTP"
        ) from None
    return rows


def _post(connect: dict[str, Any], body: bytes) -> tuple[int, bytes]:
    """Status and body of an answer."""
    host, port = connect["host"], connect["port"]
    connection: http.client.HTTPConnection
    if connect["tls"] == "off":
        connection = http.client.HTTPConnection(host, port, timeout=_PATIENCE)
    else:
        context = ssl.create_default_context(cafile=connect["ca"])
        if connect["tls"] == "require":
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        connection = http.client.HTTPSConnection(host, port, timeout=_PATIENCE, context=context)
    login = base64.b64encode(f"{connect['user']}:{connect['password'] or ''}".encode()).decode()
    try:
        connection.request("POST", connect["path_and_query"], body, {"Authorization": f"Basic {login}"})
        answer = connection.getresponse()
        return answer.status, answer.read(_LONGEST)
    finally:
        connection.close()
