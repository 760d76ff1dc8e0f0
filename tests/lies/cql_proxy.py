"""A cluster that lies: a proxy before an honest node of Cassandra, which acknowledges one write and forgets it.

It understands the protocol as far as it must: which statement was prepared as an UPDATE, and its execution. Its twin
lets everything through.
"""

from __future__ import annotations

import socket
import threading
from contextlib import suppress

from weigh_liars.tcp_server import Door

_PREPARE, _RESULT, _EXECUTE = 0x09, 0x08, 0x0A
_HEAD = 9
FORGOTTEN = 20
"""The write, by its number, that is forgotten."""
_VOID = b"\x00\x00\x00\x01"


class CqlProxy(Door):
    """Listens on a port of the loopback until it is left.

    Args:
        upstream: host and port of the honest node.
        lies: whether one write is forgotten.
    """

    def __init__(self, upstream: tuple[str, int], *, lies: bool) -> None:
        self._upstream, self._lies = upstream, lies
        self._lock = threading.Lock()
        self._writes = 0
        super().__init__()

    def _serve(self, client: socket.socket) -> None:
        with suppress(OSError), socket.create_connection(self._upstream) as server:
            updates: set[bytes] = set()
            pending = threading.Event()
            threading.Thread(target=_answers, args=(server, client, updates, pending), daemon=True).start()
            while True:
                head, body = frame(client)
                if head[4] == _PREPARE and body[4:10] == b"UPDATE":
                    pending.set()
                if head[4] == _EXECUTE and _id(body) in updates and self._forgets():
                    client.sendall(answer(head, _RESULT, _VOID))
                    continue
                server.sendall(head + body)

    def _forgets(self) -> bool:
        with self._lock:
            self._writes += 1
            return self._lies and self._writes == FORGOTTEN


def _answers(server: socket.socket, client: socket.socket, updates: set[bytes], pending: threading.Event) -> None:
    with suppress(OSError):
        while True:
            head, body = frame(server)
            if pending.is_set() and head[4] == _RESULT:
                pending.clear()
                updates.add(_id(body[4:]))
            client.sendall(head + body)


def _id(body: bytes) -> bytes:
    return body[2 : 2 + int.from_bytes(body[:2])]


def answer(head: bytes, kind: int, body: bytes) -> bytes:
    """A frame that answers another, on the same stream."""
    return bytes([0x84, 0, head[2], head[3], kind]) + len(body).to_bytes(4) + body


def frame(source: socket.socket) -> tuple[bytes, bytes]:
    """The next frame: its head and its body.

    Raises:
        OSError: the other end has gone.
    """
    head = _exactly(source, _HEAD)
    return head, _exactly(source, int.from_bytes(head[5:]))


def _exactly(source: socket.socket, length: int) -> bytes:
    found = b""
    while len(found) < length:
        piece = source.recv(length - len(found))
        if not piece:
            raise OSError("the other end has gone")
        found += piece
    return found
