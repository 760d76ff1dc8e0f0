"""A proxy before a Valkey that acknowledges a write before it has forwarded it, and an honest one that waits.

Whoever asks for a key gets what was acknowledged: while both live, nobody can tell them apart. When the server dies,
what was not forwarded is gone.
"""

from __future__ import annotations

import socket
import threading
import time
from contextlib import suppress

from weigh_liars.resp_proxy import encoded, read_reply, read_request
from weigh_liars.tcp_server import Door

_READ, _WRITE = b"HGETALL", b"HSET"
_FIELD = 4
"""Words of a write to one field."""
_LATER = 0.5
"""Seconds after which a write is forwarded, unless somebody asks for its key before."""


class EarlyProxy(Door):
    """Listens on a port of the loopback until it is left.

    Args:
        upstream: socket of the server.
        early: whether it acknowledges first.
    """

    def __init__(self, upstream: str, *, early: bool) -> None:
        self._upstream = upstream
        self._early = early
        self._lock = threading.Lock()
        self._pending: list[tuple[float, list[bytes]]] = []
        self._link: socket.socket | None = None
        super().__init__()

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"redis://127.0.0.1:{self.port}"

    def _serve(self, client: socket.socket) -> None:
        with suppress(OSError, ValueError), socket.socket(socket.AF_UNIX) as server:
            server.connect(self._upstream)
            asked, answers = client.makefile("rb"), server.makefile("rb")
            while words := read_request(asked):
                if self._early and words[0] == _WRITE and len(words) == _FIELD:
                    with self._lock:
                        self._pending.append((time.monotonic(), words))
                        self._forward(time.monotonic() - _LATER)
                    client.sendall(b":0\r\n")
                    continue
                with self._lock:
                    # Before anything else, such as another loading, all of them.
                    read = words[0] == _READ
                    self._forward(time.monotonic() - (_LATER if read else 0.0), words[1] if read else b"")
                server.sendall(encoded(words))
                client.sendall(read_reply(answers))
        # The one behind it is gone, or the client is.
        with suppress(OSError):
            client.shutdown(socket.SHUT_RDWR)

    def _forward(self, before: float, key: bytes = b"") -> None:
        """Forward the writes of before some moment, and those of a key."""
        due = [words for at, words in self._pending if at < before or words[1] == key]
        try:
            for words in due:
                if self._link is None:
                    self._link = socket.socket(socket.AF_UNIX)
                    self._link.connect(self._upstream)
                self._link.sendall(encoded(words))
                with self._link.makefile("rb") as answers:
                    read_reply(answers)
        except OSError:
            # It died with what it had.
            self._pending, self._link = [], None
            return
        self._pending = [(at, words) for at, words in self._pending if words not in due]
