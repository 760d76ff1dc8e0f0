"""Whether a server runs on this machine."""

from __future__ import annotations

import socket

_PATIENCE = 5.0


def same_host(host: str, port: int) -> bool | None:
    """Whether both ends of a connection have the same address; None where there is no connection.

    A tunnel or a proxy on this machine looks like a server on it.
    """
    try:
        with socket.create_connection((host, port), timeout=_PATIENCE) as connection:
            return bool(connection.getsockname()[0] == connection.getpeername()[0])
    except OSError:
        return None
