"""Operations of a load in its document: counts, and what requests took, as percentiles, means and the longest."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.load.spec import NAMES, QUANTILES
from weigh.model.units import Seconds
from weigh.model.verdict import Reason

if TYPE_CHECKING:
    from weigh.load.analysis.figures import OperationFigures
    from weigh.load.analysis.percentiles import Spectrum
    from weigh.statistics.series.correlated_mean import SeriesMean


class MeanRow(msgspec.Struct, frozen=True, kw_only=True):
    """A mean, or a rate.

    Attributes:
        value: seconds, or requests a second.
        low, high: 95 % interval; of this run, not of the next one.
        resolved: whether there is an interval.
        effective: how many independent samples would fix it as well.
        refused: why there is no interval; None where there is one.
    """

    value: float
    low: float | None
    high: float | None
    resolved: bool
    effective: float
    refused: Reason | None


class PercentileRow(msgspec.Struct, frozen=True, kw_only=True):
    """A percentile.

    Attributes:
        value: the percentile; None where it is not resolved.
        low, high: 95 % interval; None where there is none.
        resolved: whether so many samples resolve it.
        empirical: the same by rank in this run, resolved or not; None where there is nothing.
    """

    value: Seconds | None
    low: Seconds | None
    high: Seconds | None
    resolved: bool
    empirical: Seconds | None = msgspec.field(name="seen")


class SpectrumRow(msgspec.Struct, frozen=True, kw_only=True):
    """What requests took.

    Attributes:
        mean: over the intervals; None below two of them.
        p50, p90, p95, p99, p999, p9999: percentiles.
        max: the longest of all, without an interval.
    """

    mean: MeanRow | None
    p50: PercentileRow
    p90: PercentileRow
    p95: PercentileRow
    p99: PercentileRow
    p999: PercentileRow
    p9999: PercentileRow
    max: PercentileRow


class LagRow(msgspec.Struct, frozen=True, kw_only=True):
    """How late requests were sent.

    Attributes:
        no_connection: from when a request was due until a connection was free: the server's.
        generator_late: sent late although a connection was free: the generator's.
    """

    no_connection: SpectrumRow
    generator_late: SpectrumRow


class OperationRow(msgspec.Struct, frozen=True, kw_only=True):
    """One operation, over the part of the run that counts.

    Attributes:
        name: its name, or ``all``.
        count: requests answered.
        errors: how often, by text.
        timeouts: requests given up.
        wrong: answers that contradict what was written.
        missing: keys that should have been there.
        response: from when a request was due to its answer: what a user waits.
        service: from sending to the answer: what the server did.
        failures: from when a request was due to its error; time-outs are in ``response``, with as long as was waited.
        lag: how late requests were sent.
    """

    name: str
    count: int
    errors: dict[str, int]
    timeouts: int
    wrong: int
    missing: int
    response: SpectrumRow
    service: SpectrumRow
    failures: SpectrumRow
    lag: LagRow


def operation_row(one: OperationFigures) -> OperationRow:
    """An operation as JSON has it."""
    return OperationRow(
        name=one.name,
        count=one.count,
        errors=one.errors,
        timeouts=one.timeouts,
        wrong=one.wrong,
        missing=one.missing,
        response=spectrum_row(one.response),
        service=spectrum_row(one.service),
        failures=spectrum_row(one.failures),
        lag=LagRow(no_connection=spectrum_row(one.lag_free), generator_late=spectrum_row(one.lag_late)),
    )


def spectrum_row(one: Spectrum) -> SpectrumRow:
    """What requests took as JSON has it."""
    percentiles = {
        name: PercentileRow(value=part.value, low=part.low, high=part.high, resolved=part.resolved, empirical=seen)
        for name, part, seen in zip(NAMES, map(one.at, QUANTILES), one.empirical, strict=True)
    }
    return SpectrumRow(
        mean=mean_row(one.series) if one.series else None,
        **percentiles,
        # The longest of all is what it is: no interval can be given for it.
        max=PercentileRow(value=one.max, low=None, high=None, resolved=one.max is not None, empirical=one.max),
    )


def mean_row(one: SeriesMean | None) -> MeanRow | None:
    """A mean as JSON has it; None where there is none."""
    if one is None:
        return None
    return MeanRow(
        value=one.mean,
        low=one.low,
        high=one.high,
        resolved=one.refused is None,
        effective=one.effective,
        refused=one.refused,
    )
