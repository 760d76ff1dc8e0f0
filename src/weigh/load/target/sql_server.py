"""A server of SQL that a process beside weigh asks, or keeps: its first reply, and what is asked of it between runs."""

from __future__ import annotations

import subprocess
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from weigh.load.runs import Ready, TableRows, TargetRead
from weigh.load.target import server_folder
from weigh.load.waits.pipe import Pipe
from weigh.model.errors import EngineFault, without_secrets

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from weigh.engines.environment import Environment

_REACHED, _STARTED = 60.0, 180.0
"""Seconds until a server by URL has described itself, whatever it sends meanwhile; until one of weigh's own has."""
_PARTING, _STOPPED = 2.0, 20.0
"""Seconds for the process that asked to end; that keeps a server to end it and remove its data."""
_PATIENCE = 30
_LOADED = 600.0
"""Seconds for a checkpoint of what was loaded, and for reading all rows of a table."""
_RETAINED = 130.0
"""Seconds for a server to write out what it holds, and end."""

T = TypeVar("T")


class _Failed(msgspec.Struct):
    error: str = ""


class Reply(msgspec.Struct):
    """What the process that runs the server, or connects to it, says first."""

    error: str = ""
    product: str = ""
    version: str = ""
    settings: dict[str, dict[str, Any]] = {}
    cycles: dict[str, float] = {}
    socket: str = ""
    user: str = ""
    database: str = ""
    encrypted: bool = False
    pooled: bool = False
    server: int | None = None
    process: int | None = None


class _Tables(msgspec.Struct):
    tables: list[str] = []


class _Rows(msgspec.Struct):
    rows: dict[str, TableRows] = {}


@contextmanager
def process(
    script: Path, environment: Environment, request: dict[str, Any], where: str, product: str
) -> Iterator[tuple[Reply, Pipe]]:
    """A process of an environment while the body runs: its first reply, and how to ask.

    Args:
        script: what it executes.
        environment: with the server's client.
        request: the first line that it is given; without a ``folder`` the server is somebody else's.
        where: the target, for errors.
        product: what kind of server it should be, likewise.

    Raises:
        EngineFault: it ended, or said nothing in time, or what it passes on of the server is not what it should be.
    """
    by_url = request["folder"] is None
    child = subprocess.Popen(
        [str(environment.python), "-P", "-B", str(script)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd="/",
        # Ctrl-C is for weigh, which ends this process when it has sealed its evidence.
        start_new_session=True,
        # One that keeps a server ends by its standard input, and has to tidy up. One that waits for somebody else's
        # server may never read it.
        preexec_fn=server_folder.ended_with_us() if by_url else None,  # noqa: PLW1509 # no thread of Python's is there
    )
    assert child.stdin is not None
    assert child.stdout is not None
    assert child.stderr is not None
    try:
        with suppress(BrokenPipeError):
            child.stdin.write(msgspec.json.encode(request) + b"\n")
            child.stdin.flush()
        pipe = Pipe(child.stdin, child.stdout)
        yield _first_reply(child, pipe, _REACHED if by_url else _STARTED, where, product), pipe
    finally:
        with suppress(BrokenPipeError):
            child.stdin.close()
        try:
            child.wait(timeout=_PARTING if by_url else _STOPPED)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
        child.stdout.close()
        child.stderr.close()


def _first_reply(child: subprocess.Popen[bytes], pipe: Pipe, most: float, where: str, product: str) -> Reply:
    """The first line of the process: how the server is."""
    assert child.stderr is not None
    try:
        return msgspec.json.decode(pipe.read(most), type=Reply)
    except msgspec.DecodeError as error:
        raise EngineFault(
            f"the server sent a description of itself that is none: {error}",
            where=where,
            remedy=f"see whether it is a {product} server",
        ) from None
    except EngineFault as error:
        ended = child.poll() is not None
        child.kill()
        last = child.stderr.read().decode(errors="replace").strip().splitlines()[-1:] if ended else []
        raise EngineFault(
            f"the server did not describe itself: {' '.join([error.what, *last])}",
            where=where,
            remedy="see whether it answers other clients, and what its log says",
        ) from None


class SqlServer:
    """What weigh asks of the server between the runs.

    Args:
        pipe: to the process.
        read: makes of a reply what the server is.
    """

    def __init__(self, pipe: Pipe, read: Callable[[Reply], TargetRead]) -> None:
        self._pipe = pipe
        self._read = read

    def ready(self, *, loaded: bool) -> Ready:
        """As of :class:`weigh.load.target.target.Reached`."""
        found = self._decoded("checkpoint" if loaded else "state", _LOADED, Ready)
        return msgspec.structs.replace(found, refused=without_secrets(found.refused))

    def again(self) -> TargetRead:
        """As of :class:`weigh.load.target.target.Reached`."""
        return self._read(self._decoded("describe", _PATIENCE, Reply))

    def keep(self, data: Path, to: Path) -> None:
        """As of :class:`weigh.load.target.target.Reached`."""
        self._decoded("stop", _RETAINED, _Failed)
        server_folder.copy(data, to)

    def crash(self) -> None:
        """As of :class:`weigh.load.target.target.Reached`."""
        self._decoded("crash", _PATIENCE, _Failed)

    def restart(self) -> int | None:
        """As of :class:`weigh.load.target.target.Reached`."""
        return self._decoded("restart", _STARTED, Reply).process

    def rows(self, wanted: Callable[[str], bool]) -> dict[str, TableRows]:
        """As of :class:`weigh.load.target.target.Reached`."""
        names = [name for name in self._decoded("tables", _PATIENCE, _Tables).tables if wanted(name)]
        request = f"rows {msgspec.json.encode(names).decode()}"
        return self._decoded(request, _LOADED * max(len(names), 1), _Rows).rows

    def _decoded(self, what: str, patience: float, kind: type[T]) -> T:
        line = self._pipe.ask(what, patience)
        try:
            error = msgspec.json.decode(line, type=_Failed).error
            if error:
                raise EngineFault(f"the server refused: {error}")
            return msgspec.json.decode(line, type=kind)
        except msgspec.DecodeError as error:
            raise EngineFault(f"the server sent what is no answer: {error}") from None
