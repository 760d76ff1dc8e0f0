"""Candidates: where a series of few points seems to change its level, and how sure the place is. Pure.

A change point is a candidate and never a verdict: two points of a history were measured at two times, and only a
measurement side by side tells a version from the machine.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from weigh.statistics.series.change_points import SHORTEST, partition
from weigh.statistics.series.prewhitening import despiked, whitened

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.statistics.arrays import Floats

LEAST = 2 * SHORTEST
"""Points below which no change is looked for."""
_FIRST = 14.0
"""What a first change must gain, in twice the log-likelihood.

A candidate is not a verdict: less is asked than of a run that is called not steady; steps within the margin are none.
"""
_CLEAR, _SHORTER, _LONG = 4.0, 40.0, 12
"""By how much it must gain more, and in a short series over its points, where a level has fewer points than the last.

In flat series it is levels of a few points that noise makes (docs/reference/guarantees.md#histories).
"""
_REACH = 4
"""Points by which a change is moved to where its two levels meet best."""
_LEVEL = 3
"""Points between two changes, at least: fewer are no level."""
_PLACE = 6.0
"""Twice the logarithm of the likelihood ratio within which another place is as good: about 95 %."""
_APART = 4.0
"""Standard deviations by which two speeds are apart before they count as two."""
_BACK = 4
"""Changes between the same two speeds from which on they are the machine's, and no version's."""
_DWELL = 20.0
"""Points for which a series stays at one of two speeds, on average, at most."""
_SWITCH = 0.1
"""Probability of a change of speed from one point to the next, as the path between two speeds is found."""


class Change(NamedTuple):
    """A change of level.

    Attributes:
        at: the first point of the new level, from 0.
        first, last: of the points that may be it (about 95 %).
        ratio: level after over level before.
    """

    at: int
    first: int
    last: int
    ratio: float


class Changes(NamedTuple):
    """What was found in a series.

    Attributes:
        changes: in order.
        two_speeds: the ratio of the two speeds between which it goes to and fro; None where it does not. Then there
            are no changes.
    """

    changes: tuple[Change, ...] = ()
    two_speeds: float | None = None


def changes(values: Sequence[float], margin: float) -> Changes:
    """Changes of level by at least a margin.

    Args:
        values: above zero, in order.
        margin: a fraction.
    """
    if len(values) < LEAST:
        return Changes()
    logs = np.log(np.asarray(values, dtype=np.float64))
    clean = despiked(logs)
    if float(np.ptp(clean)) <= 1e-9:
        return Changes()
    found = partition(whitened(clean), _FIRST)
    if found.merit <= 0 or not found.cuts:
        return Changes()
    cuts = [0, *_moved(clean, found.cuts), len(clean)]
    if (apart := _two_speeds(logs, cuts)) is not None:
        return Changes(two_speeds=apart)
    spread = _spread(clean, cuts)
    made = []
    least = 0 if found.merit > _CLEAR + _SHORTER / len(clean) else _LONG
    for before, at, after in zip(cuts, cuts[1:], cuts[2:], strict=False):
        ratio = float(np.exp(np.median(clean[at:after]) - np.median(clean[before:at])))
        # Slower by 3 % and faster by as much are equally large in logarithms.
        if abs(np.log(ratio)) >= np.log1p(margin) and min(at - before, after - at) >= least:
            made.append(Change(at, *_place(clean, before, at, after, spread), ratio))
    return Changes(tuple(made))


def _moved(clean: Floats, cuts: tuple[int, ...]) -> list[int]:
    """Each change where its two levels meet best; two that meet at the same place, as within a slope, are one."""
    bounds = [0, *cuts, len(clean)]
    found = []
    for before, cut, after in zip(bounds, bounds[1:], bounds[2:], strict=False):
        near = range(max(before + 2, cut - _REACH), min(after - 2, cut + _REACH) + 1)
        found.append(min(near, key=lambda at: _squares(clean, before, at, after), default=cut))
    for at, (one, two) in enumerate(pairwise(found)):
        if two - one < _LEVEL:
            return _moved(clean, (*cuts[:at], (cuts[at] + cuts[at + 1]) // 2, *cuts[at + 2 :]))
    return found


def _squares(clean: Floats, before: int, at: int, after: int) -> float:
    """What two levels leave of the sum of squares."""
    left, right = clean[before:at], clean[at:after]
    return float(left.var() * left.size + right.var() * right.size)


def _spread(clean: Floats, cuts: list[int]) -> float:
    """Variance of a point around its level."""
    left = sum(float(clean[one:two].var()) * (two - one) for one, two in pairwise(cuts))
    return left / max(len(clean) - len(cuts) + 1, 1) or 1e-18


def _place(clean: Floats, before: int, at: int, after: int, spread: float) -> tuple[int, int]:
    """The first and the last point at which the change may lie."""
    best = _squares(clean, before, at, after)
    near = range(max(before + 2, at - 2 * SHORTEST), min(after - 2, at + 2 * SHORTEST) + 1)
    good = [one for one in near if _squares(clean, before, one, after) - best <= _PLACE * spread]
    return min([at, *good]), max([at, *good])


def _two_speeds(logs: Floats, cuts: list[int]) -> float | None:
    """The ratio of two speeds between which a series goes to and fro; None where levels explain it better.

    Points are divided at the middle of two medians (after Lloyd 1982), and the likeliest path between the two (Viterbi
    1967) says how often it changes.
    """
    low, high = (float(one) for one in np.quantile(logs, (0.1, 0.9)))
    for _ in range(20):
        upper = logs > (low + high) / 2
        if upper.all() or not upper.any():
            return None
        low, high = float(np.median(logs[~upper])), float(np.median(logs[upper]))
    around = np.abs(logs - np.where(upper, high, low))
    spread = max(1.4826 * float(np.median(around)), 1e-9)
    if high - low < _APART * spread:
        return None
    path = _path(logs, (low, high), spread)
    turns = int(np.count_nonzero(np.diff(path)))
    if turns < _BACK or len(logs) / (turns + 1) > _DWELL:
        return None
    levels = np.concatenate([np.full(two - one, np.median(logs[one:two])) for one, two in pairwise(cuts)])
    by_speeds, by_levels = (_far(logs - speed, spread) for speed in (np.where(path > 0, high, low), levels))
    return float(np.exp(high - low)) if by_speeds <= by_levels else None


def _far(away: Floats, spread: float) -> float:
    """How far points are from where they should be; one that is far off counts as one at five deviations."""
    return float(np.minimum((away / spread) ** 2, 25.0).sum())


def _path(logs: Floats, levels: tuple[float, float], spread: float) -> Floats:
    """Which of two levels each point is at."""
    # A point far from both says no more than one at five standard deviations.
    cost = np.minimum(((logs[:, None] - np.array(levels)) / spread) ** 2 / 2, 12.5)
    stay, turn = -np.log(1 - _SWITCH), -np.log(_SWITCH)
    total, choices = cost[0], []
    for costs in cost[1:]:
        moved = total[::-1] + turn > total + stay
        choices.append(np.where(moved, [0, 1], [1, 0]))
        total = costs + np.minimum(total + stay, total[::-1] + turn)
    state = int(total.argmin())
    path = [state]
    for choice in reversed(choices):
        state = int(choice[state])
        path.append(state)
    return np.array(path[::-1], dtype=np.float64)
