"""Groups: order statistics of many groups of values at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from weigh.statistics.arrays import Floats, Ints


@dataclass(frozen=True, slots=True)
class Groups:
    """Values sorted by group and then by size.

    Attributes:
        values: shape (values,).
        first: position of the first value of each group.
        count: number of values of each group; empty groups have statistics of NaN.
    """

    values: Floats
    first: Ints
    count: Ints

    @classmethod
    def of(cls, values: Floats, group: Ints, groups: int) -> Groups:
        """Groups numbered from 0 to ``groups`` - 1."""
        # Less than np.lexsort takes: whole numbers as short as these are sorted by their digits.
        order = np.argsort(values)
        order = order[np.argsort(group[order].astype(np.min_scalar_type(groups)), kind="stable")]
        count = np.bincount(group, minlength=groups)
        return cls(values[order], np.cumsum(count) - count, count)

    def at(self, offset: Ints) -> Floats:
        """The value at ``offset`` within each group."""
        if len(self.values) == 0:
            return np.full(len(self.count), np.nan)
        position = np.clip(self.first + offset, 0, len(self.values) - 1)
        return np.where(self.count > 0, self.values[position], np.nan)

    def minimum(self) -> Floats:
        """Smallest value of each group."""
        return self.at(np.zeros_like(self.count))

    def maximum(self) -> Floats:
        """Largest value of each group."""
        return self.at(self.count - 1)

    def median(self) -> Floats:
        """Middle value of each group, or the mean of the two middle ones."""
        return (self.at((self.count - 1) // 2) + self.at(self.count // 2)) / 2
