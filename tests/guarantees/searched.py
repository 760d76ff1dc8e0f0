"""A search for noise under which a guarantee does not hold: laws are drawn, and the worst of each guarantee is told.

A law is drawn from a fixed seed: how executions scatter and how skewed that is, what share of turns a neighbour makes
longer and by how much, what a start brings and how skewed that is, a memory from turn to turn, how many starts and
rounds. All arms have the same law: where one side alone stalls, the ratio itself is another one, and
:mod:`guarantees.one_sided` looks at that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from . import noise, rates
from .noise import Size
from .row import Row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from weigh.statistics.arrays import Floats

    from .rates import Rate


@dataclass(frozen=True, slots=True)
class Law:
    """Noise that was drawn.

    Attributes:
        scatter: SD of an execution, a logarithm.
        skew: shape of its gamma law; infinity is the normal one.
        hit: share of turns that a neighbour makes longer.
        height: by which logarithm.
        start: SD of what a start brings.
        start_skew: shape of its gamma law.
        memory: autoregression of an offset from turn to turn.
        memory_size: its SD.
        starts, rounds: of an experiment.
    """

    scatter: float
    skew: float
    hit: float
    height: float
    start: float
    start_skew: float
    memory: float
    memory_size: float
    starts: int
    rounds: int

    def __str__(self) -> str:
        parts = [f"{self.starts} starts of {self.rounds} rounds", f"executions of SD {self.scatter:.1%}"]
        parts += [f"skewness {2 / np.sqrt(self.skew):.1f}"] * bool(np.isfinite(self.skew))
        parts += [f"{self.hit:.0%} of turns {np.expm1(self.height):.0%} longer"] * (self.hit > 0)
        if self.start:
            skewed = f" of skewness {2 / np.sqrt(self.start_skew):.1f}" if np.isfinite(self.start_skew) else ""
            parts.append(f"starts of SD {self.start:.1%}{skewed}")
        parts += [f"an autoregression of {self.memory:.1f}, SD {self.memory_size:.0%}"] * (self.memory_size > 0)
        return ", ".join(parts)

    def __call__(self, size: Size, draw: np.random.Generator) -> Floats:
        """Logarithms of executions, as of :mod:`guarantees.noise`."""
        logs = _of_shape(draw, self.skew, size.shape) * self.scatter
        logs = logs + np.where(draw.random(size.shape[:-1]) < self.hit, self.height, 0.0)[..., None]
        logs = logs + _of_shape(draw, self.start_skew, size.starts) * self.start
        if self.memory_size:
            logs = logs + noise.turn_ar(size, draw, self.memory, self.memory_size, alone=True)
        return np.asarray(logs, dtype=np.float64)


def drawn(count: int, seed: int) -> Iterator[Law]:
    """Laws, the same for the same seed; half of them lack each of their parts."""
    draw = np.random.default_rng(seed)

    def some(value: float) -> float:
        return value if draw.random() < 0.5 else 0.0

    for _ in range(count):
        yield Law(
            scatter=float(draw.choice([0.005, 0.02, 0.05])),
            skew=float(draw.choice([np.inf, 4.0, 1.0, 0.3])),
            hit=some(float(draw.choice([0.02, 0.1, 0.2, 0.4]))),
            height=float(np.log1p(draw.choice([0.05, 0.2, 1.0]))),
            start=some(float(draw.choice([0.005, 0.02, 0.05]))),
            start_skew=float(draw.choice([np.inf, 1.0])),
            memory=float(draw.choice([0.5, 0.9])),
            memory_size=some(float(draw.choice([0.02, 0.05]))),
            starts=int(draw.choice([10, 20, 34, 100])),
            rounds=int(draw.choice([2, 4, 6])),
        )


GUARANTEES: dict[str, tuple[str, float, Callable[[Law, Size], Rate]]] = {
    "type-I at 1 %, typical": ("<= 1.5 %", 0.015, lambda law, size: rates.found(law, size, 0.0, 1)),
    "SAME, slower by the margin": ("<= 5.5 %", 0.055, lambda law, size: rates.wrongly_same(law, size, 2)[0]),
    "SAME, faster by the margin": (
        "<= 5.5 %", 0.055, lambda law, size: rates.wrongly_same(law, size, 2, faster=True)[0],
    ),
}  # fmt: skip


def worst(count: int, executions: int, seed: int = 41) -> dict[str, tuple[Rate, Law]]:
    """The worst rate of each guarantee among so many laws, and its law.

    Args:
        count: of laws.
        executions: of the candidate, all experiments of a law together.
        seed: of the laws.
    """
    found: dict[str, tuple[Rate, Law]] = {}
    for law in drawn(count, seed):
        size = Size(max(executions // (law.starts * law.rounds), 200), law.starts, rounds=law.rounds)
        for name, (_, goal, measured) in GUARANTEES.items():
            rate = measured(law, size)
            # By what it is beyond its goal in standard errors, so that few experiments do not look worst by chance.
            if name not in found or _beyond(rate, goal) > _beyond(found[name][0], goal):
                found[name] = rate, law
    return found


def rows(experiments: int) -> Iterator[Row]:
    """The worst law that was found for each guarantee; as many laws as one experiment in a hundred."""
    count = max(experiments // 100, 10)
    for name, (rate, law) in worst(count, 40 * experiments).items():
        goal, bound, _ = GUARANTEES[name]
        yield Row(f"{name}, worst of {count} drawn laws", str(law), goal, rate.banded, rate.within(0.0, bound))


def _beyond(rate: Rate, goal: float) -> float:
    return (rate.value - goal) / np.sqrt(goal * (1 - goal) / rate.trials)


def _of_shape(draw: np.random.Generator, shape: float, size: tuple[int, ...]) -> Floats:
    """Numbers of mean 0 and SD 1: normal, or of a gamma law."""
    if not np.isfinite(shape):
        return draw.normal(0, 1, size)
    return np.asarray((draw.gamma(shape, 1, size) - shape) / np.sqrt(shape), dtype=np.float64)
