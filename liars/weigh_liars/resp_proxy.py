"""A server that lies: a proxy before an honest Valkey, which stalls, forgets writes, serves old values, for
a moment or for ever, reorders writes or fails fast.

And three that are honest and slow: one lingers over every answer, over each by itself; one dawdles, over all of them
equally long; one lags, which is the same, and much longer over two in a hundred.

It understands RESP as far as it must: a connection asks, and waits for the answer. What belongs to the bulk loading
(everything before the first read) passes untouched.
"""

from __future__ import annotations

import random
import socket
import threading
import time
from contextlib import suppress
from typing import BinaryIO, Literal

from .tcp_server import Door

Lie = Literal[
    "none",
    "stalls",
    "forgets",
    "serves-old",
    "serves-stale",
    "reorders",
    "fails",
    "lingers",
    "dawdles",
    "lags",
    "hangs-up",
]
_READ, _WRITE = b"HGETALL", b"HSET"
_FIELD = 4
"""Words of a write to one field."""
STALL_FROM, STALL_FOR = 0.7, 1.0
"""Seconds since the first read, and how long nothing is answered then."""
LINGERS = 0.4
"""Seconds at most, any time below as likely: as long a wait for the last answer as behind a tail is a stall, too."""
PACE = 0.005
"""Seconds over every answer: longer than what tests alongside it do to the generator."""
LAG, LAGGING = 0.05, 0.02
"""Seconds more, and over which share of the answers."""
STALE = 0.05
"""Seconds after a write for which its record is read as it was before, or the write is kept for others to overtake."""
HANGS_UP = 1.0
"""Seconds since the first read, after which a new connection is hung up on."""
EVERY = 5
"""One request in so many is lied about."""


class Proxy(Door):
    """Listens on a port of the loopback until it is left.

    Args:
        upstream: socket of the honest server.
        lie: what is done.
    """

    def __init__(self, upstream: str, lie: Lie) -> None:
        self._upstream = upstream
        self._lie = lie
        self._lock = threading.Lock()
        self._began: float | None = None
        self._requests = 0
        self._cache: dict[bytes, bytes] = {}
        self._stale: dict[bytes, tuple[float, bytes]] = {}
        self._overtaken: dict[bytes, list[bytes]] = {}
        super().__init__()

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"redis://127.0.0.1:{self.port}"

    def _serve(self, client: socket.socket) -> None:
        with suppress(OSError, ValueError), socket.socket(socket.AF_UNIX) as server:
            server.connect(self._upstream)
            opened = time.monotonic()
            requests, answers = client.makefile("rb"), server.makefile("rb")
            while words := read_request(requests):
                if self._lie == "hangs-up" and words[0] == _READ and self._late(opened):
                    return
                if self._lie == "reorders" and words[0] == _READ:
                    self._written(words[1])
                reply = self._lied(words)
                if self._lie == "serves-stale" and words[0] in (_READ, _WRITE):
                    reply = self._copied(words, server, answers)
                if reply is None:
                    server.sendall(encoded(words))
                    reply = read_reply(answers)
                    if self._lie == "serves-old" and words[0] == _READ:
                        # What was read first is served for ever.
                        reply = self._cache.setdefault(words[1], reply)
                self._wait()
                client.sendall(reply)

    def _late(self, opened: float) -> bool:
        """Whether a connection was made when others had asked for long: not to load, but to look what is there."""
        with self._lock:
            return self._began is not None and opened - self._began > HANGS_UP

    def _copied(self, words: list[bytes], server: socket.socket, answers: BinaryIO) -> bytes | None:
        """What a copy has of a record that was just written; None where the server is asked."""
        key = words[1]
        with self._lock:
            at, old = self._stale.get(key, (0.0, b""))
            if words[0] == _READ:
                return old if time.monotonic() - at < STALE else None
            if self._began is None:
                return None
            if time.monotonic() - at >= STALE:
                server.sendall(encoded([_READ, key]))
                old = read_reply(answers)
            self._stale[key] = time.monotonic(), old
            return None

    def _kept(self, words: list[bytes]) -> bool:
        """Keep a write for a moment, unless one of that record is kept already."""
        with self._lock:
            if words[1] in self._overtaken:
                return False
            self._overtaken[words[1]] = words
        threading.Timer(STALE, self._written, words[1:2]).start()
        return True

    def _written(self, key: bytes) -> None:
        """Write what was kept of a record."""
        with self._lock, suppress(OSError), socket.socket(socket.AF_UNIX) as server:
            if words := self._overtaken.pop(key, []):
                server.connect(self._upstream)
                server.sendall(encoded(words))
                read_reply(server.makefile("rb"))

    def _lied(self, words: list[bytes]) -> bytes | None:
        """What is answered without asking the server; None where it is asked."""
        with self._lock:
            if words[0] == _READ and self._began is None:
                self._began = time.monotonic()
            elif words[0] == _WRITE and len(words) > _FIELD:
                # A whole record: the next run is being loaded.
                self._began = None
            if self._began is None or words[0] not in (_READ, _WRITE):
                return None
            self._requests += 1
            due = self._requests % EVERY == 0
        if self._lie == "forgets" and words[0] == _WRITE and len(words) == _FIELD:
            return b":0\r\n"
        if self._lie == "reorders" and words[0] == _WRITE and len(words) == _FIELD and self._kept(words):
            return b":0\r\n"
        if self._lie == "fails" and due:
            return b"-OOM command not allowed when used memory > 'maxmemory'.\r\n"
        return None

    def _wait(self) -> None:
        if self._began is None:
            return
        if self._lie == "lingers":
            time.sleep(random.uniform(0, LINGERS))
        if self._lie in ("dawdles", "lags"):
            time.sleep(PACE + (LAG if self._lie == "lags" and random.random() < LAGGING else 0.0))
        if self._lie != "stalls":
            return
        since = time.monotonic() - self._began
        if STALL_FROM <= since < STALL_FROM + STALL_FOR:
            time.sleep(STALL_FROM + STALL_FOR - since)


def read_request(file: BinaryIO) -> list[bytes]:
    """The words of the next command; none at the end."""
    line = file.readline()
    if not line.startswith(b"*"):
        return []
    words = []
    for _ in range(int(line[1:])):
        length = int(file.readline()[1:])
        words.append(file.read(length + 2)[:-2])
    return words


def encoded(words: list[bytes]) -> bytes:
    return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%b\r\n" % (len(word), word) for word in words)


def read_reply(file: BinaryIO) -> bytes:
    """The next reply, as it came."""
    line = file.readline()
    if not line:
        raise ConnectionError("the server is gone")
    kind, count = line[:1], line[1:-2]
    if kind == b"$" and int(count) >= 0:
        return line + file.read(int(count) + 2)
    if kind in b"*~%>":
        parts = int(count) * (2 if kind == b"%" else 1)
        return line + b"".join(read_reply(file) for _ in range(max(parts, 0)))
    return line
