"""Overall ratios: four contenders over twelve operations, as they are judged and ranked."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from weigh.model.verdict import VerdictName
from weigh.statistics.effects import over_blocks, typical
from weigh.verdict.decide import decide

from . import noise, rates
from .noise import Size
from .row import Row

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from weigh.statistics.arrays import Floats

    from .rates import Rate

OPERATIONS, OTHERS, STARTS = 12, 3, 10
"""Operations, contenders alongside the baseline, and starts."""
TOGETHER = 0.01
"""Standard deviation of what a start does to all operations of an arm alike, a logarithm."""
APART = 0.05
"""That of what a change does to one operation, alongside what it does to all."""
PAIRS = tuple(combinations(range(OTHERS + 1), 2))
"""Every two contenders; the baseline is 0."""
_DIFFERENT = (VerdictName.SLOWER.value, VerdictName.FASTER.value)


@dataclass(frozen=True, slots=True)
class Sessions:
    """Arrays of the shape (sessions, pairs).

    Attributes:
        names: of the verdicts, the later contender of a pair over the earlier one.
        missed: whether the 99 % interval leaves the true ratio out.
    """

    names: NDArray[np.str_]
    missed: NDArray[np.bool_]

    @property
    def against_baseline(self) -> NDArray[np.str_]:
        """Those of the pairs with the baseline."""
        return self.names[:, :OTHERS]

    @property
    def any_different(self) -> Rate:
        """Sessions in which any two contenders are SLOWER or FASTER."""
        return rates.rate(np.isin(self.names, _DIFFERENT).any(axis=1))

    def called(self, *names: VerdictName) -> Rate:
        """Share of the pairs with the baseline that have one of these names."""
        return rates.rate(np.isin(self.against_baseline, [one.value for one in names]))

    def first_called(self, name: VerdictName) -> Rate:
        """Share of the sessions in which the first contender has this name."""
        return rates.rate(self.names[:, 0] == name.value)


def sessions(kind: str, count: int, truth: float, seed: int) -> Sessions:
    """Many sessions under one law.

    Args:
        kind: of the noise.
        count: sessions.
        truth: how much slower than the baseline the first contender is over all operations, a logarithm.
        seed: of the random numbers.
    """
    draw = np.random.default_rng(seed)
    size = Size(count * OPERATIONS, STARTS, OTHERS + 2)
    parts = []
    for logs in rates.batches(noise.ALL[kind], size, seed):
        middle, _ = rates.turns(logs)
        parts.append(np.stack([typical(middle[..., at : at + 1], middle[..., -2:]) for at in range(OTHERS)], axis=1))
    blocks = np.concatenate(parts).reshape(count, OPERATIONS, OTHERS, STARTS)
    apart = draw.normal(0, APART, (count, OPERATIONS, OTHERS, 1))
    starts = draw.normal(0, TOGETHER, (count, OTHERS + 2, STARTS))
    together = starts[:, :OTHERS] - starts[:, OTHERS:].mean(axis=1, keepdims=True)
    overall = (blocks + apart - apart.mean(axis=1, keepdims=True)).mean(axis=1) + together
    true = np.zeros(OTHERS + 1)
    true[1] = truth
    levels = np.concatenate([np.zeros((count, 1, STARTS)), overall + true[1:, None]], axis=1)
    names, missed = zip(*(_decided(one, true) for one in levels), strict=True)
    return Sessions(np.stack(names), np.stack(missed))


def _decided(levels: Floats, true: Floats) -> tuple[NDArray[np.str_], NDArray[np.bool_]]:
    found = over_blocks(np.stack([levels[own] - levels[other] for other, own in PAIRS]))
    decisions = decide(found, np.full(len(PAIRS), STARTS), rates.HALVED)
    truth = np.array([true[own] - true[other] for other, own in PAIRS])
    return decisions.names, np.abs(found.effect - truth) > decisions.half


def rows(experiments: int) -> Iterator[Row]:
    """Under every law: no difference; and on both sides of the margin, at it and at 10 %."""
    count = max(experiments // 100, 40)
    for kind in noise.ALL:
        setting = f"{kind}, K=10, 12 operations, 4 contenders"
        equal, over = sessions(kind, count, 0.0, 23), sessions(kind, count, rates.MARGIN, 24)
        under, found = sessions(kind, count, -rates.MARGIN, 25), sessions(kind, count, np.log(1.1), 26)
        wrong, same = equal.any_different, equal.called(VerdictName.SAME, VerdictName.SMALL)
        missed = rates.rate(equal.missed[:, :OTHERS])
        slow = found.first_called(VerdictName.SLOWER)
        yield Row("type-I at 1 %, overall", setting, "<= 1.5 %", missed.banded, missed.within(0.0, 0.015))
        yield Row("any SLOWER or FASTER, overall", setting, "<= 1 %", wrong.banded, wrong.within(0.0, 0.01))
        yield Row("SAME or SMALL, overall", setting, ">= 80 %", same.banded, same.within(0.8, 1.0))
        for one, name in ((over, VerdictName.SLOWER), (under, VerdictName.FASTER)):
            called, hidden = one.first_called(name), one.first_called(VerdictName.SAME)
            yield Row(f"{name}, at the margin, overall", setting, "<= 2.5 %", called.banded, called.within(0.0, 0.025))
            yield Row(
                f"SAME, {name} by the margin, overall", setting, "<= 5 %", hidden.banded, hidden.within(0.0, 0.05)
            )
        yield Row("SLOWER, +10 % on all, overall", setting, ">= 90 %", slow.banded, slow.within(0.9, 1.0))
