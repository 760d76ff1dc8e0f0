"""What other tools use, on the same simulated executions: ClickHouse's T, Mann-Whitney as benchstat has it, Welch.

All of them take single executions, shape (experiments, executions) in logarithms, and know no starts.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import scipy
from scipy import special

from weigh.statistics import student_t
from weigh.verdict import clickhouse_rule
from weigh.verdict.decide import decide, step_up

from . import noise, rates
from .noise import Size
from .rates import RULES, Rate, rate

if TYPE_CHECKING:
    from collections.abc import Callable

    from weigh.statistics.arrays import Bools, Floats

    Test = Callable[[Floats, Floats], Bools]

ALPHA = 1 - RULES.confidence
EXACT_UP_TO = 50
"""Executions a side up to which benchstat takes the exact law of U (golang.org/x/perf/internal/stats)."""


def mann_whitney(new: Floats, old: Floats) -> Floats:
    """Two-sided p-values; ties, or many executions, take the normal law with corrections for ties and continuity."""
    a, b = new.shape[1], old.shape[1]
    pooled = np.concatenate([new, old], axis=1)
    ranks = scipy.stats.rankdata(pooled, axis=1)
    u = ranks[:, :a].sum(axis=1) - a * (a + 1) / 2
    u = np.minimum(u, a * b - u)
    ordered = np.sort(pooled, axis=1)
    tied = (ordered[:, 1:] == ordered[:, :-1]).any(axis=1)
    if max(a, b) <= EXACT_UP_TO and not tied.any():
        return np.minimum(2 * _law_of_u(a, b)[u.astype(np.int64)], 1.0)
    ties = np.array([((counts := np.unique(row, return_counts=True)[1]) ** 3 - counts).sum() for row in pooled[tied]])
    count, squares = a + b, np.zeros(len(pooled))
    squares[tied] = ties
    sd = np.sqrt(a * b / 12 * (count + 1 - squares / (count * (count - 1))))
    return np.asarray(2 * special.ndtr(np.minimum((u + 0.5 - a * b / 2) / sd, 0)), dtype=np.float64)


@cache
def _law_of_u(a: int, b: int) -> Floats:
    """P(U <= u) without ties."""
    # ways[k, s]: subsets of k of the pooled ranks seen so far whose sum is s.
    ways = np.zeros((a + 1, a * (a + b) + 1))
    ways[0, 0] = 1
    for rank in range(1, a + b + 1):
        ways[1:, rank:] = ways[1:, rank:] + ways[:-1, :-rank]
    least = a * (a + 1) // 2
    law = ways[a, least : least + a * b + 1]
    return np.asarray(np.cumsum(law) / law.sum(), dtype=np.float64)


def welch(new: Floats, old: Floats) -> Floats:
    """Two-sided p-values of Welch's t of the logarithms."""
    parts = [side.var(axis=1, ddof=1) / side.shape[1] for side in (new, old)]
    freedom = (parts[0] + parts[1]) ** 2 / (parts[0] ** 2 / (new.shape[1] - 1) + parts[1] ** 2 / (old.shape[1] - 1))
    statistic = np.abs(new.mean(axis=1) - old.mean(axis=1)) / np.sqrt(parts[0] + parts[1])
    return student_t.two_sided(statistic, freedom)


def beyond_t(new: Floats, old: Floats) -> Bools:
    """Whether the difference of the medians exceeds ClickHouse's T."""
    difference, bound = clickhouse_rule.measures(np.exp(new), np.exp(old))
    return np.asarray(np.abs(difference) > bound)


def changed(new: Floats, old: Floats) -> Bools:
    """What ClickHouse's rule calls changed."""
    return np.asarray(clickhouse_rule.rule(*clickhouse_rule.measures(np.exp(new), np.exp(old))) == "changed")


TESTS: dict[str, Test] = {
    "T": beyond_t,
    "Mann-Whitney": lambda new, old: mann_whitney(new, old) <= ALPHA,
    "Welch": lambda new, old: welch(new, old) <= ALPHA,
}
"""Tests at nominal 1 %."""


def sides(logs: Floats) -> tuple[Floats, Floats]:
    """Executions of the candidate and of both arms of the baseline, shape (experiments, blocks, arms, runs) before."""
    return logs[:, :, 0].reshape(len(logs), -1), logs[:, :, -2:].reshape(len(logs), -1)


def on_kind(kind: str, size: Size, change: float, seed: int) -> str:
    """Every test on the executions that the verdicts are made of: shares of differences found."""
    return on(noise.executions(noise.ALL[kind], size, np.random.default_rng(seed)), change)


def on(logs: Floats, change: float) -> str:
    """Every test on executions in which the candidate is made slower by ``change``."""
    logs[:, :, 0] += np.log1p(change)
    return told({name: rate(test(*sides(logs))) for name, test in TESTS.items()})


def told(found: dict[str, Rate]) -> str:
    """Rates by test in one line."""
    return ", ".join(f"{name} {one.value:.1%}" for name, one in found.items())


def started(experiments: int, starts: int, runs: int, seed: int, start: float = 0.01, sd: float = 0.02) -> Floats:
    """Executions of two arms, equal but for their starts: shape (experiments, starts, 2, runs)."""
    draw = np.random.default_rng(seed)
    offsets = draw.normal(0, start, (experiments, starts, 2, 1))
    return np.asarray(offsets + draw.normal(0, sd, (experiments, starts, 2, runs)), dtype=np.float64)


def of_starts(experiments: int, starts: int, runs: int, seed: int) -> dict[str, Rate]:
    """Type-I errors of every test when so many executions come from so few starts."""
    logs = started(experiments, starts, runs, seed)
    new, old = (logs[:, :, arm].reshape(experiments, -1) for arm in (0, 1))
    return {name: rate(test(new, old)) for name, test in TESTS.items()}


def refused(experiments: int, starts: int, runs: int, seed: int) -> Rate:
    """How often weigh gives no verdict on the same design, its baseline started twice."""
    draw = np.random.default_rng(seed)
    logs = noise.start_effects(Size(experiments, starts, rounds=runs), draw, sd=0.02, start=0.01)
    names = decide(rates.estimated(logs), np.full(experiments, starts), RULES).names
    return rate(names == "refused")


def false_alarms(sessions: int, starts: int, runs: int, seed: int) -> dict[str, float]:
    """Alarms a commit of 3,000 unchanged queries: Mann-Whitney with false discoveries at 5 %, and ClickHouse's rule."""
    found = {"Mann-Whitney and Benjamini-Hochberg": 0.0, "T": 0.0, "ClickHouse's rule": 0.0}
    for session in range(sessions):
        logs = started(rates.QUERIES, starts, runs, seed + session)
        new, old = (logs[:, :, arm].reshape(rates.QUERIES, -1) for arm in (0, 1))
        alarms = step_up(mann_whitney(new, old), RULES.fdr), beyond_t(new, old), changed(new, old)
        for name, alarm in zip(found, alarms, strict=True):
            found[name] += alarm.sum() / sessions
    return found


def recall(experiments: int, change: float, seed: int) -> dict[str, Rate]:
    """What finds a change on 10 starts of 4 executions of SD 3 %, starts of 1 %."""
    logs = started(experiments, 10, noise.ROUNDS, seed, sd=0.03)
    new, old = (logs[:, :, arm].reshape(experiments, -1) for arm in (0, 1))
    new = new + np.log1p(change)
    gate = (
        np.abs(clickhouse_rule.median(np.exp(new)) / clickhouse_rule.median(np.exp(old)) - 1) >= clickhouse_rule.SMALL
    )
    return {
        "ClickHouse's rule": rate(changed(new, old)),
        "Mann-Whitney": rate(mann_whitney(new, old) <= ALPHA),
        "|D| >= 5 %": rate(gate),
    }


def threshold_follows_effect(experiments: int, seed: int) -> Rate:
    """How often T is 10 % or more where the noise has a CV of 1 % and the change is 10 %, seven runs a side."""
    draw = np.random.default_rng(seed)
    old = draw.normal(0, 0.01, (experiments, 7))
    new = draw.normal(np.log1p(0.10), 0.01, (experiments, 7))
    return rate(clickhouse_rule.measures(np.exp(new), np.exp(old))[1] >= clickhouse_rule.UNSTABLE)


def rerun(experiments: int, attempts: int, seed: int) -> Rate:
    """Welch on batches of ten, unchanged, run again until one of them shows a difference."""
    draw = np.random.default_rng(seed)
    sizes = (attempts, experiments, 10)
    new, old = draw.normal(0, noise.SD, sizes), draw.normal(0, noise.SD, sizes)
    return rate(np.array([welch(one, other) <= ALPHA for one, other in zip(new, old, strict=True)]).any(axis=0))


def peeked(experiments: int, seed: int) -> Rate:
    """The paired t looked at after each of the pairs 5 to 100."""
    draw = np.random.default_rng(seed)
    pairs = draw.normal(0, 1, (experiments, 100))
    count = np.arange(1, 101)
    mean = np.cumsum(pairs, axis=1) / count
    squares = np.cumsum(pairs**2, axis=1) - count * mean**2
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = np.abs(mean) / np.sqrt(squares / (count - 1) / count)
    return rate((student_t.two_sided(statistic[:, 4:], count[4:] - 1.0) <= ALPHA).any(axis=1))


def attempts(experiments: int, seed: int, most: int, margin: float = RULES.margin) -> tuple[Rate, Rate]:
    """Our own experiment of ten starts run again, every attempt pooled, and every attempt's verdict looked at.

    Returns:
        Experiments with any SLOWER or FASTER, and with any 99 % interval that excludes 1.
    """
    logs = noise.iid(Size(experiments, 10 * most), np.random.default_rng(seed))
    claimed, excluded = np.zeros((2, experiments), dtype=np.bool_)
    for attempt in range(1, most + 1):
        effects = rates.estimated(logs[:, : 10 * attempt])
        half = student_t.quantile(RULES.confidence, effects.freedom) * effects.error
        excluded |= np.abs(effects.effect) > half
        claimed |= np.abs(effects.effect) - half > np.log1p(margin)
    return rate(claimed), rate(excluded)
