"""Spikes of a load run: parts in which requests took much longer than usual. Pure.

**A spike** is an interval whose p99 is more than three times the median of all p99s, and above it by more than five
times their scatter (the median absolute deviation, scaled to a standard deviation). It begins where the slowest of its
requests were due: what they waited for came before they were answered. Spikes that overlap are one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from weigh.machine.contention import ProcessGroup
from weigh.model.units import Seconds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.load.runs import LoadInterval

TIMES = 3.0
"""By how many times the typical p99 that of a spike is longer, at least."""
SCATTER = 5.0
"""And by how many standard deviations of the p99s."""
LEAST = 10
"""Intervals with a p99 below which no typical one is known."""
_SIGMA = 1.4826
"""Standard deviation over median absolute deviation, of normal values."""


class Spike(msgspec.Struct, frozen=True, kw_only=True):
    """A stretch of a run in which requests took much longer than usual.

    Attributes:
        from_s, to_s: seconds since the run began: when the slowest requests were due, and when the interval ended in
            which they were answered.
        p99_s: the longest p99 of its intervals.
        typical_s: the median of the p99s of all intervals.
        saturated: of :data:`CAUSES`, what was saturated then and hardly ever else; empty where the sampler saw nothing.
        other_processes: who the others were, where they are among them.
        watched: whether the sampler covered it.
    """

    from_s: Seconds
    to_s: Seconds
    p99_s: Seconds
    typical_s: Seconds
    saturated: tuple[str, ...] = ()
    other_processes: tuple[ProcessGroup, ...] = ()
    watched: bool = True


def slow_intervals(p99: Sequence[Seconds | None]) -> tuple[list[bool], Seconds]:
    """Which intervals have a p99 that makes a spike, and the typical one; None of them where none is known."""
    known = np.array([value for value in p99 if value is not None])
    if len(known) < LEAST:
        return [False] * len(p99), 0.0
    typical = float(np.median(known))
    scatter = _SIGMA * float(np.median(np.abs(known - typical)))
    bound = max(TIMES * typical, typical + SCATTER * scatter)
    return [one is not None and one > bound for one in p99], typical


def unlinked(intervals: Sequence[LoadInterval], p99: Sequence[Seconds | None]) -> list[Spike]:
    """Every spike of the part of a run that counts, before anybody asks what came with it."""
    slow, typical = slow_intervals(p99)
    begin = intervals[0].from_s if intervals else 0.0
    made: list[Spike] = []
    for interval, p99_s, is_slow in zip(intervals, p99, slow, strict=True):
        if p99_s is None or not is_slow:
            continue
        one = Spike(from_s=max(interval.from_s - p99_s, begin), to_s=interval.to_s, p99_s=p99_s, typical_s=typical)
        # A long one may reach back over several.
        while made and one.from_s <= made[-1].to_s:
            before = made.pop()
            one = msgspec.structs.replace(
                one, from_s=min(before.from_s, one.from_s), p99_s=max(before.p99_s, one.p99_s)
            )
        made.append(one)
    return made
