"""Read rates of storage, sequential and random, at queue depths 1 and 64, by fio where it is installed or by ourselves.

The file is weigh's own, written for this and removed. What the device, or a host under this machine, caches of it is in
the figures.
"""

from __future__ import annotations

import itertools
import json
import mmap
import os
import random
import shutil
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from weigh.doctor.read_rates_model import Pattern, Rate, Rates

DEPTHS = (1, 64)
_BLOCKS: dict[Pattern, int] = {"sequential": 1 << 20, "random": 4096}
_LARGEST = 256 << 20
_LEAST = 4 << 20
_FREE_SHARE = 10
"""At most this part of the free space is written."""
_WRITING = 1.5
"""Seconds after which what was written must do."""
_SECONDS = 0.7
_PROBE = "weigh's own probe: O_DIRECT, as many threads as the depth, one Python process, which bounds the highest rates"


def measure(folder: Path) -> Rates:
    """Read rates of a file in ``folder``; takes less than five seconds.

    Raises:
        OSError: no file can be written there.
    """
    fio = shutil.which("fio")
    descriptor, name = tempfile.mkstemp(prefix=f"weigh-rates-{os.getpid()}-", dir=folder)
    try:
        try:
            size = _fill(descriptor, _LARGEST)
        finally:
            os.close(descriptor)
        if size < _LEAST:
            return Rates(
                how=_PROBE, file_bytes=size, why_not="too little free space, or too slow to write a file to read"
            )
        try:
            os.close(os.open(name, os.O_RDONLY | os.O_DIRECT))
        except OSError as error:
            return Rates(how=_PROBE, file_bytes=size, why_not=f"no reading past the page cache there: {error.strerror}")
        patterns = [(pattern, depth) for pattern in _BLOCKS for depth in DEPTHS]
        how = _PROBE
        if fio:
            try:
                rates = [_by_fio(fio, name, size, *one) for one in patterns]
                return Rates(how=_version(fio), file_bytes=size, seconds=1.0, rates=tuple(rates))
            except (OSError, subprocess.SubprocessError, ValueError, LookupError):
                how = f"{_PROBE} (fio is installed and failed)"
        rates = [_by_us(name, size, *one) for one in patterns]
        return Rates(how=how, file_bytes=size, seconds=_SECONDS, rates=tuple(rates))
    finally:
        Path(name).unlink()


def _fill(descriptor: int, most: int) -> int:
    """Write what no drive can compress or leave out; how much of it there is."""
    facts = os.fstatvfs(descriptor)
    most = min(most, facts.f_bavail * facts.f_frsize // _FREE_SHARE)
    began, written, piece = time.monotonic(), 0, 8 << 20
    while written + piece <= most and time.monotonic() - began < _WRITING:
        written += os.write(descriptor, os.urandom(piece))
    os.fsync(descriptor)
    return written


def _by_us(name: str, size: int, pattern: Pattern, depth: int) -> Rate:
    block = _BLOCKS[pattern]
    places = size // block
    descriptor = os.open(name, os.O_RDONLY | os.O_DIRECT | os.O_CLOEXEC)
    turn = itertools.count()
    began = time.perf_counter()
    until = began + _SECONDS

    def reader(number: int) -> int:
        draw = random.Random(number)
        done = 0
        with mmap.mmap(-1, block) as buffer, memoryview(buffer) as view:
            while time.perf_counter() < until:
                place = next(turn) % places if pattern == "sequential" else draw.randrange(places)
                os.preadv(descriptor, [view], place * block)
                done += 1
        return done

    try:
        with ThreadPoolExecutor(depth) as pool:
            reads = sum(pool.map(reader, range(depth)))
        seconds = time.perf_counter() - began
    finally:
        os.close(descriptor)
    return Rate(pattern=pattern, depth=depth, block=block, bytes_s=reads * block / seconds, reads_s=reads / seconds)


def _by_fio(fio: str, name: str, size: int, pattern: Pattern, depth: int) -> Rate:
    block = _BLOCKS[pattern]
    output = subprocess.run(
        [
            fio, "--name=weigh", f"--filename={name}", f"--rw={'read' if pattern == 'sequential' else 'randread'}",
            f"--bs={block}", f"--size={size}", f"--iodepth={depth}", "--ioengine=libaio", "--direct=1", "--readonly",
            "--time_based", "--runtime=1", "--output-format=json",
        ],
        capture_output=True,
        check=True,
        timeout=20,
    ).stdout  # fmt: skip
    return rate_of(json.loads(output), pattern, depth)


def rate_of(document: dict[str, Any], pattern: Pattern, depth: int) -> Rate:
    """A rate from fio's JSON."""
    read = document["jobs"][0]["read"]
    return Rate(
        pattern=pattern,
        depth=depth,
        block=_BLOCKS[pattern],
        bytes_s=float(read["bw_bytes"]),
        reads_s=float(read["iops"]),
    )


def _version(fio: str) -> str:
    return subprocess.run([fio, "--version"], capture_output=True, text=True, check=True, timeout=20).stdout.strip()
