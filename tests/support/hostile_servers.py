"""Servers that answer nothing, or never to the end."""

from __future__ import annotations

import struct
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from weigh_liars.tcp_server import Door

if TYPE_CHECKING:
    import socket

LOGGED_IN = b"R" + struct.pack(">II", 8, 0) + b"Z" + struct.pack(">I", 5) + b"I"


class Silent(Door):
    """Lets everybody in, and answers nothing afterwards."""

    def _serve(self, client: socket.socket) -> None:
        with suppress(OSError):
            client.recv(1 << 16)
            client.sendall(LOGGED_IN)
            while client.recv(1 << 16):
                pass


class Trickle(Door):
    """Sends a byte of an endless answer now and then."""

    def __init__(self, said: bytes, pause: float) -> None:
        super().__init__()
        self._said, self._pause = said, pause

    def _serve(self, client: socket.socket) -> None:
        with suppress(OSError):
            while True:
                client.sendall(self._said)
                time.sleep(self._pause)
