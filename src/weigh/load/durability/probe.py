"""The crash: the server is killed at a moment that the seed gives, started again, read back, and loaded on."""

from __future__ import annotations

import random
import subprocess
import time
from typing import TYPE_CHECKING, Any

import msgspec

from weigh.host.processes import Process, gone, started
from weigh.load.durability.record import Account, Crash
from weigh.load.generator_errors import call
from weigh.model.errors import EngineFault, WeighError

if TYPE_CHECKING:
    from collections.abc import Callable

    from weigh.evidence.journal import Journal
    from weigh.load.spec import LoadSpec
    from weigh.model.progress import Progress
    from weigh.model.units import Seconds

_EARLIEST, _LATEST = 0.3, 0.6
"""Shares of a run between which the server is killed: there is a time before to compare with, and one after."""
_SOON = 0.15
"""Seconds before the moment from which it is waited for: the run looks up about ten times a second."""
_PATIENCE = 120.0
"""Seconds for the server to give its first answer, and for a command of the user's."""
_HELD = 10.0
"""Seconds for the generator to close its connections."""
_DYING = 5.0
"""Seconds for a server to be gone after the command that kills it."""
_POLL = 0.001
_LISTED = 300


class Probe:
    """One crash in one run.

    Args:
        spec: of the load, with crashes.
        run: number of the run, from 1.
        kill: kills a server of weigh's own; None of another one.
        start: starts it again, likewise.
        process: of the server that commands of the user kill; None where it is not known.
        lose_power: has its disk lose power when it is dead; None where it is to keep it.
        generator: of the run.
        journal: gets the crash.
        progress: receives messages.
    """

    def __init__(
        self,
        spec: LoadSpec,
        run: int,
        kill: Callable[[], None] | None,
        start: Callable[[], object] | None,
        process: int | None,
        lose_power: Callable[[], None] | None,
        generator: Any,
        journal: Journal,
        progress: Progress,
    ) -> None:
        assert isinstance(spec.crash, msgspec.Struct)
        self._commands = spec.crash
        self._run = run
        self._kill_server, self._start_server = kill, start
        self._process = process
        self._lose_power = lose_power
        self._generator = generator
        self._journal = journal
        self._progress = progress
        self._moment = moment(spec, run)
        self._left = spec.duration_s - self._moment
        self._until: Seconds | None = None
        """When the run ends: as long after the load was let in again as the spec has it after the crash."""
        self._done = False

    def __call__(self, at: Seconds) -> None:
        """As of :class:`weigh.load.session.During`.

        Raises:
            EngineFault: the server did not come back, or cannot be read. That is in the journal.
        """
        if self._until is not None and at >= self._until:
            self._generator.stop()
        if self._done or at < self._moment - _SOON:
            return
        self._done = True
        begun = time.monotonic() - at
        time.sleep(max(self._moment - at, 0.0))
        self._crash(begun)

    def end(self) -> None:
        """As of :class:`weigh.load.session.During`: nothing of it goes on."""

    def _crash(self, begun: float) -> None:
        def now() -> Seconds:
            return time.monotonic() - begun

        self._progress.say("killing the server")
        crash = Crash(run=self._run, at=now(), killed_at=now())
        try:
            self._kill()
            crash = msgspec.structs.replace(crash, killed_at=now())
            self._hold()
            crash = msgspec.structs.replace(crash, started_at=now())
            self._start()
            call(self._generator.answered, _PATIENCE)
            crash = msgspec.structs.replace(crash, answered_at=now())
            self._progress.say("reading back what the server has")
            found = call(self._generator.examine)
            account = None if found is None else msgspec.json.decode(found, type=Account)
            crash = msgspec.structs.replace(crash, account=account, released_at=now())
            call(self._generator.release, (crash.released_at or 0.0) - (crash.answered_at or 0.0))
            self._until = now() + self._left
        except WeighError as error:
            crash = msgspec.structs.replace(crash, failed=error.what)
            raise
        finally:
            self._journal.append("crash", crash)

    def _kill(self) -> None:
        if self._commands.kill:
            life = started(self._process) if self._process else None
            ran(self._commands.kill, "--kill-command")
            if self._process and life is not None:
                _died(Process(self._process, life), self._commands.kill)
        elif self._kill_server:
            self._kill_server()
        if self._lose_power:
            # Milliseconds later: nothing was acknowledged meanwhile, and what the kernel wrote of itself only helps.
            self._lose_power()

    def _hold(self) -> None:
        """Nothing more is sent, and what is on its way is of unknown outcome."""
        call(self._generator.hold)
        until = time.monotonic() + _HELD
        while not call(self._generator.is_held):
            if time.monotonic() > until or self._generator.is_over():
                raise EngineFault(
                    "the run was over before the server was killed",
                    remedy="raise --duration: a crash comes after a third of the run",
                )
            time.sleep(_POLL)

    def _start(self) -> None:
        if self._commands.start:
            ran(self._commands.start, "--start-command")
        elif self._start_server:
            self._start_server()


def moment(spec: LoadSpec, run: int) -> Seconds:
    """When the server is killed in a run, in seconds since its schedule began: any moment of its middle alike."""
    return random.Random(f"{spec.seed}/crash/{run}").uniform(_EARLIEST, _LATEST) * spec.duration_s


def _died(server: Process, command: str) -> None:
    """Wait until a process is gone: what was not killed has lost nothing.

    Raises:
        EngineFault: it lives on.
    """
    if not gone([server], _DYING):
        raise EngineFault(
            f"--kill-command has ended, and the server's process {server.pid} lives: nothing was killed",
            where=command[:_LISTED],
            remedy="let it kill the server itself, at once (kill -9)",
        )


def ran(command: str, flag: str) -> None:
    """A command of the user's, in a shell.

    Raises:
        EngineFault: it failed, or did not end.
    """
    try:
        # Without pipes: a server that it starts would hold them open.
        done = subprocess.run(
            command,
            shell=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_PATIENCE,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise EngineFault(
            f"{flag} did not end within {_PATIENCE:g} s", where=command[:_LISTED], remedy="let it return at once"
        ) from None
    if done.returncode:
        raise EngineFault(
            f"{flag} ended with {done.returncode}", where=command[:_LISTED], remedy="run it in a shell to see why"
        )
