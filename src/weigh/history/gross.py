"""Gross steps: where a part of few points, or its end, lies so far off that no noise makes it, and what could be found.

Neither is a candidate. A level of fewer points than the partition needs may be a neighbour of an hour; that is told,
so that nobody reads "none found" where none could be. Pure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from weigh.history.candidates import LEAST, changes
from weigh.statistics.series.change_points import SHORTEST

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.statistics.arrays import Floats

_FEWEST = 4
"""Points of the longer side: their range is what the other side is set against."""
_RANGES = 3.0
"""Ranges of either side by which the two must be apart (docs/reference/guarantees.md#histories)."""
_TRIM = 8
"""One point in so many may lie anywhere, on either end of the range of its side."""
_BACK = 24
"""Points before the end that are looked at."""
_SIZES = (0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.5, 1.0, 2.0, 5.0, 20.0)
"""Steps that are tried, as fractions."""
_TRIED = 100
"""Points of a part into whose middle they are put, the last ones."""


class Gross(msgspec.Struct, frozen=True):
    """A step of too few points to be a candidate.

    Attributes:
        at: number of the first point behind it, from 0.
        before, after: points of either side that were compared.
        ratio: median behind it over median before it.
    """

    at: int
    before: int
    after: int
    ratio: float


def gross(values: Sequence[float], margin: float) -> Gross | None:
    """The step of the last points that is farthest beyond their noise, where one side is too short for a candidate.

    Args:
        values: above zero, in order, without a candidate among them.
        margin: the smallest change that is told, a fraction.
    """
    logs = np.log(np.asarray(values, dtype=np.float64))
    first = max(len(logs) - _BACK, 0)
    recent = logs[first:]
    best: tuple[float, Gross] | None = None
    # A first point that lies off is the past's, and nobody can do anything about it.
    for at in range(2, len(recent)):
        short, long = sorted((at, len(recent) - at))
        if long < _FEWEST or (short >= SHORTEST and len(values) >= LEAST):
            continue
        left, right = recent[:at], recent[at:]
        step = float(np.median(right) - np.median(left))
        (low, high), (bottom, top) = _range(left), _range(right)
        apart, scale = max(bottom - high, low - top), max(high - low, top - bottom)
        if apart > _RANGES * scale and abs(step) >= np.log1p(margin):
            # Where several places are as far apart as that, it is the one at which the two levels explain most.
            left_over = float(sum(np.abs(side - np.median(side)).sum() for side in (left, right)))
            if best is None or left_over < best[0]:
                best = left_over, Gross(first + at, at, len(recent) - at, float(np.exp(step)))
    return best[1] if best else None


def _range(side: Floats) -> tuple[float, float]:
    ordered = np.sort(side)
    left_out = len(ordered) // _TRIM
    return float(ordered[left_out]), float(ordered[len(ordered) - 1 - left_out])


def detectable(values: Sequence[float], margin: float) -> float | None:
    """About the smallest step that would have been a candidate, if the middle of the values had one.

    Args:
        values: above zero, in order, without a candidate among them.
        margin: the smallest change that is a candidate, a fraction.

    Returns:
        A fraction; None where not even one of twentyfold would have been.
    """
    recent = np.asarray(values[-_TRIED:], dtype=np.float64)
    if len(recent) < LEAST:
        return None
    sizes = [margin, *(one for one in _SIZES if one > margin)]
    low, high = 0, len(sizes)
    while low < high:
        middle = (low + high) // 2
        if _found(recent, sizes[middle], margin):
            high = middle
        else:
            low = middle + 1
    return sizes[low] if low < len(sizes) else None


def _found(recent: Floats, size: float, margin: float) -> bool:
    stepped = recent.copy()
    stepped[len(recent) // 2 :] *= 1 + size
    # What is as large as the margin is measured a little smaller in half of the cases.
    return bool(changes([float(one) for one in stepped], margin / 2).changes)
