"""The share of a correlated series that lies beyond a limit: whether it is at most so large (docs/concept/series.md).

What a limit on a percentile asks is a share: a 90th percentile keeps a limit where at most 10 % lie beyond it. Counting
beyond the limit needs far fewer samples than resolving the percentile, where the two are far from each other.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from weigh.statistics.series.long_run_variance import long_run
from weigh.statistics.special import special

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from weigh.statistics.arrays import Floats

CONFIDENCE = 0.99
"""Of each bound by itself."""
PARTS = 64
"""Parts of a run that are taken to be independent where nothing beyond the limit tells how long slow phases are."""
_CORRELATED = 8
"""The same where they are as long as an eighth of the run, or longer."""


class ShareBeyond(msgspec.Struct, frozen=True, kw_only=True):
    """How much of a series lies beyond a limit.

    Attributes:
        count: samples.
        beyond: of them, beyond the limit.
        parts: independent samples that would tell as much; not a whole number where their dependence was estimated.
        low, high: bounds of the share, each by itself at 99 %; 0 and 1 without samples.
    """

    count: int
    beyond: int
    parts: float
    low: float
    high: float

    @property
    def share(self) -> float | None:
        """Share of the samples that lie beyond the limit; None of an empty series."""
        return self.beyond / self.count if self.count else None

    def at_most(self, share: float) -> bool | None:
        """Whether no more than that share lies beyond the limit; None where that cannot be determined.

        Args:
            share: between 0 and 1.
        """
        return True if self.high <= share else False if self.low > share else None


def least_parts(share: float) -> int:
    """Independent samples, none of them beyond a limit, that show that at most a share is.

    Args:
        share: between 0 and 1.
    """
    return math.ceil(math.log(1 - CONFIDENCE) / math.log1p(-share))


def share_beyond(above: ArrayLike, totals: ArrayLike, *, at_once: float) -> ShareBeyond:
    """How much lies beyond a limit, with bounds that allow for answers that came slow together.

    As many samples count as are independent: as many as there are, and at most as many as there are parts of the run,
    as long as ``at_once``, that hold one. Where some are beyond the limit, their dependence is estimated as that of a
    percentile is (:mod:`weigh.statistics.percentiles`), with Korn's and Graubard's factor for what such an estimate is
    worth, and with a quarter of the error: clusters that look short by chance are judged more often. Where none is,
    nothing tells how long a slow phase is, and :data:`PARTS` parts are taken. The bounds are Clopper's and Pearson's.

    Args:
        above: samples beyond the limit, by interval of time, those without samples included.
        totals: samples in each.
        at_once: intervals that are never independent of each other, as of a time that exceeds the limit.
    """
    over, some = np.asarray(above, dtype=np.float64), np.asarray(totals, dtype=np.float64)
    count, beyond = float(some.sum()), float(over.sum())
    if not count:
        return ShareBeyond(count=0, beyond=0, parts=0.0, low=0.0, high=1.0)
    share, error = beyond / count, 1 - CONFIDENCE
    parts = min(count, float(_holding(some, at_once)))
    few = float(_holding(some, max(at_once, len(some) / PARTS)))
    if 0 < beyond < count:
        error /= 4
        found = long_run(over - share * some)
        if found is None or found.left:
            parts = min(parts, _CORRELATED)
        if found is not None:
            effect = max(found.variance * len(over) / (count * share * (1 - share)), 1.0)
            widening = float((special.ndtri(error) / special.stdtrit(found.freedom, error)) ** 2)
            parts = min(parts, count / effect) * widening
    # One beyond the limit tells no more of how long slow phases are than none.
    parts = min(parts, few * max(share * parts, 1.0))
    low, high = bounds(share, parts, error)
    return ShareBeyond(count=int(count), beyond=int(beyond), parts=parts, low=low, high=high)


def bounds(share: float, parts: float, error: float = (1 - CONFIDENCE) / 4) -> tuple[float, float]:
    """Clopper's and Pearson's bounds of a share, each by itself, for a number of samples that need not be whole.

    Args:
        share: seen.
        parts: independent samples.
        error: how often a bound may be wrong; of a dependence that was estimated, a quarter.
    """
    slow = share * parts
    return (
        float(special.betaincinv(slow, parts - slow + 1, error)) if slow else 0.0,
        float(special.betaincinv(slow + 1, parts - slow, 1 - error)) if slow < parts else 1.0,
    )


def _holding(totals: Floats, length: float) -> int:
    """How many parts of so many intervals hold a sample; of the last, what is left is with the one before."""
    parts = max(int(len(totals) / length + 1e-9), 1)
    place = np.minimum((np.arange(len(totals)) * parts / len(totals)).astype(np.int64), parts - 1)
    return int(np.count_nonzero(np.bincount(place, weights=totals, minlength=parts)))
