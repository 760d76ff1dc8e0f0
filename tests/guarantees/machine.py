"""A machine that is shared with others: its speed over time, fitted by hand to two virtual cores that were measured.

The speed of a CPU (a logarithm) is an Ornstein-Uhlenbeck process and episodes, in which it is slower or faster; an
execution adds noise of its own. What two executions at the same moment share is the part of the machine; what they do
not share is that of their CPUs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from weigh.statistics.arrays import Bools, Floats


@dataclass(frozen=True, slots=True)
class Episode:
    """A state that comes and goes.

    Attributes:
        share: of the time.
        seconds: how long one lasts, the mean.
        height: logarithm by which the machine is slower then.
        exponential: whether heights differ as an exponential variable does; otherwise by a fifth.
    """

    share: float
    seconds: float
    height: float
    exponential: bool = False


@dataclass(frozen=True, slots=True)
class Fitted:
    """Parameters; logarithms and seconds.

    Attributes:
        own: SD of an execution.
        spike: share of executions that spike, and the mean of the logarithm.
        start: SD of the offset of a start.
        speed: SD of the slow process.
        memory: seconds after which that process has forgotten.
        episodes: of the machine.
    """

    own: float = 0.025
    spike: tuple[float, float] = (0.01, 0.2)
    start: float = 0.01
    speed: float = 0.03
    memory: float = 0.2
    episodes: tuple[Episode, ...] = (
        Episode(0.05, 0.04, 0.2, exponential=True),
        Episode(0.03, 0.06, -0.35),
        Episode(0.07, 1.5, 0.40),
    )


SHARED = Fitted()
BUSY = Fitted(episodes=(*SHARED.episodes, Episode(0.4, 0.3, 0.5, exponential=True)))
"""With neighbours that compute in bursts."""


class Machine:
    """Many copies of the machine, each at its own moment; arrays have the shape (copies,)."""

    def __init__(self, draw: np.random.Generator, copies: int, fitted: Fitted = SHARED) -> None:
        self.draw, self.copies, self.fitted = draw, copies, fitted
        self.slow = draw.normal(0, fitted.speed, copies)
        self.on: list[Bools] = [draw.random(copies) < one.share for one in fitted.episodes]
        self.heights: list[Floats] = [self._heights(one) for one in fitted.episodes]

    def after(self, seconds: float) -> Floats:
        """The logarithm of the time of an execution, so many seconds later."""
        kept = float(np.exp(-seconds / self.fitted.memory))
        kick = self.fitted.speed * float(np.sqrt(1 - kept**2))
        self.slow = kept * self.slow + self.draw.normal(0, kick, self.copies)
        level = self.slow.copy()
        for number, one in enumerate(self.fitted.episodes):
            # A two-state chain: what it would be after all that time, and whether it was left meanwhile.
            stay = np.exp(-seconds / one.seconds)
            mixed = np.exp(-seconds / (one.seconds * (1 - one.share)))
            again = one.share + (1 - one.share) * mixed
            chance, before = self.draw.random(self.copies), self.on[number]
            same = before & (chance < stay)
            new = np.where(before, ~same & (chance < again), chance < one.share * (1 - mixed))
            self.heights[number] = np.where(new, self._heights(one), self.heights[number])
            self.on[number] = same | new
            level += np.where(self.on[number], self.heights[number], 0.0)
        return level

    def _heights(self, one: Episode) -> Floats:
        if one.exponential:
            return self.draw.exponential(one.height, self.copies)
        return one.height * (1 + 0.2 * self.draw.standard_normal(self.copies))


def own(shape: tuple[int, ...], draw: np.random.Generator, fitted: Fitted = SHARED) -> Floats:
    """What executions add of their own."""
    share, mean = fitted.spike
    spikes = np.where(draw.random(shape) < share, draw.exponential(mean, shape), 0.0)
    return np.asarray(draw.normal(0, fitted.own, shape) + spikes, dtype=np.float64)


def in_rounds(
    shape: tuple[int, int, int, int, int],
    draw: np.random.Generator,
    fitted: Fitted = SHARED,
    execution: float = 0.020,
    between: float = 2.8,
) -> Floats:
    """Executions of one after the other: arms in random order in every round.

    Args:
        shape: experiments, blocks, rounds, arms, runs.
        draw: generator.
        fitted: the machine.
        execution: seconds of one.
        between: seconds between two rounds, those of the other operations.
    """
    experiments, blocks, rounds, arms, runs = shape
    copies = experiments * blocks
    machine = Machine(draw, copies, fitted)
    logs = np.empty((copies, rounds, arms, runs))
    every = np.arange(copies)
    for turn in range(rounds):
        order = np.argsort(draw.random((copies, arms)), axis=1)
        machine.after(between)
        for place in range(arms):
            machine.after(execution)
            for run in range(runs):
                logs[every, turn, order[:, place], run] = machine.after(execution)
    logs += draw.normal(0, fitted.start, (copies, 1, arms, 1))
    return logs.reshape(shape) + own(shape, draw, fitted)
