"""Weekdays: what a series owes to the day of the week on which each point was measured. Pure.

Nightly builds share a machine with other people's working days. A weekend that is 5 % faster hides a step of as much
and may look like one; it is no version's, so it is taken out before levels are looked for.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import msgspec
import numpy as np
from scipy.ndimage import median_filter

from weigh.statistics.special import special

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.statistics.arrays import Floats, Ints

NAMES = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
LEAST = 3
"""Points of each weekday that has any, at least, and weekdays: fewer tell no pattern."""
_WINDOW = 15
"""Points of the running median against which weekdays are compared: two weeks and a day, where a day has one."""
_ALARM = 0.001
"""P-value below which weekdays differ."""


class Weekdays(msgspec.Struct, frozen=True):
    """What the weekdays do.

    Attributes:
        values: without it.
        slowest, fastest: days, Monday is 0.
        ratio: of the slowest over the fastest.
    """

    values: tuple[float, ...]
    slowest: int
    fastest: int
    ratio: float


def weekdays(values: Sequence[float], times: Sequence[str]) -> Weekdays | None:
    """The values without what their weekday does; None where weekdays are not distinguished.

    Each point is compared with the running median around it, weekdays by these distances (W. H. Kruskal, W. A. Wallis,
    "Use of ranks in one-criterion variance analysis", JASA 47, 1952). What a weekday does is their median.

    Args:
        values: above zero, in the order of time.
        times: when each was measured, as ISO 8601; UTC where it has no zone.
    """
    days = np.array([_day(one) for one in times], dtype=np.int64)
    present = np.unique(days)
    if len(present) < LEAST or present[0] < 0 or min((days == day).sum() for day in present) < LEAST:
        return None
    logs = np.log(np.asarray(values, dtype=np.float64))
    away = logs - median_filter(logs, _WINDOW, mode="reflect")
    if _p_value(away, days, present) >= _ALARM:
        return None
    effects = np.zeros(len(NAMES))
    effects[present] = [np.median(away[days == day]) for day in present]
    moved = logs - (effects[days] - np.median(effects[days]))
    order = present[np.argsort(effects[present])]
    return Weekdays(
        values=tuple(float(one) for one in np.exp(moved)),
        slowest=int(order[-1]),
        fastest=int(order[0]),
        ratio=float(np.exp(effects[order[-1]] - effects[order[0]])),
    )


def _p_value(away: Floats, days: Ints, present: Ints) -> float:
    count = len(away)
    ranks = np.argsort(np.argsort(away)) + 1.0
    between = sum(float(ranks[days == day].sum()) ** 2 / int((days == day).sum()) for day in present)
    statistic = 12 / (count * (count + 1)) * between - 3 * (count + 1)
    return float(special.chdtrc(len(present) - 1, max(statistic, 0.0)))


def _day(time: str) -> int:
    """Monday is 0; -1 where that is no time."""
    try:
        found = datetime.fromisoformat(time)
    except ValueError:
        return -1
    return (found if found.tzinfo is None else found.astimezone(UTC)).weekday()
