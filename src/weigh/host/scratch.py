"""Scratch folders: named by the process that made them, so that what a killed one left behind can be removed."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

from weigh.host import processes

_MAKER = re.compile(r"-(\d+)-(\d+)-(\d+)-\w+$")
USUAL = Path("/var/tmp")
"""On a disk where /tmp may be memory."""


def folder(what: str, *, in_memory: bool = False, place: Path | None = None) -> Path:
    """A new empty folder.

    Args:
        what: one word for people who look into the temporary folder.
        in_memory: on memory-backed storage where there is some: not on a disk whose queue is being measured.
        place: where instead of the temporary folder: that, shared memory and :data:`USUAL` are swept.
    """
    if in_memory:
        place = _memory_backed()
    return made(f"weigh-{what}", place)


def made(name: str, place: Path | None) -> Path:
    """A new empty folder of that name, which says who made it too; what is left of it, :func:`sweep_in` removes."""
    # A number alone would be another process's one day, and it is another one's in another container already.
    maker = f"{os.getpid()}-{processes.started(os.getpid()) or 0}-{_namespace()}"
    return Path(tempfile.mkdtemp(prefix=f"{name}-{maker}-", dir=place))


def sweep() -> None:
    """Remove the folders of processes that are surely gone. Another user's folders are left alone."""
    for place in {Path(tempfile.gettempdir()), _memory_backed() or USUAL, USUAL}:
        sweep_in(place, "weigh")


def sweep_in(place: Path, name: str) -> None:
    """Remove the folders that begin so, in one place, of processes that are surely gone."""
    for path in place.glob(f"{name}-*"):
        maker = _MAKER.search(path.name)
        if maker and _gone(*map(int, maker.groups())):
            with suppress(OSError):
                shutil.rmtree(path)


def _gone(pid: int, started: int, namespace: int) -> bool:
    """Whether a process has ended. Of one in another container nothing is known: its folder may be in use."""
    if not started or namespace != _namespace() or not processes.started(os.getpid()):
        return False
    if Path("/proc", str(pid)).exists():
        # None: it ended meanwhile, or may not be looked at.
        now = processes.started(pid)
        return now is not None and now != started
    return True


def _namespace() -> int:
    """The namespace in which process ids are counted; 0 where it cannot be read."""
    with suppress(OSError):
        return Path("/proc/self/ns/pid").stat().st_ino
    return 0


def _memory_backed() -> Path | None:
    shared = Path("/dev/shm")
    return shared if os.access(shared, os.W_OK) else None
