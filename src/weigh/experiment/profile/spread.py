"""Whether a figure moved by more than executions scatter. Pure."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_FEWEST = 4
"""Executions of a side. Of two sides that are alike, 4 executions lie all above 4 others once in 35 times, 6 above 6
once in 462 (either side may be the upper one)."""
_SIGMAS = 4.0


def apart(before: Sequence[float], after: Sequence[float]) -> bool:
    """Whether all figures of one side lie above all of the other."""
    if min(len(before), len(after)) < _FEWEST:
        return False
    return min(after) > max(before) or max(after) < min(before)


def more_samples(before: float, after: float, scale: float) -> bool:
    """Whether two numbers of samples differ by more than samples scatter (Poisson).

    Args:
        before: samples of the baseline.
        after: those of the contender, for as many executions.
        scale: by which the contender's were multiplied to be so.
    """
    return abs(after - before) > _SIGMAS * math.sqrt(before + after * scale + 1.0)
