"""A11: a process that was there before executes, at the end of a socket (``diary``), and nobody counts it."""

from __future__ import annotations

import socket
from typing import Any

from ..honest import Engine


class Served(Engine):
    """Has it work, and says nothing of it."""

    def __init__(self, settings: dict[str, Any], scratch: str) -> None:
        super().__init__(settings, scratch)
        self.door = socket.socket(socket.AF_UNIX)
        self.door.connect(str(self.wanted["diary"]))

    def run(self) -> int:
        self.door.sendall(b"?")
        self.door.recv(1)
        return super().run()
