"""Stalls: the rare long executions that make a total another than the typical execution. Pure."""

from __future__ import annotations

import math
from collections import defaultdict
from statistics import median
from typing import TYPE_CHECKING

import msgspec

from weigh.model import codes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from weigh.model.sample import Sample
    from weigh.model.verdict import Verdict

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
    seconds: dict[tuple[str, str, str], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for sample in samples:
        if sample.timed and sample.wall_s:
            own = seconds[sample.operation, sample.contender, sample.temperature]
            own[sample.case].append(sample.wall_s)
    found = (_explained(one, seconds) for one in claimed)
    return tuple(one for one in found if one)


def _explained(one: Verdict, seconds: dict[tuple[str, str, str], dict[str, list[float]]]) -> Stalls | None:
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


def _beyond(cases: dict[str, list[float]]) -> tuple[float, float]:
    """Share of the executions that are stalls, and how many medians one takes: 0 where there is none."""
    relative = [value / median(own) for own in cases.values() for value in own]
    long = [value for value in relative if value >= LONG]
    return (len(long) / len(relative), math.fsum(long) / len(long)) if long else (0.0, 0.0)
