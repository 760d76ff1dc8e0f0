"""The turns of an experiment, and what others used of the CPU during each of them. Pure.

The CPU of a turn is what its timed executions used, and at least one CPU for as long as they lasted: an engine that
waits for a disk is not contended by a daemon that uses little.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

from weigh.machine.moments import BY_OTHERS, STOLEN, amounts, in_order, shared_out
from weigh.model.sample import Samples
from weigh.model.units import Seconds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.model.machine.timeline import Watch
    from weigh.model.sample import Sample

WATCHED = 0.9
"""Share of an execution that must lie inside moments for it to count as watched: its ends may be cut."""


_TURN = ("attempt", "block", "turn", "temperature")


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
    every, moments = Samples.of(samples), in_order(watches)
    among = every.timed & (every.floats("wall_s") != 0) & ~np.isnan(every.floats("wall_s"))
    begin, wall = every.floats("at"), np.where(among, every.floats("wall_s"), 0.0)
    columns = {
        "wall_s": wall,
        "foreign_s": amounts(moments, BY_OTHERS, begin, wall),
        "steal_s": amounts(moments, STOLEN, begin, wall),
    }
    unwatched = shared_out(moments, moments.watched(BY_OTHERS), begin, wall) < WATCHED * wall
    cpu = np.nan_to_num(every.floats("cpu_s"), nan=0.0)
    # A cold turn has executions at two temperatures.
    turns = sorted(every.groups(*_TURN, among=among).items())
    found: dict[int, tuple[Pair, TurnShare]] = {}
    for size in {len(those) for _, those in turns}:
        # All turns of one length at once: a sum over a row is that of the turn by itself, to the last digit.
        alike = [(number, turn, those) for number, (turn, those) in enumerate(turns) if len(those) == size]
        rows = np.array([those for _, _, those in alike])
        began, ended = begin[rows].min(axis=1), (begin + wall)[rows].max(axis=1)
        sums = {name: column[rows].sum(axis=1) for name, column in columns.items()}
        used = np.add.accumulate(cpu[rows], axis=1)[:, -1]
        figures = zip(
            began.tolist(),
            ended.tolist(),
            np.maximum(used, sums["wall_s"]).tolist(),
            unwatched[rows].sum(axis=1).tolist(),
            *(column.tolist() for column in sums.values()),
            strict=True,
        )
        for (number, (attempt, block, turn, temperature), those), row in zip(alike, figures, strict=True):
            first = every[int(those[0])]
            share = TurnShare(
                attempt=attempt,
                block=block,
                turn=turn,
                began=row[0],
                ended=row[1],
                cpu_s=row[2],
                unwatched=row[3],
                wall_s=row[4],
                foreign_s=row[5],
                steal_s=row[6],
                executions=size,
            )
            found[number] = Pair(first.operation, first.contender, temperature), share
    return [found[number] for number in range(len(turns))]


def watched(turns: Sequence[TurnShare]) -> list[TurnShare]:
    """What nobody watched is no sign of peace."""
    return [turn for turn in turns if turn.unwatched < turn.executions]
