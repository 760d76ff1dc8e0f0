"""What a closed loop would have seen had each connection asked at an interval: an estimate, labelled as one. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.load.spec import QUANTILES
from weigh.model.units import Seconds, seconds
from weigh.statistics.histogram import corrected

if TYPE_CHECKING:
    from weigh.statistics.histogram import Histogram


class Corrected(msgspec.Struct, frozen=True, kw_only=True):
    """Response times of a closed loop, corrected by HdrHistogram's method.

    Attributes:
        estimate: always true: nothing of it was measured on a schedule.
        interval_s: between two requests of a connection, had none been late.
        added: requests that nobody made, and that the correction supplied.
        measured: requests that were answered.
        quantiles: the percentiles of every report: (share, seconds).
        max: the longest; a correction adds none that is longer.
    """

    estimate: bool = True
    interval_s: Seconds
    added: int
    measured: int
    quantiles: tuple[tuple[float, Seconds], ...]
    max: Seconds


def estimate(responses: Histogram, interval: Seconds) -> Corrected | None:
    """The estimate; None where nothing was answered, or the interval is too short to count what it adds."""
    try:
        found = corrected(responses, interval)
    except ValueError:
        return None
    if found.max is None:
        return None
    return Corrected(
        interval_s=interval,
        added=found.total - responses.total,
        measured=responses.total,
        quantiles=tuple((q, value) for q in QUANTILES if (value := found.quantile(q)) is not None),
        max=found.max,
    )


def sentence(one: Corrected) -> str:
    """The estimate in a sentence."""
    percentiles = ", ".join(f"p{100 * q:.6g} {seconds(value)}" for q, value in one.quantiles)
    return (
        f"An estimate, not a measurement on schedule: had each connection asked every {seconds(one.interval_s)}, "
        f"{percentiles}, max {seconds(one.max)} (HdrHistogram's correction for coordinated omission: {one.added:,} "
        f"requests that nobody made alongside {one.measured:,} that were measured)"
    )
