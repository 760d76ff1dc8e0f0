"""Connections of the server: few at a time, and each for a bounded time, however slowly a client asks."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import suppress

MOST = 64
"""Connections at a time; each has a thread."""
HEAD = 10.0
"""Seconds that a client may take for the whole head of its request, from its connection on."""


class Connections:
    """Who is connected. Several threads may ask at once.

    Args:
        most: connections at a time.
        head: seconds for the head of a request.
    """

    def __init__(self, most: int = MOST, head: float = HEAD) -> None:
        self._most, self._head = most, head
        self._asking: dict[socket.socket, float] = {}
        self._answered: set[socket.socket] = set()
        self._lock = threading.Lock()

    def begin(self, client: socket.socket) -> bool:
        """A client connects; False where all are being answered.

        Where there is no room, the one that has been asking longest has to go.
        """
        with self._lock:
            if len(self._answered) >= self._most:
                return False
            if len(self._asking) + len(self._answered) >= self._most:
                self._close(next(iter(self._asking)))
            self._asking[client] = time.monotonic() + self._head
            return True

    def answers(self, client: socket.socket) -> None:
        """A client has asked, and is being answered."""
        with self._lock:
            if self._asking.pop(client, None) is not None:
                self._answered.add(client)

    def end(self, client: socket.socket) -> None:
        """A connection is over."""
        with self._lock:
            self._asking.pop(client, None)
            self._answered.discard(client)

    def close_late(self) -> None:
        """End those that took too long to ask."""
        now = time.monotonic()
        with self._lock:
            for client in [one for one, until in self._asking.items() if until < now]:
                self._close(client)

    def _close(self, client: socket.socket) -> None:
        # Its thread waits for a line: that ends, and it closes the socket.
        del self._asking[client]
        with suppress(OSError):
            client.shutdown(socket.SHUT_RDWR)
