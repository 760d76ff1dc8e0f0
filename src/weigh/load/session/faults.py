"""Faults of a server: begun at one moment, taken away at another."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from weigh.host import processes
from weigh.host.processes import Process
from weigh.load.disturbances.nemeses import LINKED
from weigh.load.durability.probe import ran
from weigh.load.generator_errors import call
from weigh.model.errors import EngineFault, UsageError

if TYPE_CHECKING:
    from weigh._native import LoadLink
    from weigh.load.session.disk import Disk
    from weigh.load.session.surroundings import FakeClock, Surroundings
    from weigh.load.spec import Disturbances, Nemesis
    from weigh.load.target.target import Reached

_FAR = 0.1
"""Seconds that every answer takes longer over a link that is slow: half each way."""


class Fault(Protocol):
    """One kind of fault."""

    def begin(self) -> None:
        """Make it.

        Raises:
            EngineFault: it cannot be made.
        """

    def end(self) -> None:
        """Take it away; of one that is not there nothing happens.

        Raises:
            EngineFault: the server does not come back.
        """


class Victim:
    """A server that faults happen to.

    Args:
        reached: it.
        commands: kills and starts it, where it is not weigh's own.
    """

    def __init__(self, reached: Reached, commands: Disturbances) -> None:
        self._reached = reached
        self._commands = commands
        self._process = reached.process
        self._life = self._begun()

    def _begun(self) -> Process | None:
        since = processes.started(self._process) if self._process else None
        return Process(self._process, since) if self._process and since is not None else None

    @property
    def has_ended(self) -> bool:
        """Whether it is surely gone."""
        return self._life is not None and processes.gone([self._life], 0.0)

    @property
    def can_start(self) -> bool:
        """Whether it can be killed and started again."""
        return bool(self._commands.start and self._commands.kill) or self._reached.restart is not None

    @property
    def processes(self) -> list[int]:
        """Ids of those that are known."""
        return [one.pid for one in processes.family(self._process)] if self._process else []

    def kill(self) -> None:
        """Kill all of it."""
        if self._commands.kill:
            ran(self._commands.kill, "--kill-command")
        elif self._reached.crash:
            self._reached.crash()

    def start(self) -> None:
        """Start it again on what it left; another process is known from then on."""
        if self._commands.start:
            ran(self._commands.start, "--start-command")
            self._process = None
        elif self._reached.restart:
            self._process = self._reached.restart()
        self._life = self._begun()

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to all of its processes, the first one first: it begins no other meanwhile.

        Raises:
            EngineFault: its processes are not known, or somebody else's.
        """
        if self._process is None:
            raise EngineFault(
                "the server's processes are not known here, so they cannot be paused",
                remedy="take an embedded server, or run weigh where the server runs, as its user",
            )
        try:
            os.kill(self._process, number)
            for one in processes.family(self._process)[1:]:
                with suppress(ProcessLookupError):
                    os.kill(one.pid, number)
        except ProcessLookupError:
            raise EngineFault("the server is gone", remedy="see what its log says") from None
        except PermissionError:
            raise EngineFault(
                "the server's processes are another user's", remedy="run weigh as the server's user"
            ) from None


class Kill:
    """``kill -9``, and a start at once."""

    def __init__(self, victim: Victim) -> None:
        self._victim = victim
        self._down = False

    def begin(self) -> None:
        """As of :class:`Fault`."""
        self._down = True
        self._victim.kill()

    def end(self) -> None:
        """As of :class:`Fault`."""
        if self._down:
            self._down = False
            self._victim.start()


class Pause:
    """All processes stopped (SIGSTOP): a machine that hangs, a virtual one that is moved."""

    def __init__(self, victim: Victim) -> None:
        self._victim = victim
        self._paused = False

    def begin(self) -> None:
        """As of :class:`Fault`."""
        self._paused = True
        self._victim.signal(signal.SIGSTOP)

    def end(self) -> None:
        """As of :class:`Fault`."""
        if self._paused:
            self._paused = False
            self._victim.signal(signal.SIGCONT)


class Cut:
    """Nothing passes between load and server."""

    def __init__(self, link: LoadLink) -> None:
        self._link = link

    def begin(self) -> None:
        """As of :class:`Fault`."""
        self._link.cut(True)

    def end(self) -> None:
        """As of :class:`Fault`."""
        self._link.cut(False)


class Far:
    """Every answer takes longer on its way."""

    def __init__(self, link: LoadLink) -> None:
        self._link = link

    def begin(self) -> None:
        """As of :class:`Fault`."""
        self._link.delay(_FAR / 2)

    def end(self) -> None:
        """As of :class:`Fault`."""
        self._link.delay(0.0)


class FullDisk:
    """No byte is free where the server's data lies."""

    def __init__(self, disk: Disk) -> None:
        self._disk = disk

    def begin(self) -> None:
        """As of :class:`Fault`."""
        self._disk.fill()

    def end(self) -> None:
        """As of :class:`Fault`."""
        self._disk.empty()


class SlowDisk:
    """The server writes there a few times a second, and no more."""

    def __init__(self, disk: Disk, victim: Victim) -> None:
        self._disk, self._victim = disk, victim

    def begin(self) -> None:
        """As of :class:`Fault`."""
        self._disk.slow(self._victim.processes)

    def end(self) -> None:
        """As of :class:`Fault`."""
        self._disk.quick()


class WrongClock:
    """The server's clock is ahead, and goes back."""

    def __init__(self, clock: FakeClock) -> None:
        self._clock = clock

    def begin(self) -> None:
        """As of :class:`Fault`."""
        self._clock.wrong()

    def end(self) -> None:
        """As of :class:`Fault`."""
        self._clock.right()


class Link:
    """A proxy of weigh's own between load and server, where a fault needs one, while the body runs.

    Args:
        reached: the server.
        disturbances: that are to happen.

    Attributes:
        connect: how the generator reaches the server then.
        link: the proxy; None where there is none.
    """

    link: LoadLink | None = None

    def __init__(self, reached: Reached, disturbances: Disturbances) -> None:
        self.connect = reached.connect
        self._folder: Path | None = None
        if not any(one in LINKED for one in disturbances.nemeses):
            return
        from weigh._native import LoadLink

        if reached.connect.get("tls") == "verify":
            raise UsageError(
                "a proxy between load and server has another name than the server's certificate",
                remedy="take sslmode=require for this load, or leave partition and latency out",
            )
        # Short: the path of a Unix socket has room for 107 bytes.
        self._folder = Path(tempfile.mkdtemp(prefix="weigh-link-", dir="/tmp"))
        target = msgspec.json.encode(reached.connect).decode()
        self.link = call(LoadLink, target, str(self._folder))
        self.connect = {**reached.connect, **self._place(reached.connect, self.link)}

    def _place(self, connect: dict[str, Any], link: LoadLink) -> dict[str, Any]:
        if link.path is None:
            return {"host": "127.0.0.1", "port": link.port}
        # Of PostgreSQL the folder is named.
        return {"socket": str(self._folder) if connect["kind"] == "postgres" else link.path}

    def close(self) -> None:
        """It is there no more."""
        if self.link is not None:
            self.link.close()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)


def fault(kind: Nemesis, victim: Victim, link: LoadLink | None, surroundings: Surroundings | None) -> Fault:
    """The fault of a kind.

    Raises:
        UsageError: it cannot be made here; the text names what it needs.
    """
    match kind:
        case "kill":
            return Kill(victim)
        case "pause":
            return Pause(victim)
        case "partition" if link is not None:
            return Cut(link)
        case "latency" if link is not None:
            return Far(link)
    disk, clock = (surroundings.disk, surroundings.clock) if surroundings else (None, None)
    match kind:
        case "full-disk" if disk is not None:
            return FullDisk(disk)
        case "slow-disk" if disk is not None:
            return SlowDisk(disk, victim)
        case "clock" if clock is not None:
            return WrongClock(clock)
    raise UsageError(f"--nemesis {kind} cannot be made here", remedy="leave it out")
