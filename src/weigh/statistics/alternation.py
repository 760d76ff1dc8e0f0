"""Samples of several sources taken in turn: those some places apart resemble each other, and then less and less.

Eight connections whose answers are written down in turn give a series in which every eighth sample belongs together.
Its spectrum has a narrow peak at frequency zero, and as high ones elsewhere: what the long-run variance is read from
cannot tell that from a cycle. The autocorrelation does: of a cycle it returns to the same height after two, three and
more periods, of sources that wander it falls.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from weigh.statistics.arrays import Floats

_SURE = 4.5
"""In standard errors of an autocorrelation, how far one must stand out over its neighbours."""
_FALLS = 0.75
"""Share of its height at which the later ones must lie at most to have fallen."""
_TIMES = 4
"""How often the lag must fit into the longest."""
_FARTHEST = 3
"""The longest lag is one in so many of the length."""


def lag(means: Floats) -> int | None:
    """After how many places samples belong together that wander; None where there is no such number.

    Args:
        means: batch means, or samples.
    """
    count = len(means)
    longest = count // _FARTHEST
    if longest < 6:
        return None
    # Ranks: two values far out would make an autocorrelation of their own.
    ranks = np.unique(means, return_inverse=True)[1].astype(np.float64)
    found = _autocorrelations(ranks, longest)
    # Over the higher neighbour: a wander falls from lag to lag, and a wave is as high compared with its top.
    over = found[2:-1] - np.maximum(found[1:-2], found[3:])
    # Where a period is no whole number of places, its top is shared by two of them.
    at = int(over[: max(longest // _TIMES - 1, 1)].argmax()) + 2
    if over[at - 2] < _SURE / np.sqrt(count):
        return None
    times = range(2, longest // at)
    later = [float(found[number * at - number // 2 - 1 : number * at + number // 2 + 2].max()) for number in times]
    return at if np.mean(later[-2:]) < _FALLS * found[at] else None


def _autocorrelations(means: Floats, longest: int) -> Floats:
    """From lag 0 on, each over as many pairs as it has."""
    count = len(means)
    deviations = means - means.mean()
    power = np.abs(np.fft.rfft(deviations, 2 * count)) ** 2
    products = np.fft.irfft(power)[: longest + 1]
    if products[0] <= 0:
        return np.zeros(longest + 1)
    found: Floats = products / products[0] * count / (count - np.arange(longest + 1))
    return found
