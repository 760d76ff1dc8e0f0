"""Messages between the one who asks for a load and its agents: over a connection of weigh's own, encrypted.

A cluster places an agent and gives it a key; everything else goes this way. Tasks of a cluster tell nothing about time:
they wait in queues.
"""

from __future__ import annotations

import select
import socket
import struct
import threading
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import msgspec
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

if TYPE_CHECKING:
    from weigh.model.units import Bytes, Seconds

_LENGTH = struct.Struct(">I")
_NONCE = struct.Struct(">IQ")
_MOST = 1 << 30
"""Bytes of a message: what a run of ten million keys has written is the longest."""
_CHUNK = 1 << 20
_KEEPALIVE = {socket.TCP_KEEPIDLE: 60, socket.TCP_KEEPINTVL: 15, socket.TCP_KEEPCNT: 8}
"""Seconds of silence, seconds between questions, and how many of them may stay unanswered."""
KEY: Bytes = 32


class Closed(Exception):
    """The other end is gone, or is not the one that has the key."""


class Channel:
    """A connection, of which each end numbers what it sends: nothing can be read, changed, repeated or left out.

    Args:
        connection: that is open.
        key: of 32 bytes, known to both ends and to nobody else.
        agent: whether this is the agent's end.
    """

    def __init__(self, connection: socket.socket, key: bytes, *, agent: bool) -> None:
        # A pair of sockets of one machine has none.
        with suppress(OSError):
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            # A peer that is gone without a word is found out within minutes, and one that only waits is not lost.
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            for name, number in _KEEPALIVE.items():
                connection.setsockopt(socket.IPPROTO_TCP, name, number)
        connection.setblocking(True)
        self._connection = connection
        self._cipher = ChaCha20Poly1305(key)
        self._side = int(agent)
        self._sent = self._received = 0
        self._buffer = bytearray()
        self._whole: deque[bytes] = deque()
        self._sending = threading.Lock()

    def fileno(self) -> int:
        """Of the connection."""
        return self._connection.fileno()

    def send(self, message: msgspec.Struct) -> None:
        """Send one. From any thread.

        Raises:
            Closed: nobody takes it.
        """
        with self._sending:
            nonce = _NONCE.pack(self._side, self._sent)
            self._sent += 1
            sealed = self._cipher.encrypt(nonce, msgspec.msgpack.encode(message), None)
            try:
                self._connection.sendall(_LENGTH.pack(len(sealed)) + sealed)
            except OSError as error:
                raise Closed(str(error)) from None

    def receive(self, kind: Any, timeout: Seconds) -> Any:
        """The next message; None where none came in that time.

        Args:
            kind: what it may be.
            timeout: seconds.

        Raises:
            Closed: none will come.
        """
        while not self._whole:
            if not select.select([self._connection], [], [], max(timeout, 0.0))[0]:
                return None
            self.read()
        try:
            return msgspec.msgpack.decode(self._whole.popleft(), type=kind)
        except msgspec.MsgspecError as error:
            raise Closed(f"it sends what is no message of this version: {error}") from None

    @property
    def waiting(self) -> bool:
        """Whether a whole message is here already."""
        return bool(self._whole)

    def read(self) -> None:
        """Read what is there; waits for something.

        Raises:
            Closed: the other end is gone.
        """
        try:
            content = self._connection.recv(_CHUNK)
        except OSError as error:
            raise Closed(str(error)) from None
        if not content:
            raise Closed("it closed the connection")
        self._buffer += content
        while len(self._buffer) >= _LENGTH.size:
            (length,) = _LENGTH.unpack_from(self._buffer)
            if length > _MOST:
                raise Closed("it sends a message that is too long")
            if len(self._buffer) < _LENGTH.size + length:
                return
            sealed = bytes(self._buffer[_LENGTH.size : _LENGTH.size + length])
            del self._buffer[: _LENGTH.size + length]
            nonce = _NONCE.pack(1 - self._side, self._received)
            self._received += 1
            try:
                self._whole.append(self._cipher.decrypt(nonce, sealed, None))
            except InvalidTag:
                raise Closed("it does not have the key") from None

    def close(self) -> None:
        """Close it."""
        self._connection.close()


def toward(host: str, port: int) -> str:
    """The address of this machine that another one reaches it by; that of loopback where that cannot be determined."""
    try:
        [(family, kind, _, _, address), *_] = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)
        with socket.socket(family, kind) as probe:
            probe.connect(address)
            return str(probe.getsockname()[0])
    except OSError:
        return "127.0.0.1"
