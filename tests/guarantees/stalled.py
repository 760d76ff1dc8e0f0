"""Loads on a server that stalls: what their percentiles resolve, and where the next run falls.

Requests are due at a steady rate. While the server stalls it answers nothing, and afterwards everything at once. An
answer is filed in the interval in which its request was due, or in which it came.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

import numpy as np

from weigh.load.analysis.percentiles import spectrum
from weigh.load.analysis.repeats import next_run
from weigh.load.spec import QUANTILES
from weigh.statistics.histogram import Histogram

from .rates import Rate, rate
from .row import Row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from weigh.load.analysis.percentiles import Spectrum
    from weigh.statistics.arrays import Floats

    Draw = np.random.Generator
    Stalls = list[tuple[float, float]]

Filed = Literal["by intended send", "by completion"]
FILED: tuple[Filed, ...] = ("by intended send", "by completion")
TYPICAL_S, SCATTER = 0.002, 0.3
"""Median and logarithmic standard deviation of the service time."""
BUCKETS = 1_000
"""Buckets of a histogram for each factor of e: three digits, as the generator's have."""


@dataclass(frozen=True, slots=True)
class Load:
    """What is offered.

    Attributes:
        seconds: length of the run.
        rate: requests a second.
        interval_s: of the histograms, as ``weigh load`` chooses it.
        timeout_s: longest wait; what waits longer counts with it.
    """

    seconds: float = 60.0
    rate: float = 200.0
    timeout_s: float = np.inf

    @property
    def interval_s(self) -> float:
        return min(max(self.seconds / 120, 0.05), 1.0)


def responses(load: Load, stalls: Stalls, draw: Draw) -> tuple[Floats, Floats]:
    """When requests were due, and how long they waited; a stall is its beginning and its length in seconds."""
    due = np.arange(round(load.seconds * load.rate)) / load.rate
    waited = np.zeros(len(due))
    for start, length in stalls:
        held = (due >= start) & (due < start + length)
        waited[held] = np.maximum(waited[held], start + length - due[held])
    waited += TYPICAL_S * np.exp(SCATTER * draw.standard_normal(len(due)))
    return due, np.minimum(waited, load.timeout_s)


def histograms(load: Load, due: Floats, waited: Floats, filed: Filed) -> list[Histogram]:
    """A histogram of each interval."""
    moment = due if filed == "by intended send" else due + waited
    # What comes after the last request was due belongs to one interval more.
    count = round(load.seconds / load.interval_s)
    place = np.minimum((moment / load.interval_s).astype(np.int64), count)
    bucket = np.ceil(np.log(waited) * BUCKETS).astype(np.int64)
    first = int(bucket.min())
    width = int(bucket.max()) - first + 1
    keys, counts = np.unique(place * width + bucket - first, return_counts=True)
    tops = np.exp((keys % width + first) / BUCKETS)
    edges = np.searchsorted(keys, np.arange(count + 2) * width)
    return [Histogram(tops[start:stop], tops[start:stop], counts[start:stop]) for start, stop in pairwise(edges)]


def seen(load: Load, stalls: Stalls, filed: Filed, draw: Draw) -> Spectrum:
    """What weigh makes of such a run."""
    return spectrum(histograms(load, *responses(load, stalls, draw), filed))


def at_random(load: Load, expected: float, length: Callable[[Draw, int], Floats]) -> Callable[[Draw], Stalls]:
    """Stalls that come independently of each other, so many in a run on average."""

    def drawn(draw: Draw) -> Stalls:
        count = int(draw.poisson(expected))
        return list(zip(draw.random(count) * load.seconds, length(draw, count), strict=True))

    return drawn


def one_second(draw: Draw, count: int) -> Floats:
    """Stalls of one second."""
    return np.ones(count)


def resolved(load: Load, length: float, filed: Filed, many: int, seed: int) -> dict[float, Rate]:
    """How often each percentile is resolved where one stall of that length comes at any moment of the run."""
    found = []
    for number in range(many):
        draw = np.random.default_rng([seed, number])
        start = draw.random() * (load.seconds - length)
        found.append([one.resolved for one in seen(load, [(start, length)], filed, draw).percentiles])
    return {q: rate(hits) for q, hits in zip(QUANTILES, np.array(found).T, strict=True)}


MANY_STALLS = Load(seconds=600, rate=100)
STALLS = 50
"""On average in 600 s, of a second."""
LENGTH = one_second


@lru_cache(maxsize=8)
def truth(q: float) -> float:
    """The percentile of an endless run of :data:`MANY_STALLS`."""
    draw = np.random.default_rng(99)
    stalls = at_random(MANY_STALLS, STALLS, LENGTH)
    return float(np.quantile(np.concatenate([responses(MANY_STALLS, stalls(draw), draw)[1] for _ in range(100)]), q))


def coverage(q: float, filed: Filed, many: int, seed: int) -> tuple[Rate, Rate]:
    """How often the interval of a percentile that is resolved holds the truth, and how often it is not resolved."""
    inside = []
    for number in range(many):
        draw = np.random.default_rng([seed, number])
        stalls = at_random(MANY_STALLS, STALLS, LENGTH)(draw)
        found = seen(MANY_STALLS, stalls, filed, draw).at(q)
        if found.low is not None and found.high is not None:
            inside.append(found.low <= truth(q) <= found.high)
    return rate(np.array(inside, dtype=np.bool_)), Rate(many - len(inside), many)


def next_runs(expected: float, repeats: int, many: int, seed: int) -> tuple[Rate, Rate]:
    """How often the next run's p99 falls where it should: by rank from all runs, and from those that resolve it."""
    load = Load()
    stalls = at_random(load, expected, one_second)
    inside, resolved_only = [], []
    for number in range(many):
        draw = np.random.default_rng([seed, number])
        runs = [seen(load, stalls(draw), "by completion", draw) for _ in range(repeats + 1)]
        p99 = [float(run.value_at(0.99) or 0) for run in runs]
        one = next_run("p99", tuple(p99[:-1]), len(p99) - 1)
        inside.append(one.low <= p99[-1] <= one.high)
        kept = tuple(value for value, run in zip(p99[:-1], runs, strict=False) if run.at(0.99).resolved)
        if len(kept) > 1:
            one = next_run("p99", kept, len(kept))
            resolved_only.append(one.low <= p99[-1] <= one.high)
    return rate(np.array(inside)), rate(np.array(resolved_only, dtype=np.bool_))


CLUSTERS = {
    "10 s stall in 60 s": (Load(), 10.0),
    "10 s of time-outs at 1 s in 60 s": (Load(timeout_s=1.0), 10.0),
}
"""One cluster: a stall that is longer than any percentile but the median leaves fast ones, and one that ties."""


def rows(experiments: int) -> Iterator[Row]:
    """The rows of the table of guarantees."""
    many = max(experiments // 100, 20)
    for setting, (load, length) in CLUSTERS.items():
        for filed in FILED:
            found = resolved(load, length, filed, many, 81)
            worst = max(found.values(), key=lambda one: one.value)
            yield Row("one stall: resolved", f"{setting}, {filed}", "0 %", worst.banded, worst.value == 0)
    # A stall of a second in 20 s is no more than 5 % of the requests: the median does not meet it.
    for filed in FILED:
        found = resolved(Load(seconds=20, rate=500), 1.0, filed, many, 81)
        worst = max((one for q, one in found.items() if q > 0.5), key=lambda one: one.value)
        setting = f"1 s in 20 s, p90 to p99.99, {filed}"
        yield Row("one stall: resolved", setting, "0 %", worst.banded, worst.value == 0)
    for q in (0.5, 0.9, 0.95, 0.99):
        for filed in FILED:
            found_, open_ = coverage(q, filed, many, 82)
            setting = f"p{100 * q:g}, 600 s, {STALLS} stalls of 1 s, {filed}"
            yield Row(
                "95 % interval of a percentile",
                setting,
                "92-98 %",
                found_.banded,
                found_.within(0.92, 0.98),
                f"not resolved {open_}",
            )
    for expected in (1.0, 0.3):
        for repeats in (3, 5, 10):
            found_, before = next_runs(expected, repeats, many, 83)
            setting = f"p99, {repeats} runs of 60 s, {expected:g} stalls of 1 s a run"
            yield Row(
                "the next run (95 %)",
                setting,
                "92-98 %",
                found_.banded,
                found_.within(0.92, 0.98),
                f"from runs that resolve it {before}",
            )
