"""What is between a client and its server: it passes everything on, until it drops a connection in the middle."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

from weigh_liars.tcp_server import Door

if TYPE_CHECKING:
    from pathlib import Path


class Between(Door):
    """Listens on a port of the loopback until it is left.

    Args:
        upstream: the server's socket, or its port on the loopback.
        marker: what a message contains that is counted.
        drops_at: which of these messages is the last of its connection, from 1; 0 drops none.
    """

    def __init__(self, upstream: Path | int, marker: bytes, drops_at: int = 0) -> None:
        self._upstream, self._marker, self._drops_at = upstream, marker, drops_at
        self._lock = threading.Lock()
        self.counted = 0
        """Messages with the marker."""
        super().__init__()

    def _serve(self, client: socket.socket) -> None:
        with suppress(OSError):
            if isinstance(self._upstream, int):
                server = socket.create_connection(("127.0.0.1", self._upstream))
            else:
                server = socket.socket(socket.AF_UNIX)
                server.connect(str(self._upstream))
            self._open.append(server)
            threading.Thread(target=self._pass, args=(server, client), daemon=True).start()
            self._pass(client, server)

    def _pass(self, source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(1 << 16):
                if self._marker in data and self._last():
                    break
                sink.sendall(data)
        for one in (source, sink):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def _last(self) -> bool:
        with self._lock:
            self.counted += 1
            return self.counted == self._drops_at
