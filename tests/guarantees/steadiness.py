"""Steady state: how often a flat series is called something else, and how often what is not flat is found.

Beside it what others use, on the first series of each kind: MSER-5 (K. P. White 1997), PELT with the penalty of warm-up
studies (Barrett et al. 2017: 15 ln n; here for the mean, the noise estimated from differences, on at most 2,000 batch
means) and Welch's t of the first half against the second.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy

from weigh.statistics.series.prewhitening import batch_means
from weigh.statistics.series.steady_state import Shape, Steady, steady

from . import steady_series
from .rates import Rate, rate
from .row import Row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from weigh.statistics.arrays import Floats


FALSE, FOUND = 0.05, 0.95
"""The goals: of flat series called something else at most, of others found at least."""


COMPARED = 40
"""Series that are given to the other methods too, which are slower."""


@dataclass(frozen=True, slots=True)
class Found:
    """What became of many series of one kind.

    Attributes:
        labelled: called something else than flat.
        named: called what they are.
        others: labelled by the other methods.
    """

    labelled: Rate
    named: Rate
    others: dict[str, Rate]

    @property
    def elsewhere(self) -> str:
        """The other methods in words."""
        return ", ".join(f"{name} {share.value:.0%}" for name, share in self.others.items())


def flat(kind: str, count: int, series: int, seed: int, *, others: bool = True) -> Found:
    """Series in which nothing changes."""
    return _judged(lambda draw: steady_series.flat(kind, count, draw), Shape.FLAT, series, seed, others=others)


def moving(
    course: str, kind: str, count: int, series: int, seed: int, amplitude: float | None = None, *, others: bool = True
) -> Found:
    """Series that take a course."""
    wanted = Shape(steady_series.COURSES[course][2])
    return _judged(
        lambda draw: steady_series.moving(course, kind, count, draw, amplitude), wanted, series, seed, others=others
    )


def _judged(
    make: Callable[[np.random.Generator], Floats], wanted: Shape, series: int, seed: int, *, others: bool
) -> Found:
    shapes, found = [], {name: list[bool]() for name in OTHERS if others}
    for number in range(series):
        samples = make(np.random.default_rng([seed, number]))
        shapes.append(steady(samples).shape)
        for name, hits in found.items():
            if number < COMPARED:
                hits.append(OTHERS[name](samples))
    return Found(
        labelled=rate(np.array([shape != Shape.FLAT for shape in shapes])),
        named=rate(np.array([shape == wanted for shape in shapes])),
        others={name: rate(np.array(hits)) for name, hits in found.items()},
    )


def mser5(samples: Floats) -> bool:
    """Whether MSER-5 cuts more than 5 % of the series: it looks for the cut with the smallest standard error."""
    means = samples[: samples.size // 5 * 5].reshape(-1, 5).mean(axis=1)
    left = means.size - np.arange(means.size // 2)
    sums, squares = (np.cumsum(part[::-1])[::-1][: left.size] for part in (means, means**2))
    cut = int(((squares - sums**2 / left) / left**2).argmin())
    return cut > 0.05 * means.size


def pelt(samples: Floats) -> bool:
    """Whether there is a change of the mean; PELT gives the optimal partition, and this computes it without pruning."""
    means, _ = batch_means(samples, 2_000)
    noise = np.median(np.abs(np.diff(means))) * 1.4826 / np.sqrt(2)
    sums, squares = (np.concatenate([[0.0], np.cumsum(part)]) for part in (means, means**2))
    penalty = 15 * np.log(means.size) * noise**2
    best, last = np.full(means.size + 1, -penalty), np.zeros(means.size + 1, dtype=np.int64)
    for end in range(1, means.size + 1):
        start = np.arange(end)
        cost = squares[end] - squares[start] - (sums[end] - sums[start]) ** 2 / (end - start)
        totals = best[start] + cost + penalty
        last[end] = totals.argmin()
        best[end] = totals[last[end]]
    return bool(last[-1] > 0)


def halves(samples: Floats) -> bool:
    """Whether the halves differ by Welch's t at 1 %."""
    middle = samples.size // 2
    return bool(scipy.stats.ttest_ind(samples[:middle], samples[middle:], equal_var=False).pvalue < 0.01)


OTHERS: dict[str, Callable[[Floats], bool]] = {"MSER-5": mser5, "PELT": pelt, "halves": halves}


def rows(experiments: int) -> Iterator[Row]:
    """False labels on every kind of noise, and what is found of every course."""
    series = max(experiments // 50, 10)
    for count in (200, 2_000, 20_000):
        for kind in steady_series.FLAT | steady_series.WANDERING:
            found = flat(kind, count, series, 21)
            kept = found.labelled.within(0.0, FALSE)
            setting = f"{kind}, n={count:,}"
            yield Row("steady: false label", setting, "<= 5 %", found.labelled.banded, kept, found.elsewhere)
    for count in (200, 2_000, 20_000):
        for kind in ("independent", "lognormal", "AR .9"):
            for course, (_, amplitude, shape) in steady_series.COURSES.items():
                found = moving(course, kind, count, series // 4, 22)
                setting = f"{course} of {amplitude:g}, {kind}, n={count:,}"
                kept = found.labelled.within(FOUND, 1.0)
                elsewhere = f"called {shape}: {found.named.value:.0%}; {found.elsewhere}"
                yield Row("steady: found", setting, ">= 95 %", found.labelled.banded, kept, elsewhere)


def level(course: str, kind: str, count: int, series: int, seed: int) -> tuple[float, float]:
    """Error of the level against the true one, and that of the mean of everything, both as root mean squares.

    In standard errors of the mean of so many samples without a course; only series that were given a level count.
    """
    unit = steady_series.LEVEL * steady_series.CV * steady_series.SPREAD[kind] / np.sqrt(count)
    own, whole = [], []
    for number in range(series):
        samples = steady_series.moving(course, kind, count, np.random.default_rng([seed, number]))
        found: Steady = steady(samples)
        if found.level is not None:
            own.append((found.level - steady_series.LEVEL) / unit)
            whole.append((samples.mean() - steady_series.LEVEL) / unit)
    return float(np.sqrt(np.mean(np.square(own)))), float(np.sqrt(np.mean(np.square(whole))))
