"""Whether the largest samples look like those of a law without a variance.

A mean whose samples have no variance has no standard error: the next sample may move it by more than all before. The
tail index of B. M. Hill (Annals of Statistics 3, 1975) is 1.5 where every ten times larger sample is 32 times rarer;
below 2 the variance is infinite. It takes exponential stalls on a fast base for such a tail, because it assumes that
the tail begins at 0. So the moment estimator of A. L. M. Dekkers, J. H. J. Einmahl, L. de Haan (Annals of Statistics
17, 1989), which tells them apart and is less sharp, must say the same. Both also take a few samples of another kind
(three in a thousand that take ten times as long) for such a tail, whose variance is finite: so what is said of a series
is how much of its variance they carry, and not by which law.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from weigh.statistics.special import special

if TYPE_CHECKING:
    from weigh.statistics.arrays import Floats

MOST = 1024
"""Largest samples that are kept, so that memory does not grow; the root of their number is used below a million."""
FEWEST = 20
"""Samples of a tail below which nothing is reported of it."""
_SURE = 0.9
"""The index is below 2 where the upper limit at this level is."""
_SLAB = 1 << 20


class Tail:
    """The largest samples of a series, and how many there were."""

    def __init__(self) -> None:
        self._largest: Floats = np.empty(0)
        self.count = 0

    def add(self, samples: Floats) -> None:
        """Add samples, in any order."""
        for start in range(0, len(samples), _SLAB):
            part = samples[start : start + _SLAB]
            if len(self._largest) == MOST + 1:
                part = part[part > self._largest[0]]
            self._keep(part)
        self.count += len(samples)

    def merge(self, other: Tail) -> None:
        """Add those of another."""
        self._keep(other._largest)
        self.count += other.count

    def _keep(self, samples: Floats) -> None:
        if len(samples):
            held = np.concatenate([self._largest, samples])
            if len(held) > MOST + 1:
                held = np.partition(held, -(MOST + 1))[-(MOST + 1) :]
            self._largest = np.sort(held)

    @property
    def size(self) -> int:
        """How many of the largest samples are looked at."""
        return min(int(np.sqrt(self.count)), MOST)

    def share(self, mean: float, variance: float) -> float:
        """The part of the variance that they carry, from 0 to 1.

        Args:
            mean: of all samples.
            variance: of all samples.
        """
        squares = float(((self._largest[-self.size :] - mean) ** 2).sum())
        return min(squares / (variance * (self.count - 1)), 1.0) if variance > 0 and self.size else 0.0

    def index(self) -> float | None:
        """Hill's index where it is below 2 as far as can be determined, so that there is no variance; else None."""
        size = self.size
        if size < FEWEST:
            return None
        threshold, beyond = self._largest[-size - 1], self._largest[-size:]
        if threshold <= 0:
            return None
        logs = np.log(beyond / threshold)
        first, second = float(logs.mean()), float((logs**2).mean())
        if first <= 0 or second <= first**2:
            return None
        hill = 1 / first
        # 2 k / index is chi-squared with 2 k degrees of freedom around the true one.
        limit = hill * float(special.chdtri(2 * size, 1 - _SURE)) / (2 * size)
        moment = first + 1 - 0.5 / (1 - first**2 / second)
        return hill if limit < 2 and moment > 0.45 else None
