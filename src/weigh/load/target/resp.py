"""A few commands to a Redis or Valkey server, to read its settings back. The load itself goes another way."""

from __future__ import annotations

import socket
import ssl
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import TracebackType

_PATIENCE = 10.0


class Refused(Exception):
    """The server answered with an error."""


class Client:
    """One connection.

    Args:
        connect: as the generator takes it (:meth:`weigh.load.target.url.Url.connect`).

    Raises:
        OSError: the server cannot be reached.
        Refused: it does not take the user or the password.
    """

    def __init__(self, connect: dict[str, Any]) -> None:
        self._socket: socket.socket
        if connect["socket"]:
            self._socket = socket.socket(socket.AF_UNIX)
            self._socket.settimeout(_PATIENCE)
            self._socket.connect(connect["socket"])
        else:
            self._socket = socket.create_connection((connect["host"], connect["port"]), timeout=_PATIENCE)
        if connect["tls"] != "off":
            context = ssl.create_default_context(cafile=connect["ca"])
            if connect["tls"] == "require":
                context.check_hostname = False
                context.verify_mode = ssl.CERT_NONE
            self._socket = context.wrap_socket(self._socket, server_hostname=connect["host"])
        self._file = self._socket.makefile("rb")
        if connect["password"] is not None:
            self.ask("AUTH", *([connect["user"]] if connect["user"] else []), connect["password"])

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()
        self._socket.close()

    def ask(self, *words: str) -> Any:
        """One command and its reply: text, a number, None, or a list of them.

        Raises:
            OSError: the connection is lost.
            Refused: the reply is an error.
        """
        parts = [word.encode() for word in words]
        self._socket.sendall(b"*%d\r\n" % len(parts) + b"".join(b"$%d\r\n%b\r\n" % (len(part), part) for part in parts))
        return self._reply()

    def _reply(self) -> Any:
        line = self._file.readline()
        if not line.endswith(b"\r\n"):
            raise ConnectionError("the connection was closed")
        kind, rest = line[:1], line[1:-2].decode(errors="replace")
        match kind:
            case b"+":
                return rest
            case b"-":
                raise Refused(rest)
            case b":":
                return int(rest)
            case b"$":
                length = int(rest)
                return None if length < 0 else self._file.read(length + 2)[:-2].decode(errors="replace")
            case b"*":
                return [self._reply() for _ in range(int(rest))]
            case _:
                raise ConnectionError("it does not speak RESP")
