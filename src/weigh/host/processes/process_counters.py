"""What the kernel charges one process: CPU time, peak memory, what it moved from and to storage, major faults.

It is read from outside, with this process's own clocks: the process that is measured has no say in it. What the kernel
does not tell is None, never 0.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from weigh.model.units import Bytes, Seconds

_RESET_PEAK = b"5"
_CPU_OF_PROCESS = 2
"""Of the clock of a process's CPU time, alongside its number (clock_getcpuclockid(3))."""
_MAJOR_FAULTS = 9
"""Place in /proc/PID/stat, counted behind the name of the process (proc(5))."""
_PAGE = 1 << 14
"""Bytes that any of these files is shorter than."""


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
    """The counters of a process, from ``begin`` to ``spent``.

    Args:
        pid: of the process; its threads count too, what it started does not.
    """

    def __init__(self, pid: int) -> None:
        # Kept open: they are read before and after every execution.
        self._files = {name: _opened(f"/proc/{pid}/{name}") for name in ("io", "stat", "status")}
        self._reset = _opened(f"/proc/{pid}/clear_refs", os.O_WRONLY)
        self._peak_known = False
        self._read: int | None = None
        self._written: int | None = None
        self._faults: int | None = None

    def begin(self) -> None:
        """What is charged from now on is asked for next."""
        self._peak_known = self._reset_peak()
        self._read, self._written = self._moved()
        self._faults = self._major_faults()

    def spent(self) -> Spent:
        """What it was charged since ``begin``."""
        read, written = self._moved()
        return Spent(
            # The largest since its start would never fall again.
            peak_memory=self._peak() if self._peak_known else None,
            bytes_read=_between(self._read, read),
            bytes_written=_between(self._written, written),
            major_faults=_between(self._faults, self._major_faults()),
        )

    def close(self) -> None:
        """Nothing is read any more."""
        for number in (*self._files.values(), self._reset):
            if number is not None:
                os.close(number)
        self._files, self._reset = dict.fromkeys(self._files), None

    def _reset_peak(self) -> bool:
        if self._reset is None:
            return False
        try:
            os.pwrite(self._reset, _RESET_PEAK, 0)
        except OSError:
            return False
        return True

    def _peak(self) -> Bytes | None:
        kib = _counter(self._text("status"), b"\nVmHWM:")
        return None if kib is None else kib * 1024

    def _moved(self) -> tuple[Bytes | None, Bytes | None]:
        text = self._text("io")
        return _counter(text, b"\nread_bytes: "), _counter(text, b"\nwrite_bytes: ")

    def _major_faults(self) -> int | None:
        with suppress(IndexError, ValueError):
            # The name may contain spaces and brackets; what follows its last bracket is plain.
            return int(self._text("stat").rpartition(b")")[2].split(None, _MAJOR_FAULTS + 1)[_MAJOR_FAULTS])
        return None

    def _text(self, name: str) -> bytes:
        """What one of its files says now; nothing where it is gone or may not be read."""
        number = self._files[name]
        with suppress(OSError):
            return os.pread(number, _PAGE, 0) if number is not None else b""
        return b""


def _opened(path: str, how: int = os.O_RDONLY) -> int | None:
    with suppress(OSError):
        return os.open(path, how | os.O_CLOEXEC)
    return None


def cpu_seconds(pid: int) -> Seconds | None:
    """User and system CPU seconds of a process so far, all its threads, to the nanosecond; None where it is gone."""
    with suppress(OSError):
        return time.clock_gettime_ns((~pid << 3) | _CPU_OF_PROCESS) / 1e9
    return None


@cache
def cpus() -> int:
    """How many CPUs there are, those that this process may not use included."""
    return os.cpu_count() or 1


def _counter(text: bytes, field: bytes) -> int | None:
    """The number behind a name; None where it is not there."""
    _, found, rest = text.partition(field)
    return int(rest.split(None, 1)[0]) if found else None


def _between(before: int | None, after: int | None) -> int | None:
    """By how much a counter has grown."""
    return None if before is None or after is None else after - before
