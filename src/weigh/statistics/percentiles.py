"""Percentiles of one correlated series: an interval, or that the samples do not resolve it (docs/concept/series.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from weigh.model.errors import UsageError
from weigh.statistics.series.long_run_variance import batch_means, long_run
from weigh.statistics.special import special

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike

    from weigh.statistics.arrays import Floats


LEAST_EXCEEDANCES = 20
"""Effective samples beyond a percentile, on its rarer side, below which it is not resolved."""


class Percentile(msgspec.Struct, frozen=True, kw_only=True):
    """One percentile of a series, in the unit of its samples.

    Attributes:
        q: between 0 and 1; 0.99 for p99.
        value: the percentile; None where it is not resolved.
        low, high: interval at ``confidence``; both are samples.
        confidence: level of that interval.
        exceedances: samples on the rarer side of it, divided by how much more their number scatters than that of
            independent ones would.
        resolved: false where there are too few of them, or they come in clusters as long as an eighth of the run; then
            there is no value.
    """

    q: float
    value: float | None
    low: float | None
    high: float | None
    confidence: float
    exceedances: float
    resolved: bool


def percentiles(values: ArrayLike, qs: Sequence[float], *, confidence: float = 0.95) -> tuple[Percentile, ...]:
    """Percentiles of samples in the order of time.

    Whether a sample exceeds the percentile is itself a series, of zeros and ones (of samples equal to it, a share
    does); its long-run variance over q(1 - q) is the design effect. The interval is Jeffreys' for the share of
    exceedances among as many samples as are effective, read as order statistics; the uncertainty of the design effect
    lowers their number as in E. L. Korn, B. I. Graubard, Survey Methodology 24, 1998. Close to 20 exceedances it lowers
    it further, by half where a percentile is only just resolved: clusters that happen to look short are resolved more
    often.

    Args:
        values: samples in one dimension.
        qs: which, each between 0 and 1.
        confidence: level of the intervals, each by itself.

    Raises:
        UsageError: there is no sample, one is not a finite number, or an argument is out of range.
    """
    samples = np.asarray(values, dtype=np.float64)
    if samples.ndim != 1 or not len(samples) or not np.isfinite(samples).all():
        raise UsageError(
            "percentiles need one series of finite numbers",
            remedy="leave failed requests out of the series, and count them apart",
        )
    if not 0 < confidence < 1 or any(not 0 < q < 1 for q in qs):
        raise UsageError("a percentile or a confidence outside 0 to 1", remedy="write 0.99 for the 99th percentile")
    ordered = np.sort(samples)
    return tuple(_percentile(samples, ordered, q, confidence) for q in qs)


def _percentile(samples: Floats, ordered: Floats, q: float, confidence: float) -> Percentile:
    count = len(samples)
    value = float(ordered[min(int(np.ceil(q * count)), count) - 1])
    beyond = exceedances(samples > value, samples == value, (1 - q) * count)
    size, shares = batch_means(beyond)

    def read(low: float, high: float) -> tuple[float, float]:
        return float(ordered[int(np.floor(low * count))]), float(ordered[int(np.ceil(high * count)) - 1])

    return judged(q, value, (shares - (1 - q)) * size, count, confidence, read)


def exceedances(above: ArrayLike, ties: ArrayLike, expected: float) -> Floats:
    """How many samples of each part exceed a percentile, where some are equal to it.

    Of those that are equal, as large a share counts everywhere as makes the sum what a percentile has beyond it. Else
    nothing would exceed a time-out that more samples have than are beyond the percentile, and nothing would tell that
    they came together.

    Args:
        above: samples above the percentile, by part.
        ties: samples equal to it, by part.
        expected: samples beyond a percentile of so many.
    """
    over, equal = np.asarray(above, dtype=np.float64), np.asarray(ties, dtype=np.float64)
    shared = equal.sum()
    share = np.clip((expected - over.sum()) / shared, 0, 1) if shared else 0.0
    found: Floats = over + share * equal
    return found


def judged(
    q: float,
    value: float,
    excess: Floats,
    count: int,
    confidence: float,
    read: Callable[[float, float], tuple[float | None, float | None]],
) -> Percentile:
    """A percentile with its interval, or not resolved.

    Args:
        q: between 0 and 1.
        value: the percentile by rank.
        excess: exceedances above what the samples of a part lead to expect, ``A_i - (1 - q) N_i``, for parts in the
            order of time, those without samples included: the residuals of a ratio of two sums (W. G. Cochran,
            Sampling Techniques, 3rd edition, 1977, chapter 6).
        count: samples of all parts.
        confidence: level of the interval.
        read: the samples at a lower and an upper share of the ordered ones.
    """
    rarer = count * min(q, 1 - q)
    found = long_run(excess) if rarer >= LEAST_EXCEEDANCES else None
    effective = 0.0
    if found is not None:
        effect = max(found.variance * len(excess) / (count * q * (1 - q)), 1.0)
        rarer /= effect
        tail = (1 - confidence) / 2
        effective = count / (effect * _widened(found.freedom, tail)) / (1 + (LEAST_EXCEEDANCES / max(rarer, 1)) ** 4)
    if found is None or found.left or rarer < LEAST_EXCEEDANCES:
        return unresolved(q, confidence, rarer)
    below, above = effective * q + 0.5, effective * (1 - q) + 0.5
    low, high = read(*(float(special.betaincinv(below, above, share)) for share in (tail, 1 - tail)))
    return Percentile(q=q, value=value, low=low, high=high, confidence=confidence, exceedances=rarer, resolved=True)


def _widened(freedom: float, tail: float) -> float:
    """By how much fewer samples are effective where their design effect is an estimate itself."""
    return float((special.stdtrit(freedom, tail) / special.ndtri(tail)) ** 2)


def share_interval(hits: Floats, totals: Floats, confidence: float) -> tuple[float, float] | None:
    """The interval of a share of correlated samples, such as of the requests that failed.

    Jeffreys' for as many samples as are effective: by the long-run variance of the parts, and at least as few as if
    each part with a hit had only one, since errors come together.

    Args:
        hits: samples of each part that count, in the order of time.
        totals: all samples of each part.
        confidence: level of the interval.

    Returns:
        Its ends; None where there is no sample, or hits come in clusters as long as an eighth of all.
    """
    count, number = totals.sum(), hits.sum()
    if not count:
        return None
    share, tail = number / count, (1 - confidence) / 2
    effect = 1.0
    if number:
        found = long_run(hits - share * totals)
        if found is None or found.left:
            return None
        design = found.variance * len(hits) / (count * share * (1 - share)) if share < 1 else 0.0
        effect = max(design, number / np.count_nonzero(hits), 1.0) * _widened(found.freedom, tail)
    effective = count / effect
    a, b = effective * share + 0.5, effective * (1 - share) + 0.5
    return float(special.betaincinv(a, b, tail)), float(special.betaincinv(a, b, 1 - tail))


def unresolved(q: float, confidence: float, exceedances: float) -> Percentile:
    """A percentile without a number."""
    return Percentile(
        q=q, value=None, low=None, high=None, confidence=confidence, exceedances=exceedances, resolved=False
    )
