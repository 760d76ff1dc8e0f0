"""A door before an object store, which cuts answers short or is gone when a test says so."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress

from weigh_liars.tcp_server import Door

_WHOLE = 1500
"""Bytes of an answer that come through where answers are cut: its head, and less than a footer."""


class StoreFront(Door):
    """Forwards to a store.

    Args:
        port: of the store.
    """

    def __init__(self, port: int) -> None:
        super().__init__()
        self._to = port
        self.cuts = threading.Event()

    def _serve(self, client: socket.socket) -> None:
        with suppress(OSError), socket.create_connection(("127.0.0.1", self._to)) as store:
            self._open.append(store)
            threading.Thread(target=self._pass_on, args=(client, store), daemon=True).start()
            self._pass_on(store, client, answers=True)

    def _pass_on(self, one: socket.socket, other: socket.socket, *, answers: bool = False) -> None:
        passed = 0
        with suppress(OSError):
            while part := one.recv(1 << 16):
                rest = _WHOLE - passed if answers and self.cuts.is_set() else len(part)
                if rest <= 0:
                    break
                other.sendall(part[:rest])
                passed += len(part)
        for end in (one, other):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
