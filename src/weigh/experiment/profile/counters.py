"""Counters: what an engine and the kernel counted in one execution, side by side. Pure."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING

import msgspec

from weigh.experiment.profile.spread import apart

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from weigh.model.units import Seconds


SECONDS = " seconds"
"""How the name of a counter ends that is a time."""


class CounterChange(msgspec.Struct, frozen=True, kw_only=True):
    """A counter that moved.

    Attributes:
        name: as the engine calls it; of a time it ends in ``seconds``.
        before: of one execution by the baseline, the median over executions.
        after: the same of the contender.
    """

    name: str
    before: float
    after: float


def moved(
    before: Sequence[Mapping[str, float]], after: Sequence[Mapping[str, float]], *, alike: bool, least_s: Seconds
) -> tuple[CounterChange, ...]:
    """Counters of which all executions of one side lie above all of the other, the largest factor first.

    Args:
        before: those of each execution by the baseline; what an execution does not name is 0.
        after: the same of the contender.
        alike: whether both sides are one version of one engine; else only what both name can be compared.
        least_s: times that moved by less are left out: next to nothing has large factors.
    """
    sides = [dict.fromkeys(name for one in side for name in one) for side in (before, after)]
    names = {**sides[0], **sides[1]} if alike else {name: None for name in sides[0] if name in sides[1]}
    found = []
    for name in names:
        old, new = ([one.get(name, 0.0) for one in side] for side in (before, after))
        if apart(old, new):
            one = CounterChange(name=name, before=statistics.median(old), after=statistics.median(new))
            if not name.endswith(SECONDS) or abs(one.after - one.before) >= least_s:
                found.append(one)
    return tuple(sorted(found, key=lambda one: (-_factor(one), one.name)))


def _factor(one: CounterChange) -> float:
    """How many times as much; what was 0 before is above all others."""
    low, high = sorted((abs(one.before), abs(one.after)))
    return high / low if low else float("inf")
