"""Stopping on precision: how often the interval at which sampling stopped covers the truth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from weigh.experiment.results import allocation
from weigh.experiment.results.precision import FIRST_LOOK, IN_A_ROW
from weigh.model.spec import FULL_STARTS, MOST_STARTS
from weigh.statistics.student_t import quantile

from . import noise
from .noise import RUNS, SD, Size
from .rates import RULES, Rate, estimated, rate
from .row import Row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from weigh.statistics.arrays import Floats

    Make = Callable[[Size, np.random.Generator], Floats]

TARGETS = (1.2, 0.9, 0.7, 0.6, 0.5, 0.4)
"""Half-widths asked for, in standard deviations of the contrast of a block: reached after 10 to 45 starts."""


@dataclass(frozen=True, slots=True)
class Rule:
    """When an operation is retired.

    Attributes:
        least: starts below which it is not.
        in_a_row: looks at which it must be narrow enough.
        first: starts at the first look.
    """

    least: int = FULL_STARTS
    in_a_row: int = IN_A_ROW
    first: int = FIRST_LOOK


WEIGH = Rule()
EAGER = Rule(least=5, in_a_row=1)
"""Stops at the first look at which the interval is narrow enough, from five starts on."""


@dataclass(frozen=True, slots=True)
class Stopped:
    """Where each experiment stopped; arrays of the shape (experiments,).

    Attributes:
        effect: estimated.
        half: half-width of its interval.
        starts: blocks.
    """

    effect: Floats
    half: Floats
    starts: NDArray[np.int64]


def stop(logs: Floats, target: float, rule: Rule = WEIGH) -> Stopped:
    """Stops every experiment on its own, by the rule, or where the blocks end.

    Args:
        logs: shape (experiments, blocks, arms).
        target: half-width, a logarithm.
        rule: of stopping.
    """
    count, blocks = logs.shape[:2]
    effect, half = np.full((2, count), np.nan)
    starts, streak = np.zeros((2, count), dtype=np.int64)
    running = np.arange(count)
    for seen in range(rule.first, blocks + 1):
        found = estimated(logs[running, :seen])
        effect[running] = found.effect
        half[running] = quantile(RULES.confidence, found.freedom) * found.error
        starts[running] = seen
        streak[running] = np.where(half[running] <= target, streak[running] + 1, 0)
        running = running[(streak[running] < rule.in_a_row) | (seen < rule.least)]
        if len(running) == 0:
            break
    return Stopped(effect, half, starts)


def coverage(make: Make, experiments: int, seed: int, target: float, rule: Rule = WEIGH) -> tuple[Rate, float]:
    """How often the interval covers no difference, and after how many starts sampling stopped in the mean.

    Args:
        make: the noise.
        experiments: how many.
        seed: of the generator.
        target: half-width in standard deviations of the contrast.
        rule: of stopping.
    """
    logs = make(Size(experiments, MOST_STARTS), np.random.default_rng(seed))
    spread = float(np.std(logs[:, :, 0] - logs[:, :, -2:].mean(axis=2)))
    found = stop(logs, target * spread, rule)
    return rate(np.abs(found.effect) <= found.half), float(found.starts.mean())


def worst(make: Make, experiments: int, seed: int, rule: Rule = WEIGH) -> tuple[float, Rate, float]:
    """The target at which coverage is lowest, that coverage, and the mean number of starts."""
    found = [(target, *coverage(make, experiments, seed, target, rule)) for target in TARGETS]
    return min(found, key=lambda one: one[1].value)


def runs_chosen(size: Size, draw: np.random.Generator, start: float = SD / 2, cost: float = 4.0) -> Floats:
    """Start effects of 1.5 %, executions of 3 %: the number of runs is chosen from the first blocks.

    ``cost`` is that of a start over that of a run.
    """
    first = draw.normal(0, SD, (size.experiments, FIRST_LOOK, size.arms, RUNS))
    within = first.var(axis=3, ddof=1).mean(axis=1)
    own = draw.normal(0, start, (size.experiments, size.blocks, size.arms))
    seen = own[:, :FIRST_LOOK] + first.mean(axis=3)
    contrast = seen[:, :, 0] - seen[:, :, -2:].mean(axis=2)
    scatter = within[:, 0] + within[:, -2:].mean(axis=1) / 2
    between = contrast.var(axis=1, ddof=1) - scatter / RUNS
    runs = np.array([allocation.best(cost, *pair) for pair in zip(scatter, between, strict=True)])
    later = (size.experiments, size.blocks - FIRST_LOOK, size.arms)
    rest = own[:, FIRST_LOOK:] + draw.normal(0, 1, later) * (SD / np.sqrt(runs))[:, None, None]
    return np.concatenate([seen, rest], axis=1)


KINDS: dict[str, Make] = {**noise.SIX, **noise.UNEQUAL, "runs chosen": runs_chosen}


def rows(experiments: int) -> Iterator[Row]:
    """The rows of the table of guarantees: of each kind of noise the target at which fewest intervals cover."""
    for name, make in KINDS.items():
        target, found, starts = worst(make, experiments // 2, 31)
        setting = f"{name}, ±{target} SD, {starts:.0f} starts"
        eager = worst(make, experiments // 2, 31, EAGER)[1] if name == "iid" else None
        other = f"first narrow look from 5 starts on: {eager}" if eager else ""
        yield Row(
            "precision-stop coverage at 99 %", setting, ">= 98.5 %", found.banded, found.within(0.985, 1.0), other
        )
