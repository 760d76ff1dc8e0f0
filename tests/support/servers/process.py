"""A server as a process of the tests' own: it is waited for, and it ends with them."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from weigh.engines.prepared import cache_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path


class Lacking(Exception):
    """The machine does not have the server; the message is the command that installs it."""


def programs() -> Path:
    """Where servers lie that are unpacked and not installed."""
    return cache_folder().absolute() / "servers"


def free_port() -> int:
    """One that nobody listens on now."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    return port


def listens(port: int) -> bool:
    """Whether somebody does."""
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def started(
    command: Sequence[str],
    folder: Path,
    ready: Callable[[], bool],
    *,
    limit_s: float = 60,
    environment: Mapping[str, str] | None = None,
    own: Mapping[str, Any] | None = None,
) -> Iterator[subprocess.Popen[bytes]]:
    """The server, once it answers.

    Args:
        command: that starts it.
        folder: where it runs, and its log lies.
        ready: whether it answers.
        limit_s: how long to wait for that.
        environment: further variables.
        own: arguments of the process that say whose it is.

    Raises:
        RuntimeError: it ended, or does not answer; with the end of its log.
    """
    log = folder / "server.log"
    with (
        log.open("wb") as file,
        subprocess.Popen(
            command,
            cwd=folder,
            env={**os.environ, **(environment or {})},
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=file,
            start_new_session=True,
            **(own or {}),
        ) as process,
    ):
        try:
            until = time.monotonic() + limit_s
            while not ready():
                if process.poll() is not None or time.monotonic() > until:
                    end = log.read_text(errors="replace")[-3000:]
                    raise RuntimeError(f"{command[0]} does not answer within {limit_s} s:\n{end}")
                time.sleep(0.2)
            yield process
        finally:
            # An orderly end would wait for clients, and nobody needs what it would save.
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
