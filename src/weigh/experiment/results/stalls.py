"""Stalls: the rare long executions that make a total another than the typical execution. Pure."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from weigh.model import codes
from weigh.model.sample import Samples

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from weigh.model.sample import Sample
    from weigh.model.verdict import Verdict
    from weigh.statistics.arrays import Floats

LONG = 3.0
"""Medians from which on an execution counts as a stall."""


class Stalls(msgspec.Struct, frozen=True, kw_only=True):
    """Why the total of a comparison is another than its verdict.

    Attributes:
        operation, contender, temperature: the comparison.
        whose: the side that stalls more, the contender or the baseline.
        share: of its timed executions that took three medians of their case or more, a fraction.
        times: what these took, in medians of their case: the mean.
    """

    operation: str
    contender: str
    temperature: str
    whose: str
    share: float
    times: float


def stalls(verdicts: Iterable[Verdict], samples: Sequence[Sample]) -> tuple[Stalls, ...]:
    """One of every comparison whose total contradicts its verdict, where stalls of the side that lost explain it.

    Args:
        verdicts: of wall time.
        samples: of all attempts.
    """
    claimed = [one for one in verdicts if codes.T1_TOTAL.code in {reason.code for reason in one.reasons}]
    if not claimed:
        return ()
    every = Samples.of(samples)
    wall = every.floats("wall_s")
    among = every.timed & ~np.isnan(wall) & (wall != 0)
    seconds: dict[tuple[str, str, str], list[Floats]] = defaultdict(list)
    for key, those in every.groups("operation", "contender", "temperature", "case", among=among).items():
        seconds[key[:3]].append(wall[those])
    found = (_explained(one, seconds) for one in claimed)
    return tuple(one for one in found if one)


def _explained(one: Verdict, seconds: dict[tuple[str, str, str], list[Floats]]) -> Stalls | None:
    if one.total is None or one.ratio is None:
        return None
    sides = one.contender, one.baseline
    whose, other = sides if one.total.ratio > one.ratio else reversed(sides)
    share, times = _beyond(seconds[one.operation, whose, one.temperature])
    other_share, other_times = _beyond(seconds[one.operation, other, one.temperature])
    if share * times <= other_share * other_times:
        return None
    return Stalls(
        operation=one.operation, contender=one.contender, temperature=one.temperature,
        whose=whose, share=share, times=times,
    )  # fmt: skip


def _beyond(cases: Sequence[Floats]) -> tuple[float, float]:
    """Share of the executions that are stalls, and how many medians one takes: 0 where there is none."""
    relative = np.concatenate([times / np.median(times) for times in cases]) if cases else np.empty(0)
    long = relative[relative >= LONG].tolist()
    return (len(long) / len(relative), math.fsum(long) / len(long)) if long else (0.0, 0.0)
