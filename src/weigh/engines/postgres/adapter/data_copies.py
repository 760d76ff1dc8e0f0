"""Copies of a loaded data directory: one for every server that runs, because a data directory carries only one."""

from __future__ import annotations

import fcntl
import itertools
import os
import shutil
from typing import TYPE_CHECKING, NamedTuple

from .server import copy, write_back

if TYPE_CHECKING:
    from pathlib import Path

    from .os_user import OsUser


class DataCopy(NamedTuple):
    """A copy that is ours while the descriptor, or one that a child inherited, is open.

    Attributes:
        data: the data directory.
        lock: descriptor of its lock. It goes to every process of the server: the kernel gives the lock back when the
            last of them is gone, and not before.
    """

    data: Path
    lock: int


def take(place: Path, programs: Path, account: OsUser | None) -> DataCopy:
    """The first copy of ``place / 'data'`` that nobody holds, made if all are held."""
    copies = place / "copies"
    copies.mkdir(exist_ok=True)
    if account:
        copies.chmod(0o755)
    for number in itertools.count():
        lock = os.open(copies / f"{number}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            continue
        data = copies / str(number)
        if not data.exists():
            # Made aside and moved into place: a kill leaves no half of one.
            aside = copies / f"{number}.making"
            shutil.rmtree(aside, ignore_errors=True)
            copy(place / "data", aside)
            write_back(programs, aside, account)
            aside.rename(data)
        return DataCopy(data, lock)
    raise AssertionError("numbers do not end")


def pieces(file: Path) -> list[Path]:
    """A table's file and those that go on with it beyond 1 GiB: ``16384``, ``16384.1``, ``16384.2``."""
    return [file, *(one for one in sorted(file.parent.glob(f"{file.name}.*")) if one.suffix[1:].isdecimal())]
