"""ClickHouse's published rule for a history, as its linked query has it: a second opinion, and never the first. Pure.

https://clickhouse.com/blog/testing-the-performance-of-click-house: the medians of the runs before and after differ by
at least 5 % and by the 95th percentile of the last absolute differences from run to run; a change then needs a side by
side that is significant and shows at least 0.7 of the step.
"""

from __future__ import annotations

from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

AROUND = 12
"""The current run and 11 more, on either side."""
LAST = 38
"""The current difference and the 37 before it."""
LEAST = 0.05
SHARE = 0.7
"""Of the step, that the side by side must show."""


def steps(values: Sequence[float]) -> list[tuple[int, float]]:
    """Places of steps, each with its height as a fraction of the larger median.

    Args:
        values: in order; each is set against the one before it.
    """
    differences = [0.0, *(abs(two - one) / one for one, two in pairwise(values))]
    heights = [0.0]
    for at in range(1, len(values)):
        before, after = median(values[max(0, at - AROUND) : at]), median(values[at : at + AROUND])
        last = sorted(differences[max(1, at - LAST + 1) : at + 1])
        threshold = last[min(int(0.95 * len(last)), len(last) - 1)]
        height = abs(after - before) / max(after, before)
        heights.append(height if height >= max(LEAST, threshold) and at >= 2 else 0.0)
    # Neighbours are one step, where it is highest.
    found: list[tuple[int, float]] = []
    run: list[tuple[float, int]] = []
    for at, height in enumerate([*heights, 0.0]):
        if height:
            run.append((height, -at))
        elif run:
            best, place = max(run)
            found.append((-place, best))
            run = []
    return found


def confirmed(height: float, ratio: float) -> bool:
    """Whether a side by side that is significant shows enough of a step."""
    difference = abs(ratio - 1)
    return difference >= max(LEAST, SHARE * height)
