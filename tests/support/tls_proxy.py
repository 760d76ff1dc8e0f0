"""A door on the network to a server that has only a socket: in clear, or with TLS as PostgreSQL and Valkey begin it."""

from __future__ import annotations

import socket
import ssl
import struct
import subprocess
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

from weigh_liars.tcp_server import Door

if TYPE_CHECKING:
    from pathlib import Path

_ASKED = struct.pack(">ii", 8, 80877103)
"""PostgreSQL's SSLRequest (protocol documentation, "Message Formats")."""


class Front(Door):
    """Listens on a port of the loopback until it is left.

    Args:
        upstream: the server's socket.
        certificate: a file with certificate and key; None where there is no TLS.
        asked: whether TLS begins when PostgreSQL's client asks for it, and not with the connection.
    """

    def __init__(self, upstream: Path, certificate: Path | None = None, *, asked: bool = True) -> None:
        self._upstream = str(upstream)
        self._asked = asked
        self._context = None
        if certificate is not None:
            self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self._context.load_cert_chain(certificate)
        super().__init__()

    def _serve(self, client: socket.socket) -> None:
        first = b""
        with suppress(OSError):
            if self._context is not None and self._asked:
                first = client.recv(len(_ASKED), socket.MSG_WAITALL)
                if first == _ASKED:
                    client.sendall(b"S")
                    client, first = self._context.wrap_socket(client, server_side=True), b""
            elif self._context is not None:
                client = self._context.wrap_socket(client, server_side=True)
            server = socket.socket(socket.AF_UNIX)
            server.connect(self._upstream)
            server.sendall(first)
            self._open += [client, server]
            threading.Thread(target=_pass, args=(server, client), daemon=True).start()
            _pass(client, server)
            return
        client.close()


def _pass(source: socket.socket, sink: socket.socket) -> None:
    """Everything from one to the other, until one of them ends."""
    with suppress(OSError, ValueError):
        while data := source.recv(1 << 16):
            sink.sendall(data)
    for one in (source, sink):
        with suppress(OSError):
            one.shutdown(socket.SHUT_RDWR)


def certificates(folder: Path) -> tuple[Path, Path]:
    """An authority, and with its key a server's certificate for the name ``localhost`` and no other."""
    authority, key, server = folder / "authority.pem", folder / "authority.key", folder / "server.pem"
    new = ("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2")
    _run(*new, "-subj", "/CN=test", "-keyout", str(key), "-out", str(authority))
    _run(
        *new, "-CA", str(authority), "-CAkey", str(key), "-subj", "/CN=localhost", "-keyout", str(folder / "key"),
        "-addext", "subjectAltName=DNS:localhost", "-addext", "basicConstraints=critical,CA:FALSE",
        "-out", str(folder / "certificate"),
    )  # fmt: skip
    server.write_bytes((folder / "certificate").read_bytes() + (folder / "key").read_bytes())
    return authority, server


def _run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True)
