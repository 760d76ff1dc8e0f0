"""Histograms of the HdrHistogram format (https://github.com/HdrHistogram/HdrHistogram): decoded, merged, read.

What is in memory are the buckets that hold something, so that thousands of intervals fit and are merged at once.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from weigh._native import decode_histogram
from weigh.model.errors import EvidenceFault

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from weigh.model.units import Seconds

_NANO = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Histogram:
    """Counts of values in seconds.

    Attributes:
        tops: the largest value of each bucket that holds something, ascending, seconds.
        middles: the middle of each.
        counts: values in each.
    """

    tops: NDArray[np.float64]
    middles: NDArray[np.float64]
    counts: NDArray[np.int64]

    @property
    def total(self) -> int:
        """Values in it."""
        return int(self.counts.sum())

    @property
    def mean(self) -> Seconds | None:
        """Mean of the values, each taken at the middle of its bucket; None of an empty one."""
        return float(self.middles @ self.counts / self.total) if len(self.counts) else None

    @property
    def max(self) -> Seconds | None:
        """The largest value; None of an empty one."""
        return float(self.tops[-1]) if len(self.tops) else None

    def quantile(self, q: float) -> Seconds | None:
        """The value that a share ``q`` of the values does not exceed; None of an empty one."""
        if not len(self.counts):
            return None
        reached = np.cumsum(self.counts)
        # 0.999 * 1000 is 999.0000000000001 in doubles.
        rank = max(int(np.ceil(q * int(reached[-1]) - 1e-6)), 1)
        return float(self.tops[int(np.searchsorted(reached, rank))])

    def above(self, value: Seconds) -> int:
        """How many values exceed one."""
        return int(self.counts[int(np.searchsorted(self.tops, value, side="right")) :].sum())

    def beyond(self, values: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """For each of several values, how many exceed it, and how many are in the bucket that ends at it."""
        reached = np.append(0, np.cumsum(self.counts))
        up_to = reached[np.searchsorted(self.tops, values, side="right")]
        return reached[-1] - up_to, up_to - reached[np.searchsorted(self.tops, values)]


EMPTY = Histogram(np.empty(0), np.empty(0), np.empty(0, dtype=np.int64))


def decode(text: str, unit: Seconds = _NANO) -> Histogram:
    """A histogram of the wire format. An empty text is an empty histogram.

    Args:
        text: base64.
        unit: of its values; as a rule they are nanoseconds.

    Raises:
        EvidenceFault: it is none, or damaged.
    """
    if not text:
        return EMPTY
    try:
        columns = decode_histogram(base64.b64decode(text, validate=True))
    except ValueError as error:
        raise EvidenceFault(
            f"a histogram is damaged: {error}", remedy="the evidence was edited or the disk is failing"
        ) from None
    tops, middles, counts = (np.frombuffer(column, dtype="<i8") for column in columns)
    return Histogram(tops * unit, middles * unit, counts.astype(np.int64))


def merged(some: Iterable[Histogram]) -> Histogram:
    """All values of several histograms of one resolution."""
    filled = [one for one in some if len(one.counts)]
    if not filled:
        return EMPTY
    if len(filled) == 1:
        return filled[0]
    tops, first, where = np.unique(np.concatenate([one.tops for one in filled]), return_index=True, return_inverse=True)
    middles = np.concatenate([one.middles for one in filled])[first]
    counts = np.zeros(len(tops), dtype=np.int64)
    np.add.at(counts, where.ravel(), np.concatenate([one.counts for one in filled]))
    return Histogram(tops, middles, counts)


_NANOS: float = 1e9
_SIGNIFICANT = 3
"""Digits to which added values are kept, as those of weigh's own histograms."""
_MOST_ADDED = 1e15
"""Values that a correction may add: more than a double counts exactly is no histogram of anything."""


def corrected(histogram: Histogram, interval: Seconds) -> Histogram:
    """The histogram as if its one measurer had asked every ``interval`` and not waited: an estimate.

    HdrHistogram's correction for coordinated omission (``copyCorrectedForCoordinatedOmission``): a value above the
    interval stands for those that were not measured meanwhile, and adds one at each interval below it, down to one
    interval. Exact but for the three digits to which added values are kept.

    Args:
        histogram: of response times of a closed loop.
        interval: seconds between two requests of each measurer, had none been late.

    Raises:
        ValueError: the interval is not positive, or adds more values than can be counted.
    """
    if not interval > 0:
        raise ValueError("an interval that is not positive")
    slow = histogram.tops >= 2 * interval * (1 - 1e-12)
    if not slow.any():
        return histogram
    tops, counts = histogram.tops[slow], histogram.counts[slow]
    if float((tops / interval) @ counts) > _MOST_ADDED:
        raise ValueError("an interval that is so short that what it adds cannot be counted")
    lows, grid = _buckets(interval, float(tops[-1]))
    added = np.zeros(len(grid))
    for top, count in zip(tops, counts, strict=True):
        # How many added values are not below the beginning of each bucket; those below one interval are none.
        reached = np.floor((top - np.maximum(lows, interval)) / interval + 1e-9).clip(min=0)
        added += count * (reached - np.append(reached[1:], 0))
    held = added > 0
    middles = (lows + grid) / 2
    return merged([histogram, Histogram(grid[held], middles[held], added[held].astype(np.int64))])


def _buckets(low: Seconds, high: Seconds) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Where the buckets of three digits between two values begin, and their largest values."""
    half = int(np.ceil(np.log2(2 * 10**_SIGNIFICANT))) - 1
    first, last = (max(int(value * _NANOS).bit_length() - half - 1, 0) for value in (low, high))
    starts = [np.arange(1 << half, dtype=np.int64)] if first == 0 else []
    widths = [np.ones(1 << half, dtype=np.int64)] if first == 0 else []
    for shift in range(first, last + 1):
        starts.append(np.arange(1 << half, 2 << half, dtype=np.int64) << shift)
        widths.append(np.full(1 << half, 1 << shift, dtype=np.int64))
    begin, width = np.concatenate(starts), np.concatenate(widths)
    return begin.astype(np.float64) * _NANO, (begin + width - 1).astype(np.float64) * _NANO
