"""Series with a known course: what is flat, and what warms up, steps, drifts or repeats itself.

A series is ``LEVEL * (1 + CV * (noise + amplitude * course))``. Noise has the standard deviation 1 apart from its
spikes. An amplitude of 1 is one *error of a batch*: the long-run standard deviation of the mean of a 200th of the
series, ``SPREAD * sqrt(200 / n)``. So an amplitude of 3 means 3 standard deviations of a sample at 200 independent
samples, 0.3 at 20,000, and 1.3 where those are an autoregression of .9.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy

if TYPE_CHECKING:
    from collections.abc import Callable

    from weigh.statistics.arrays import Floats

    Make = Callable[[int, np.random.Generator], Floats]

LEVEL, CV = 100.0, 0.2
BATCHES = 200


def white(count: int, draw: np.random.Generator) -> Floats:
    """Independent normal noise."""
    return draw.normal(0, 1, count)


def lognormal(count: int, draw: np.random.Generator, shape: float = 0.7) -> Floats:
    """Independent and skewed, as response times are."""
    mean, spread = np.exp(shape**2 / 2), np.sqrt(np.expm1(shape**2) * np.exp(shape**2))
    return np.asarray((np.exp(draw.normal(0, shape, count)) - mean) / spread)


def autoregression(count: int, draw: np.random.Generator, memory: float) -> Floats:
    """First-order autoregression."""
    kicks = draw.normal(0, np.sqrt(1 - memory**2), count)
    kicks[0] = draw.normal()
    return np.asarray(scipy.signal.lfilter([1.0], [1.0, -memory], kicks))


def spikes(count: int, draw: np.random.Generator, share: float) -> Floats:
    """Spikes with an exponential height of mean 10 standard deviations."""
    return np.where(draw.random(count) < share, draw.exponential(10, count), 0.0)


def _heavy(count: int, draw: np.random.Generator) -> Floats:
    return white(count, draw) + np.where(draw.random(count) < 0.02, 5 * draw.pareto(1.5, count), 0.0)


FLAT: dict[str, Make] = {
    "independent": white,
    "lognormal": lognormal,
    "spikes 1 %": lambda count, draw: white(count, draw) + spikes(count, draw, 0.01),
    "spikes 5 %": lambda count, draw: white(count, draw) + spikes(count, draw, 0.05),
    "heavy spikes (Pareto 1.5)": _heavy,
    "AR .5": lambda count, draw: autoregression(count, draw, 0.5),
    "AR .9": lambda count, draw: autoregression(count, draw, 0.9),
    "AR .9 and spikes": lambda count, draw: autoregression(count, draw, 0.9) + spikes(count, draw, 0.03),
    "AR .9 and white": lambda count, draw: (autoregression(count, draw, 0.9) + white(count, draw)) / np.sqrt(2),
}
"""Noise in which nothing changes."""


def _two_speeds(count: int, draw: np.random.Generator, share: float) -> Floats:
    """A machine with two speeds, which changes between them with probability ``share`` at each sample."""
    return 2.0 * (np.cumsum(draw.random(count) < share) % 2) + draw.normal(0, 0.3, count)


WANDERING: dict[str, Make] = {
    "two speeds, change 10 %": lambda count, draw: _two_speeds(count, draw, 0.1),
    "two speeds, change 2 %": lambda count, draw: _two_speeds(count, draw, 0.02),
    "AR .98": lambda count, draw: autoregression(count, draw, 0.98),
}
"""Noise that is flat in the long run, and whose memory is a good part of a short series."""

SPREAD = {
    "independent": 1.0,
    "lognormal": 1.0,
    "AR .5": np.sqrt(3),
    "AR .9": np.sqrt(19),
    "AR .9 and white": np.sqrt(10),
}
"""Long-run standard deviation: of the mean of many samples, times the root of their number."""


def _time(count: int) -> Floats:
    return np.arange(count) / count


def _phase(count: int, draw: np.random.Generator, cycles: float) -> Floats:
    return np.asarray((_time(count) * cycles + draw.random()) % 1)


def _course(shape: Callable[[Floats, np.random.Generator], Floats]) -> Make:
    return lambda count, draw: np.asarray(shape(_time(count), draw), dtype=np.float64)


COURSES: dict[str, tuple[Make, float, str]] = {
    "approach": (_course(lambda t, draw: np.exp(-t / draw.uniform(0.02, 0.1))), 8.0, "warm-up"),
    "step down at 10-40 %": (_course(lambda t, draw: t < draw.uniform(0.1, 0.4)), 3.0, "warm-up"),
    "step up at 10-40 %": (_course(lambda t, draw: t >= draw.uniform(0.1, 0.4)), 3.0, "slowdown"),
    "step up at 80 %": (_course(lambda t, _: t >= 0.8), 3.0, "no steady state"),
    "step down at 80 %": (_course(lambda t, _: t < 0.8), 3.0, "no steady state"),
    "drift up": (_course(lambda t, _: t), 3.0, "slowdown"),
    "drift down": (_course(lambda t, _: -t), 3.0, "no steady state"),
    "square cycle": (lambda n, draw: 1.0 * (_phase(n, draw, draw.uniform(5, 25)) < 0.5), 3.0, "cyclic"),
    "dips, 15 % of a cycle": (lambda n, draw: 1.0 * (_phase(n, draw, draw.uniform(5, 25)) < 0.15), 3.0, "cyclic"),
    "sawtooth": (lambda n, draw: _phase(n, draw, draw.uniform(5, 25)), 3.0, "cyclic"),
}
"""What is not flat, with the amplitude at which it must be found and what it is called."""


def flat(kind: str, count: int, draw: np.random.Generator) -> Floats:
    """A series in which nothing changes."""
    return LEVEL * (1 + CV * (FLAT | WANDERING)[kind](count, draw))


def moving(course: str, kind: str, count: int, draw: np.random.Generator, amplitude: float | None = None) -> Floats:
    """A series that takes a course, by its own amplitude unless stated otherwise."""
    make, usual, _ = COURSES[course]
    height = (usual if amplitude is None else amplitude) * SPREAD[kind] * np.sqrt(BATCHES / count)
    return LEVEL * (1 + CV * (FLAT[kind](count, draw) + height * make(count, draw)))
