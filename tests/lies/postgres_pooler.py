"""A pooler before PostgreSQL, as far as a load meets it: PgBouncer's modes ``session`` and ``transaction``.

Of a pool of whole sessions the clients above its size get no answer to their login until another leaves. Of a pool of
transactions a client is given a session in which another one has prepared its statements already, under its names.
"""

from __future__ import annotations

import socket
import struct
import threading
from contextlib import suppress

from weigh_liars.tcp_server import Door

from .postgres_proxy import encoded, exactly, message

_TLS = 80877103
_TAKEN = b'SERROR\0VERROR\0C42P05\0Mprepared statement "%s" already exists\0\0'


class Pooler(Door):
    """Listens on a port of the loopback until it is left.

    Args:
        upstream: socket of the server.
        login: user and database of its URL.
        sessions: that clients may have at the same time.
        transactions: whether sessions change hands after each transaction.
    """

    def __init__(
        self, upstream: str, login: tuple[str, str], *, sessions: int = 100, transactions: bool = False
    ) -> None:
        self._upstream, self._login = upstream, login
        self._free = threading.Semaphore(sessions)
        self._transactions = transactions
        self._names: set[bytes] = set()
        super().__init__()

    @property
    def url(self) -> str:
        """Where it listens."""
        user, database = self._login
        return f"postgres://{user}@127.0.0.1:{self.port}/{database}?sslmode=disable"

    def _serve(self, client: socket.socket) -> None:
        with self._free, suppress(OSError, struct.error), socket.socket(socket.AF_UNIX) as server:
            server.connect(self._upstream)
            length, kind = struct.unpack(">II", exactly(client, 8))
            while kind == _TLS:
                client.sendall(b"N")
                length, kind = struct.unpack(">II", exactly(client, 8))
            server.sendall(struct.pack(">II", length, kind) + exactly(client, length - 8))
            threading.Thread(target=self._answers, args=(server, client), daemon=True).start()
            try:
                self._questions(client, server)
            finally:
                for one in (client, server):
                    with suppress(OSError):
                        one.shutdown(socket.SHUT_RDWR)

    def _questions(self, client: socket.socket, server: socket.socket) -> None:
        while True:
            tag, body = message(client)
            name = body.partition(b"\0")[0] if tag == b"P" else b""
            if self._transactions and name:
                if name in self._names:
                    while tag != b"S":
                        tag, body = message(client)
                    client.sendall(encoded(b"E", _TAKEN % name) + encoded(b"Z", b"I"))
                    continue
                self._names.add(name)
            server.sendall(encoded(tag, body))

    def _answers(self, server: socket.socket, client: socket.socket) -> None:
        with suppress(OSError):
            while piece := server.recv(1 << 16):
                client.sendall(piece)
