"""CPU seconds of a process and of everything that it starts, ended or alive, whoever is its parent by now.

A control group that only accounts says it exactly (``cpuacct`` of version 1, ``cpu.stat`` of version 2). One whose
parent schedules as well is not used: its processes would share one weight against the rest of the machine. Where no
group can be made, the processes are added up: descendants, whoever is in one of their sessions, and whoever carries the
worker's own folder in its environment. What such a process used is lost where it began and ended between two readings
and nobody of the family waited for it.
"""

from __future__ import annotations

import functools
import itertools
import os
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from weigh.host import cgroup
from weigh.host.sysfs import Machine

if TYPE_CHECKING:
    from weigh.model.units import Seconds

_NUMBERS = itertools.count(1)
_TICKS = os.sysconf("SC_CLK_TCK")
_CPUCLOCK_SCHED = 2
"""Of the kernel's clocks of other processes (``clock_getcpuclockid``), the one that counts nanoseconds on a CPU."""
_STATE, _PARENT, _SESSION, _WAITED, _STARTED = 0, 1, 3, slice(13, 15), 19
"""Places in /proc/PID/stat, counted behind the name (proc(5))."""


class FamilyCpu(Protocol):
    """What both ways of accounting can do."""

    @property
    def exact(self) -> bool:
        """Whether nothing can be lost."""

    def seconds(self) -> Seconds:
        """User and system CPU seconds so far."""

    def pids(self) -> list[int]:
        """Processes that are alive now."""

    def outside(self) -> list[int]:
        """Processes of it that are alive and not counted, because they are in another control group."""

    def close(self) -> None:
        """End what is left of it, and remove the group."""


def account(pid: int, mark: str, group: Path | None = None, machine: Machine | None = None) -> FamilyCpu:
    """Begin to account for a process that has started nothing yet.

    Args:
        pid: its number.
        mark: text that its environment has, and no other family's.
        group: a control group of version 2 that it is in already: it cannot be in two.
        machine: where the kernel's files are.
    """
    if group is not None:
        return _Group(group, pid, mark, made=False)
    place = _place(machine) if machine else _place_here()
    if place is not None:
        folder = place / f"weigh-{os.getpid()}-{next(_NUMBERS)}c"
        with suppress(OSError):
            folder.mkdir()
            try:
                (folder / "cgroup.procs").write_text(str(pid))
                return _Group(folder, pid, mark, made=True)
            except OSError:
                folder.rmdir()
    return Processes(pid, mark)


@functools.cache
def _place_here() -> Path | None:
    return _place(Machine())


def _place(machine: Machine) -> Path | None:
    """The group of this process in a hierarchy that accounts CPU and does not schedule; None without one."""
    for line in (machine.text("/proc/self/mountinfo") or "").splitlines():
        front, _, back = line.partition(" - ")
        before, after = front.split(), back.split(" ")
        if len(before) < 5:
            continue
        root, point = before[3], before[4]
        controllers = set(after[-1].split(","))
        if after[0] == "cgroup" and "cpuacct" in controllers and "cpu" not in controllers:
            name = "cpuacct"
        elif after[0] == "cgroup2":
            name = ""
        else:
            continue
        group_path = machine.path(point) / cgroup.process_group(machine, name).removeprefix(root.rstrip("/")).strip("/")
        if name or (
            (group_path / "cpu.stat").exists()
            and "cpu" not in (machine.text(str(group_path / "cgroup.subtree_control")) or "")
        ):
            cgroup.sweep(group_path)
            return group_path
    return None


class _Group:
    """A control group."""

    exact = True

    def __init__(self, folder: Path, pid: int, mark: str, *, made: bool) -> None:
        self._folder = folder
        self._pid, self._mark = pid, mark
        self._made = made
        usage = folder / "cpuacct.usage"
        self._old = usage.exists()
        # Kept open: it is read before and after every request.
        self._file = os.open(usage if self._old else folder / "cpu.stat", os.O_RDONLY | os.O_CLOEXEC)
        self._last = 0.0

    def seconds(self) -> Seconds:
        """User and system CPU seconds so far."""
        with suppress(OSError):
            text = os.pread(self._file, 256, 0).split()
            self._last = int(text[0]) / 1e9 if self._old else int(text[1]) / 1e6
        return self._last

    def pids(self) -> list[int]:
        """Processes that are alive now."""
        return cgroup.members(self._folder)

    def outside(self) -> list[int]:
        """Processes of it that are alive and not counted, because they are in another control group."""
        inside = Processes(self._pid, self._mark).pids()
        counted = {pid for folder in (self._folder, *self._folder.rglob("*/")) for pid in cgroup.members(folder)}
        return [pid for pid in inside if pid not in counted and _alive(pid)]

    def close(self) -> None:
        """End what is left of it, and remove the group."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
            if self._made:
                cgroup.dissolve(self._folder)


class Processes:
    """Processes added up.

    Args:
        pid: of the first.
        mark: text that its environment has, and no other family's.
    """

    exact = False

    def __init__(self, pid: int, mark: str) -> None:
        self._mark = mark.encode()
        self._known: dict[int, int] = {}
        """Start time by member."""
        with suppress(OSError, ValueError, IndexError):
            self._known[pid] = _fields(pid)[_STARTED]
        self._strangers: set[int] = set()
        self._used: dict[int, tuple[float, int]] = {}
        """Seconds, and the parent, of each member when it was read last."""
        self._ended = 0.0
        self._find()

    def seconds(self) -> Seconds:
        """User and system CPU seconds so far."""
        self._find()
        for pid in tuple(self._known):
            try:
                self._used[pid] = self._read(pid)
            except (OSError, ValueError, IndexError):
                del self._known[pid]
                used, parent = self._used.pop(pid, (0.0, 0))
                # A parent that waited has it among its children's; whoever is nobody's child has it lost.
                self._ended += used if parent not in self._known else 0.0
        return self._ended + sum(used for used, _ in self._used.values())

    def pids(self) -> list[int]:
        """Processes that are alive now."""
        self._find()
        return [pid for pid in self._known if Path(f"/proc/{pid}").exists()]

    def outside(self) -> list[int]:
        """None: whoever is known is counted."""
        return []

    def close(self) -> None:
        """Nothing is left to do: who started it ends its session."""

    def _read(self, pid: int) -> tuple[float, int]:
        fields = _fields(pid)
        if fields[_STARTED] != self._known[pid]:
            raise ValueError("another process has its number")
        waited = sum(fields[_WAITED]) / _TICKS
        return time.clock_gettime_ns((~pid << 3) | _CPUCLOCK_SCHED) / 1e9 + waited, fields[_PARENT]

    def _find(self) -> None:
        """Take in who was born since."""
        there = {int(place.name) for place in Path("/proc").iterdir() if place.name.isdecimal()}
        self._strangers &= there
        new = {}
        for pid in there - self._strangers - self._known.keys():
            with suppress(OSError, ValueError, IndexError):
                new[pid] = _fields(pid)
        found = True
        while found:
            found = False
            for pid, fields in tuple(new.items()):
                if fields[_PARENT] in self._known or fields[_SESSION] in self._known or self._marked(pid):
                    self._known[pid] = fields[_STARTED]
                    del new[pid]
                    found = True
        self._strangers |= new.keys()

    def _marked(self, pid: int) -> bool:
        with suppress(OSError):
            return self._mark in Path(f"/proc/{pid}/environ").read_bytes()
        return False


def _alive(pid: int) -> bool:
    """Whether it still executes: one that ended is in no group, until its parent has heard of it."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    return False


def _fields(pid: int) -> list[int]:
    # The name may contain spaces and brackets; what follows its last bracket is plain. The state is a letter.
    texts = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return [0, *map(int, texts[1:])]
