"""When something happens in a run: a pure function of its seed and its number."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from weigh.load.disturbances.record import Arm
    from weigh.load.spec import LoadSpec
    from weigh.model.units import Seconds

FIRST = 0.25
"""Share of a run before anything happens: what the rest is compared with, and what the run's own figures are of."""
BLOCKS = 10
"""Pairs of windows of a run, one with and one without."""
_EARLY = 0.15
"""Share of the part of a fault within which it begins, at random."""
_APART = 3
"""Intervals before it, at least."""
_SHARE, _LONGEST = 0.3, 10.0
"""How long a fault lasts: a share of its part, and never more seconds."""


class Planned(NamedTuple):
    """A window, in seconds of the schedule.

    Attributes:
        block, arm, kind, from_s, until_s: as of :class:`weigh.load.disturbances.record.Window`.
        ended_s: when a fault is taken away; the end of the window otherwise.
    """

    block: int
    arm: Arm
    kind: str
    from_s: Seconds
    ended_s: Seconds
    until_s: Seconds


def planned(spec: LoadSpec, run: int) -> tuple[Planned, ...]:
    """Every window of a run, in the order of time."""
    assert spec.disturbances
    draw = random.Random(f"{spec.seed}/disturbances/{run}")
    return _faults(spec, draw) if spec.disturbances.nemeses else _pairs(spec, draw)


def _faults(spec: LoadSpec, draw: random.Random) -> tuple[Planned, ...]:
    """Each fault in a part of its own, in random order: what it leaves behind ends before the next one begins."""
    assert spec.disturbances
    kinds = spec.disturbances.nemeses
    each = (1 - FIRST) * spec.duration_s / len(kinds)
    found = []
    for at, kind in enumerate(draw.sample(kinds, len(kinds))):
        begin = FIRST * spec.duration_s + at * each
        # What is broken off while everything is read back after the one before is none of this one's.
        first = begin + max(draw.uniform(0, _EARLY) * each, _APART * spec.interval_s)
        found.append(Planned(at + 1, "with", kind, first, first + min(_SHARE * each, _LONGEST), begin + each))
    return tuple(found)


def _pairs(spec: LoadSpec, draw: random.Random) -> tuple[Planned, ...]:
    """Blocks of two windows in random order, so that what changes over a run touches both alike."""
    each = window_s(spec.duration_s, spec.interval_s)
    found = []
    for at in range(2 * BLOCKS):
        if at % 2 == 0:
            arms: list[Arm] = draw.sample(["with", "without"], 2)
        begin = spec.duration_s - (2 * BLOCKS - at) * each
        found.append(Planned(at // 2 + 1, arms[at % 2], "statement", begin, begin + each, begin + each))
    return tuple(found)


def arms(spec: LoadSpec, run: int) -> tuple[tuple[int, Arm], ...]:
    """Block and arm of each window of a run in which queries are asked: three in each block, in random order."""
    draw = random.Random(f"{spec.seed}/disturbances/{run}")
    sides: list[Arm] = ["with", "without", "alone"]
    return tuple((block, arm) for block in range(1, BLOCKS + 1) for arm in draw.sample(sides, len(sides)))


def window_s(duration_s: Seconds, interval_s: Seconds) -> Seconds:
    """How long each window of a pair is: whole intervals, as many as there is room for."""
    room = int((1 - FIRST) * duration_s / interval_s + 1e-9)
    return room // (2 * BLOCKS) * interval_s
