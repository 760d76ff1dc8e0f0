"""A node that speaks CQL's protocol and has one table in memory: for loads that need no JVM.

It takes the statements of YCSB and those with which weigh asks what a cluster is. Of two writes to one cell the one
stays that the client says was made later. As a replica of two it may lag: it then shows each value after the next one.
"""

from __future__ import annotations

import re
import ssl
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

from lies.cql_proxy import answer, frame
from weigh_liars.tcp_server import Door

if TYPE_CHECKING:
    import socket
    from pathlib import Path

_READY, _QUERY, _RESULT, _PREPARE, _EXECUTE, _ERROR = 0x02, 0x07, 0x08, 0x09, 0x0A, 0x00
_VOID = b"\x00\x00\x00\x01"
_TEXT = b"\x00\x0d"
_SYNTAX = 0x2000
ALL = 5
"""The level at which every replica answers, whatever it lags behind."""

Row = dict[str, list[tuple[int, bytes]]]
"""Values of each field, each with the time that the client gave it; the latest last."""


class CqlServer(Door):
    """Listens on a port of the loopback until it is left.

    Args:
        lags: whether reads show the value before the last one, but at the level ALL.
        settings: that it tells, by their names.
        certificate: a file with certificate and key; None where there is no TLS.
    """

    def __init__(
        self, *, lags: bool = False, settings: dict[str, str] | None = None, certificate: Path | None = None
    ) -> None:
        self._context = None
        if certificate is not None:
            self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self._context.load_cert_chain(certificate)
        self._lags = lags
        self._settings = {"commitlog_sync": "batch", **(settings or {})}
        self._statements: list[str] = []
        self._rows: dict[bytes, Row] = {}
        self._lock = threading.Lock()
        self.levels: set[int] = set()
        super().__init__()

    def _serve(self, client: socket.socket) -> None:
        with suppress(OSError):
            if self._context is not None:
                client = self._context.wrap_socket(client, server_side=True)
            while True:
                head, body = frame(client)
                kind, reply = self._reply(head[4], body)
                client.sendall(answer(head, kind, reply))

    def _reply(self, kind: int, body: bytes) -> tuple[int, bytes]:
        with self._lock:
            if kind == _QUERY:
                text = body[4 : 4 + int.from_bytes(body[:4])].decode()
                return self._query(text)
            if kind == _PREPARE:
                return self._prepare(body[4:].decode())
            if kind == _EXECUTE:
                return _RESULT, self._execute(body)
            return _READY, b""

    def _query(self, text: str) -> tuple[int, bytes]:
        if text.startswith("USE"):
            return _RESULT, b"\x00\x00\x00\x03" + _string(b"k")
        if text.startswith(("DROP", "CREATE")):
            self._rows.clear()
            return _RESULT, _VOID
        if "system.local" in text:
            names = re.findall(r"\w+", text.partition("FROM")[0])[1:]
            known = {"release_version": "5.0.0", "cluster_name": "made", "data_center": "dc"}
            return _RESULT, _rows(names, [[known.get(name, "v").encode() for name in names]])
        if "system_schema" in text:
            replication = "{'class': 'SimpleStrategy', 'replication_factor': '2'}"
            return _RESULT, _rows(["replication", "durable_writes"], [[replication.encode(), b"true"]])
        if "system_views" in text:
            return _RESULT, _rows(
                ["name", "value"], [[name.encode(), value.encode()] for name, value in self._settings.items()]
            )
        if "system.peers" in text:
            return _RESULT, _rows(["peer"], [])
        return _ERROR, _SYNTAX.to_bytes(4) + _string(b"no such table")

    def _prepare(self, text: str) -> tuple[int, bytes]:
        if "weigh_ycsb" not in text:
            return _ERROR, _SYNTAX.to_bytes(4) + _string(b"no such table")
        self._statements.append(text)
        number = (len(self._statements) - 1).to_bytes(2)
        parameters = text.count("?")
        columns = _fields(text) if text.startswith("SELECT") else []
        told = b"\x00\x00\x00\x04" + _string(number) + b"\x00\x00\x00\x01" + parameters.to_bytes(4) + bytes(4)
        told += _columns([f"p{place}" for place in range(parameters)])
        flags = 1 if columns else 4
        told += flags.to_bytes(4) + len(columns).to_bytes(4) + (_columns(columns) if columns else b"")
        return _RESULT, told

    def _execute(self, body: bytes) -> bytes:
        text, at = self._statements[int.from_bytes(body[2:4])], 4
        level, flags = int.from_bytes(body[at : at + 2]), body[at + 2]
        self.levels.add(level)
        count, at = int.from_bytes(body[at + 3 : at + 5]), at + 5
        values = []
        for _ in range(count):
            length = int.from_bytes(body[at : at + 4])
            values.append(body[at + 4 : at + 4 + length])
            at += 4 + length
        assert flags & 0x20, "a write without its time"
        time = int.from_bytes(body[-8:])
        if text.startswith("INSERT"):
            key, *cells = values
            self._write(key, dict(zip(_fields(text), cells, strict=True)), time)
            return _VOID
        if text.startswith("UPDATE"):
            *cells, key = values
            names = re.findall(r"(\w+) = \?", text.partition("WHERE")[0])
            self._write(key, dict(zip(names, cells, strict=True)), time)
            return _VOID
        row = self._rows.get(values[0])
        return _rows(_fields(text), [[self._shown(row[name], level) for name in _fields(text)]] if row else [])

    def _write(self, key: bytes, cells: dict[str, bytes], time: int) -> None:
        row = self._rows.setdefault(key, {})
        for name, value in cells.items():
            row[name] = sorted([*row.get(name, []), (time, value)])[-2:]

    def _shown(self, versions: list[tuple[int, bytes]], level: int) -> bytes:
        return versions[0 if self._lags and level != ALL else -1][1]


def _fields(text: str) -> list[str]:
    """The columns of a SELECT, or those of an INSERT without the key."""
    if text.startswith("INSERT"):
        return re.findall(r"\w+", text.partition("(")[2].partition(")")[0])[1:]
    return re.findall(r"\w+", text.partition("FROM")[0])[1:]


def _string(text: bytes) -> bytes:
    return len(text).to_bytes(2) + text


def _columns(names: list[str]) -> bytes:
    return _string(b"k") + _string(b"t") + b"".join(_string(name.encode()) + _TEXT for name in names)


def _rows(names: list[str], rows: list[list[bytes]]) -> bytes:
    cells = b"".join(len(cell).to_bytes(4) + cell for row in rows for cell in row)
    told = b"\x00\x00\x00\x02" + b"\x00\x00\x00\x01" + len(names).to_bytes(4) + _columns(names)
    return told + len(rows).to_bytes(4) + cells
