"""A server that lies: a proxy before an honest PostgreSQL, which answers other rows, or forgets writes.

It understands the protocol as far as it must: statements that are sent as text (``--protocol simple``) and what comes
back; of those that are prepared, their text. Only statements about ``purse`` are lied about, and those that are written
otherwise on the way.
"""

from __future__ import annotations

import re
import socket
import struct
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Literal

from weigh_liars.tcp_server import Door

if TYPE_CHECKING:
    from collections.abc import Mapping

Lie = Literal["none", "wrong", "wrong-when-busy", "forgets"]
EVERY = 3
"""One write in so many is forgotten."""
BUSY = 3
"""Connections at once from which on it cuts corners: who asks before and after the load has one."""
TLS = 80877103


class PostgresProxy(Door):
    """Listens on a port of the loopback until it is left.

    Args:
        upstream: socket of the honest server.
        user, database: whom to log in as.
        lie: what is done.
        rewrites: piece of a statement -> what the server gets in its place; of one that lies when busy, only then.
    """

    def __init__(
        self, upstream: str, user: str, database: str, lie: Lie, rewrites: Mapping[bytes, bytes] | None = None
    ) -> None:
        self._upstream, self._lie = upstream, lie
        self._rewrites = rewrites or {}
        self._user, self._database = user, database
        self._lock = threading.Lock()
        self._here = self._writes = 0
        super().__init__()

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"postgres://{self._user}@127.0.0.1:{self.port}/{self._database}?sslmode=disable"

    def _serve(self, client: socket.socket) -> None:
        with suppress(OSError, struct.error), socket.socket(socket.AF_UNIX) as server:
            server.connect(self._upstream)
            with self._lock:
                self._here += 1
            try:
                self._session(client, server)
            finally:
                with self._lock:
                    self._here -= 1
                for one in (client, server):
                    with suppress(OSError):
                        one.shutdown(socket.SHUT_RDWR)

    def _session(self, client: socket.socket, server: socket.socket) -> None:
        length, kind = struct.unpack(">II", exactly(client, 8))
        while kind == TLS:
            client.sendall(b"N")
            length, kind = struct.unpack(">II", exactly(client, 8))
        server.sendall(struct.pack(">II", length, kind) + exactly(client, length - 8))
        about = [b""]
        threading.Thread(target=self._answers, args=(server, client, about), daemon=True).start()
        while True:
            tag, body = message(client)
            about[0] = body if tag == b"Q" else b""
            if self._lie == "forgets" and body.startswith(b"UPDATE purse") and self._forgets():
                client.sendall(encoded(b"C", b"UPDATE 1\0") + encoded(b"Z", b"I"))
                continue
            if tag in (b"P", b"Q") and (self._lie == "none" or self._lies()):
                for piece, other in self._rewrites.items():
                    body = body.replace(piece, other)
            server.sendall(encoded(tag, body))

    def _forgets(self) -> bool:
        with self._lock:
            self._writes += 1
            return self._writes % EVERY == 0

    def _answers(self, server: socket.socket, client: socket.socket, about: list[bytes]) -> None:
        with suppress(OSError, struct.error):
            while True:
                tag, body = message(server)
                if tag == b"D" and b"FROM purse" in about[0] and self._lies():
                    # The last digit is another one.
                    body = re.sub(rb"\d$", lambda found: b"%d" % ((int(found[0]) + 1) % 10), body)
                client.sendall(encoded(tag, body))

    def _lies(self) -> bool:
        return self._lie == "wrong" or (self._lie == "wrong-when-busy" and self._here >= BUSY)


def message(source: socket.socket) -> tuple[bytes, bytes]:
    """The next message: its kind and its body."""
    tag = exactly(source, 1)
    (length,) = struct.unpack(">I", exactly(source, 4))
    return tag, exactly(source, length - 4)


def encoded(tag: bytes, body: bytes) -> bytes:
    """A message as it is sent."""
    return tag + struct.pack(">I", len(body) + 4) + body


def exactly(source: socket.socket, length: int) -> bytes:
    """So many bytes."""
    found = b""
    while len(found) < length:
        piece = source.recv(length - len(found))
        if not piece:
            raise ConnectionError("it is gone")
        found += piece
    return found
