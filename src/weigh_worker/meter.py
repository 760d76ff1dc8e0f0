"""What one execution cost, read from the kernel around the clock and never inside it."""

from __future__ import annotations

import gc
import resource
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_CLEAR_REFS = Path("/proc/self/clear_refs")
_STATUS = Path("/proc/self/status")
_IO = Path("/proc/self/io")
_RESET_PEAK = "5"


def settle() -> None:
    """Set aside everything that is alive now, so that later collections are short.

    A full collection just before the clock walks every object of the imported engine and leaves the processor's
    caches cold: 250 us were then seen inside the clock of a query of 300 us.
    """
    gc.collect()
    gc.freeze()


def measure(execute: Callable[[], int]) -> dict[str, float | int | None]:
    """Execute once under the clock.

    Returns:
        ``wall_s``, ``cpu_s`` (user and system, all threads, seconds), ``rows``, ``peak_memory`` (resident bytes
        since just before; ``ru_maxrss`` would never fall again), ``bytes_read`` (from storage devices),
        ``major_faults``. What the kernel does not tell is None, never 0.
    """
    gc.collect()
    gc.disable()
    try:
        peak_known = _reset_peak()
        read_before = _bytes_read()
        before = resource.getrusage(resource.RUSAGE_SELF)
        started = time.perf_counter_ns()
        rows = execute()
        ended = time.perf_counter_ns()
        after = resource.getrusage(resource.RUSAGE_SELF)
    finally:
        gc.enable()
    read_after = _bytes_read()
    return {
        "wall_s": (ended - started) / 1e9,
        "cpu_s": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
        "rows": rows,
        "peak_memory": _peak() if peak_known else None,
        "bytes_read": None if read_before is None or read_after is None else read_after - read_before,
        "major_faults": after.ru_majflt - before.ru_majflt,
    }


def _reset_peak() -> bool:
    try:
        _CLEAR_REFS.write_text(_RESET_PEAK)
    except OSError:
        return False
    return True


def _peak() -> int | None:
    for line in _STATUS.read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return None


def _bytes_read() -> int | None:
    try:
        lines = _IO.read_text().splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) for line in lines if line.startswith("read_bytes:")), None)
