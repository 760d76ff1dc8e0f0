"""CPU time of a server: of its first process and of all that descend from it."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")
_SCHED = 2
"""Of the kernel's clocks of other processes (``clock_getcpuclockid``), the one that counts nanoseconds on a CPU."""
_WAITED = slice(13, 15)
"""Places in /proc/PID/stat, counted behind the name (proc(5)): of the children that it waited for."""


def cpu_seconds(pid: int) -> float | None:
    """User and system seconds so far, those of ended children included; None where it cannot be read."""
    total, open_ = 0.0, [pid]
    while open_:
        one = open_.pop()
        try:
            waited = Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()[_WAITED]
            total += time.clock_gettime((~one << 3) | _SCHED) + sum(map(int, waited)) / _TICKS
            open_ += _children(one)
        except (OSError, ValueError, IndexError):
            # A child may have ended meanwhile, and is among those that its parent waited for.
            if one == pid:
                return None
    return total


def _children(pid: int) -> list[int]:
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        with suppress(OSError):
            found += map(int, (task / "children").read_text().split())
    return found
