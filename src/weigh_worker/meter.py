"""What one execution cost, read from the kernel around the clock and never inside it.

Whatever runs just before the clock also decides how warm the processor's caches are when it starts. So the files of
/proc are opened once, and what is alive when the engine is ready is set aside from garbage collection: a full
collection walks every object of the imported engine and was seen to add 250 us to a query of 300 us.
"""

from __future__ import annotations

import gc
import os
import resource
import time
from pathlib import Path
from typing import TYPE_CHECKING

from weigh_worker.protocol import RunReply

if TYPE_CHECKING:
    from collections.abc import Callable

_STATUS = Path("/proc/self/status")
_RESET_PEAK = b"5"
_IO_BYTES = 512
_READ = b"\nread_bytes: "
_WRITTEN = b"\nwrite_bytes: "


class Meter:
    """Measures executions of one process."""

    def __init__(self) -> None:
        self._clear_refs = _opened("/proc/self/clear_refs", os.O_WRONLY)
        self._io = _opened("/proc/self/io", os.O_RDONLY)

    @staticmethod
    def settle() -> None:
        """Set aside everything that is alive now, so that the collection before each execution is short."""
        gc.collect()
        gc.freeze()

    def measure(self, execute: Callable[[], int], *, elsewhere: bool = False) -> RunReply:
        """Execute once under the clock, the garbage collector off.

        Args:
            execute: what is timed; gives the number of rows.
            elsewhere: the work is done by other processes, so that what the kernel tells of this one is the client's.

        Returns:
            What it cost. Where the work is done ``elsewhere``, everything but time and rows is None.
        """
        gc.collect()
        gc.disable()
        try:
            peak_known = self._reset_peak()
            moved_before = self._moved()
            before = resource.getrusage(resource.RUSAGE_SELF)
            started = time.perf_counter_ns()
            rows = execute()
            ended = time.perf_counter_ns()
            after = resource.getrusage(resource.RUSAGE_SELF)
        finally:
            gc.enable()
        moved_after = self._moved()
        wall_s = (ended - started) / 1e9
        if elsewhere:
            return RunReply(
                wall_s=wall_s,
                rows=rows,
                cpu_s=None,
                peak_memory=None,
                bytes_read=None,
                bytes_written=None,
                major_faults=None,
            )
        return RunReply(
            wall_s=wall_s,
            rows=rows,
            cpu_s=after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
            # ru_maxrss would never fall again.
            peak_memory=_peak() if peak_known else None,
            bytes_read=_between(moved_before, moved_after, _READ),
            bytes_written=_between(moved_before, moved_after, _WRITTEN),
            major_faults=after.ru_majflt - before.ru_majflt,
        )

    def _reset_peak(self) -> bool:
        if self._clear_refs is None:
            return False
        os.write(self._clear_refs, _RESET_PEAK)
        return True

    def _moved(self) -> bytes | None:
        return None if self._io is None else os.pread(self._io, _IO_BYTES, 0)


def _between(before: bytes | None, after: bytes | None, field: bytes) -> int | None:
    """By how much a counter of /proc/self/io has grown."""
    low, high = _counter(before, field), _counter(after, field)
    return None if low is None or high is None else high - low


def _counter(text: bytes | None, field: bytes) -> int | None:
    _, found, rest = (text or b"").partition(field)
    return int(rest.split(b"\n", 1)[0]) if found else None


def _opened(path: str, flags: int) -> int | None:
    try:
        return os.open(path, flags | os.O_CLOEXEC)
    except OSError:
        return None


def _peak() -> int | None:
    for line in _STATUS.read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return None
