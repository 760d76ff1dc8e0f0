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

from weigh.host import processes
from weigh.host.processes import guard
from weigh.load.remedies import LASTING
from weigh.model.errors import EngineFault

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.load.target.target import Reached, Target

_START_LIMIT = 120.0
"""Seconds in which it must answer at its URL."""
_END_LIMIT = 60.0
"""Seconds for an orderly end."""
_GONE_LIMIT = 2.0
"""Seconds in which its URL must fall silent once the processes of the command have ended."""
_REFUSED_LIMIT = 5.0
"""Seconds in which a server that makes its users and databases as it starts may refuse them."""
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
            EngineFault: somebody answers there already, or nobody does in time, or the command does not stay;
                or somebody answers there still when the processes of the command have ended.
        """
        if _answers(self.url):
            raise EngineFault(
                f"a server answers there already, and {_FLAG} is to start it",
                where=self.text,
                remedy="stop it, so that each of its lives is one that weigh begins",
            )
        # A file: nobody reads a pipe while the load goes on.
        with tempfile.TemporaryFile() as output:
            # By its mark a process is known that left the session (setsid, timeout); where weigh is killed, the guard
            # ends what has one.
            mark = guard.new_mark()
            process = subprocess.Popen(
                self.command,
                shell=True,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
                env={**os.environ, guard.MARK: mark},
            )
            try:
                guard.watch(process.pid)
                with ExitStack() as stack:
                    yield self._reached(process, output, stack, (cache, connections))
            finally:
                _end(process, mark)
        self._need_silence()

    def _need_silence(self) -> None:
        until = time.monotonic() + _GONE_LIMIT
        while _answers(self.url):
            if time.monotonic() > until:
                raise EngineFault(
                    f"a server still answers there, though every process of {_FLAG} that weigh knows has ended: "
                    "it runs under somebody else, as a service or a container does",
                    where=self.text,
                    remedy="stop it, and take a command that runs the server itself in the foreground (docker run --rm "
                    "without -d)",
                )
            time.sleep(_POLL)

    def _reached(
        self, process: subprocess.Popen[bytes], output: IO[bytes], stack: ExitStack, arguments: tuple[Path, int]
    ) -> Reached:
        until = time.monotonic() + _START_LIMIT
        refused, last = None, None
        while True:
            if process.poll() is not None:
                raise EngineFault(
                    f"{_FLAG} ended with {process.returncode} before the server answered: {_last_line(output)}",
                    where=self.command[:_LISTED],
                    remedy="let it stay in the foreground as long as the server lives (no daemon, no &): weigh ends "
                    "its processes, and nothing else",
                )
            if _answers(self.url):
                try:
                    return stack.enter_context(self._target.reach(*arguments))
                except EngineFault as error:
                    last = error
                    refused = (refused or time.monotonic()) if error.remedy in LASTING else None
            if last is not None and (
                time.monotonic() > until or (refused and time.monotonic() > refused + _REFUSED_LIMIT)
            ):
                raise EngineFault(
                    f"the server that {_FLAG} began cannot be used: {last.what}", where=self.text, remedy=last.remedy
                )
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


def _end(process: subprocess.Popen[bytes], mark: str) -> None:
    """End the processes of the command, wherever they belong by now: in order, and what does not end so by force."""
    until = time.monotonic() + _END_LIMIT
    signalled: set[processes.Process] = set()
    while (left := _alive(process, mark, signalled)) and time.monotonic() < until:
        # What was begun meanwhile gets one, too.
        for one in left:
            if one not in signalled:
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(one.pid, signal.SIGTERM)
        signalled |= set(left)
        time.sleep(_POLL)
    processes.end(left, 0)
    if process.returncode is None:
        process.wait()


def _alive(process: subprocess.Popen[bytes], mark: str, known: set[processes.Process]) -> list[processes.Process]:
    """Those of the command: with its mark, those that were known, and what its shell has started without it."""
    found = [*known, *guard.marked(mark)]
    if process.poll() is None:
        found += processes.family(process.pid)
    return [one for one in dict.fromkeys(found) if not processes.gone([one], 0)]


def _last_line(output: IO[bytes]) -> str:
    output.seek(0)
    lines = output.read()[-4096:].decode(errors="replace").split("\n")
    return next((line.strip()[:_LISTED] for line in reversed(lines) if line.strip()), "it said nothing")
