"""A few commands to a Redis or Valkey server, to read its settings back. The load itself goes another way."""

from __future__ import annotations

import socket
import ssl
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

_PATIENCE = 10.0
"""Seconds for connecting and logging in together, and for each answer, however its bytes trickle in."""
_LINE = 1 << 16
_REPLY = 4 << 20
"""Bytes of the longest line, and of the longest reply: all settings of a server are some 20 kB."""
_ELEMENTS = 1 << 16
_DEEPEST = 8
_PIECE = 1 << 16
_LISTED = 40


class Refused(Exception):
    """The server answered with an error."""


class Malformed(Exception):
    """The server sent what is no answer, or more than is taken."""


class Client:
    """One connection.

    Args:
        connect: as the generator takes it (:meth:`weigh.load.target.url.Url.connect`).
        patience: seconds for connecting and for each answer.

    Raises:
        OSError: the server cannot be reached, or does not answer in time.
        Refused: it does not take the user or the password.
        Malformed: what answers does not speak RESP.
    """

    def __init__(self, connect: dict[str, Any], patience: float = _PATIENCE) -> None:
        self._patience = patience
        self._until = time.monotonic() + patience
        self._buffer = bytearray()
        self._read = 0
        """Bytes of the present reply that were read so far."""
        self._socket: socket.socket
        if connect["socket"]:
            self._socket = socket.socket(socket.AF_UNIX)
            self._socket.settimeout(_PATIENCE)
            self._socket.connect(connect["socket"])
        else:
            self._socket = socket.create_connection((connect["host"], connect["port"]), timeout=_PATIENCE)
        try:
            if connect["tls"] != "off":
                context = ssl.create_default_context(cafile=connect["ca"])
                if connect["tls"] == "require":
                    context.check_hostname = False
                    context.verify_mode = ssl.CERT_NONE
                # One limit for all of the handshake.
                self._socket = context.wrap_socket(self._socket, server_hostname=connect["host"])
            if connect["password"] is not None:
                self.ask("AUTH", *([connect["user"]] if connect["user"] else []), connect["password"])
        except BaseException:
            self._socket.close()
            raise

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._socket.close()

    def ask(self, *words: str) -> Any:
        """One command and its reply: text, a number, None, or a list of them.

        Raises:
            OSError: the connection is lost, or the reply is not whole in time.
            Refused: the reply is an error.
            Malformed: it is no reply, or one that is longer than 4 MiB.
        """
        (reply,) = self.batch([words])
        return reply

    def batch(self, commands: Sequence[Sequence[str]]) -> list[Any]:
        """Several commands, sent together, and their replies; as of :meth:`ask`."""
        self._until, self._read = time.monotonic() + self._patience, 0
        self._socket.settimeout(self._patience)
        self._socket.sendall(b"".join(map(_command, commands)))
        replies = []
        for _ in commands:
            # The bound is on each.
            self._read = 0
            replies.append(self._reply(0))
        return replies

    def text(self, *words: str) -> str:
        """One command whose reply is text."""
        reply = self.ask(*words)
        if not isinstance(reply, str):
            raise Malformed(f"the server sent no text in answer to {words[0]}")
        return reply

    def pairs(self, *words: str) -> dict[str, str]:
        """One command whose reply is a list of names and values, one after the other."""
        reply = self.ask(*words)
        if not isinstance(reply, list) or len(reply) % 2 or not all(isinstance(one, str) for one in reply):
            raise Malformed(f"the server sent no names and values in answer to {words[0]}")
        return dict(zip(reply[::2], reply[1::2], strict=True))

    def _reply(self, depth: int) -> Any:
        line = self._line()
        kind, rest = line[:1], line[1:].decode(errors="replace")
        match kind:
            case b"+":
                return rest
            case b"-":
                raise Refused(rest[:1000])
            case b":":
                return _number(rest)
            case b"$":
                length = _number(rest)
                return None if length < 0 else self._exactly(length + 2)[:-2].decode(errors="replace")
            case b"*":
                count = _number(rest)
                if depth == _DEEPEST or count > _ELEMENTS:
                    raise Malformed(f"the server sent a list of {count} elements, {depth} lists deep")
                return [self._reply(depth + 1) for _ in range(count)]
            case _:
                raise Malformed(f"the server sent {line[:_LISTED]!r}, which is not RESP")

    def _line(self) -> bytes:
        """The next line, without its end."""
        while (end := self._buffer.find(b"\r\n", 0, _LINE)) < 0:
            if len(self._buffer) >= _LINE:
                raise Malformed(f"the server sent a line that has no end within {_LINE} bytes")
            self._more()
        return self._taken(end + 2)[:-2]

    def _exactly(self, length: int) -> bytes:
        if self._read + length > _REPLY:
            raise Malformed(f"the server sent a string of {length - 2} bytes, and a reply has {_REPLY} at most here")
        while len(self._buffer) < length:
            self._more()
        return self._taken(length)

    def _taken(self, length: int) -> bytes:
        self._read += length
        if self._read > _REPLY:
            raise Malformed(f"the server sent a reply of more than {_REPLY} bytes")
        taken = bytes(self._buffer[:length])
        del self._buffer[:length]
        return taken

    def _more(self) -> None:
        rest = self._until - time.monotonic()
        if rest <= 0:
            raise TimeoutError(f"no whole answer within {self._patience:g} s")
        self._socket.settimeout(rest)
        try:
            piece = self._socket.recv(_PIECE)
        except TimeoutError:
            raise TimeoutError(f"no whole answer within {self._patience:g} s") from None
        if not piece:
            raise ConnectionError("the connection was closed")
        self._buffer += piece


def _command(words: Sequence[str]) -> bytes:
    parts = [word.encode() for word in words]
    return b"*%d\r\n" % len(parts) + b"".join(b"$%d\r\n%b\r\n" % (len(part), part) for part in parts)


def _number(text: str) -> int:
    if not text.removeprefix("-").isdecimal() or len(text) > _LISTED:
        raise Malformed(f"the server sent {text[:_LISTED]!r} where a number belongs")
    return int(text)
