"""The turns of an experiment, and what others used of the CPU during each of them. Pure.

The CPU of a turn is what its timed executions used, and at least one CPU for as long as they lasted: an engine that
waits for a disk is not contended by a daemon that uses little.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

from weigh.machine.moments import amounts, in_order
from weigh.model.units import Seconds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.model.machine.timeline import Watch
    from weigh.model.sample import Sample

WATCHED = 0.9
"""Share of an execution that must lie inside moments for it to count as watched: its ends may be cut."""


class Pair(NamedTuple):
    """Whose executions: one contender on one operation at one temperature."""

    operation: str
    contender: str
    temperature: str = "hot"


class Used(msgspec.Struct, frozen=True, kw_only=True):
    """What others used during a stretch of time, in CPU seconds.

    Attributes:
        cpu_s: the CPU that the stretch is judged by.
        foreign_s, steal_s: of others, and of the hypervisor for others.
    """

    cpu_s: Seconds
    foreign_s: Seconds
    steal_s: Seconds

    @property
    def foreign(self) -> float:
        """Share of that CPU that others used."""
        return self.foreign_s / self.cpu_s

    @property
    def steal(self) -> float:
        """Share of that CPU that the hypervisor gave to other guests."""
        return self.steal_s / self.cpu_s


class TurnShare(Used, frozen=True, kw_only=True):
    """What others used during the timed executions of one turn.

    Attributes:
        attempt, block, turn: which turn.
        began, ended: of its first and last timed execution, seconds since the attempt began.
        wall_s: that they lasted together.
        executions, unwatched: how many there are, and how many of them the sampler did not cover.
    """

    attempt: int
    block: int
    turn: int
    began: Seconds
    ended: Seconds
    wall_s: Seconds
    executions: int
    unwatched: int

    @property
    def order(self) -> tuple[float, int, int, int]:
        """The worst first; those that are equal but for rounding in the order of time."""
        return -round(max(self.foreign, self.steal), 6), self.attempt, self.block, self.turn


def turn_shares(samples: Sequence[Sample], watches: Sequence[Watch]) -> list[tuple[Pair, TurnShare]]:
    """Every turn with a timed execution, in the order of time."""
    timed = [one for one in samples if one.timed and one.wall_s]
    moments = in_order(watches)
    begin = np.array([one.at for one in timed])
    wall = np.array([one.wall_s for one in timed], dtype=np.float64)
    foreign = amounts(moments, lambda moment: moment.foreign, begin, wall)
    steal = amounts(moments, lambda moment: moment.steal, begin, wall)
    covered = amounts(moments, lambda moment: None if moment.foreign is None else moment.span, begin, wall)
    # A cold turn has executions at two temperatures.
    rows: dict[tuple[int, int, int, str], list[int]] = defaultdict(list)
    for at, one in enumerate(timed):
        rows[one.attempt, one.block, one.turn, one.temperature].append(at)
    found = []
    for (attempt, block, turn, _), own in sorted(rows.items()):
        first = timed[own[0]]
        used = sum(timed[at].cpu_s or 0.0 for at in own)
        share = TurnShare(
            attempt=attempt,
            block=block,
            turn=turn,
            began=float(begin[own].min()),
            ended=float((begin[own] + wall[own]).max()),
            wall_s=float(wall[own].sum()),
            cpu_s=max(used, float(wall[own].sum())),
            foreign_s=float(foreign[own].sum()),
            steal_s=float(steal[own].sum()),
            executions=len(own),
            unwatched=int((covered[own] < WATCHED * wall[own]).sum()),
        )
        found.append((Pair(first.operation, first.contender, first.temperature), share))
    return found


def watched(turns: Sequence[TurnShare]) -> list[TurnShare]:
    """What nobody watched is no sign of peace."""
    return [turn for turn in turns if turn.unwatched < turn.executions]
