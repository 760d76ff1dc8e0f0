"""Servers under one load: how often the ratio of two percentiles is wrong, when a block is a fresh life of each.

A run is simulated request by request, and gives one number: its percentile by rank. What the laws have in common: every
life has a factor of its own on all times, and another one on its slow requests. Then requests may be slow together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from weigh.statistics.effects import over_blocks, typical
from weigh.verdict.decide import decide

from .rates import CLAIMS, EQUAL, MARGIN, RULES, Rate, excludes, rate, shifted
from .row import Row

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.statistics.arrays import Floats
    from weigh.statistics.effects import Effects

BLOCKS, ARMS, REQUESTS = 10, 3, 2_000
_CELLS = 12_000_000
"""Requests that are drawn at once."""


@dataclass(frozen=True, slots=True)
class Law:
    """How the requests of a run scatter; standard deviations are of logarithms.

    Attributes:
        life: of the factor of a fresh life.
        tail: of the further factor of its slow requests, 3 % of all.
        slow: how much longer they take.
        stalls: how many a run has on average, each of 20 requests.
        length: of a stall, over the typical time.
        correlated: autoregression of the logarithms of the requests, from one to the next.
    """

    life: float = 0.03
    tail: float = 0.10
    slow: float = 3.0
    stalls: float = 0.0
    length: float = 0.0
    correlated: float = 0.0


LAWS = {
    "lives of SD 3 %": Law(),
    "lives of SD 1 %, tails of SD 3 %": Law(life=0.01, tail=0.03),
    "requests that come together (autoregression .9)": Law(correlated=0.9),
    "a stall in a run, now and then": Law(stalls=0.5, length=40.0),
    "three stalls in a run": Law(stalls=3.0, length=10.0),
}
QUANTILES = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "p99.9": 0.999}


def percentiles(law: Law, experiments: int, seed: int) -> Iterator[dict[str, Floats]]:
    """Logarithms of the percentiles of runs, shape (experiments, blocks, 1, arms), in batches."""
    draw = np.random.default_rng(seed)
    most = max(_CELLS // (BLOCKS * ARMS * REQUESTS), 1)
    for first in range(0, experiments, most):
        shape = (min(most, experiments - first), BLOCKS, 1, ARMS)
        logs = _requests(law, shape, draw)
        logs.sort(axis=-1)
        yield {name: logs[..., int(np.ceil(q * REQUESTS - 1e-9)) - 1] for name, q in QUANTILES.items()}


def _requests(law: Law, shape: tuple[int, ...], draw: np.random.Generator) -> Floats:
    logs = draw.standard_normal((*shape, REQUESTS), dtype=np.float32).astype(np.float64)
    if law.correlated:
        keep = np.sqrt(1 - law.correlated**2)
        for at in range(1, REQUESTS):
            logs[..., at] = law.correlated * logs[..., at - 1] + keep * logs[..., at]
    logs *= 0.3
    slow = draw.random((*shape, REQUESTS), dtype=np.float32) < 0.03
    factor = np.log(law.slow) + draw.normal(0, law.tail, shape)
    logs += slow * factor[..., None]
    if law.stalls:
        number = draw.poisson(law.stalls, shape)
        for at in range(int(number.max(initial=0))):
            begin = draw.integers(0, REQUESTS - 20, shape)
            met = number > at
            for place in range(20):
                index = (*np.nonzero(met), (begin + place)[met])
                logs[index] = np.logaddexp(logs[index], np.log(law.length * (20 - place) / 20))
    return np.asarray(logs + draw.normal(0, law.life, shape)[..., None], dtype=np.float64)


def effects(law: Law, experiments: int, seed: int) -> dict[str, Effects]:
    """What is estimated of two servers that are the same, by percentile: one number a block, as of every verdict."""
    blocks: dict[str, list[Floats]] = {name: [] for name in QUANTILES}
    for found in percentiles(law, experiments, seed):
        for name, own in found.items():
            blocks[name].append(typical(own[..., :1], own[..., 1:]))
    return {name: over_blocks(np.concatenate(parts)) for name, parts in blocks.items()}


@dataclass(frozen=True, slots=True)
class Kept:
    """What one law keeps, of one percentile.

    Attributes:
        wrong: a difference found where there is none, at nominal 1 %.
        claimed: SLOWER or FASTER where there is none.
        covered: 99 % intervals that hold a true ratio of 1.1.
        same: SAME or SMALL at exactly the margin.
    """

    wrong: Rate
    claimed: Rate
    covered: Rate
    same: Rate


def kept(found: Effects) -> Kept:
    """What follows from the effects of many experiments."""
    starts = np.full(len(found.effect), BLOCKS)
    by = float(np.log(1.1))
    named = decide(found, starts, RULES).names
    return Kept(
        wrong=rate(excludes(found)),
        claimed=rate(np.isin(named, CLAIMS)),
        covered=rate(~excludes(shifted(found, by), by)),
        same=rate(np.isin(decide(shifted(found, MARGIN), starts, RULES).names, EQUAL)),
    )


GOALS = {"wrong": (0.0, 0.015), "claimed": (0.0, 0.01), "covered": (0.98, 1.0), "same": (0.0, 0.055)}
"""Between which shares each must lie."""
_SAID = {
    "wrong": ("ratio of percentiles, type-I at 1 %", "<= 1.5 %"),
    "claimed": ("SLOWER or FASTER of equal servers", "<= 1 %"),
    "covered": ("coverage of the 99 % interval", ">= 98 %"),
    "same": ("SAME at exactly the margin", "<= 5.5 %"),
}


def rows(experiments: int) -> Iterator[Row]:
    """The rows of the table of guarantees."""
    for name, law in LAWS.items():
        for percentile, own in effects(law, max(experiments // 4, 200), 91).items():
            got = kept(own)
            for field, (what, goal) in _SAID.items():
                reached: Rate = getattr(got, field)
                setting = f"{percentile} of two equal servers, {name}, K={BLOCKS}"
                yield Row(what, setting, goal, reached.banded, reached.within(*GOALS[field]))
