"""How often bursts of a neighbour refuse a comparison: simulated sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from machine.test_contention import pair, said
from weigh.machine.contention import Contention, contention
from weigh.model.machine.timeline import Moment, Watch
from weigh.model.sample import Outcome, Sample

if TYPE_CHECKING:
    from collections.abc import Collection

    from weigh.statistics.arrays import Floats

ROUNDS = 40
"""Of a session: ten blocks of four."""


def bursts(draw: np.random.Generator, length: float, busy: float, seconds: float) -> Floats:
    """Begins and ends of a neighbour's bursts over a stretch of time, one per row: exponential, with a mean length."""
    number = int(3 * seconds * busy / length) + 20
    pauses = draw.exponential(length * (1 - busy) / busy, number)
    lengths = draw.exponential(length, number)
    ends = np.cumsum(pauses + lengths)
    return np.column_stack((ends - lengths, ends))


def session(draw: np.random.Generator, length: float, busy: float, beside: Collection[str] = "ab") -> Contention:
    """Rounds of a baseline with two arms and a candidate, in random order; each turn has 0.2 s."""
    samples, watches = [], []
    spans = bursts(draw, length, busy, 3 * ROUNDS * 0.2)
    for number in range(ROUNDS):
        for turn, arm in enumerate(draw.permutation(["a#1", "a#2", "b"])):
            begin = (3 * number + turn) * 0.2
            used = np.clip(np.minimum(spans[:, 1], begin + 0.2) - np.maximum(spans[:, 0], begin), 0, None).sum()
            who = str(arm)[0]
            samples.append(
                Sample(
                    block=number // 4, start=0, turn=3 * (number % 4) + turn, round=number % 4, run=1, arm=str(arm),
                    contender=who, operation="q", case="c", outcome=Outcome.OK, wall_s=0.2, cpu_s=0.2, at=begin,
                )
            )  # fmt: skip
            foreign = float(used) if who in beside else 0.0
            watches.append(Watch(moments=(Moment(at=begin, span=0.2, foreign=foreign),)))
    return contention([(samples, watches)], 0.05, "a")


@pytest.mark.promise(
    "With ten blocks of four rounds, bursts that come by chance refuse at most 1 comparison in 100, "
    "whether they are shorter than a turn or longer than a block."
)
@pytest.mark.parametrize(
    ("length", "busy"),
    [
        (0.05, 0.7),
        (5.0, 0.3),
        *(pytest.param(*law, marks=pytest.mark.long) for law in [(0.05, 0.05), (0.5, 0.05), (0.5, 0.3)]),
    ],
)
def test_bursts_that_fall_as_they_come_refuse_nobody(length: float, busy: float) -> None:
    """Shorter than a turn, as long as a round, as long as many rounds; in each at most one session of a hundred."""
    draw = np.random.default_rng([int(1000 * length), int(100 * busy)])
    sessions = [session(draw, length, busy) for _ in range(200)]
    assert sum(any(one.refused for one in found.pairs) for found in sessions) <= 2
    if busy > 0.05:
        above = [said(found) for found in sessions if any(one.above for one in found.pairs)]
        assert len(above) > 100
        assert all({one.severity for one in findings} >= {"warning"} for findings in above)


@pytest.mark.promise(
    "A job that burns half of the time alongside one side only is refused in 99 sessions of 100 "
    "(simulated, `tests/machine/test_contention_by_chance.py`)."
)
@pytest.mark.parametrize("side", ["a", "b"])
@pytest.mark.parametrize("length", [0.05, pytest.param(0.5, marks=pytest.mark.long)])
def test_bursts_beside_one_side_refuse_it(length: float, side: str) -> None:
    draw = np.random.default_rng(7)
    sessions = [session(draw, length, 0.5, side) for _ in range(100)]
    assert sum(pair(found, side).refused for found in sessions) >= 99
