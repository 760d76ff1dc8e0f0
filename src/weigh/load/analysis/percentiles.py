"""The spectrum of a latency from the histograms of many intervals: percentiles with intervals, or not resolved.

Inside an interval of time the order of the requests is lost, and is not needed: how many of them exceed a percentile is
judged by intervals, as :mod:`weigh.statistics.percentiles` judges it by batches (docs/concept/series.md). The intervals
hold different numbers of requests, so that it is a ratio of two sums.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from weigh.load.spec import CONFIDENCE, QUANTILES
from weigh.model.units import Seconds
from weigh.statistics.histogram import Histogram, merged
from weigh.statistics.percentiles import Percentile, exceedances, judged, unresolved
from weigh.statistics.series.correlated_mean import SeriesMean, mean

if TYPE_CHECKING:
    from collections.abc import Sequence


class Spectrum(msgspec.Struct, frozen=True, kw_only=True):
    """What the requests of a run took, in seconds.

    Attributes:
        count: requests.
        mean: of all; never the headline.
        series: the mean over the intervals, with the error that their correlation leaves; None below two intervals.
        percentiles: at :data:`weigh.load.spec.QUANTILES`.
        empirical: the same percentiles by rank, resolved or not: what this run saw, and no claim about another.
        max: the longest of all.
    """

    count: int
    mean: Seconds | None
    series: SeriesMean | None
    percentiles: tuple[Percentile, ...]
    empirical: tuple[Seconds | None, ...] = msgspec.field(name="seen")
    max: Seconds | None

    def at(self, q: float) -> Percentile:
        """The percentile at a fraction that is one of :data:`weigh.load.spec.QUANTILES`."""
        return next(one for one in self.percentiles if one.q == q)

    def value_at(self, q: float) -> Seconds | None:
        """The same by rank, resolved or not; None where there is no request."""
        return self.empirical[QUANTILES.index(q)]


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
        series=mean(means, confidence=confidence, intervals=True) if len(means) > 1 else None,
        percentiles=_percentiles(whole, intervals, confidence),
        empirical=tuple(whole.quantile(q) for q in QUANTILES),
        max=whole.max,
    )


def _percentiles(whole: Histogram, intervals: Sequence[Histogram], confidence: float) -> tuple[Percentile, ...]:
    count = whole.total
    if not count:
        return tuple(unresolved(q, confidence, 0.0) for q in QUANTILES)
    values = np.array([whole.quantile(q) for q in QUANTILES], dtype=np.float64)
    # A server that stands still answers nothing, and then everything at once: what is filed when it is answered makes
    # empty intervals, and they count.
    totals = np.array([one.total for one in intervals], dtype=np.float64)
    above, ties = (
        np.array(rows, dtype=np.float64).T for rows in zip(*(one.beyond(values) for one in intervals), strict=True)
    )

    def read(low: float, high: float) -> tuple[Seconds | None, Seconds | None]:
        return whole.quantile(low), whole.quantile(high)

    return tuple(
        judged(q, float(value), exceedances(over, equal, (1 - q) * count) - (1 - q) * totals, count, confidence, read)
        for q, value, over, equal in zip(QUANTILES, values, above, ties, strict=True)
    )
