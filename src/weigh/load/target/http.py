"""HTTP as a target: any URL, asked by requests that a script writes."""

from __future__ import annotations

import socket
import ssl
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, unquote, urlsplit

import msgspec

from weigh.load.runs import TargetRead
from weigh.load.target import secrecy, tls
from weigh.load.target.local_server import same_host, whereabouts
from weigh.load.target.target import Reached
from weigh.load.target.url import Url
from weigh.model.errors import EngineFault, UsageError
from weigh.model.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SCHEMES = ("http://", "https://")
_PORTS = {"http": 80, "https": 443}
_PATIENCE = 10.0
"""Seconds in which it must have answered, however its bytes trickle in."""
_LONGEST_HEAD = 64 << 10
_LONGEST_NAME = 200
_SECRETS = ("access_token", "api_key", "apikey", "passwd", "password", "pwd", "secret", "token")


class Http:
    """A server that answers requests of HTTP/1.1.

    Raises:
        UsageError: the URL is none, or has a password where it cannot be kept from the evidence.
    """

    kind = "http"
    restarts = False

    def __init__(self, text: str) -> None:
        try:
            parts = urlsplit(text)
            port = parts.port or _PORTS[parts.scheme]
        except ValueError:
            # What Python says of it may quote the password.
            raise UsageError(
                "the target's URL is none: its port is no number from 1 to 65535, or a character of its password needs "
                "%-encoding",
                remedy="write http://HOST:PORT/PATH",
            ) from None
        if not parts.hostname:
            raise UsageError("the target's URL names no host", remedy="write http://HOST:PORT/PATH")
        if parts.fragment or not all(c.isascii() and c.isprintable() and c != " " for c in text):
            raise UsageError(
                "the target's URL has a '#', or characters that need %-encoding", remedy="write http://HOST:PORT/PATH"
            )
        for name, _ in parse_qsl(parts.query, keep_blank_values=True):
            if name.lower() in _SECRETS:
                raise UsageError(
                    f"the target's URL has '{name}=' behind its question mark, where every log keeps it",
                    remedy="write http://USER:PASSWORD@HOST into a file of yours, and give it with --target-file",
                )
        login, at, place = parts.netloc.rpartition("@")
        self.path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        user = f"{login.split(':', 1)[0]}@" if at else ""
        self.text = f"{parts.scheme}://{user}{place}{'' if self.path == '/' else self.path}"
        self.url = Url(
            text=self.text,
            kind=self.kind,
            host=parts.hostname,
            port=port,
            socket=None,
            user=unquote(parts.username) if parts.username else None,
            password=unquote(parts.password) if parts.password is not None else None,
            database=None,
            inline=parts.password is not None,
            tls=tls.requested(parts.scheme, {}, socket=False),
        )

    @secrecy.hidden
    @contextmanager
    def reach(self, cache: Path, connections: int, data: Path | None = None) -> Iterator[Reached]:
        """As of :class:`weigh.load.target.target.Target`.

        Raises:
            EngineFault: it cannot be reached, or does not speak HTTP/1.1.
        """
        near = same_host(self.url.host, self.url.port)
        connect = {**self.url.connect(), "path_and_query": self.path}
        read = _described(connect, self.text)
        here, servers = whereabouts(near, None)
        yield Reached(
            connect=connect,
            read=msgspec.structs.replace(read, same_host=here, tls=connect["tls"]),
            servers=servers,
        )


def _described(connect: dict[str, Any], where: str) -> TargetRead:
    """What the server calls itself in its answer to ``OPTIONS *``, which asks for nothing (RFC 9110, 9.3.7)."""
    try:
        head = _head(connect)
    except (OSError, ValueError) as error:
        raise EngineFault(
            f"it cannot be reached: {error}",
            where=where,
            remedy=tls.remedy(error, connect["tls"], tls.TRUST),
        ) from error
    status, *headers = head.split("\n")
    if not status.startswith("HTTP/1."):
        raise EngineFault(
            f"the server sent {one_line(status, 40)!r}, which is not HTTP/1.1",
            where=where,
            remedy="see whether it is a server of HTTP",
        )
    named = [line.partition(":")[2] for line in headers if line.lower().startswith("server:")]
    name, _, version = one_line((named or [""])[0].strip(), _LONGEST_NAME).partition("/")
    return TargetRead(
        kind="http",
        product=name or "a server of HTTP",
        version=version or "(version not told)",
        embedded=False,
        unread="HTTP does not tell them",
    )


def _head(connect: dict[str, Any]) -> str:
    """The head of its answer, or as much as comes in time."""
    until = time.monotonic() + _PATIENCE
    with socket.create_connection((connect["host"], connect["port"]), timeout=_PATIENCE) as plain:
        stream = plain
        if connect["tls"] != "off":
            context = ssl.create_default_context(cafile=connect["ca"])
            stream = context.wrap_socket(plain, server_hostname=connect["host"])
        with stream:
            host = f"[{connect['host']}]" if ":" in connect["host"] else connect["host"]
            lines = ("OPTIONS * HTTP/1.1", f"Host: {host}:{connect['port']}", "User-Agent: weigh", "Connection: close")
            stream.sendall("".join(f"{line}\r\n" for line in (*lines, "")).encode())
            got = bytearray()
            while b"\n\r\n" not in got and b"\n\n" not in got and len(got) < _LONGEST_HEAD:
                piece = _piece(stream, until)
                if not piece:
                    break
                got += piece
    return got.decode("latin-1").replace("\r", "")


def _piece(stream: socket.socket, until: float) -> bytes:
    """What comes next, until a moment."""
    with suppress(TimeoutError):
        if (rest := until - time.monotonic()) > 0:
            stream.settimeout(rest)
            return stream.recv(4096)
    raise TimeoutError(f"no whole answer within {_PATIENCE:g} s")
