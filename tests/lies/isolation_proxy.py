"""Servers that isolate less than they say: a proxy before an honest PostgreSQL.

It understands what the workload ``isolation`` sends: statements that are parsed once by name, then bound and executed.
"""

from __future__ import annotations

import select
import struct
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Literal

from .postgres_proxy import TLS, PostgresProxy, encoded, exactly, message

if TYPE_CHECKING:
    import socket

Lie = Literal["none", "weaker", "stale", "reorders", "admits", "garbles"]
"""Nothing; another level than it names; reads of a while ago; commits acknowledged before they are made; another level,
which it does name; some reads that are no list of numbers."""
_LATER = 0.03
"""Seconds by which a commit is late, and by which a read is old at least."""
_EVERY = 4
"""One commit in so many is late."""
_WEAKER = {
    b"ISOLATION LEVEL SERIALIZABLE": b"ISOLATION LEVEL READ COMMITTED",
    b"current_setting('transaction_isolation')": b"'serializable'::text",
}
_GARBLED = {b"(SELECT v FROM": b"(SELECT CASE WHEN random() < 0.05 THEN v || ',' ELSE v END FROM"}
_ADMITTED = {b"ISOLATION LEVEL SERIALIZABLE": b"ISOLATION LEVEL READ COMMITTED"}


class IsolationProxy(PostgresProxy):
    """Listens on a port of the loopback until it is left.

    Args:
        upstream: socket of the honest server.
        user, database: whom to log in as.
        lie: what is done.

    Attributes:
        kind: of lie.
    """

    def __init__(self, upstream: str, user: str, database: str, lie: Lie) -> None:
        self.kind = lie
        self._cache: dict[bytes, list[tuple[float, bytes]]] = {}
        self._commits = 0
        rewrites = {"weaker": _WEAKER, "admits": _ADMITTED, "garbles": _GARBLED}.get(lie, {})
        super().__init__(upstream, user, database, "none", rewrites)

    def _session(self, client: socket.socket, server: socket.socket) -> None:
        if self.kind in ("stale", "reorders"):
            _Session(self, client, server).serve()
        else:
            super()._session(client, server)

    def is_late(self) -> bool:
        """Whether the next commit is."""
        with self._lock:
            self._commits += 1
            return self._commits % _EVERY == 0

    def remember(self, key: bytes, row: bytes) -> None:
        """What a list was a moment ago."""
        with self._lock:
            self._cache.setdefault(key, []).append((time.monotonic(), row))

    def old(self, key: bytes) -> bytes | None:
        """What a list was a while ago; None where nobody had read it then."""
        with self._lock:
            known = self._cache.get(key, [])
            return next((row for at, row in reversed(known) if at < time.monotonic() - _LATER), None)


class _Session:
    """One connection through the proxy."""

    def __init__(self, proxy: IsolationProxy, client: socket.socket, server: socket.socket) -> None:
        self._proxy, self._client, self._server = proxy, client, server
        self._texts: dict[bytes, bytes] = {}
        self._appended: set[bytes] = set()
        self._reading: bytes | None = None
        self._swallow = 0

    def serve(self) -> None:
        """Until one of them goes away."""
        length, kind = struct.unpack(">II", exactly(self._client, 8))
        while kind == TLS:
            self._client.sendall(b"N")
            length, kind = struct.unpack(">II", exactly(self._client, 8))
        self._server.sendall(struct.pack(">II", length, kind) + exactly(self._client, length - 8))
        threading.Thread(target=self._answers, daemon=True).start()
        while True:
            tag, body = message(self._client)
            if tag == b"P":
                name, text, _ = body.split(b"\0", 2)
                self._texts[name] = text
            if tag == b"B" and self._lies(body):
                continue
            self._server.sendall(encoded(tag, body))

    def _lies(self, bind: bytes) -> bool:
        """Whether it answers a statement itself."""
        _, name, rest = bind.split(b"\0", 2)
        text = self._texts.get(name, b"")
        self._reading = None
        if text.startswith(b"BEGIN"):
            self._appended.clear()
        if text.startswith((b"SELECT", b"INSERT")):
            (length,) = struct.unpack(">I", rest[4:8])
            key = rest[8 : 8 + length]
            if text.startswith(b"INSERT"):
                self._appended.add(key)
            elif key not in self._appended and b"BETWEEN" not in text:
                self._reading = key
                old = self._proxy.old(key) if self._proxy.kind == "stale" else None
                if old is not None:
                    self._until_sync()
                    self._answer(encoded(b"D", old) + encoded(b"C", b"SELECT 1\0"), b"T")
                    return True
        if text == b"COMMIT" and self._proxy.kind == "reorders" and self._proxy.is_late():
            self._late(bind)
            return True
        return False

    def _until_sync(self) -> bytes:
        found = b""
        while True:
            tag, body = message(self._client)
            found += encoded(tag, body)
            if tag == b"S":
                return found

    def _answer(self, body: bytes, state: bytes) -> None:
        self._client.sendall(encoded(b"2", b"") + body + encoded(b"Z", state))

    def _late(self, bind: bytes) -> None:
        """Acknowledge a commit, and make it a while later."""
        whole = encoded(b"B", bind) + self._until_sync()
        self._answer(encoded(b"C", b"COMMIT\0"), b"I")
        due = time.monotonic() + _LATER
        select.select([self._client], [], [], _LATER)
        time.sleep(max(due - time.monotonic(), 0.0))
        self._swallow += 1
        self._server.sendall(whole)

    def _answers(self) -> None:
        with suppress(OSError, struct.error):
            while True:
                tag, body = message(self._server)
                if self._swallow:
                    self._swallow -= tag == b"Z"
                    continue
                if tag == b"D" and self._reading is not None:
                    self._proxy.remember(self._reading, body)
                self._client.sendall(encoded(tag, body))
