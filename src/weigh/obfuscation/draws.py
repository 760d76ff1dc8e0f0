"""Which permutations identifiers get: of several that the key draws those after which DuckDB's estimates are near.

DuckDB estimates from hashes of the values how many of a column differ, and other values are off otherwise. Its joins
follow these estimates.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from weigh.obfuscation.ids import BLOCK, Ids
from weigh.obfuscation.sketches import EMPTY, estimate, registers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.obfuscation.sketches import Sample

DRAWS = 64
"""Permutations of each range."""
_BLOCKS = 1 << 18
"""That are permuted for one range: ranges of more than a million identifiers have fewer permutations to choose from."""
_PASSES = 2
_NEAR = 0.005
"""Estimates that are off by no more are left."""


def drawn(ids: Ids, samples: Sequence[Sample]) -> tuple[Ids, float | None]:
    """The map with the permutations that were chosen, those of the ranges with most identifiers first.

    Args:
        ids: with the first permutations.
        samples: of the columns.

    Returns:
        The map, and by what share the estimate of a column is off at most; None where no sample has a value.
    """
    there = [one for one in samples if len(one.values)]
    if not there:
        return ids, None
    search = _Search(ids, there)
    for _ in range(_PASSES):
        for place in search.places:
            search.choose(place)
    return search.ids(search.draws), search.off


class _Search:
    def __init__(self, ids: Ids, samples: Sequence[Sample]) -> None:
        self._ids, self._samples = ids, samples
        self.draws = [0] * (len(ids.limits) + 1)
        ranges = [np.searchsorted(np.array(ids.limits, np.int64), one.values, side="right") for one in samples]
        self._values = [
            [one.values[found == place] for one, found in zip(samples, ranges, strict=True)]
            for place in range(len(self.draws))
        ]
        self._wanted = np.array([_estimate(one, registers(one.values)) for one in samples])
        self._sketches = np.array([self._of(place, ids) for place in range(len(self.draws))])
        self._distance, self.off = self._measured(self._sketches)
        most = [max(map(len, found)) for found in self._values]
        self.places = sorted((place for place, many in enumerate(most) if many > 1), key=lambda one: -most[one])

    def ids(self, draws: Sequence[int]) -> Ids:
        """The map with other permutations."""
        return Ids(self._ids.key, self._ids.columns, self._ids.limits, draws)

    def choose(self, place: int) -> None:
        """The permutation of one range: of those that are nearest together the first."""
        blocks = sum(len(np.unique(values // BLOCK)) for values in self._values[place])
        for draw in range(min(DRAWS, _BLOCKS // blocks)):
            if self.off <= _NEAR:
                return
            draws = [*self.draws]
            draws[place] = draw
            sketches = self._sketches.copy()
            sketches[place] = self._of(place, self.ids(draws))
            distance, off = self._measured(sketches)
            if distance < self._distance:
                self.draws, self._sketches, self._distance, self.off = draws, sketches, distance, off

    def _of(self, place: int, ids: Ids) -> list[np.ndarray]:
        """Sketches of every column's images of one range."""
        return [registers(ids.images(values)) if len(values) else EMPTY for values in self._values[place]]

    def _measured(self, sketches: np.ndarray) -> tuple[float, float]:
        """How far all columns are, and the worst one."""
        found = [_estimate(one, sketch) for one, sketch in zip(self._samples, sketches.max(0), strict=True)]
        ratios = np.array(found) / self._wanted
        return float((np.log(ratios) ** 2).sum()), float(np.abs(ratios - 1).max())


def _estimate(of: Sample, sketch: np.ndarray) -> int:
    return estimate(sketch, of.taken, of.rows)
