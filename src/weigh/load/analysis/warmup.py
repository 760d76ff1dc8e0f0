"""What of a load run counts: where it has warmed up, and whether it is steady (docs/guide/load.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from weigh.model.units import Seconds
from weigh.model.verdict import Reason
from weigh.statistics.series.steady_state import Shape, steady

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_CUT = 1 / 3
"""Share of a run that a warm-up may be."""
RISE = 1.1
"""By how much the typical time of the warm-up must differ. A stall is no warm-up: before it all was as it is after."""


class Settled(msgspec.Struct, frozen=True, kw_only=True):
    """What counts of a run.

    Attributes:
        shape: what the typical (median) response time of the intervals does over the run.
        intervals: how many are left out at the beginning.
        cut_s: how long these are together.
        fixed: whether the user said how long the warm-up is; then nothing was tested for it.
        refused: why the run is not called steady; None where it is.
    """

    shape: Shape
    intervals: int
    cut_s: Seconds
    fixed: bool = msgspec.field(name="asked")
    refused: Reason | None


def settled(medians: Sequence[Seconds | None], interval_s: Seconds, warmup_s: Seconds | None) -> Settled:
    """Where a run has warmed up.

    Args:
        medians: of the response times in each interval, in the order of time, seconds; None where nothing was
            answered. At least one is known.
        interval_s: length of an interval.
        warmup_s: what the user leaves out; None where the test decides.
    """
    least = 0 if warmup_s is None else min(int(np.ceil(warmup_s / interval_s - 1e-9)), len(medians))
    places = [place for place in range(least, len(medians)) if medians[place] is not None]
    values = np.asarray([medians[place] for place in places], dtype=np.float64)
    found = steady(values)
    cut = 0
    warm = 0 < found.cut < len(places) and places[found.cut] <= MOST_CUT * len(medians)
    if warmup_s is None and found.refused is None and warm:
        before, after = float(np.median(values[: found.cut])), float(np.median(values[found.cut :]))
        if max(before, after) > RISE * min(before, after):
            cut = places[found.cut]
    return Settled(
        shape=found.shape,
        intervals=least + cut,
        cut_s=(least + cut) * interval_s,
        fixed=warmup_s is not None,
        refused=found.refused,
    )
