"""Templates: what the interval of a mean over many operations is worth, and how often it is decided wrongly."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from weigh.statistics.effects import over_blocks
from weigh.verdict.decide import decide

from . import noise, rates
from .noise import Size
from .row import Row

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.statistics.effects import Effects

    from .rates import Rate

MEMBERS = 10
"""Operations of a template."""
STARTS = 10
APART = 0.05
"""Standard deviation of what the change does to one operation, a logarithm."""
TOGETHER = 0.03
"""That of what a start does to all operations alike."""


def estimated(kind: str, templates: int, seed: int) -> Effects:
    """Of so many templates whose mean did not change, though their operations did."""
    draw = np.random.default_rng(seed)
    single, _ = rates.blockwise(noise.ALL[kind], Size(templates * MEMBERS, STARTS), seed)
    own = draw.normal(0, APART, (templates, MEMBERS, 1))
    own -= own.mean(axis=1, keepdims=True)
    together = draw.normal(0, TOGETHER, (templates, 1, STARTS))
    return over_blocks((single.reshape(templates, MEMBERS, STARTS) + own + together).mean(axis=1))


def missed(found: Effects) -> Rate:
    """How often the 99 % interval leaves the mean out."""
    return rates.rate(rates.excludes(found))


def called_different(found: Effects) -> Rate:
    """How often one is SLOWER or FASTER."""
    starts = np.full(len(found.effect), STARTS)
    return rates.rate(np.isin(decide(found, starts, rates.HALVED).names, ["slower", "faster"]))


def rows(experiments: int) -> Iterator[Row]:
    """Under every law."""
    for kind in noise.ALL:
        found = estimated(kind, max(experiments // MEMBERS, 100), 17)
        wrong, called = missed(found), called_different(found)
        kept = wrong.within(0.0, 0.015)
        yield Row("type-I at 1 %, templates", f"{kind}, K=10, 10 operations", "<= 1.5 %", wrong.banded, kept)
        yield Row(
            "SLOWER or FASTER, templates", f"{kind}, mean unchanged", "<= 0.1 %", str(called), called.value <= 0.001
        )
