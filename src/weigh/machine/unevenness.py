"""Unevenness: whether others disturbed one side of a comparison more than the other. Pure.

A comparison of a candidate with the baseline is uneven, and refused, where the shares over all turns of the two
sides differ by more than the bound, and by more than chance gives: three times the standard error that the difference
would have if the same turns had been dealt to the sides at random, which is what the order of the turns does. Turns
that follow each other are alike, and a round has one of every arm, so the true error is smaller. The same must hold for
what others used per second: a contender that computes on more CPUs has a smaller share of the same neighbour, and that
is no unevenness.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from weigh.machine.turn_shares import Pair, watched

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from weigh.machine.turn_shares import TurnShare
    from weigh.model.units import Seconds
    from weigh.statistics.arrays import Floats

ALL = 1.0
"""A bound at which contention is allowed, whatever its size."""
_CHANCE = 3.0
"""Standard errors of a difference between two sides up to which it is taken for chance."""


class Uneven(NamedTuple):
    """A comparison of which others disturbed one side more than the other.

    Attributes:
        candidate, baseline: the two sides.
        guests: whether it was other guests of the host (steal), and not other processes.
        share, alongside: of the CPU of the turns of the candidate and of the baseline.
    """

    candidate: Pair
    baseline: Pair
    guests: bool
    share: float
    baseline_share: float

    @property
    def disturbed(self) -> Pair:
        """The side that was disturbed more."""
        return self.candidate if self.share > self.baseline_share else self.baseline


def uneven_comparisons(
    turns: Mapping[Pair, Sequence[TurnShare]], bound: float, baseline: str, apart: Collection[str]
) -> Iterator[Uneven]:
    """Every uneven comparison with a baseline, because of other processes and because of other guests.

    Args:
        turns: of each pair.
        bound: share of the CPU by which the turns of the two sides may differ; nothing is uneven at ``ALL``.
        baseline: with whom the others are compared.
        apart: contenders whose server cannot be distinguished from others.
    """
    if bound >= ALL:
        return
    for pair in sorted(turns):
        base = pair._replace(contender=baseline)
        if pair == base or base not in turns:
            continue
        sides = watched(turns[pair]), watched(turns[base])
        both = pair.contender not in apart and baseline not in apart
        for guests in (False, True) if both else (True,):
            if _fell_unevenly(*sides, bound, guests=guests):
                share, other = (
                    sum(_of(one, guests) for one in side) / sum(one.cpu_s for one in side) for side in sides
                )
                yield Uneven(pair, base, guests, share, other)


def _fell_unevenly(
    shares: Sequence[TurnShare], baseline_turns: Sequence[TurnShare], bound: float, *, guests: bool
) -> bool:
    """Whether others disturbed one side more, the same one by share of its CPU and by its time."""
    if not shares or not baseline_turns:
        return False
    used = [np.array([_of(turn, guests) for turn in side]) for side in (shares, baseline_turns)]
    cpu = [np.array([turn.cpu_s for turn in side]) for side in (shares, baseline_turns)]
    wall = [np.array([turn.wall_s for turn in side]) for side in (shares, baseline_turns)]
    more = _more(used, cpu, bound)
    return more != 0 and more == _more(used, wall, bound)


def _more(used: Sequence[Floats], of: Sequence[Floats], bound: float) -> int:
    """Of which side more was used, by more than the bound and by more than chance: 1, -1 of the second, 0 of neither.

    The error is that of turns dealt at random, so it is taken from the turns of both sides together. From each side's
    own scatter, a side that by chance had no burst at all would seem to be sure of it.
    """
    share = [float(one.sum() / whole.sum()) for one, whole in zip(used, of, strict=True)]
    difference = share[0] - share[1]
    if abs(difference) <= bound:
        return 0
    sizes = [len(one) for one in used]
    common = (sizes[0] * share[0] + sizes[1] * share[1]) / sum(sizes)
    # What a turn adds to the share of its side, which is a quotient of sums; their mean is 0.
    scatter = np.concatenate([(one - common * whole) / whole.mean() for one, whole in zip(used, of, strict=True)])
    variance = float(scatter @ scatter) / (sum(sizes) - 1)
    chance = _CHANCE * math.sqrt(variance * (1 / sizes[0] + 1 / sizes[1]))
    return int(difference > chance) - int(difference < -chance)


def _of(turn: TurnShare, guests: bool) -> Seconds:
    """CPU seconds that other guests, or other processes, used."""
    return turn.steal_s if guests else turn.foreign_s
