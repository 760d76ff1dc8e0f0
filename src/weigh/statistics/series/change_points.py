"""The best partition of a series into levels, under every noise model at once.

Segment neighbourhood (Auger and Lawrence 1989): for each number of changes the partition of least squares, by dynamic
programming over a grid of positions. Unlike PELT (Killick et al. 2012), which is faster and fixes the penalty and the
noise beforehand, it leaves both open until the likelihoods are compared.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from weigh.statistics.series.prewhitening import constant

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.statistics.arrays import Floats
    from weigh.statistics.series.prewhitening import Whitened


MOST = 6
"""Changes looked for."""
CELL = 2
"""Batches between the positions on which a change may lie; they are made exact afterwards."""
SHORTEST = 6
"""Batches of a segment."""
FIRST, FURTHER = 25.0, 16.0
"""What the first and each further change must gain, in units of twice the log-likelihood
(docs/concept/series.md#steady-state)."""


@dataclass(frozen=True, slots=True)
class Partition:
    """Changes at the batches ``cuts``, and by how much the gain exceeds what they must gain."""

    cuts: tuple[int, ...]
    merit: float


def partition(series: Whitened, first: float = FIRST) -> Partition:
    """The partition with one change or more that has the highest merit, which is negative when none is worth it.

    Args:
        series: under every noise model.
        first: what the first change must gain.
    """
    count = series.count
    grid = np.append(np.arange(0, count - CELL + 1, CELL), count)
    cost = _cost(series, grid)
    best = cost[:, :, 0]
    totals, choices = [], []
    for _ in range(MOST):
        joined = best[:, None, :] + cost
        choice = joined.argmin(axis=2)
        best = np.take_along_axis(joined, choice[:, :, None], axis=2)[:, :, 0]
        choices.append(choice)
        totals.append(best[:, -1])
    squares = np.array(totals)
    merits = series.gain(squares) - first - FURTHER * np.arange(MOST)
    chosen = int(merits.argmax())
    if not np.isfinite(merits[chosen]):
        return Partition((), -np.inf)
    model = series.best(squares[chosen])
    end, cuts = len(grid) - 1, []
    for choice in reversed(choices[: chosen + 1]):
        end = choice[model, end]
        cuts.append(int(grid[end]))
    return Partition(tuple(reversed(cuts)), float(merits[chosen]))


def _cost(series: Whitened, grid: NDArray[np.int64]) -> Floats:
    """Squares left by one level between any two positions: (models, end, start), infinite where too short.

    The innovation at a change mixes two levels and is left out, as if it had a parameter of its own (AR1seg, Chakar et
    al. 2017); as the change may lie anywhere in its cell, all innovations of the cell are.
    """
    count = series.count
    level = constant(count)
    pairs = (level * series.innovations, level**2, series.innovations**2)
    cross, weight, square = (np.concatenate([np.zeros((len(p), 1)), np.cumsum(p, axis=1)], axis=1) for p in pairs)
    start = np.minimum(grid + CELL * (grid > 0), count)
    fits = grid[:, None] - start[None, :] >= SHORTEST - CELL

    def between(sums: Floats) -> Floats:
        return sums[:, grid, None] - sums[:, None, start]

    weights = np.where(fits, between(weight), 1.0)
    cost: Floats = np.where(fits, between(square) - between(cross) ** 2 / weights, np.inf)
    return cost
