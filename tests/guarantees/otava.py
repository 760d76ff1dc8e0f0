"""Apache Otava's change points, in an environment of its own like a contender's: it has pins that are not ours."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING

import numpy as np
import scipy

from weigh.engines import environment
from weigh.engines.prepared import cache_folder
from weigh.model.errors import WeighError

if TYPE_CHECKING:
    from weigh.statistics.arrays import Floats


VERSION = "0.8.0"
COMMITS = 200
_COUNT = """
import json, sys
from otava.analysis import compute_change_points
print(json.dumps([len(compute_change_points(series)[0]) for series in json.load(sys.stdin)]))
"""


def change_points(series: Floats) -> list[int] | None:
    """How many change points its defaults find in each series; None where it cannot be installed.

    Args:
        series: shape (series, commits), above zero.
    """
    try:
        python = environment.ensure([f"apache-otava=={VERSION}"], cache_folder()).python
    except WeighError:
        return None
    done = subprocess.run(
        [str(python), "-c", _COUNT], input=json.dumps(series.tolist()), check=True, capture_output=True, text=True
    )
    counts: list[int] = json.loads(done.stdout)
    return counts


def unchanged(count: int, memory: float, seed: int, sd: float = 0.01) -> Floats:
    """Histories of 200 commits in which nothing changes: a first-order autoregression of CV 1 %."""
    draw = np.random.default_rng(seed)
    kicks = draw.normal(0, sd * np.sqrt(1 - memory**2), (count, COMMITS + 50))
    path = scipy.signal.lfilter([1.0], [1.0, -memory], kicks, axis=1)[:, 50:]
    return np.asarray(100 * np.exp(path), dtype=np.float64)


def false_change_points(count: int, memory: float, seed: int) -> str:
    """Mean number of change points per 200 commits without one, in words."""
    found = change_points(unchanged(count, memory, seed))
    return f"Otava not installed: {VERSION} could not be had" if found is None else f"Otava {np.mean(found):.2f}"
