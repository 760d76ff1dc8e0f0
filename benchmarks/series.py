"""The mean interval of 100 million samples in one pass, alongside NumPy's mean and standard deviation of them."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_SAMPLES = 100_000_000
_PART = 1_000_000

_RUN = """
import json, resource, sys, time
import numpy as np
from weigh.statistics.series.correlated_mean import Series
samples, part = int(sys.argv[1]), int(sys.argv[2])
draw, series = np.random.default_rng(1), Series()
ours = theirs = 0.0
peaks = []
for number in range(samples // part):
    values = draw.standard_exponential(part)
    if number % 2:
        began = time.perf_counter(); values.mean(); values.std(); theirs += time.perf_counter() - began
    began = time.perf_counter(); series.add(values); ours += time.perf_counter() - began
    if not number % 2:
        began = time.perf_counter(); values.mean(); values.std(); theirs += time.perf_counter() - began
    if number in (samples // part // 10 - 1, samples // part - 1):
        peaks.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
began = time.perf_counter()
found = series.mean()
ours += time.perf_counter() - began
print(json.dumps([ours, theirs, peaks, found.count, found.low, found.high]))
"""


def run() -> Iterator[str]:
    """Exponential latencies, drawn by the million; drawing them is not counted. Who goes first takes turns."""
    command = [sys.executable, "-c", _RUN, str(_SAMPLES), str(_PART)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    ours, theirs, (early, late), count, low, high = json.loads(done.stdout)
    assert count == _SAMPLES
    yield (
        f"mean interval of {count:,} samples: {ours:.2f} s ({low:.5f} to {high:.5f}), NumPy mean and std "
        f"{theirs:.2f} s, ratio {ours / theirs:.2f} (goal: under 2 s)"
    )
    yield (
        f"mean interval, peak memory: {early / 1024:.0f} MiB after a tenth of the samples, {late / 1024:.0f} MiB after "
        "all of them"
    )
