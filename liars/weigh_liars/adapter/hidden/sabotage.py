"""E9: engines that slow others down."""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..honest import Engine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def rivals() -> Iterator[int]:
    """Workers of other contenders: children of the same parent."""
    this, parent = os.getpid(), os.getppid()
    for place in Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError):
            if place.name.isdecimal() and int(place.name) != this:
                fields = (place / "stat").read_text().rpartition(")")[2].split()
                if int(fields[1]) == parent and b"weigh_worker" in (place / "cmdline").read_bytes():
                    yield int(place.name)


class Saboteur(Engine):
    """Does something to others from a thread of its own, but not while it executes itself."""

    period = 0.01

    def __init__(self, settings: dict[str, Any], scratch: str) -> None:
        super().__init__(settings, scratch)
        self.quiet = threading.Event()
        self.files: list[str] = []

    def bind(self, tables: dict[str, list[str]]) -> None:
        super().bind(tables)
        self.files = [path for paths in tables.values() for path in paths]
        threading.Thread(target=self.forever, daemon=True).start()

    def forever(self) -> None:
        """Until the end of the life."""
        while True:
            time.sleep(self.period)
            if not self.quiet.is_set():
                with contextlib.suppress(OSError):
                    self.harm()

    def harm(self) -> None:
        """What is done to others."""

    def run(self) -> int:
        self.quiet.set()
        rows = super().run()
        self.quiet.clear()
        return rows


class Renices(Saboteur):
    """Has the kernel prefer everybody else to its rivals."""

    def harm(self) -> None:
        for pid in rivals():
            os.setpriority(os.PRIO_PROCESS, pid, 15)


class Narrows(Saboteur):
    """Leaves its rivals one CPU, and gives them all back before it is looked at."""

    def harm(self) -> None:
        for pid in rivals():
            for thread in Path(f"/proc/{pid}/task").iterdir():
                os.sched_setaffinity(int(thread.name), {0})


class Stops(Saboteur):
    """Stops its rivals for some milliseconds, again and again."""

    period = 0.03

    def harm(self) -> None:
        for pid in rivals():
            os.kill(pid, signal.SIGSTOP)
            time.sleep(0.005)
            os.kill(pid, signal.SIGCONT)


class StopsWeigh(Saboteur):
    """Stops weigh itself, for good, in the life after the gate (``diary`` counts lives)."""

    period = 0.5

    def harm(self) -> None:
        os.kill(os.getppid(), signal.SIGSTOP)


class Leases(Saboteur):
    """Takes leases on the data files, so that whoever opens one has to wait for it."""

    period = 0.001

    def __init__(self, settings: dict[str, Any], scratch: str) -> None:
        super().__init__(settings, scratch)
        self.leases: dict[str, int] = {}
        signal.signal(signal.SIGIO, signal.SIG_IGN)

    def harm(self) -> None:
        for path in self.files:
            if path not in self.leases:
                self.leases[path] = os.open(path, os.O_RDWR)
            # One that somebody waits for is let go of a little later.
            if fcntl.fcntl(self.leases[path], fcntl.F_GETLEASE) != fcntl.F_WRLCK:
                time.sleep(0.005)
                fcntl.fcntl(self.leases[path], fcntl.F_SETLEASE, fcntl.F_UNLCK)
                fcntl.fcntl(self.leases[path], fcntl.F_SETLEASE, fcntl.F_WRLCK)

    def run(self) -> int:
        for number in self.leases.values():
            os.close(number)
        self.leases = {}
        return super().run()


class Locks(Saboteur):
    """Holds a lock on every data file."""

    descriptors: tuple[Any, ...] = ()

    def harm(self) -> None:
        if not self.descriptors:
            self.descriptors = tuple(os.open(path, os.O_RDWR) for path in self.files)
            for number in self.descriptors:
                fcntl.lockf(number, fcntl.LOCK_EX)


class Drops(Saboteur):
    """Has the kernel forget what it has in memory of the data."""

    period = 0.02

    def harm(self) -> None:
        for path in self.files:
            number = os.open(path, os.O_RDONLY)
            os.posix_fadvise(number, 0, 0, os.POSIX_FADV_DONTNEED)
            os.close(number)


class NiceInTurn(Engine):
    """Is preferred by the kernel while it executes, and only then."""

    def run(self) -> int:
        before = os.getpriority(os.PRIO_PROCESS, 0)
        self.threads(lambda thread: os.setpriority(os.PRIO_PROCESS, thread, -15))
        rows = super().run()
        self.threads(lambda thread: os.setpriority(os.PRIO_PROCESS, thread, before))
        return rows

    @staticmethod
    def threads(what: Callable[[int], None]) -> None:
        """Do it to each of them."""
        for thread in Path("/proc/self/task").iterdir():
            what(int(thread.name))


class RealTimeInTurn(NiceInTurn):
    """Is not interrupted by anybody while it executes, and only then."""

    def run(self) -> int:
        self.threads(lambda thread: os.sched_setscheduler(thread, os.SCHED_RR, os.sched_param(1)))
        rows = Engine.run(self)
        self.threads(lambda thread: os.sched_setscheduler(thread, os.SCHED_OTHER, os.sched_param(0)))
        return rows
