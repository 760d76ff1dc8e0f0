"""A cycle of any form, as a line with its harmonics in the spectrum, under every noise model at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.ndimage import median_filter

from weigh.statistics.series.prewhitening import batch_means

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.statistics.arrays import Floats
    from weigh.statistics.series.prewhitening import Whitened


FEWEST = 4
"""Cycles a series must hold; fewer are changes of level."""
SHORTEST = 4
"""Batches of a cycle; shorter ones are averaged out by the batches."""
PADDING = 4
"""Frequencies looked at for each one that the length of the series tells apart."""
HARMONICS = {1: 23.0, 2: 28.0, 4: 37.0, 8: 53.0}
"""What a cycle of so many harmonics must gain, in units of twice the log-likelihood
(docs/concept/series.md#steady-state)."""
NEAR = 0.1
"""Share by which the exact period may differ from the rough one."""
ABSENT_SHARE = 0.15
"""Share of the power below which harmonics count as absent."""
FINE = 4096
"""Batches on which the period is made exact."""


@dataclass(frozen=True, slots=True)
class Cycle:
    """A cycle.

    Attributes:
        merit: by how much the gain exceeds what it must gain.
        period: in batches.
        harmonics: how many there are in the best description.
    """

    merit: float
    period: float
    harmonics: int


def cycle(series: Whitened) -> Cycle:
    """The best cycle; its merit is negative when none is worth it."""
    count = series.count
    power = np.abs(np.fft.rfft(series.centred, PADDING * count, axis=1)) ** 2 * 2 / count
    lines = np.arange(FEWEST * PADDING, PADDING * count // SHORTEST + 1)
    found = []
    for harmonics, wanted in HARMONICS.items():
        explained = _summed(power, lines, harmonics)
        best = explained.argmax(axis=1)
        left = series.squares - np.take_along_axis(explained, best[:, None], axis=1)[:, 0]
        model = series.best(left)
        period = PADDING * count / lines[best[model]]
        found.append(Cycle(float(series.gain(left)) - wanted, float(period), harmonics))
    return max(found, key=lambda one: one.merit)


def exact_period(samples: Floats, rough: float, harmonics: int) -> float:
    """The period in samples, from finer batches.

    A cycle much shorter than a batch beats with the batches and shows up as a slow one; where the finer spectrum has a
    stronger line at a shorter period, that is the cycle.

    Args:
        samples: the series, without spikes.
        rough: its period in samples, as :func:`cycle` found it.
        harmonics: as found there.
    """
    means, _ = batch_means(samples, FINE)
    power = np.abs(np.fft.rfft(means - means.mean(), PADDING * means.size))[None] ** 2
    power = power / np.maximum(median_filter(power, (1, 16 * PADDING + 1), mode="nearest"), 1e-12 * power.max())
    lines = np.arange(FEWEST * PADDING, PADDING * means.size // 2)
    height = _summed(power, lines, harmonics)[0]
    periods = PADDING * samples.size / lines
    near = np.flatnonzero(np.abs(np.log(periods / rough)) < np.log1p(NEAR))
    top = int(near[height[near].argmax()]) if near.size else int(np.abs(periods - rough).argmin())
    highest = int(height.argmax())
    if periods[highest] < rough / 2 and height[highest] > 2 * height[top]:
        top = highest
    return PADDING * samples.size / _fundamental(power[0], int(lines[top]))


def _fundamental(power: Floats, line: int) -> int:
    """The line of the whole cycle, where ``line`` may stand for two or three cycles taken as one.

    Of several cycles taken as one, only every second or third harmonic has power.
    """
    for times in (2, 2, 3):
        harmonics = np.arange(1, min(4 * times, (power.size - 1) // line) + 1)
        heights = power[harmonics * line]
        if harmonics.size >= times and heights[harmonics % times > 0].sum() < ABSENT_SHARE * heights.sum():
            near = np.arange(times * line - times, min(times * line + times + 1, power.size))
            line = int(near[power[near].argmax()])
    return line


def _summed(power: Floats, lines: NDArray[np.int64], harmonics: int) -> Floats:
    """Power of each line and its harmonics below the highest frequency."""
    total = np.zeros((power.shape[0], lines.size))
    for harmonic in range(1, harmonics + 1):
        inside = lines * harmonic < power.shape[1] - 1
        total[:, inside] += power[:, lines[inside] * harmonic]
    return total
