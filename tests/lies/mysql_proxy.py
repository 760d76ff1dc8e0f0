"""Servers that lie: a proxy before an honest MariaDB, which acknowledges one write and forgets it, or isolates less.

It understands the protocol as far as it must: which statement was prepared as an UPDATE, and its execution. Its twin
lets everything through.
"""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from types import MappingProxyType
from typing import TYPE_CHECKING

from weigh_liars.tcp_server import Door

if TYPE_CHECKING:
    from collections.abc import Mapping

_PREPARE, _EXECUTE = 0x16, 0x17
_PREPARED = 12
"""Length of the answer to a preparation (COM_STMT_PREPARE_OK)."""
FORGOTTEN = 20
"""The write, by its number, that is forgotten."""
_DONE = b"\x07\x00\x00\x01\x00\x01\x00\x02\x00\x00\x00"
"""One row was changed."""
WEAKER = {
    b"ISOLATION LEVEL SERIALIZABLE": b"ISOLATION LEVEL READ COMMITTED",
    b"/*!50720 @@transaction_isolation *//*M! @@tx_isolation */": b"'SERIALIZABLE'",
}
"""Transactions at a weaker level than the one that is named."""
_QUERY = 0x03
_DEADLOCK = b"SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = 1213, MESSAGE_TEXT = 'Deadlock found'"


class MySqlProxy(Door):
    """Listens on a port of the loopback until it is left.

    Args:
        upstream: unix socket of the honest server.
        lies: whether one write is forgotten.
        rewrites: of the texts of statements: how each part of them becomes another one.
        deadlocks: statements that load rows and meet a deadlock, of the first ones.
    """

    def __init__(
        self,
        upstream: str,
        *,
        lies: bool,
        rewrites: Mapping[bytes, bytes] = MappingProxyType({}),
        deadlocks: int = 0,
    ) -> None:
        self._upstream, self._lies, self._rewrites = upstream, lies, rewrites
        self.deadlocks = deadlocks
        self._lock = threading.Lock()
        self._writes = 0
        super().__init__()

    def _serve(self, client: socket.socket) -> None:
        with suppress(OSError), socket.socket(socket.AF_UNIX) as server:
            server.connect(self._upstream)
            updates: set[bytes] = set()
            pending = threading.Event()
            threading.Thread(target=_answers, args=(server, client, updates, pending), daemon=True).start()
            while True:
                head, body = _packet(client)
                if body[:1] == bytes([_PREPARE]) and head[3] == 0:
                    head, body = self._rewritten(body)
                if body[:1] == bytes([_PREPARE]) and head[3] == 0 and body[1:7] == b"UPDATE":
                    pending.set()
                if body[:10] == bytes([_QUERY]) + b"LOAD DATA" and head[3] == 0 and self._deadlocks():
                    body = bytes([_QUERY]) + _DEADLOCK
                    head = len(body).to_bytes(3, "little") + b"\0"
                if body[:1] == bytes([_EXECUTE]) and head[3] == 0 and body[1:5] in updates and self._forgets():
                    client.sendall(_DONE)
                    continue
                server.sendall(head + body)

    def _rewritten(self, body: bytes) -> tuple[bytes, bytes]:
        for part, other in self._rewrites.items():
            body = body.replace(part, other)
        return len(body).to_bytes(3, "little") + b"\0", body

    def _deadlocks(self) -> bool:
        with self._lock:
            self.deadlocks -= 1
            return self.deadlocks >= 0

    def _forgets(self) -> bool:
        with self._lock:
            self._writes += 1
            return self._lies and self._writes == FORGOTTEN


def _answers(server: socket.socket, client: socket.socket, updates: set[bytes], pending: threading.Event) -> None:
    with suppress(OSError):
        while True:
            head, body = _packet(server)
            if pending.is_set() and head[3] == 1:
                pending.clear()
                if len(body) == _PREPARED:
                    updates.add(body[1:5])
            client.sendall(head + body)


def _packet(source: socket.socket) -> tuple[bytes, bytes]:
    head = _exactly(source, 4)
    return head, _exactly(source, int.from_bytes(head[:3], "little"))


def _exactly(source: socket.socket, length: int) -> bytes:
    found = b""
    while len(found) < length:
        piece = source.recv(length - len(found))
        if not piece:
            raise OSError("the other end has gone")
        found += piece
    return found
