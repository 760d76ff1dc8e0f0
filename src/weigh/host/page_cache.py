"""Residency: how much of some files is in the kernel's memory, and putting it out of there.

An unprivileged process may put its own files out one by one; the kernel's other caches, such as those of directories
and of block maps, only root can drop. Pages that somebody has mapped, locked or not yet written stay in either case,
which is why what is left is counted and never assumed.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

from weigh.model.cold import Pages

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_DROP = Path("/proc/sys/vm/drop_caches")
_EVERYTHING = "3"
"""Page cache, directory entries and inodes (Documentation/admin-guide/sysctl/vm.rst of Linux)."""
_TRIES = 5
_PAUSE = 0.02
"""Pages in flight, or in a list of another CPU, go at the next try."""

PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


def may_drop() -> bool:
    """Whether this process may drop the kernel's caches."""
    return os.access(_DROP, os.W_OK)


def drop() -> bool:
    """Write back what is dirty, then drop all clean caches of the kernel. Whether that was allowed."""
    os.sync()
    try:
        _DROP.write_text(_EVERYTHING)
    except OSError:
        return False
    return True


def evict(files: Sequence[str]) -> Pages | None:
    """Put these files out of memory, and say what is left there; raises nothing."""
    from weigh._native import evict as put_out

    left = None
    for attempt in range(_TRIES):
        if attempt:
            time.sleep(_PAUSE)
        for file in files:
            try:
                put_out(file)
            except OSError:
                return count(files)
        left = count(files)
        if left is None or left.resident == 0:
            break
    return left


def count(files: Iterable[str]) -> Pages | None:
    """Pages of these files in memory; None where there are no files, or one cannot be looked at."""
    from weigh._native import resident

    found, total, how = 0, 0, ""
    for file in files:
        try:
            mapped, pages, how = resident(file)
        except OSError:
            return None
        found, total = found + mapped, total + pages
    return Pages(resident=found, pages=total, how=how) if how else None


def size(files: Iterable[str]) -> int:
    """Bytes of these files; those that are gone have none."""
    found = 0
    for file in files:
        try:
            found += Path(file).stat().st_size
        except OSError:
            continue
    return found


def read_in(files: Iterable[str]) -> None:
    """Have these files in memory, as far as they can be read."""
    for file in files:
        try:
            with Path(file).open("rb", buffering=0) as opened:
                while opened.read(1 << 20):
                    pass
        except OSError:
            continue
