"""Whether values may come from a distribution: p values of tests that need nothing of ``scipy.stats``.

To import that takes a second of CPU, most of what a capture of a small log takes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from weigh.statistics.special import special

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.statistics.arrays import Floats


def chi_square_tails(statistic: float, freedom: float) -> tuple[float, float]:
    """Probabilities that chi-square is at most, and that it is more than this.

    Args:
        statistic: not negative.
        freedom: its degrees of freedom, above 0.
    """
    return float(special.chdtr(freedom, statistic)), float(special.chdtrc(freedom, statistic))


def equal_counts_p(counts: Sequence[int]) -> float:
    """P value of Pearson's chi-square test that all kinds are equally likely.

    Args:
        counts: how often each of at least two kinds came.
    """
    counted = np.asarray(counts, dtype=float)
    statistic = float(((counted - counted.mean()) ** 2).sum() / counted.mean())
    return chi_square_tails(statistic, len(counted) - 1)[1]


def uniform_p(values: Floats) -> float:
    """P value of Kolmogorov-Smirnov's two-sided test of the uniform distribution from 0 to 1.

    By the limit distribution at a size that is corrected for few values (Stephens 1970): within 3 % of the exact
    probability between 0.005 and 0.9 from 20 values on.

    Args:
        values: at least one.
    """
    ordered = np.clip(np.sort(np.asarray(values, dtype=float)), 0.0, 1.0)
    size = len(ordered)
    steps = np.arange(1, size + 1)
    distance = float(np.maximum(steps / size - ordered, ordered - (steps - 1) / size).max())
    root = float(np.sqrt(size))
    return float(special.kolmogorov(distance * (root + 0.12 + 0.11 / root)))
