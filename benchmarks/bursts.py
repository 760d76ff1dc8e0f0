"""A neighbour that uses one core in random bursts: on and off for exponential times, of one second on average."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_ROOT = Path(__file__).resolve().parents[1]
_MEAN = 1.0


@contextmanager
def neighbour(seed: int, most: float, mean: float = _MEAN) -> Iterator[None]:
    """The neighbour, in a process of its own, while the body runs.

    Args:
        seed: of its bursts.
        most: seconds after which it ends by itself.
        mean: seconds that a burst, and the rest after it, take on average.
    """
    command = [sys.executable, "-m", "benchmarks.bursts", str(seed), str(most), str(mean)]
    process = subprocess.Popen(command, cwd=_ROOT)
    try:
        yield
    finally:
        process.kill()
        process.wait()


def burn(seed: int, most: float, mean: float) -> None:
    """Burst and rest until ``most`` seconds are over or the parent has gone."""
    draw = random.Random(seed)
    parent, end = os.getppid(), time.monotonic() + most
    while time.monotonic() < end and os.getppid() == parent:
        until = min(time.monotonic() + draw.expovariate(1 / mean), end)
        while time.monotonic() < until:
            pass
        time.sleep(min(draw.expovariate(1 / mean), max(end - time.monotonic(), 0.0)))


if __name__ == "__main__":
    burn(int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3]))
