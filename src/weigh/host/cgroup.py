"""Control groups: what memory this process is allowed, and groups of weigh's own that hold contenders to a limit."""

from __future__ import annotations

import itertools
import os
import re
import signal
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from weigh.host.sysfs import Machine
from weigh.model.errors import EnvironmentFault

if TYPE_CHECKING:
    from weigh.model.units import Bytes

_OURS = re.compile(r"^weigh-(\d+)-\d+c?$")
_NONE = 1 << 60
"""A limit of version 1 above this means that there is none."""
_PATIENCE = 2.0
"""Seconds for the kernel to let go of what was killed, before an empty group can be removed."""
_GRACE = 0.5
_NUMBERS = itertools.count(1)


class Hierarchy(NamedTuple):
    """Where the memory of this process is accounted.

    Attributes:
        version: 1 or 2.
        top: the mounted hierarchy.
        group_path: this process's group in it.
    """

    version: int
    top: Path
    group_path: Path

    @property
    def limit_file(self) -> str:
        """Name of the file that holds a limit in bytes."""
        return "memory.max" if self.version == 2 else "memory.limit_in_bytes"


def hierarchy(machine: Machine) -> Hierarchy | None:
    """The hierarchy that accounts memory; None without one.

    Both versions may be mounted: then the memory controller is where version 1 has it.
    """
    mounted: dict[int, tuple[str, str]] = {}
    for line in (machine.text("/proc/self/mountinfo") or "").splitlines():
        front, _, back = line.partition(" - ")
        before, after = front.split(), back.split(" ")
        if len(before) > 4 and after[0] == "cgroup" and "memory" in after[-1].split(","):
            mounted[1] = (before[3], before[4])
        elif len(before) > 4 and after[0] == "cgroup2":
            mounted[2] = (before[3], before[4])
    for version in (1, 2):
        if version not in mounted:
            continue
        root, point = mounted[version]
        if version == 2 and "memory" not in (machine.text(f"{point}/cgroup.controllers") or "").split():
            continue
        top = machine.path(point)
        relative = process_group(machine, "memory" if version == 1 else "").removeprefix(root.rstrip("/")).strip("/")
        here = top / relative
        return Hierarchy(version, top, here if here.is_dir() else top)
    return None


def process_group(machine: Machine, controller: str) -> str:
    """The group of this process in the hierarchy of a controller of version 1, or without one in version 2."""
    for line in (machine.text("/proc/self/cgroup") or "").splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers == controller or (controller and controller in controllers.split(",")):
            return path
    return "/"


def allowed_memory(machine: Machine) -> Bytes | None:
    """The least limit of this process's group and those above it; None where there is none, or none can be read."""
    found = hierarchy(machine)
    limits = (
        [limit for one in _upwards(found) if (limit := read_limit(one / found.limit_file)) is not None] if found else []
    )
    return min(limits, default=None)


def _upwards(found: Hierarchy) -> list[Path]:
    return [
        one for one in (found.group_path, *found.group_path.parents) if one == found.top or found.top in one.parents
    ]


def read_limit(path: Path) -> Bytes | None:
    """A limit in bytes; None for none."""
    with suppress(OSError, ValueError):
        limit = int(path.read_text())
        return limit if limit < _NONE else None
    return None


class Group:
    """A group that holds a contender's processes to a limit of memory, and is gone with them.

    Args:
        place: as of :func:`usable`.
        limit: bytes.

    Raises:
        EnvironmentFault: the kernel refuses it.
    """

    def __init__(self, place: Hierarchy, limit: Bytes) -> None:
        self._limit = None
        self.folder = place.group_path / f"weigh-{os.getpid()}-{next(_NUMBERS)}"
        try:
            self.folder.mkdir()
            self._limit = self.folder / place.limit_file
            self._limit.write_text(str(limit))
            # Swap would let it have more; where swap is not accounted there is no such file.
            for name, value in (("memory.swap.max", "0"), ("memory.memsw.limit_in_bytes", str(limit))):
                with suppress(OSError):
                    if (self.folder / name).exists():
                        (self.folder / name).write_text(value)
        except OSError as error:
            self.remove()
            raise EnvironmentFault(
                f"a control group with {limit} bytes cannot be made: {error.strerror}",
                where=str(self.folder),
                remedy="leave --memory-limit out, or run where control groups can be written",
            ) from error

    @property
    def limit(self) -> Bytes | None:
        """The limit in force, read back."""
        return read_limit(self._limit) if self._limit else None

    def add(self, pid: int) -> None:
        """Put a process in; what it starts from now on is in it too."""
        (self.folder / "cgroup.procs").write_text(str(pid))

    def remove(self) -> None:
        """Remove the group; what still lives in it is ended."""
        dissolve(self.folder)


def dissolve(folder: Path) -> None:
    """Remove a group of weigh's own; what still lives in it is ended."""
    began = time.monotonic()
    while folder.exists():
        try:
            folder.rmdir()
        except OSError:
            waited = time.monotonic() - began
            if waited > _PATIENCE:
                return
            # A server that lost its parent puts things in order first.
            for pid in members(folder) if waited > _GRACE else ():
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(0.01)


def members(folder: Path) -> list[int]:
    """Processes of a group."""
    with suppress(OSError):
        return [int(line) for line in (folder / "cgroup.procs").read_text().split()]
    return []


def usable(machine: Machine | None = None) -> Hierarchy | None:
    """Where groups of weigh's own can be made, tried; None where they cannot.

    Version 2 has processes only in groups without children that have controllers: there the place is the nearest group
    above that hands the memory controller down.
    """
    machine = machine or Machine()
    found = hierarchy(machine)
    if found is None:
        return None
    for folder in _upwards(found):
        if found.version == 2 and "memory" not in _read(folder / "cgroup.subtree_control").split():
            continue
        attempt = folder / f"weigh-{os.getpid()}-0"
        with suppress(OSError):
            attempt.mkdir()
            attempt.rmdir()
            sweep(folder)
            return found._replace(group_path=folder)
        if found.version == 1:
            # Above its own group a contender would escape the limits that weigh itself is under.
            return None
    return None


def sweep(folder: Path) -> None:
    """Remove the groups of processes that are gone."""
    for path in folder.glob("weigh-*-*"):
        maker = _OURS.match(path.name)
        if maker and not os.path.exists(f"/proc/{maker[1]}"):  # noqa: PTH110 # no Path for every pid
            with suppress(OSError):
                path.rmdir()


def _read(path: Path) -> str:
    with suppress(OSError):
        return path.read_text()
    return ""


def oom_kills() -> int:
    """Processes that the kernel ended for want of memory since it started; 0 where it does not tell."""
    with suppress(OSError):
        for line in Path("/proc/vmstat").read_text().splitlines():
            if line.startswith("oom_kill "):
                return int(line.split()[1])
    return 0
