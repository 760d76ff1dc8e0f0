"""Scratch folders: named by the process that made them, so that what a killed one left behind can be removed.

A process that outlives the maker, to put things in order, holds a shared lock (flock(2)) on the folder meanwhile.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from weigh.host import processes

if TYPE_CHECKING:
    from weigh.model.units import Seconds

_MAKER = re.compile(r"-(\d+)-(\d+)-(\d+)-\w+$")
_INSIDE = re.compile(r"(?:/[^\s'\"`:/]+)*/weigh-\w+-\d+-\d+-\d+-\w+(?:/layout-\d+/(?:data|withdrawn))?(/?)")
_POLL = 0.01
USUAL = Path("/var/tmp")
"""On a disk where /tmp may be memory."""
MOUNT, DEVICE = "mount", "device"
"""What is mounted in a folder under these names is unmounted before the folder is removed, in this order."""


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


def without_folders(text: str) -> str:
    """A message in which the data has its names as they were given, and no folder that was made for a moment."""
    return _INSIDE.sub(lambda found: "" if found[1] else "its folder", text)


def ours() -> list[Path]:
    """The folders that this process has made by :func:`folder`, and that are still there."""
    maker = f"-{os.getpid()}-{processes.started(os.getpid()) or 0}-{_namespace()}-"
    return [path for place in _places() for path in place.glob(f"weigh-*{maker}*")]


def sweep() -> None:
    """Remove the folders of processes that are surely gone. Another user's folders are left alone."""
    for place in _places():
        sweep_in(place, "weigh")


def _places() -> set[Path]:
    return {Path(tempfile.gettempdir()), _memory_backed() or USUAL, USUAL}


def sweep_in(place: Path, name: str) -> None:
    """Remove the folders that begin so, in one place, of processes that are surely gone."""
    for path in place.glob(f"{name}-*"):
        maker = _MAKER.search(path.name)
        if maker and _gone(*map(int, maker.groups())):
            remove(path)


def remove(folder: Path, patience: Seconds = 0.0) -> bool:
    """Remove a folder, unless somebody works in it; whether it is gone.

    Args:
        folder: the folder.
        patience: seconds to wait for those who work in it.
    """
    until = time.monotonic() + patience
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            while not _locked(descriptor):
                if time.monotonic() > until:
                    return False
                time.sleep(_POLL)
            # While it is locked nobody begins to work in it.
            for mount in (folder / MOUNT, folder / DEVICE):
                if mount.is_mount():
                    subprocess.run(["umount", "--lazy", str(mount)], capture_output=True, check=False, timeout=60)
            shutil.rmtree(folder)
        finally:
            os.close(descriptor)
    return not folder.exists()


def _locked(folder: int) -> bool:
    """Whether nobody else holds a lock on it, from now on; also where the file system has no locks of folders."""
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        pass
    return True


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
