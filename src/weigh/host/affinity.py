"""Which CPUs a process may use: two halves for two that run at the same moment."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from weigh.host import processes
from weigh.model.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence


def halves(cpus: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Two disjoint sets of as many CPUs; of an odd number the last one is left to the rest of the machine.

    Raises:
        UsageError: there are fewer than two.
    """
    if len(cpus) < 2:
        raise UsageError(
            "a duet needs two CPUs, one for each side, and there is one",
            remedy="leave out --duet, or allow more CPUs (--affinity, the container's limit)",
        )
    half = len(cpus) // 2
    return tuple(cpus[:half]), tuple(cpus[half : 2 * half])


def keep_on(pid: int, cpus: Sequence[int]) -> None:
    """Move a process, what it started and all their threads to some CPUs; what ended meanwhile is no loss."""
    for one in processes.family(pid):
        with suppress(OSError):
            for thread in Path(f"/proc/{one.pid}/task").iterdir():
                with suppress(OSError):
                    os.sched_setaffinity(int(thread.name), cpus)
