"""Series with known means: how often their intervals hold the truth, and how often they are refused.

All functions that make series return an array of the shape (series, samples). ``PYTHONPATH=src:tests python -m
guarantees.series`` prints the table of docs/reference/guarantees.md.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy
from scipy import special

from weigh.statistics import percentiles
from weigh.statistics.series import correlated_mean

from .rates import Rate, rate
from .row import Row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from weigh.statistics.arrays import Floats

    Draw = np.random.Generator


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of series.

    Attributes:
        make: draws series, given how many, their length and the generator.
        mean: what the mean estimates.
        time: integrated autocorrelation time in samples, 1 + twice the sum of the autocorrelations.
        quantile: the true percentile, where there is a formula.
    """

    make: Callable[[int, int, Draw], Floats]
    mean: float = 0.0
    time: float = 1.0
    quantile: Callable[[float], float] | None = None


def iid(many: int, length: int, draw: Draw) -> Floats:
    """Independent normal samples."""
    return draw.standard_normal((many, length))


def autoregression(memory: float) -> Callable[[int, int, Draw], Floats]:
    """A stationary first-order autoregression of variance 1."""

    def make(many: int, length: int, draw: Draw) -> Floats:
        kicks = draw.standard_normal((many, length))
        kicks[:, 1:] *= np.sqrt(1 - memory**2)
        return np.asarray(scipy.signal.lfilter([1.0], [1.0, -memory], kicks, axis=1), dtype=np.float64)

    return make


def correlated_lognormal(sigma: float, memory: float) -> Kind:
    """Latencies of a service whose load wanders: the exponential of an autoregression."""
    under = autoregression(memory)
    lags = np.arange(1, 10_000)
    return Kind(
        lambda many, length, draw: np.asarray(np.exp(sigma * under(many, length, draw)), dtype=np.float64),
        mean=float(np.exp(sigma**2 / 2)),
        time=float(1 + 2 * np.sum(np.expm1(sigma**2 * memory**lags)) / np.expm1(sigma**2)),
        quantile=lambda q: float(np.exp(sigma * special.ndtri(q))),
    )


def spikes(many: int, length: int, draw: Draw) -> Floats:
    """One sample in twenty is late by an exponential time twenty times the scatter of the others."""
    late = np.where(draw.random((many, length)) < 0.05, draw.exponential(2.0, (many, length)), 0.0)
    return np.asarray(1 + 0.1 * draw.standard_normal((many, length)) + late, dtype=np.float64)


def wave(period: float) -> Callable[[int, int, Draw], Floats]:
    """Normal noise and a sine of the same variance, at any phase."""

    def make(many: int, length: int, draw: Draw) -> Floats:
        phase = draw.random((many, 1)) + np.arange(length) / period
        return np.asarray(iid(many, length, draw) + np.sqrt(2) * np.sin(2 * np.pi * phase), dtype=np.float64)

    return make


def stalls(many: int, length: int, draw: Draw) -> Floats:
    """Exponential latencies; in 25 of every 500 samples, as in a checkpoint, 5 more."""
    place = (np.arange(length) + draw.integers(0, 500, (many, 1))) % 500
    return np.asarray(draw.exponential(1.0, (many, length)) + 5.0 * (place < 25), dtype=np.float64)


def in_turn(connections: int, memory: float) -> Callable[[int, int, Draw], Floats]:
    """Samples of several connections written down in turn, each an autoregression of its own."""
    own = autoregression(memory)

    def make(many: int, length: int, draw: Draw) -> Floats:
        each = -(-length // connections)
        found = own(many * connections, each, draw).reshape(many, connections, each).transpose(0, 2, 1)
        return np.ascontiguousarray(found.reshape(many, -1)[:, :length])

    return make


def long_memory(order: float) -> Callable[[int, int, Draw], Floats]:
    """Fractionally integrated noise: its autocorrelations fall so slowly that their sum is infinite."""
    past = 20_000
    lags = np.arange(1, past)
    weights = np.concatenate(([1.0], np.cumprod((lags - 1 + order) / lags)))

    def make(many: int, length: int, draw: Draw) -> Floats:
        kicks = draw.standard_normal((many, length + past))
        return np.asarray(
            scipy.signal.fftconvolve(kicks, weights[None], axes=1)[:, past : past + length], dtype=np.float64
        )

    return make


def pareto(index: float) -> Kind:
    """A power law from 1 on: no variance where the index is below 2."""
    return Kind(lambda many, length, draw: 1 + draw.pareto(index, (many, length)), mean=index / (index - 1))


def rare(many: int, length: int, draw: Draw) -> Floats:
    """Exponential latencies; one in a thousand takes a hundred times as long."""
    return np.asarray(
        draw.exponential(1.0, (many, length)) * np.where(draw.random((many, length)) < 0.001, 100.0, 1.0),
        dtype=np.float64,
    )


def ramp(many: int, length: int, draw: Draw) -> Floats:
    """Normal noise on a line that rises by one standard deviation."""
    return np.asarray(iid(many, length, draw) + np.linspace(0, 1, length), dtype=np.float64)


def turbo(many: int, length: int, draw: Draw) -> Floats:
    """Normal noise, the first fifth faster by one standard deviation."""
    return np.asarray(iid(many, length, draw) - (np.arange(length) < length / 5), dtype=np.float64)


KINDS: dict[str, Kind] = {
    "iid normal": Kind(iid, quantile=lambda q: float(special.ndtri(q))),
    "AR .5": Kind(autoregression(0.5), time=3.0, quantile=lambda q: float(special.ndtri(q))),
    "AR .9": Kind(autoregression(0.9), time=19.0, quantile=lambda q: float(special.ndtri(q))),
    "AR .99": Kind(autoregression(0.99), time=199.0, quantile=lambda q: float(special.ndtri(q))),
    "exponential": Kind(
        lambda many, length, draw: draw.exponential(1.0, (many, length)),
        mean=1.0,
        quantile=lambda q: float(-np.log1p(-q)),
    ),
    "lognormal": correlated_lognormal(1.0, 0.0),
    "lognormal of AR .9": correlated_lognormal(1.0, 0.9),
    "lognormal of AR .99": correlated_lognormal(0.5, 0.99),
    "spikes": Kind(spikes, mean=1.1),
    "wave of 37 samples": Kind(wave(37.3)),
    "stalls every 500": Kind(stalls, mean=1.25),
}
DRIFTS: dict[str, Kind] = {"rises by 1 SD": Kind(ramp), "first fifth 1 SD faster": Kind(turbo)}
HARD: dict[str, tuple[Kind, int, bool]] = {
    "8 connections in turn, each AR .9": (Kind(in_turn(8, 0.9)), 1_000, True),
    "50 connections in turn, each AR .98": (Kind(in_turn(50, 0.98)), 10_000, True),
    "50 connections in turn, each AR .9": (Kind(in_turn(50, 0.9)), 1_000, True),
    "50 connections in turn, each AR .3": (Kind(in_turn(50, 0.3)), 1_000, False),
    "8 connections in turn, each AR .9, long": (Kind(in_turn(8, 0.9)), 20_000, False),
    "Pareto(1.5), no variance": (pareto(1.5), 1_000, False),
    "Pareto(1.5), no variance, long": (pareto(1.5), 10_000, False),
    "Pareto(2.5)": (pareto(2.5), 1_000, False),
    "0.1 % of samples x100": (Kind(rare, mean=1.099), 1_000, False),
    "0.1 % of samples x100, long": (Kind(rare, mean=1.099), 10_000, False),
    "long memory d = .2": (Kind(long_memory(0.2)), 1_000, False),
    "long memory d = .2, long": (Kind(long_memory(0.2)), 10_000, False),
    "long memory d = .4": (Kind(long_memory(0.4)), 1_000, False),
}
"""Kinds that break what a standard error rests on, their length, and whether they are refused (90 %)."""
CYCLIC: dict[str, int] = {"wave of 37 samples": 37, "stalls every 500": 500}
"""Kinds with a cycle, and its length."""
OTHERS: tuple[correlated_mean.Method, ...] = ("naive", "kolaczkowski", "newey-west", "quadratic-spectral")


@dataclass(frozen=True, slots=True)
class Found:
    """What became of the series of one kind and length."""

    covered: Rate
    refused: Rate


def drawn(kind: Kind, many: int, length: int, seed: int) -> Iterator[Floats]:
    """Series one by one, drawn by the slab so that they fit into memory."""
    draw = np.random.default_rng(seed)
    slab = max(4_000_000 // length, 1)
    for first in range(0, many, slab):
        yield from kind.make(min(slab, many - first), length, draw)


def means(kind: Kind, many: int, length: int, seed: int, method: correlated_mean.Method = "batch") -> Found:
    """Coverage of the 95 % intervals of the series that were kept, and the share that was not."""
    found = [correlated_mean.mean(values, method=method) for values in drawn(kind, many, length, seed)]
    kept = [one for one in found if one.low is not None and one.high is not None]
    inside = [one.low <= kind.mean <= one.high for one in kept if one.low is not None and one.high is not None]
    return Found(rate(np.array(inside, dtype=np.bool_)), Rate(many - len(kept), many))


def stated(kind: Kind, many: int, length: int, seed: int) -> Rate:
    """Coverage of the recipe that the method "batch" replaced, without its refusals.

    Batches are doubled until neighbours are no longer correlated; what is left of it is taken for a first-order
    autoregression.
    """
    size = 1
    while length // size > min(512, length / 4):
        size *= 2
    inside = []
    for values in drawn(kind, many, length, seed):
        means_ = values[: length // size * size].reshape(-1, size).mean(axis=1)
        while True:
            count = len(means_)
            deviations = means_ - means_.mean()
            squares = float(deviations @ deviations)
            memory = float(deviations[1:] @ deviations[:-1]) / squares
            if memory * np.sqrt(count) < 0.84 or count // 2 < 8:
                break
            means_ = means_[: count // 2 * 2].reshape(-1, 2).mean(axis=1)
        memory = float(np.clip(memory, 0, 0.8))
        error = np.sqrt(squares / (count - 1) / count * (1 + memory) / (1 - memory))
        freedom = max(count * (1 - memory) / (1 + memory) - 1, 1)
        inside.append(abs(values.mean() - kind.mean) <= special.stdtrit(freedom, 0.975) * error)
    return rate(np.array(inside, dtype=np.bool_))


def tail(kind: Kind, q: float, many: int, length: int, seed: int) -> Found:
    """Coverage of the 95 % intervals of a percentile that was resolved, and the share that was not."""
    assert kind.quantile is not None
    truth = kind.quantile(q)
    found = [percentiles.percentiles(values, [q])[0] for values in drawn(kind, many, length, seed)]
    kept = [one for one in found if one.low is not None and one.high is not None]
    inside = [one.low <= truth <= one.high for one in kept if one.low is not None and one.high is not None]
    return Found(rate(np.array(inside, dtype=np.bool_)), Rate(many - len(kept), many))


def binomial(kind: Kind, q: float, many: int, length: int, seed: int) -> Rate:
    """Coverage of the interval of order statistics that takes the samples for independent."""
    assert kind.quantile is not None
    half = special.ndtri(0.975) * np.sqrt(length * q * (1 - q))
    low, high = int(max(np.floor(length * q - half), 1)), int(min(np.ceil(length * q + half), length))
    truth = kind.quantile(q)
    inside = []
    for values in drawn(kind, many, length, seed):
        ordered = np.sort(values)
        inside.append(ordered[low - 1] <= truth <= ordered[high - 1])
    return rate(np.array(inside, dtype=np.bool_))


KEPT = (
    *((name, effective) for name in KINDS if name not in CYCLIC for effective in (50, 100, 1_000)),
    *((name, cycles * length) for name, length in CYCLIC.items() for cycles in (10, 40, 100)),
)
"""Kinds, and effective samples of the run."""
TAILS = (
    ("iid normal", 0.99, 4_000),
    ("iid normal", 0.9, 300),
    ("exponential", 0.5, 200),
    ("exponential", 0.999, 40_000),
    ("AR .5", 0.99, 6_000),
    ("AR .9", 0.5, 3_000),
    ("AR .9", 0.99, 14_000),
    ("AR .9", 0.99, 40_000),
    ("AR .99", 0.9, 40_000),
    ("lognormal of AR .9", 0.95, 5_000),
)
"""Kinds, percentiles and lengths with at least 20 effective exceedances."""


def length_of(name: str, effective: int) -> int:
    """Samples of a series with so many effective ones."""
    return round(effective * KINDS[name].time)


def rows(experiments: int) -> Iterator[Row]:
    """The guarantees of a series; ``experiments`` as in the table of verdicts, a twentieth are drawn here.

    The methods for comparison see a quarter of them; they are slower.
    """

    def many(length: int) -> int:
        return max(min(experiments // 20, 1000 * experiments // length), 10)

    for name, effective in KEPT:
        length = length_of(name, effective)
        found = means(KINDS[name], many(length), length, 31)
        fewer = max(many(length) // 4, 10)
        others = [f"{other} {means(KINDS[name], fewer, length, 31, other).covered}" for other in OTHERS]
        others.append(f"batch means as first stated {stated(KINDS[name], fewer, length, 31)}")
        setting = f"{name}, N={length:,} ({effective:,} effective)"
        kept = found.covered.within(0.93, 0.97)
        yield Row("95 % interval of a mean", setting, "93-97 %", found.covered.banded, kept, ", ".join(others))
    for name, kind in KINDS.items():
        length = max(1000, length_of(name, 1000))
        if kind.time == 1 and name not in CYCLIC:
            refused = means(kind, many(length), length, 32).refused
            yield Row(
                "independent, refused", f"{name}, N={length:,}", "<= 2 %", refused.banded, refused.within(0, 0.02)
            )
        elif kind.time > 1:
            length = length_of(name, 25)
            refused = means(kind, many(length), length, 32).refused
            setting = f"{name}, N={length:,} (25 effective)"
            yield Row("too short, refused", setting, ">= 95 %", refused.banded, refused.within(0.95, 1))
    for name, kind in DRIFTS.items():
        refused = means(kind, many(1000), 1000, 32).refused
        yield Row("drift, refused", f"{name}, N=1,000", ">= 95 %", refused.banded, refused.within(0.95, 1))
    for name, (kind, length, refuses) in HARD.items():
        found = means(kind, max(many(length) // 4, 10), length, 37)
        setting = f"{name}, N={length:,}"
        goal = ">= 90 %" if refuses else ""
        kept = found.refused.within(0.9, 1) if refuses else None
        yield Row("refused", setting, goal, found.refused.banded, kept, f"the others cover {found.covered}")
        if not refuses:
            yield Row(
                "95 % interval of a mean",
                setting,
                "93-97 %",
                found.covered.banded,
                found.covered.within(0.93, 0.97),
            )
    for name, q, length in TAILS:
        found = tail(KINDS[name], q, many(length), length, 33)
        others = [f"binomial {binomial(KINDS[name], q, many(length), length, 33)}"]
        setting = f"p{100 * q:g} of {name}, N={length:,}"
        kept = found.covered.within(0.92, 0.98)
        yield Row("95 % interval of a percentile", setting, "92-98 %", found.covered.banded, kept, ", ".join(others))


if __name__ == "__main__":
    for row in rows(int(20_000 * float(sys.argv[1] if len(sys.argv) > 1 else 1))):
        print(row, flush=True)
