"""Weak and said to be (docs/reference/guarantees.md): waits of a queue; the next run where some lives are slow."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from weigh.load.analysis.repeats import next_run
from weigh.statistics.series.correlated_mean import mean

from .rates import Rate
from .row import Row

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.statistics.arrays import Floats

BUSY = 0.8
"""Utilisation of the queue: its mean wait is four services."""
SLOW, TIMES = 0.1, 1.3
"""Share of the lives of a server that are slow, and by how much."""


class Kept(NamedTuple):
    """Of series: how many are refused, and how many of the intervals of the others hold the true mean."""

    refused: Rate
    covered: Rate


def waits(count: int, draw: np.random.Generator) -> Floats:
    """Waits of the requests of a queue with one server, after 5,000 others (Lindley's recursion)."""
    steps = draw.exponential(BUSY, count + 5_000) - draw.exponential(1.0, count + 5_000)
    path = np.cumsum(steps)
    return np.asarray((path - np.minimum.accumulate(np.minimum(path, 0.0)))[5_000:], dtype=np.float64)


def queue(count: int, series: int, seed: int) -> Kept:
    """The 95 % interval of the mean wait."""
    draw = np.random.default_rng([seed, count])
    true = BUSY**2 / (1 - BUSY)
    found = [mean(waits(count, draw)) for _ in range(series)]
    known = [one for one in found if one.low is not None and one.high is not None]
    hits = sum(one.low <= true <= one.high for one in known if one.low is not None and one.high is not None)
    return Kept(Rate(series - len(known), series), Rate(hits, len(known)))


def next_lives(lives: int, many: int, seed: int) -> Rate:
    """How often the next run falls into its interval (95 %), a life each, where some lives are slow."""
    draw = np.random.default_rng([seed, lives])
    slow = draw.random((many, lives + 1)) < SLOW
    values = np.exp(draw.normal(0, 0.02, slow.shape) + np.log(TIMES) * slow)
    hits = 0
    for row in values:
        one = next_run("p99", tuple(float(x) for x in row[:-1]), lives)
        hits += one.low <= row[-1] <= one.high
    return Rate(hits, many)


def rows(experiments: int) -> Iterator[Row]:
    """The table; nothing of it is a promise."""
    many = max(experiments // 20, 100)
    for count in (1_000, 10_000, 100_000):
        kept = queue(count, many if count < 100_000 else max(many // 10, 50), 91)
        of = f"waits of M/M/1 at {100 * BUSY:.0f} %, N={count:,}, {kept.refused} refused"
        met = kept.covered.within(0.93, 1.0)
        yield Row("95 % interval of a mean", of, ">= 93 %", kept.covered.banded, met)
    for lives in (3, 5, 10):
        found = next_lives(lives, 4 * many, 92)
        of = f"{lives} lives, one in ten slower by 30 %"
        yield Row("the next run falls in", of, ">= 95 %", found.banded, found.within(0.95, 1.0))
