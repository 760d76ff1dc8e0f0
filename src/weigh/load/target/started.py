"""A server by URL that a command of the user's starts: so each of its lives can be a fresh one."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import tempfile
import time
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from weigh.model.errors import EngineFault

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.load.target.target import Reached, Target

_START_LIMIT = 120.0
"""Seconds in which it must answer at its URL."""
_END_LIMIT = 60.0
"""Seconds for an orderly end."""
_POLL = 0.05
_LISTED = 300
_FLAG = "--start-command"


class StartedByCommand:
    """A target whose every life begins with a command, and ends with the processes of that command.

    Its data is its own: a life finds what the one before has left, unless the command sees to that.

    Args:
        target: by URL.
        command: of a shell, which stays in the foreground as long as the server lives.
    """

    restarts = False

    def __init__(self, target: Target, command: str) -> None:
        self.kind = target.kind
        self.text = target.text
        self.command = command
        self.url: Any = getattr(target, "url", None)
        self._target = target

    @contextmanager
    def reach(self, cache: Path, connections: int, data: Path | None = None) -> Iterator[Reached]:
        """As of :class:`weigh.load.target.target.Target`.

        Raises:
            EngineFault: somebody answers there already, or nobody does in time, or the command does not stay.
        """
        if _answers(self.url):
            raise EngineFault(
                f"a server answers there already, and {_FLAG} is to start it",
                where=self.text,
                remedy="stop it, so that each of its lives is one that weigh begins",
            )
        # A file: nobody reads a pipe while the load goes on.
        with tempfile.TemporaryFile() as output, ExitStack() as stack:
            # A session of its own: its processes are one group, which nothing else is in.
            process = subprocess.Popen(
                self.command, shell=True, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
            )
            stack.callback(_end, process)
            yield self._reached(process, output, stack, (cache, connections))

    def _reached(
        self, process: subprocess.Popen[bytes], output: IO[bytes], stack: ExitStack, arguments: tuple[Path, int]
    ) -> Reached:
        until = time.monotonic() + _START_LIMIT
        while True:
            if process.poll() is not None:
                raise EngineFault(
                    f"{_FLAG} ended with {process.returncode} before the server answered: {_last_line(output)}",
                    where=self.command[:_LISTED],
                    remedy="let it stay in the foreground as long as the server lives (no daemon, no &): weigh ends "
                    "its processes, and nothing else",
                )
            if _answers(self.url):
                with suppress(EngineFault):
                    return stack.enter_context(self._target.reach(*arguments))
            if time.monotonic() > until:
                raise EngineFault(
                    f"no server answers there within {_START_LIMIT:g} s of {_FLAG}: {_last_line(output)}",
                    where=self.text,
                    remedy="see whether the command starts the server of this URL",
                )
            time.sleep(_POLL)


def _answers(url: Any) -> bool:
    """Whether somebody takes connections at a URL."""
    path = url.socket
    try:
        if path is None:
            socket.create_connection((url.host, url.port), timeout=1).close()
            return True
        place = Path(path)
        with socket.socket(socket.AF_UNIX) as probe:
            probe.connect(str(place / f".s.PGSQL.{url.port}" if place.is_dir() else place))
        return True
    except OSError:
        return False


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the group of the command's processes: in order, and those that do not end by force."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    until = time.monotonic() + _END_LIMIT
    while _lives(process) and time.monotonic() < until:
        time.sleep(_POLL)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _lives(process: subprocess.Popen[bytes]) -> bool:
    """Whether a process of the group does."""
    process.poll()
    try:
        os.killpg(process.pid, 0)
    except ProcessLookupError:
        return False
    return True


def _last_line(output: IO[bytes]) -> str:
    output.seek(0)
    lines = output.read()[-4096:].decode(errors="replace").split("\n")
    return next((line.strip()[:_LISTED] for line in reversed(lines) if line.strip()), "it said nothing")
