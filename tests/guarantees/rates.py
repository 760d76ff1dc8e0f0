"""Rates: how often the verdicts do what they promise, counted over many simulated experiments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import special

from weigh.model.spec import Rules
from weigh.statistics.effects import Effects, fit
from weigh.statistics.student_t import quantile
from weigh.verdict.decide import decide

from . import noise
from .noise import Size

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from weigh.statistics.arrays import Floats
    from weigh.verdict.decide import Decisions

    Make = Callable[[Size, np.random.Generator], Floats]

RULES = Rules()
MARGIN = float(np.log1p(RULES.margin))
QUERIES = 3_000
CONTRAST = np.array([1.0, -1.0, -1.0])


@dataclass(frozen=True, slots=True)
class Rate:
    """A share of trials."""

    count: int
    trials: int

    @property
    def value(self) -> float:
        """The share."""
        return self.count / self.trials

    def within(self, low: float, high: float) -> bool:
        """Whether the share lies in the goal, give or take three binomial standard errors at its edges."""

        def band(goal: float) -> float:
            return 3 * float(np.sqrt(goal * (1 - goal) / self.trials))

        return low - band(low) <= self.value <= high + band(high)

    @property
    def banded(self) -> str:
        """The share with three binomial standard errors."""
        spread = 3 * float(np.sqrt(self.value * (1 - self.value) / self.trials))
        return f"{self} ± {100 * spread:.2f}"

    def __str__(self) -> str:
        return f"{100 * self.value:.2f} %"


def rate(hits: NDArray[np.bool_]) -> Rate:
    """The share of hits."""
    return Rate(int(hits.sum()), hits.size)


def estimated(logs: Floats) -> Effects:
    """The candidate against the baseline, as :func:`weigh.verdict.comparison.compare` estimates it."""
    return fit(logs[:, :, [0, -2, -1]], CONTRAST)


def pooled(logs: Floats) -> Effects:
    """The rejected alternative: one residual variance for all arms of the experiment (balanced only)."""
    blocks, arms = logs.shape[1:]
    rest = logs - logs.mean(axis=1, keepdims=True) - logs.mean(axis=2, keepdims=True)
    rest = rest + logs.mean(axis=(1, 2), keepdims=True)
    freedom = (blocks - 1) * (arms - 1)
    error = np.sqrt(1.5 / blocks * (rest**2).sum(axis=(1, 2)) / freedom)
    return Effects(estimated(logs).effect, error, np.full(len(logs), float(freedom)))


def two_sample(logs: Floats) -> Effects:
    """The best test of independent noise: Student's t of K against 2 K starts, blocks ignored."""
    blocks = logs.shape[1]
    new, old = logs[:, :, 0], logs[:, :, -2:].reshape(len(logs), -1)
    freedom = 3 * blocks - 2
    squares = ((new - new.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    squares = squares + ((old - old.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    error = np.sqrt(squares / freedom * 1.5 / blocks)
    return Effects(new.mean(axis=1) - old.mean(axis=1), error, np.full(len(logs), float(freedom)))


def excludes(effects: Effects, value: float = 0.0, level: float = RULES.confidence) -> NDArray[np.bool_]:
    """Whether the interval leaves ``value`` out."""
    return np.abs(effects.effect - value) > quantile(level, effects.freedom) * effects.error


def type_one(
    make: Make, size: Size, seed: int, estimate: Callable[[Floats], Effects] = estimated, missing: float = 0.0
) -> Rate:
    """Differences claimed at 99 % where there is none; ``missing`` is the share of cells left out."""
    draw = np.random.default_rng(seed)
    logs = make(size, draw)
    if missing:
        gaps = np.flatnonzero(draw.random(logs[0].size) < missing)
        logs.reshape(len(logs), -1)[:, gaps] = np.nan
    return rate(excludes(estimate(logs)))


def coverage(make: Make, size: Size, seed: int, change: float = 0.08) -> Rate:
    """99 % intervals that hold the true change."""
    logs = make(size, np.random.default_rng(seed))
    logs[:, :, 0] += np.log1p(change)
    return rate(~excludes(estimated(logs), value=float(np.log1p(change))))


def power(make: Make, size: Size, change: float, seed: int, estimate: Callable[[Floats], Effects] = estimated) -> Rate:
    """Changes that the 99 % interval finds."""
    logs = make(size, np.random.default_rng(seed))
    logs[:, :, 0] += np.log1p(change)
    return rate(excludes(estimate(logs)))


def session(
    draw: np.random.Generator,
    truth: Floats,
    rules: Rules = RULES,
    sd: float = 0.03,
    start: float = 0.01,
    blocks: int = 10,
) -> Decisions:
    """One commit: queries with the given true effects (logarithms) and a start effect of 1 %."""
    logs = noise.start_effects(Size(len(truth), blocks), draw, sd=sd, start=start)
    logs[:, :, 0] += truth[:, None]
    return decide(estimated(logs), np.full(len(truth), blocks), rules)


def false_alarms(sessions: int, seed: int, rules: Rules = RULES) -> float:
    """SLOWER and FASTER a commit when nothing changed in 3,000 queries."""
    draw = np.random.default_rng(seed)
    truth = np.zeros(QUERIES)
    return sum(session(draw, truth, rules).selected for _ in range(sessions)) / sessions


def discoveries(sessions: int, seed: int, changed: float = 0.10, share: float = 0.1) -> tuple[float, Rate]:
    """The worst case: the unchanged queries lie exactly at the margin.

    Returns:
        The mean share of false ones among SLOWER and FASTER, and the share of the changed ones found.
    """
    draw = np.random.default_rng(seed)
    truth = np.full(QUERIES, MARGIN)
    real = np.arange(QUERIES) < share * QUERIES
    truth[real] = np.log1p(changed)
    false_share, found = [], []
    for _ in range(sessions):
        claimed = np.isin(session(draw, truth).names, ["slower", "faster"])
        false_share.append((claimed & ~real).sum() / max(claimed.sum(), 1))
        found.append(claimed[real])
    return float(np.mean(false_share)), rate(np.concatenate(found))


def false_coverage(sessions: int, seed: int) -> float:
    """Mean share of the selected comparisons whose false-coverage-rate interval misses the true effect."""
    draw = np.random.default_rng(seed)
    misses = []
    for _ in range(sessions):
        truth = draw.normal(0, 0.05, QUERIES)
        logs = noise.start_effects(Size(QUERIES), draw, sd=0.03, start=0.01)
        logs[:, :, 0] += truth[:, None]
        effects = estimated(logs)
        decisions = decide(effects, np.full(QUERIES, 10), RULES)
        claimed = np.isin(decisions.names, ["slower", "faster"])
        missed = np.abs(effects.effect - truth) > decisions.half_fcr
        misses.append((missed & claimed).sum() / max(claimed.sum(), 1))
    return float(np.mean(misses))


def wrongly_same(make: Make, size: Size, seed: int) -> Rate:
    """SAME or SMALL given to a contender that is slower by exactly the margin: the worst case."""
    logs = make(size, np.random.default_rng(seed))
    logs[:, :, 0] += MARGIN
    decisions = decide(estimated(logs), np.full(len(logs), size.blocks), RULES)
    return rate(np.isin(decisions.names, ["same", "small"]))


def certified(sessions: int, seed: int) -> Rate:
    """SAME or SMALL given where nothing changed."""
    draw = np.random.default_rng(seed)
    truth = np.zeros(QUERIES)
    names = [session(draw, truth).names for _ in range(sessions)]
    return rate(np.isin(np.concatenate(names), ["same", "small"]))


def expected_power(size: Size, change: float, sd: float) -> float:
    """Power of the block t on independent noise by the noncentral t: theory, against the simulation."""
    freedom = size.blocks - 1.0
    shift = np.log1p(change) / (sd / np.sqrt(noise.RUNS) * np.sqrt(1.5 / size.blocks))
    critical = float(quantile(RULES.confidence, np.array(freedom)))
    return 1 - float(special.nctdtr(freedom, shift, critical)) + float(special.nctdtr(freedom, shift, -critical))
