"""Percentiles of one correlated series: an interval, or that the samples do not resolve it (docs/concept/series.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np
from scipy import special

from weigh.model.errors import UsageError
from weigh.statistics.long_run_variance import batch_means, long_run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from weigh.statistics.arrays import Floats


LEAST_EXCEEDANCES = 20
"""Effective samples beyond a percentile, on its rarer side, below which it is not resolved."""


class Percentile(msgspec.Struct, frozen=True, kw_only=True):
    """One percentile of a series, in the unit of its samples.

    Attributes:
        q: between 0 and 1; 0.99 for p99.
        low, high: interval at ``confidence``; both are samples.
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

    Whether a sample exceeds the percentile is itself a series, of zeros and ones; its long-run variance over q(1 - q)
    is the design effect. The interval is Jeffreys' for the share of exceedances among as many samples as are effective,
    read as order statistics; the uncertainty of the design effect lowers their number as in E. L. Korn, B. I. Graubard,
    Survey Methodology 24, 1998. Close to 20 exceedances it lowers it further, by half where a percentile is only just
    resolved: clusters that happen to look short are resolved more often.

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
    rarer = count * min(q, 1 - q)
    size, shares = batch_means((samples > value).astype(np.float64))
    found = long_run(shares) if rarer >= LEAST_EXCEEDANCES else None
    if found is None:
        return Percentile(
            q=q, value=None, low=None, high=None, confidence=confidence, exceedances=rarer, resolved=False
        )
    effect = max(found.variance * size / (q * (1 - q)), 1.0)
    exceedances = rarer / effect
    if found.left or exceedances < LEAST_EXCEEDANCES:
        return Percentile(
            q=q, value=None, low=None, high=None, confidence=confidence, exceedances=exceedances, resolved=False
        )
    tail = (1 - confidence) / 2
    widening = float((special.ndtri(tail) / special.stdtrit(found.freedom, tail)) ** 2)
    effective = count / effect * widening / (1 + (LEAST_EXCEEDANCES / exceedances) ** 4)
    below, above = effective * q + 0.5, effective * (1 - q) + 0.5
    low, high = (float(special.betaincinv(below, above, share)) for share in (tail, 1 - tail))
    return Percentile(
        q=q,
        value=value,
        low=float(ordered[int(np.floor(low * count))]),
        high=float(ordered[int(np.ceil(high * count)) - 1]),
        confidence=confidence,
        exceedances=exceedances,
        resolved=True,
    )
