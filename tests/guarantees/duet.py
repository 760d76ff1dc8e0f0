"""Duet: two contenders at the same moment, one CPU each, swapped every round, against turns one after the other.

What the machine does hits both at once and cancels; what is left is the noise of an execution, what the two CPUs do not
share, and how unequal they are. Each candidate has pairs with the baseline of its own; the noise floor comes from pairs
of the baseline's two arms.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from weigh.statistics.effects import over_blocks, typical

from . import machine, rates
from .machine import BUSY, SHARED, Episode, Fitted, Machine
from .rates import Rate, rate
from .row import Row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from weigh.statistics.arrays import Floats

EXECUTION, BETWEEN = 0.020, 2.8
"""Seconds of one execution, and those of the other operations between two rounds."""
UNEQUAL = 0.05
"""SD of the difference of the speeds of the two CPUs, a logarithm; it stays for a whole block."""
OWN = Fitted(speed=0.015, episodes=(Episode(0.02, 0.05, 0.2, exponential=True),))
"""What one CPU does and the other does not."""
SHORT_ROUNDS = (1, 2, 3, 4, 6, 8)


class _Pair:
    """A machine of two CPUs, in many copies."""

    def __init__(self, draw: np.random.Generator, copies: int, whole: Fitted) -> None:
        self.whole = Machine(draw, copies, whole)
        self.each = [Machine(draw, copies, OWN) for _ in range(2)]
        self.speed = draw.normal(0, UNEQUAL / 2, copies) * np.array([[1.0], [-1.0]])

    def after(self, seconds: float) -> Floats:
        """Logarithms of the times on both CPUs, shape (2, copies)."""
        shared = self.whole.after(seconds)
        return np.stack([one.after(seconds) for one in self.each]) + shared + self.speed


def together(
    copies: int, rounds: int, draw: np.random.Generator, whole: Fitted = SHARED, *, swap: bool = True
) -> Floats:
    """Pairs of executions at the same moment: shape (copies, rounds, 2), the candidate first."""
    machine_of = _Pair(draw, copies, whole)
    logs = np.empty((copies, rounds, 2))
    # Which CPU the candidate has first is random: an odd number of rounds would favour it otherwise.
    first = draw.integers(0, 2, copies) if swap else np.zeros(copies, dtype=np.int64)
    every = np.arange(copies)
    for turn in range(rounds):
        machine_of.after(BETWEEN + EXECUTION)
        level = machine_of.after(EXECUTION)
        at = (first + turn * swap) % 2
        logs[:, turn, 0], logs[:, turn, 1] = level[at, every], level[1 - at, every]
    return logs + _starts(copies, 2, draw, whole) + machine.own(logs.shape, draw, whole)


def in_turn(copies: int, rounds: int, draw: np.random.Generator, whole: Fitted = SHARED) -> Floats:
    """Rounds of one after the other, both baseline arms, all arms of a block on one CPU: shape (copies, rounds, 3)."""
    machine_of = _Pair(draw, copies, whole)
    logs = np.empty((copies, rounds, 3))
    every = np.arange(copies)
    for turn in range(rounds):
        order = np.argsort(draw.random((copies, 3)), axis=1)
        machine_of.after(BETWEEN)
        for place in range(3):
            machine_of.after(EXECUTION)
            logs[every, turn, order[:, place]] = machine_of.after(EXECUTION)[0]
    return logs + _starts(copies, 3, draw, whole) + machine.own(logs.shape, draw, whole)


def one_long_turn(copies: int, rounds: int, draw: np.random.Generator, whole: Fitted = SHARED) -> Floats:
    """As many executions of each arm in a row, one arm after the other."""
    machine_of = _Pair(draw, copies, whole)
    logs = np.empty((copies, rounds, 3))
    every = np.arange(copies)
    order = np.argsort(draw.random((copies, 3)), axis=1)
    for place in range(3):
        machine_of.after(EXECUTION)
        for run in range(rounds):
            logs[every, run, order[:, place]] = machine_of.after(EXECUTION)[0]
    return logs + _starts(copies, 3, draw, whole) + machine.own(logs.shape, draw, whole)


def _starts(copies: int, arms: int, draw: np.random.Generator, whole: Fitted) -> Floats:
    return draw.normal(0, whole.start, (copies, 1, arms))


def of_duet(logs: Floats) -> Floats:
    """One number a block."""
    return typical(logs[..., :1], logs[..., 1:])


def of_long_turns(logs: Floats) -> Floats:
    """One number a block: means of logarithms, as one turn of each arm gives them."""
    level = logs.mean(axis=1)
    return np.asarray(level[:, 0] - level[:, 1:].mean(axis=1), dtype=np.float64)


DESIGNS: dict[str, tuple[Callable[..., Floats], Callable[[Floats], Floats]]] = {
    "one long turn": (one_long_turn, of_long_turns),
    "rounds": (in_turn, of_duet),
    "duet": (together, of_duet),
}


def numbers(
    design: str,
    experiments: int,
    rounds: int,
    seed: int,
    whole: Fitted = SHARED,
    blocks: int = 10,
    *,
    swap: bool = True,
) -> Floats:
    """What the blocks of many experiments give, shape (experiments, blocks)."""
    make, number = DESIGNS[design]
    more = {} if swap else {"swap": False}
    logs = make(experiments * blocks, rounds, np.random.default_rng(seed), whole, **more)
    return number(logs).reshape(experiments, blocks)


def floor_within(experiments: int, rounds: int, seed: int, whole: Fitted = SHARED) -> tuple[float, float]:
    """SD of a block's number of the candidate's pairs and of the pairs of the baseline's two arms: they are alike."""
    one, other = (numbers("duet", experiments, rounds, number, whole) for number in (seed, seed + 1))
    return float(one.std()), float(other.std())


def found(blocks: Floats, change: float = 0.0) -> Rate:
    """How often the 99 % interval leaves 1 out."""
    return rate(rates.excludes(over_blocks(blocks), -change))


def rows(experiments: int) -> Iterator[Row]:
    """The rows of the table of guarantees."""
    few = max(experiments // 4, 400)
    for label, whole in (("shared machine", SHARED), ("neighbours in bursts", BUSY)):
        for rounds in SHORT_ROUNDS:
            for design in DESIGNS:
                blocks = numbers(design, few, rounds, 61, whole)
                wrong, seen = found(blocks), found(blocks, float(np.log1p(0.03)))
                other = f"SD of a block {100 * blocks.std():.1f} %, power at 3 % {seen}"
                setting = f"{design}, {rounds} executions, {label}, K=10"
                kept = wrong.within(0, 0.015)
                yield Row("duet and rounds: type-I at 1 %", setting, "<= 1.5 %", wrong.banded, kept, other)
    for rounds in (3, 4):
        blocks = numbers("duet", few, rounds, 62, swap=False)
        other = f"SD of a block {100 * blocks.std():.1f} %"
        yield Row("(CPUs not swapped) type-I at 1 %", f"{rounds} rounds, K=10", "", found(blocks).banded, None, other)
