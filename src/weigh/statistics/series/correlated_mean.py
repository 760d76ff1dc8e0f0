"""The mean of one correlated series, with the error that its correlation leaves (docs/concept/series.md)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, get_args

import msgspec
import numpy as np

from weigh.model import codes
from weigh.model.errors import UsageError
from weigh.model.verdict import Reason
from weigh.statistics import alternation
from weigh.statistics.series import textbook_errors
from weigh.statistics.series.long_run_variance import MOST_BATCHES, LongRun, batch_means, long_run, trend
from weigh.statistics.special import special
from weigh.statistics.tail_index import Tail

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from weigh._native import BatchMeans
    from weigh.statistics.arrays import Floats


Method = Literal["batch", "naive", "kolaczkowski", "newey-west", "quadratic-spectral"]

LEAST_EFFECTIVE = 30
"""Effective samples below which there is no interval."""
_SURE = 0.925
"""How sure it must be that there are so many: by simulation, so that runs with 25 are refused 19 times in 20."""
_TREND = 0.01
_REPELLED = 3.0
"""Effective samples for each sample beyond which the series scatters less than independent samples would."""
_ERRORS = {
    "naive": textbook_errors.naive,
    "kolaczkowski": textbook_errors.kolaczkowski,
    "newey-west": textbook_errors.newey_west,
    "quadratic-spectral": textbook_errors.quadratic_spectral,
}


class SeriesMean(msgspec.Struct, frozen=True, kw_only=True):
    """The mean of a series, in the unit of its samples.

    Attributes:
        count: samples.
        mean: of them.
        low, high: interval of the mean at ``confidence``; of this run, not of the next one. Of samples that are never
            below 0, as times are, what of it lies below 0 is left out: their mean cannot be there.
        confidence: level of that interval.
        error: standard error of the mean, correlation accounted for.
        effective: how many independent samples would fix the mean as well. Of fewer than 9 samples the
            correlation cannot be judged, and this is their number.
        autocorrelation_time: samples for one effective one, ``count / effective`` (one plus twice the sum of the
            autocorrelations; below 1 where neighbours repel each other).
        drift_p: p-value of a straight line over 8 batches.
        refused: why there is no interval; None where there is one, and of samples taken for independent.
    """

    count: int
    mean: float
    low: float | None
    high: float | None
    confidence: float
    error: float | None
    effective: float
    autocorrelation_time: float
    drift_p: float | None
    refused: Reason | None


class Series:
    """Samples of one series in the making, in the order of time. Memory grows with the logarithm of their number."""

    def __init__(self) -> None:
        from weigh._native import BatchMeans

        self._batches: BatchMeans = BatchMeans()
        self._tail = Tail()
        self._least = math.inf

    @property
    def count(self) -> int:
        """Number of samples."""
        return self._batches.count

    def add(self, values: ArrayLike) -> None:
        """Add samples at the end. How they are cut into calls makes no difference.

        64-bit floats that lie side by side are read where they are.

        Raises:
            UsageError: a sample is not a finite number, or the array has more than one dimension. None is added.
        """
        import pyarrow as pa

        samples = _one_dimension(values)
        # Not pa.array: it imports pandas where that is installed, which takes a second.
        column = pa.Array.from_buffers(pa.float64(), len(samples), [None, pa.py_buffer(samples)])
        try:
            self._batches.push(pa.table({"samples": column}))
        except ValueError as error:
            raise _not_numbers(str(error)) from error
        self._tail.add(samples)
        self._least = min(self._least, float(samples.min(initial=math.inf)))

    def merge(self, later: Series) -> None:
        """Add a later part of the same series.

        Exact up to rounding where this part's length is a multiple of the largest power of two that is not above the
        later part's; elsewhere less than one batch of each size is left out at the seam, and never a sample of the
        mean and the variance.
        """
        self._batches.merge(later._batches)
        self._tail.merge(later._tail)
        self._least = min(self._least, later._least)

    def mean(self, *, confidence: float = 0.95, intervals: bool = False) -> SeriesMean:
        """The mean of all samples so far, by the method "batch" of :func:`mean`.

        Args:
            confidence: level of the interval.
            intervals: as of :func:`mean`.

        Raises:
            UsageError: there is no sample, or the confidence is not between 0 and 1.
        """
        _confidence(confidence)
        if not self.count:
            raise _none()
        samples = self._batches.moments()[0]
        _, mean, variance, skewness = samples[1:5]
        size, means = self._batches.batches(MOST_BATCHES)
        return _judged(
            self.count,
            mean,
            variance or 0.0,
            skewness or 0.0,
            np.asarray(means, dtype=np.float64),
            size,
            confidence,
            self._tail,
            intervals=intervals,
            positive=self._least >= 0,
        )


def mean(
    values: ArrayLike, *, confidence: float = 0.95, method: Method = "batch", intervals: bool = False
) -> SeriesMean:
    """The mean of samples in the order of time, and its interval.

    "batch" reads the long-run variance from the lowest frequencies of up to 512 batch means
    (:func:`weigh.statistics.series.long_run_variance.long_run`), corrects Student's t for the skewness of the samples
    (R. Willink, Communications in Statistics 34, 2005), and refuses where there may be fewer than 30 effective samples
    (``T3.short``), where correlation is left at the coarsest look or the samples are those of several sources in turn
    (``T3.correlated``), where the largest look like a law without a variance (``T3.heavy``) and where the series drifts
    (``T4.drift``). The others are for comparison, and never refuse.

    Args:
        values: samples in one dimension.
        confidence: level of the interval.
        method: how the error is found.
        intervals: each sample is a figure of an interval of time, as a rate is; these come from no sources in turn, and
            that is not asked.

    Raises:
        UsageError: there is no sample, one is not a finite number, or an argument is out of range.
    """
    if method == "batch":
        series = Series()
        series.add(values)
        return series.mean(confidence=confidence, intervals=intervals)
    if method not in _ERRORS:
        raise UsageError(f"there is no method '{method}'", remedy=f"known: {', '.join(get_args(Method))}")
    _confidence(confidence)
    samples = _one_dimension(values)
    if not len(samples):
        raise _none()
    if not np.isfinite(samples).all():
        raise _not_numbers("a sample is not a finite number")
    return _textbook(samples, confidence, method)


def _textbook(samples: Floats, confidence: float, method: str) -> SeriesMean:
    count = len(samples)
    centre = float(samples.mean())
    error = _ERRORS[method](samples) if count > 1 else None
    variance = float(samples.var(ddof=1)) if count > 1 else 0.0
    half = None
    if error is not None:
        # The others are stated for large samples, with the normal distribution.
        times = (
            special.stdtrit(count - 1, (1 + confidence) / 2)
            if method == "naive"
            else special.ndtri((1 + confidence) / 2)
        )
        half = float(times) * error
    effective = variance / error**2 if error else float(count)
    return SeriesMean(
        count=count,
        mean=centre,
        low=None if half is None else _lower(centre - half, positive=bool(samples.min() >= 0)),
        high=None if half is None else centre + half,
        confidence=confidence,
        error=error,
        effective=effective,
        autocorrelation_time=count / effective,
        drift_p=trend(batch_means(samples)[1]),
        refused=None,
    )


def _judged(
    count: int,
    centre: float,
    variance: float,
    skewness: float,
    means: Floats,
    size: int,
    confidence: float,
    tail: Tail,
    *,
    intervals: bool,
    positive: bool,
) -> SeriesMean:
    """Interval or refusal, from the moments of the samples and the batch means."""
    found = long_run(means)
    drift_p = trend(means)
    square = found.variance * size / count if found else 0.0
    effective = variance / square if variance > 0 and square > 0 else float(count)
    refused = _refusal(count, effective, found, drift_p, constant=variance == 0)
    # Where neighbours repel each other, as counts of a schedule do, nothing is hidden.
    judgeable = not intervals and effective < _REPELLED * count
    if refused is None and judgeable and (apart := alternation.lag(means)) is not None:
        refused = _in_turn(apart * size)
    if refused is None and tail.index() is not None:
        refused = codes.T3_HEAVY.reason(
            f"the {tail.size:,} largest of {count:,} samples carry {100 * tail.share(centre, variance):.0f} % of the "
            "variance: how many of them came decides the mean, and another run may have others. Give the percentiles"
        )
    low = high = error = None
    if refused is None and found is not None:
        error = float(np.sqrt(square * _surcharge(effective, found.freedom)))
        asymmetry = float(np.clip(skewness / np.sqrt(effective), -1, 1))
        times = float(special.stdtrit(found.freedom, (1 + confidence) / 2))
        low = _lower(centre - _skewed(times, asymmetry) * error, positive=positive)
        high = centre - _skewed(-times, asymmetry) * error
    return SeriesMean(
        count=count,
        mean=centre,
        low=low,
        high=high,
        confidence=confidence,
        error=error,
        effective=effective,
        autocorrelation_time=count / effective,
        drift_p=drift_p,
        refused=refused,
    )


def _refusal(
    count: int, effective: float, found: LongRun | None, drift_p: float | None, *, constant: bool
) -> Reason | None:
    if found is None:
        return codes.T3_SHORT.reason(f"{count} samples are too few to see whether they are correlated. Measure longer")
    if drift_p is not None and drift_p < _TREND:
        return codes.T4_DRIFT.reason(
            f"the series drifts (p = {drift_p:.2g}): its mean depends on when it began and ended. Leave the "
            "warm-up out, or measure until it is steady"
        )
    if not constant and effective < _needed(found.freedom):
        return codes.T3_SHORT.reason(
            f"{count:,} samples are worth about {_about(effective)} independent ones: not enough to be sure of "
            f"{LEAST_EFFECTIVE}. Measure longer"
        )
    if found.left:
        return codes.T3_CORRELATED.reason(
            "the samples are still correlated over an eighth of the run, so its mean says little about the next "
            "minutes. Measure longer, or find out what changes"
        )
    return None


def _in_turn(apart: int) -> Reason:
    return codes.T3_CORRELATED.reason(
        f"samples that are {apart} apart belong together and wander, as those of {apart} connections do that are "
        "written down in turn: the error of their mean cannot be determined from this order. Give each connection "
        "by itself"
    )


def _needed(freedom: float) -> float:
    """Effective samples to be found, so that there are ``LEAST_EFFECTIVE`` with the certainty ``_SURE``."""
    return float(LEAST_EFFECTIVE * freedom / special.chdtri(freedom, _SURE))


def _surcharge(effective: float, freedom: float) -> float:
    """What the squared error is multiplied by, because series with too small an error are kept more often.

    Chosen by simulation: without it the intervals of correlated series with 50 effective samples cover 87 to 92 %, with
    it 91 to 95 %. It is at most 3, where a series is only just kept, and 1 for long ones.
    """
    return float(1 + min(20 / freedom, 2.0) * (_needed(freedom) / effective) ** 4)


def _skewed(times: float, asymmetry: float) -> float:
    """Quantile of the t statistic of a skewed mean, given that of Student's t (Willink 2005).

    Args:
        times: Student's quantile.
        asymmetry: skewness of the mean, at most 1 to either side.
    """
    lean = asymmetry / 6
    if abs(lean) < 1e-9:
        return times
    return float((np.cbrt(1 + 6 * lean * (times - lean)) - 1) / (2 * lean))


def _lower(end: float, *, positive: bool) -> float:
    """The lower end of an interval; where no sample is below 0, no mean is, and the level stays what it is."""
    return max(end, 0.0) if positive else end


def _about(effective: float) -> str:
    return f"{effective:,.0f}" if effective >= 10 else f"{effective:.1f}"


def _one_dimension(values: ArrayLike) -> Floats:
    try:
        samples = np.ascontiguousarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise _not_numbers(f"the samples are not numbers: {error}") from error
    if samples.ndim != 1:
        raise UsageError(
            f"samples in {samples.ndim} dimensions", remedy="give one series in the order of time, in one dimension"
        )
    return samples


def _confidence(confidence: float) -> None:
    if not 0 < confidence < 1:
        raise UsageError(f"a confidence of {confidence}", remedy="give a number between 0 and 1, such as 0.95")


def _none() -> UsageError:
    return UsageError("there is no sample, so no mean", remedy="give at least one")


def _not_numbers(what: str) -> UsageError:
    return UsageError(what, remedy="leave failed requests out of the series, and count them apart")
