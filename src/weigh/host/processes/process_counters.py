"""What the kernel charges one process: CPU time, peak memory, what it moved from and to storage, major faults.

It is read from outside, with this process's own clocks: the process that is measured has no say in it. What the kernel
does not tell is None, never 0.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from weigh.model.units import Bytes, Seconds

_RESET_PEAK = b"5"
_CPU_OF_PROCESS = 2
"""Of the clock of a process's CPU time, beside its number (clock_getcpuclockid(3))."""
_MAJOR_FAULTS = 9
"""Place in /proc/PID/stat, counted behind the name of the process (proc(5))."""


class Spent(NamedTuple):
    """What a process was charged between two moments.

    Attributes:
        peak_memory: largest resident bytes of the process since the first.
        bytes_read: from storage devices.
        bytes_written: that must go to one, such as what is spilled.
        major_faults: page faults that needed a device.
    """

    peak_memory: Bytes | None
    bytes_read: Bytes | None
    bytes_written: Bytes | None
    major_faults: int | None


class Counters:
    """The counters of a process from now on.

    Args:
        pid: of the process; its threads count too, what it started does not.
    """

    def __init__(self, pid: int) -> None:
        self._folder = Path(f"/proc/{pid}")
        self._peak_known = self._reset_peak()
        self._read, self._written = self._moved()
        self._faults = self._major_faults()

    def spent(self) -> Spent:
        """What it was charged until now."""
        read, written = self._moved()
        return Spent(
            # The largest since its start would never fall again.
            peak_memory=self._peak() if self._peak_known else None,
            bytes_read=_between(self._read, read),
            bytes_written=_between(self._written, written),
            major_faults=_between(self._faults, self._major_faults()),
        )

    def _reset_peak(self) -> bool:
        try:
            (self._folder / "clear_refs").write_bytes(_RESET_PEAK)
        except OSError:
            return False
        return True

    def _peak(self) -> Bytes | None:
        with suppress(OSError):
            for line in (self._folder / "status").read_text().splitlines():
                if line.startswith("VmHWM:"):
                    return int(line.split()[1]) * 1024
        return None

    def _moved(self) -> tuple[Bytes | None, Bytes | None]:
        with suppress(OSError):
            text = (self._folder / "io").read_text()
            return _counter(text, "\nread_bytes: "), _counter(text, "\nwrite_bytes: ")
        return None, None

    def _major_faults(self) -> int | None:
        with suppress(OSError, IndexError):
            # The name may contain spaces and brackets; what follows its last bracket is plain.
            return int((self._folder / "stat").read_text().rpartition(")")[2].split()[_MAJOR_FAULTS])
        return None


def cpu_seconds(pid: int) -> Seconds | None:
    """User and system CPU seconds of a process so far, all its threads, to the nanosecond; None where it is gone."""
    with suppress(OSError):
        return time.clock_gettime_ns((~pid << 3) | _CPU_OF_PROCESS) / 1e9
    return None


def cpus() -> int:
    """How many CPUs there are, those that this process may not use included."""
    return os.cpu_count() or 1


def _counter(text: str, field: str) -> int | None:
    _, found, rest = text.partition(field)
    return int(rest.split("\n", 1)[0]) if found else None


def _between(before: int | None, after: int | None) -> int | None:
    """By how much a counter has grown."""
    return None if before is None or after is None else after - before
