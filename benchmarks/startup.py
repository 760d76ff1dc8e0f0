"""``weigh --help`` against an empty interpreter."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_ROUNDS = 15


def run() -> Iterator[str]:
    """Interleaved: help, empty interpreter."""
    help_, empty = [], []
    weigh = Path(sys.executable).with_name("weigh")
    for _ in range(_ROUNDS):
        help_.append(_timed([str(weigh), "--help"]))
        empty.append(_timed([sys.executable, "-c", "pass"]))
    ours, floor = median(help_), median(empty)
    yield f"weigh --help: {1e3 * ours:.0f} ms, {ours / floor:.1f}x an empty interpreter (goal: under 150 ms)"


def _timed(command: list[str]) -> float:
    began = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - began
