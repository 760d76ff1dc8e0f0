"""Scratch folders: named by the process that made them, so that what a killed one left behind can be removed."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

_NAME = re.compile(r"^weigh-[a-z]+-(\d+)-")


def folder(what: str, *, in_memory: bool = False) -> Path:
    """A new empty folder.

    Args:
        what: one word for people who look into the temporary folder.
        in_memory: on memory-backed storage where there is some: not on a disk whose queue is being measured.
    """
    place = _memory_backed() if in_memory else None
    return Path(tempfile.mkdtemp(prefix=f"weigh-{what}-{os.getpid()}-", dir=place))


def sweep() -> None:
    """Remove the folders of processes that are gone. Another user's folders are left alone."""
    places = {Path(tempfile.gettempdir()), _memory_backed() or Path(tempfile.gettempdir())}
    for place in places:
        for path in place.glob("weigh-*"):
            maker = _NAME.match(path.name)
            if maker and not Path("/proc", maker[1]).exists():
                with suppress(OSError):
                    shutil.rmtree(path)


def _memory_backed() -> Path | None:
    shared = Path("/dev/shm")
    return shared if os.access(shared, os.W_OK) else None
