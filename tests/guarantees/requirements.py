"""Requests of which a known share is too slow: how often ``--require`` says HOLDS or BROKEN, and how often wrongly.

A run is a series of response times, cut into the intervals that a load has; as ``weigh.load.rate_search.probes`` it
decides by the interval of the share that is slower than the limit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from weigh.statistics.percentiles import share_interval

from .rates import Rate, rate
from .row import Row
from .series import KINDS, drawn

if TYPE_CHECKING:
    from collections.abc import Iterator

INTERVALS = 120
LEVEL = 0.95
SETTINGS = (
    ("iid normal", 0.99, 4_000),
    ("AR .9", 0.9, 5_000),
    ("lognormal of AR .9", 0.99, 48_000),
    ("exponential", 0.999, 48_000),
)
"""Kinds of response times, the percentile that is required, and requests of a run."""


def answers(name: str, q: float, length: int, of_limit: float, many: int, seed: int) -> tuple[Rate, Rate]:
    """How often a run says HOLDS, and BROKEN.

    Args:
        name: of a kind of series.
        q: the percentile that is required.
        length: requests of a run.
        of_limit: the share of the requests that is too slow, over the share that may be.
        many: runs.
        seed: of them.
    """
    kind = KINDS[name]
    assert kind.quantile is not None
    allowed = 1 - q
    limit = kind.quantile(1 - of_limit * allowed)
    holds, broken = [], []
    for values in drawn(kind, many, length, seed):
        parts = np.array_split(values > limit, INTERVALS)
        hits = np.array([part.sum() for part in parts], dtype=np.float64)
        found = share_interval(hits, np.array([len(part) for part in parts], dtype=np.float64), LEVEL)
        holds.append(found is not None and found[1] <= allowed)
        broken.append(found is not None and found[0] > allowed)
    return rate(np.array(holds, dtype=np.bool_)), rate(np.array(broken, dtype=np.bool_))


def rows(experiments: int) -> Iterator[Row]:
    """Wrong answers on each side of the limit, and right ones away from it."""
    for name, q, length in SETTINGS:
        many = max(min(experiments // 20, 1000 * experiments // length), 10)
        setting = f"{name}, p{100 * q:g}, N={length:,}"
        holds, broken = answers(name, q, length, 1.0, many, 71)
        yield Row("HOLDS, a hair too slow", setting, "<= 2.5 %", holds.banded, holds.within(0, 0.025))
        yield Row("BROKEN, a hair fast enough", setting, "<= 2.5 %", broken.banded, broken.within(0, 0.025))
        for of_limit, word in ((0.4, "HOLDS"), (2.5, "BROKEN")):
            found = answers(name, q, length, of_limit, many, 72)[word == "BROKEN"]
            yield Row(f"{word}, {of_limit:g} x what may be slow", setting, "", found.banded, None)
