"""Joins: how often the verdicts on two sessions do what they promise.

A session has a speed of its own that all its arms share; that is what the join assumes. Everything else is noise of the
kinds of :mod:`guarantees.noise`, drawn for each session by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from weigh.compare.join import decided
from weigh.compare.reference_shift import LEVEL, uneven
from weigh.statistics.effects import Effects
from weigh.statistics.welch import welch

from . import noise, rates
from .noise import Size
from .rates import MARGIN, RULES, Rate, rate

if TYPE_CHECKING:
    from collections.abc import Callable

    from weigh.model.rules import Rules
    from weigh.statistics.arrays import Floats
    from weigh.verdict.decide import Decisions

    Make = Callable[[Size, np.random.Generator], Floats]

Blocks = tuple[int, int]
SPEED = 0.05
"""Standard deviation of the logarithm of a session's speed."""


def session(make: Make, experiments: int, blocks: int, draw: np.random.Generator, change: float = 0.0) -> Floats:
    """Executions of many sessions, arm 0 the candidate and the last two the reference."""
    logs = make(Size(experiments, blocks), draw)
    logs = logs + draw.normal(0, SPEED, (experiments, 1, 1, 1, 1))
    logs[:, :, :, 0] += np.log1p(change)
    return logs


def two(
    makes: tuple[Make, Make], experiments: int, blocks: Blocks, seed: int, change: float = 0.0
) -> tuple[Effects, Effects]:
    """Candidate over reference in both sessions; in the second one the candidate is slower by ``change``."""
    first, second = (
        rates.both(
            lambda size, draw, make=make, by=by: session(make, size.experiments, size.blocks, draw, by),  # type: ignore[misc]
            Size(experiments, count),
            2 * seed + number,
        ).typical
        for number, (make, count, by) in enumerate(zip(makes, blocks, (0.0, change), strict=True))
    )
    return first, second


def type_one(makes: tuple[Make, Make], experiments: int, blocks: Blocks, seed: int) -> Rate:
    """Differences claimed at 99 % where there is none."""
    return rate(rates.excludes(welch(*two(makes, experiments, blocks, seed))))


def coverage(makes: tuple[Make, Make], experiments: int, blocks: Blocks, seed: int, change: float = 0.08) -> Rate:
    """99 % intervals that hold the true change."""
    joined = welch(*two(makes, experiments, blocks, seed, change))
    return rate(~rates.excludes(joined, value=float(np.log1p(change))))


def verdicts(
    makes: tuple[Make, Make], experiments: int, blocks: Blocks, seed: int, change: float = 0.0, rules: Rules = RULES
) -> Decisions:
    """What is decided about many comparisons of one join."""
    starts = tuple(np.full(experiments, count) for count in blocks)
    return decided(two(makes, experiments, blocks, seed, change), (starts[0], starts[1]), rules)[1]


def any_claimed(joins: int, comparisons: int, seed: int, rules: Rules = RULES) -> Rate:
    """Joins of sessions in which nothing changed that have a SLOWER or a FASTER nevertheless."""
    kinds = noise.start_effects, noise.start_effects
    seeds = range(seed, seed + joins)
    claimed = [verdicts(kinds, comparisons, (10, 10), each, rules=rules).selected > 0 for each in seeds]
    return rate(np.array(claimed))


def wrongly_same(makes: tuple[Make, Make], experiments: int, blocks: Blocks, seed: int) -> Rate:
    """SAME or SMALL given to a contender that is slower by exactly the margin: the worst case."""
    names = verdicts(makes, experiments, blocks, seed, change=RULES.margin).names
    return rate(np.isin(names, ["same", "small"]))


def discoveries(joins: int, seed: int, changed: float = 0.20, share: float = 0.1) -> tuple[float, Rate]:
    """The worst case: the unchanged comparisons lie exactly at the margin.

    Returns:
        The mean share of false ones among SLOWER and FASTER, and the share of the changed ones found.
    """
    draw = np.random.default_rng(seed)
    real = np.arange(rates.QUERIES) < share * rates.QUERIES
    truth = np.where(real, np.log1p(changed), MARGIN)
    starts = np.full(rates.QUERIES, 10)
    false_share, found = [], []
    for _ in range(joins):
        logs = [session(noise.start_effects, rates.QUERIES, 10, draw) for _ in range(2)]
        logs[1][:, :, :, 0] += truth[:, None, None, None]
        _, decisions = decided((rates.estimated(logs[0]), rates.estimated(logs[1])), (starts, starts), RULES)
        claimed = np.isin(decisions.names, ["slower", "faster"])
        false_share.append((claimed & ~real).sum() / max(claimed.sum(), 1))
        found.append(claimed[real])
    return float(np.mean(false_share)), rate(np.concatenate(found))


def direct(experiments: int, blocks: int, seed: int) -> Rate:
    """The lie: times of the second session over times of the first, without a reference."""
    draw = np.random.default_rng(seed)
    logs = [session(noise.start_effects, experiments, blocks, draw)[:, :, :, 0].mean(axis=(2, 3)) for _ in range(2)]
    means = [
        Effects(one.mean(axis=1), one.std(axis=1, ddof=1) / np.sqrt(blocks), np.full(experiments, blocks - 1.0))
        for one in logs
    ]
    return rate(rates.excludes(welch(*means)))


def called_uneven(experiments: int, operations: int, blocks: Blocks, seed: int, bent: float = 0.0) -> Rate:
    """Joins whose reference is said to have moved unevenly; ``bent`` is by how much more the first operation moved."""
    draw = np.random.default_rng(seed)
    hits = []
    for _ in range(experiments):
        first, second = (
            draw.normal(0, SPEED, (1, 1))
            + draw.normal(0, 0.02, (count, 1))
            + draw.normal(0, noise.SD, (count, operations))
            for count in blocks
        )
        second[:, 0] += np.log1p(bent)
        hits.append(uneven(first, second)[1].min() < LEVEL)
    return rate(np.array(hits))
