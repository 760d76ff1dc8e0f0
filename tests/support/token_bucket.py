"""A proxy whose capacity is known: a token bucket, and what is beyond it waits. One thread, microseconds a request.

Every connection asks and waits for its answer, so that what arrives from it in one piece is one request; it is passed
on as it is. Run as a program it listens until its standard input is closed, and prints its port.
"""

from __future__ import annotations

import heapq
import selectors
import socket
import sys
import time
from dataclasses import dataclass

_PIECE = 1 << 18


@dataclass
class _Connection:
    client: socket.socket
    server: socket.socket


class Bucket:
    """Tokens that are refilled at a rate, up to a depth."""

    def __init__(self, rate: float, depth: float) -> None:
        self._rate, self._depth, self._held = rate, depth, depth
        self._at = time.monotonic()

    def takes(self, now: float) -> bool:
        """Whether there is a token, which is taken."""
        self._held = min(self._held + (now - self._at) * self._rate, self._depth)
        self._at = now
        if self._held < 1:
            return False
        self._held -= 1
        return True


def serve(upstream: str, rate: float, beyond_s: float, depth: float) -> None:
    """Pass on what clients ask, as long as there are tokens at once, and else after a wait.

    Args:
        upstream: socket of the honest server.
        rate: tokens a second; 0 for as many as are wanted.
        beyond_s: how long what finds no token waits.
        depth: tokens of the full bucket.
    """
    listener = socket.create_server(("127.0.0.1", 0), backlog=1_024)
    print(listener.getsockname()[1], flush=True)
    chosen, bucket = selectors.DefaultSelector(), Bucket(rate, depth)
    chosen.register(listener, selectors.EVENT_READ)
    chosen.register(sys.stdin, selectors.EVENT_READ)
    waiting: list[tuple[float, int, _Connection, bytes]] = []
    number = 0
    while True:
        pause = max(waiting[0][0] - time.monotonic(), 0.0) if waiting else None
        for key, _ in chosen.select(pause):
            if key.fileobj is sys.stdin:
                return
            if key.fileobj is listener:
                _accept(chosen, listener, upstream)
                continue
            one: _Connection = key.data
            try:
                piece = key.fileobj.recv(_PIECE)  # type: ignore[union-attr]
            except OSError:
                piece = b""
            if not piece:
                _close(chosen, one)
            elif key.fileobj is one.server:
                _send(chosen, one, one.client, piece)
            elif not rate or bucket.takes(now := time.monotonic()):
                _send(chosen, one, one.server, piece)
            else:
                number += 1
                heapq.heappush(waiting, (now + beyond_s, number, one, piece))
        while waiting and waiting[0][0] <= time.monotonic():
            _, _, one, piece = heapq.heappop(waiting)
            _send(chosen, one, one.server, piece)


def _accept(chosen: selectors.BaseSelector, listener: socket.socket, upstream: str) -> None:
    client, _ = listener.accept()
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    server = socket.socket(socket.AF_UNIX)
    server.connect(upstream)
    one = _Connection(client, server)
    chosen.register(client, selectors.EVENT_READ, one)
    chosen.register(server, selectors.EVENT_READ, one)


def _send(chosen: selectors.BaseSelector, one: _Connection, to: socket.socket, piece: bytes) -> None:
    try:
        to.sendall(piece)
    except OSError:
        _close(chosen, one)


def _close(chosen: selectors.BaseSelector, one: _Connection) -> None:
    for end in (one.client, one.server):
        if end.fileno() >= 0:
            chosen.unregister(end)
            end.close()


if __name__ == "__main__":
    serve(sys.argv[1], *map(float, sys.argv[2:5]))
