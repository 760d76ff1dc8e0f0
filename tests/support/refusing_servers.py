"""Servers that refuse whoever comes, and repeat what they were given, as a careless proxy does: a password, too."""

from __future__ import annotations

import base64
import re
import struct
from contextlib import suppress
from typing import TYPE_CHECKING

from lies.cql_proxy import answer, frame
from weigh_liars.tcp_server import Door

if TYPE_CHECKING:
    import socket

_ERROR, _STARTUP, _AUTHENTICATE, _SUPPORTED, _AUTH_RESPONSE = 0x00, 0x01, 0x03, 0x06, 0x0F
_BASIC = re.compile(rb"authorization: basic (\S+)", re.IGNORECASE)


class Refusing(Door):
    """Speaks as much of a protocol as it takes to be given a password.

    Args:
        engine: whose protocol.
    """

    def __init__(self, engine: str) -> None:
        self._protocol = _PROTOCOLS.get(engine)
        self.given = b""
        """What it was given."""
        super().__init__()

    def _serve(self, client: socket.socket) -> None:
        with suppress(OSError, ValueError, struct.error):
            if self._protocol is not None:
                self.given += self._protocol(client)


def _http(client: socket.socket) -> bytes:
    head = client.recv(65536)
    if head[:1] == b"\x16":
        # Over TLS alone, which nobody speaks here.
        return b""
    while b"\r\n\r\n" not in head and (piece := client.recv(65536)):
        head += piece
    found = _BASIC.search(head)
    given = base64.b64decode(found[1]) if found else head
    body = b"who are you, " + given
    client.sendall(b"HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
    return given + head


def _postgres(client: socket.socket) -> bytes:
    (length,) = struct.unpack("!i", client.recv(4))
    begun = client.recv(length - 4)
    if begun[:4] == struct.pack("!i", 80877103):
        # No TLS.
        client.sendall(b"N")
        return _postgres(client)
    client.sendall(b"R" + struct.pack("!ii", 8, 3))
    given = client.recv(1000)[5:-1]
    text = b"SFATAL\0C28P01\0Mwho are you, " + given + b"\0\0"
    client.sendall(b"E" + struct.pack("!i", len(text) + 4) + text)
    return given


def _mariadb(client: socket.socket) -> bytes:
    capabilities = struct.pack("<H", 0xF7FF) + b"\x2d\x02\0" + struct.pack("<H", 0x81FF) + b"\x15"
    greeting = b"\x0a10.11.0-none\0\x01\0\0\0abcdefgh\0" + capabilities + b"\0" * 10 + b"abcdefghijkl\0"
    greeting += b"mysql_native_password\0"
    client.sendall(struct.pack("<I", len(greeting))[:3] + b"\0" + greeting)
    client.recv(1000)
    # In plain text, please.
    switch = b"\xfemysql_clear_password\0"
    client.sendall(struct.pack("<I", len(switch))[:3] + b"\x02" + switch)
    given = client.recv(1000)[4:].rstrip(b"\0")
    text = b"\xff" + struct.pack("<H", 1045) + b"#28000who are you, " + given
    client.sendall(struct.pack("<I", len(text))[:3] + b"\x04" + text)
    return given


def _redis(client: socket.socket) -> bytes:
    words = client.recv(1000).split(b"\r\n")
    given = words[-2] if words[2:3] == [b"AUTH"] else b""
    client.sendall(b"-WRONGPASS who are you, " + given + b"\r\n")
    return given


def _cassandra(client: socket.socket) -> bytes:
    wanted = b"org.apache.cassandra.auth.PasswordAuthenticator"
    while True:
        head, body = frame(client)
        if head[4] == _STARTUP:
            client.sendall(answer(head, _AUTHENTICATE, len(wanted).to_bytes(2) + wanted))
        elif head[4] == _AUTH_RESPONSE:
            given = body.rpartition(b"\0")[2]
            text = b"who are you, " + given
            client.sendall(answer(head, _ERROR, struct.pack("!iH", 0x0100, len(text)) + text))
            return given
        else:
            # What it supports: nothing.
            client.sendall(answer(head, _SUPPORTED, b"\0\0"))


_PROTOCOLS = {
    "cassandra": _cassandra, "clickhouse": _http, "mariadb": _mariadb, "postgres": _postgres, "redis": _redis,
    "trino": _http,
}  # fmt: skip
