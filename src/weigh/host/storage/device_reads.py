"""The drive under some files: what was read from it, how often it was flushed, and how fast it can be read at most.

The rate is a bound, not a benchmark: several threads read one part of a file past the page cache, twice. A second
reading that is much faster than the first shows that somebody below this kernel keeps what was read.
"""

from __future__ import annotations

import mmap
import os
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from weigh.model.data.storage import Device

_SECTOR = 512
_SECTORS_READ = 2
"""Place of the sectors read in /sys/class/block/*/stat, always of 512 bytes (Documentation/block/stat.rst of Linux)."""
_FLUSHES = 15
"""Place of the flushes that ended, likewise; kernels before 5.5 do not count them."""
_BLOCK = 1 << 20
_PART = 256 << 20
_THREADS = 8
_LONGEST = 1.0
"""Seconds of one reading."""
HOW = f"{_THREADS} threads reading {_BLOCK >> 20} MiB at a time past the page cache (O_DIRECT)"


def bytes_read(names: Iterable[str]) -> dict[str, int]:
    """Bytes that anybody has read from these block devices so far."""
    found = {}
    for name in names:
        with suppress(OSError, ValueError, IndexError):
            found[name] = int(Path(f"/sys/class/block/{name}/stat").read_text().split()[_SECTORS_READ]) * _SECTOR
    return found


def flushes(devices: Collection[Device]) -> int | None:
    """How often these were made to keep what they had been given, whoever asked for it.

    None where one of them does not count, or keeps what it is given in another way: without a cache that loses it, or
    by single writes that pass the cache (FUA), which are not counted (Documentation/block/writeback_cache_control.rst).
    """
    total = 0
    for one in devices:
        folder = Path("/sys/class/block", one.name)
        with suppress(OSError, ValueError, IndexError):
            if one.write_cache == "write back" and (folder / "queue" / "fua").read_text().strip() == "0":
                total += int((folder / "stat").read_text().split()[_FLUSHES])
                continue
        return None
    return total if devices else None


def rates(files: Sequence[str]) -> tuple[tuple[float, ...], int]:
    """Bytes a second of reading the largest of these files past the page cache, once and once more; and how much.

    No rates where the file system cannot be read in this way.
    """
    sizes = {}
    for file in files:
        with suppress(OSError):
            sizes[file] = Path(file).stat().st_size
    largest = max(sizes, key=lambda one: sizes[one], default=None)
    part = min(_PART, sizes[largest] // mmap.PAGESIZE * mmap.PAGESIZE) if largest else 0
    if largest is None or part == 0:
        return (), 0
    found: list[float] = []
    try:
        for _ in range(2):
            # The second reading is of what the first one read, or their difference says nothing.
            part, seconds = _read(largest, part)
            found.append(part / seconds)
    except OSError:
        return (), 0
    return tuple(found), part


def _read(file: str, part: int) -> tuple[int, float]:
    """Bytes read of the first ``part``, and seconds; less of it on a drive that is slow."""
    descriptor = os.open(file, os.O_RDONLY | os.O_DIRECT | os.O_CLOEXEC)
    began = time.perf_counter()

    def reader(number: int) -> int:
        done = 0
        with mmap.mmap(-1, _BLOCK) as buffer, memoryview(buffer) as view:
            for offset in range(number * _BLOCK, part, _THREADS * _BLOCK):
                if time.perf_counter() - began > _LONGEST:
                    break
                with view[: min(_BLOCK, part - offset)] as slice_:
                    done += os.preadv(descriptor, [slice_], offset)
        return done

    try:
        with ThreadPoolExecutor(_THREADS) as pool:
            read = sum(pool.map(reader, range(_THREADS)))
        return read, time.perf_counter() - began
    finally:
        os.close(descriptor)
