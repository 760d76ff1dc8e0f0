"""Identifiers: whole numbers that count rows and mean nothing else, exchanged among themselves.

A column whose values fill the range from its least to its largest one still fills it, and so do the columns that refer
to it: no identifier leaves the range between two limits, which are the ends of all such columns. Within it, it is
exchanged with one less than :data:`BLOCK` away, so that neighbours stay near each other.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from weigh.obfuscation.key import Key

_BITS = 8
BLOCK = 1 << _BITS
LARGEST = 10**12
"""What is larger was not counted, but drawn or put together, and says more than which row is meant."""


class Ids:
    """The map.

    Args:
        key: decides.
        columns: that hold identifiers, by their new names.
        limits: at which ranges begin, in order.
        draws: which permutation each range has, of those that the key draws; the ranges beyond them have the first.
    """

    def __init__(self, key: Key, columns: Iterable[str], limits: Iterable[int], draws: Iterable[int] = ()) -> None:
        self.key = key
        self.columns = frozenset(columns)
        self.limits = tuple(limits)
        self.draws = (*draws,)
        self._ends = np.array(self.limits, np.int64)
        self._table = lru_cache(maxsize=8192)(self._cycle)

    def images(self, values: np.ndarray) -> np.ndarray:
        """Images of identifiers.

        Args:
            values: int64, up to :data:`LARGEST`.

        Returns:
            int64.
        """
        order = np.argsort(values)
        rising = values[order]
        ranges = np.searchsorted(self._ends, rising, side="right")
        blocks = rising >> _BITS
        starts = np.flatnonzero((np.diff(ranges) != 0) | (np.diff(blocks) != 0)) + 1
        found = np.empty(len(values), np.int64)
        for rows in np.split(np.arange(len(values)), starts) if len(values) else ():
            low, high = int(blocks[rows[0]]) << _BITS, (int(blocks[rows[0]]) + 1) << _BITS
            place = int(ranges[rows[0]])
            draw = self.draws[place] if place < len(self.draws) else 0
            low = max(low, self.limits[place - 1]) if place else low
            high = min(high, self.limits[place]) if place < len(self.limits) else high
            found[order[rows]] = low + self._table(low, high, draw)[rising[rows] - low]
        return found

    def one(self, text: str) -> str:
        """The image of one identifier.

        Raises:
            ValueError: it is no whole number, or too large.
        """
        number = int(text)
        if number > LARGEST:
            raise ValueError(text)
        return str(self.images(np.array([number], np.int64))[0])

    def _cycle(self, low: int, high: int, draw: int) -> np.ndarray:
        """A permutation of one cycle, which leaves nothing where it is unless it is alone."""
        made = self.key.blocks("ids", np.arange(low, high), draw)
        order = np.argsort(made[:, :8].copy().view("<u8").ravel(), kind="stable")
        table = np.empty(high - low, np.int64)
        table[order] = np.roll(order, -1)
        return table
