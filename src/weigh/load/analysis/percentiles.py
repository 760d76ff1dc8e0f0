"""The spectrum of a latency from the histograms of many intervals: percentiles with intervals, or not resolved.

Inside an interval of time the order of the requests is lost, and is not needed: whether requests exceed a percentile is
judged from their share in each interval, as :mod:`weigh.statistics.percentiles` judges it from batches
(docs/concept/series.md).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np
from scipy import special

from weigh.load.spec import CONFIDENCE, QUANTILES
from weigh.model.units import Seconds
from weigh.statistics.correlated_mean import SeriesMean, mean
from weigh.statistics.histogram import Histogram, merged
from weigh.statistics.long_run_variance import long_run
from weigh.statistics.percentiles import LEAST_EXCEEDANCES, Percentile

if TYPE_CHECKING:
    from collections.abc import Sequence


class Spectrum(msgspec.Struct, frozen=True, kw_only=True):
    """What the requests of a run took, in seconds.

    Attributes:
        count: requests.
        mean: of all; never the headline.
        series: the mean over the intervals, with the error that their correlation leaves; None below two intervals.
        percentiles: at :data:`weigh.load.spec.QUANTILES`.
        seen: the same percentiles by rank, resolved or not: what this run saw, and no claim about another.
        max: the longest of all.
    """

    count: int
    mean: Seconds | None
    series: SeriesMean | None
    percentiles: tuple[Percentile, ...]
    seen: tuple[Seconds | None, ...]
    max: Seconds | None

    def at(self, q: float) -> Percentile:
        """The percentile at a fraction that is one of :data:`weigh.load.spec.QUANTILES`."""
        return next(one for one in self.percentiles if one.q == q)


def spectrum(intervals: Sequence[Histogram], confidence: float = CONFIDENCE) -> Spectrum:
    """The spectrum of all requests.

    Args:
        intervals: one histogram each, in the order of time; those of equal length.
        confidence: level of the intervals.
    """
    whole = merged(intervals)
    means = [one.mean for one in intervals if one.mean is not None]
    return Spectrum(
        count=whole.total,
        mean=whole.mean,
        series=mean(means, confidence=confidence) if len(means) > 1 else None,
        percentiles=tuple(_percentile(whole, intervals, q, confidence) for q in QUANTILES),
        seen=tuple(whole.quantile(q) for q in QUANTILES),
        max=whole.max,
    )


def _percentile(whole: Histogram, intervals: Sequence[Histogram], q: float, confidence: float) -> Percentile:
    value, count = whole.quantile(q), whole.total
    rarer = count * min(q, 1 - q)
    held = [one for one in intervals if len(one.counts)]
    found = None
    if value is not None and rarer >= LEAST_EXCEEDANCES:
        found = long_run(np.array([one.above(value) / one.total for one in held]))
    if found is None:
        return _open(q, confidence, rarer)
    effect = max(found.variance * (count / len(held)) / (q * (1 - q)), 1.0)
    exceedances = rarer / effect
    if found.left or exceedances < LEAST_EXCEEDANCES:
        return _open(q, confidence, exceedances)
    tail = (1 - confidence) / 2
    widening = float((special.ndtri(tail) / special.stdtrit(found.freedom, tail)) ** 2)
    effective = count / effect * widening / (1 + (LEAST_EXCEEDANCES / exceedances) ** 4)
    below, above = effective * q + 0.5, effective * (1 - q) + 0.5
    low, high = (float(special.betaincinv(below, above, share)) for share in (tail, 1 - tail))
    return Percentile(
        q=q,
        value=value,
        low=whole.quantile(low),
        high=whole.quantile(high),
        confidence=confidence,
        exceedances=exceedances,
        resolved=True,
    )


def _open(q: float, confidence: float, exceedances: float) -> Percentile:
    return Percentile(
        q=q, value=None, low=None, high=None, confidence=confidence, exceedances=exceedances, resolved=False
    )
