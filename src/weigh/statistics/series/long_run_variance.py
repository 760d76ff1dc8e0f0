"""The long-run variance of a correlated series: what the mean of a long run of it would scatter by.

Read from the lowest frequencies of the batch means. A slow wander of the machine is there; a regular stall is not, as
long as the run holds enough of its cycles. docs/concept/series.md tells why batch means alone do not serve.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.fft import dct

from weigh.statistics.special import special

if TYPE_CHECKING:
    from weigh.statistics.arrays import Floats


MOST_BATCHES = 512
"""Batches to start from: more would cost degrees of freedom nobody needs and let in the correlation of neighbours."""
FEWEST_ORDINATES = 8
"""The coarsest look: below it the estimate has too few degrees of freedom to be one."""
TREND_BATCHES = 8
_FLAT = 0.84
"""In standard errors, how much higher the lower half of the ordinates may lie: the upper quintile of the normal."""
_LINE = 2.5
"""In standard errors, how much lower it may lie before the upper half is taken to hold a cycle."""
_MEMORY = 2.0
"""In standard errors, how far the lowest ordinates may stand out of all: a peak too narrow to be observed by halves."""


@dataclass(frozen=True, slots=True)
class LongRun:
    """What the batch means say of the spectrum at frequency zero.

    Attributes:
        variance: variance of one batch mean times the sum of all correlations; over the number of batches it is the
            squared standard error of the mean.
        freedom: degrees of freedom of ``variance``.
        left: the spectrum still rises towards frequency zero at the coarsest look.
    """

    variance: float
    freedom: float
    left: bool


def long_run(means: Floats) -> LongRun | None:
    """Estimate it from consecutive batch means, or say ``None`` below 9 of them.

    The squared coefficients of the cosine transform (type II, orthonormal, without the first) are independent and
    each estimates the variance where the spectrum is flat. Beginning with all of them, the upper half of the
    frequencies is given up until the mean of the lower half no longer exceeds that of the upper by chance alone. The
    curvature that remains is extrapolated to frequency zero: for a spectrum whose logarithm falls with the square of
    the frequency, log S(0) is the log mean plus 2/3 of the log ratio of the halves.

    Cosine transform and equal weights: U. K. Müller, Journal of Econometrics 141, 2007; E. Lazarus and others,
    Journal of Business & Economic Statistics 36, 2018. Extrapolation of the low-frequency spectrum: P. Heidelberger,
    P. D. Welch, Communications of the ACM 24, 1981.
    """
    if len(means) <= FEWEST_ORDINATES:
        return None
    ordinates = np.asarray(dct(means - means.mean(), type=2, norm="ortho"), dtype=np.float64)[1:] ** 2
    sums = np.concatenate(([0.0], np.cumsum(ordinates)))
    if sums[-1] <= 0:
        return LongRun(0.0, float(len(ordinates)), left=False)
    count = len(ordinates)
    while True:
        half = count // 2
        # A sum of squares can be zero (counts that never change): then it is as low as it can be.
        lower, upper = (max(part, 1e-300) for part in (sums[half] / half, (sums[count] - sums[half]) / (count - half)))
        rise, error = float(np.log(lower / upper)), float(np.sqrt(8 / count))
        flat = -_LINE * error < rise < _FLAT * error and _rise(ordinates[:count]) < _MEMORY
        if flat or half < FEWEST_ORDINATES:
            break
        count = half
    curved = max(rise, 0.0)
    variance = sums[count] / count * np.exp(2 / 3 * min(curved, 2.0))
    # The variances of the log mean, 2/K, and of 2/3 of the log ratio, (2/3)^2 * 8/K, add where the latter is used.
    freedom = count / (1 + 16 / 9) if curved > 0 else float(count)
    return LongRun(float(variance), freedom, left=rise >= _FLAT * error)


def _rise(ordinates: Floats) -> float:
    """How much the lowest ordinates stand out, in standard errors: the score of the memory parameter at 0.

    Halves do not see a peak at frequency zero that is a few ordinates wide. Samples of several connections in turn have
    such a peak, and others like it at higher frequencies; long memory rises by a little over all halves. P. M.
    Robinson, Journal of the American Statistical Association 89, 1994.
    """
    total = ordinates.sum()
    if total <= 0:
        return 0.0
    logs = np.log(np.arange(1, len(ordinates) + 1))
    weights = logs - logs.mean()
    return float(-len(ordinates) * (ordinates @ weights) / total / np.sqrt(2 * (weights @ weights)))


def trend(means: Floats) -> float | None:
    """Two-sided p-value of a straight line over 8 groups of batch means; ``None`` below 8 or without scatter."""
    each = len(means) // TREND_BATCHES
    if each == 0:
        return None
    groups = means[: each * TREND_BATCHES].reshape(TREND_BATCHES, each).mean(axis=1)
    time = np.arange(TREND_BATCHES) - (TREND_BATCHES - 1) / 2
    deviations = groups - groups.mean()
    slope = float(time @ deviations / (time @ time))
    left = deviations - slope * time
    freedom = TREND_BATCHES - 2
    error = float(np.sqrt(left @ left / freedom / (time @ time)))
    if error == 0:
        return None if slope == 0 else 0.0
    return float(2 * special.stdtr(freedom, -abs(slope) / error))


def batch_means(values: Floats) -> tuple[int, Floats]:
    """Samples a batch, the smallest power of two that gives no more than 512 batches, and the batch means."""
    size = 1
    while len(values) // size > MOST_BATCHES:
        size *= 2
    whole = len(values) // size
    return size, np.asarray(values[: whole * size].reshape(whole, size).mean(axis=1), dtype=np.float64)
