"""Gives up a server that never says a word. What is slow because it is at work still says that it is there."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from weigh_worker.adapter import Adapter

if TYPE_CHECKING:
    from collections.abc import Iterator

_UNTROUBLED = 5.0
"""Seconds in which nobody but the driver speaks to the server, which may count connections that are no sessions."""
_PATIENCE = 20.0
"""Seconds from the beginning until a server that said nothing at all is given up."""

GREETING = b""
"""Of servers that speak first."""
POSTGRES = bytes((0, 0, 0, 8, 4, 210, 22, 47))
"""SSLRequest, answered with one byte before anybody is known (PostgreSQL documentation, "Message Formats")."""
HTTP = b"?\r\n\r\n"
"""No request: it is refused by who reads it first, who may be a front that still wakes what stands behind it."""


@contextmanager
def given_up(host: str, port: int, hello: bytes | None) -> Iterator[None]:
    """End this process as one whose connection is lost, if meanwhile its server does not say a single byte.

    Args:
        host: of the server; empty where it is not reached by an address.
        port: there.
        hello: is sent by a connection alongside the driver's, and answered by any such server without work; None where
            it is not known what that would be.
    """
    if not host or not port or hello is None:
        yield
        return
    through = threading.Event()
    threading.Thread(target=_listen, args=(host, port, hello, through), daemon=True).start()
    try:
        yield
    finally:
        through.set()


def _listen(host: str, port: int, hello: bytes, through: threading.Event) -> None:
    if through.wait(_UNTROUBLED):
        return
    if mute(host, port, hello, _PATIENCE - _UNTROUBLED) and not through.is_set():
        error = TimeoutError(f"timed out: not a byte from {host}:{port} within {_PATIENCE:g} s")
        Adapter.connection_lost(error)


def mute(host: str, port: int, hello: bytes, patience: float) -> bool:
    """Whether nothing comes. A refusal, or the end of the connection, is an answer."""
    until = time.monotonic() + patience
    try:
        with socket.create_connection((host, port), patience) as probe:
            probe.settimeout(max(until - time.monotonic(), 1.0))
            probe.sendall(hello)
            probe.recv(1)
    except TimeoutError:
        return True
    except OSError:
        return False
    return False
