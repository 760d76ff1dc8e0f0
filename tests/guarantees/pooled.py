"""Operations pooled within their template: how many more are the same, and how many of them wrongly."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from weigh.experiment.results.by_template import PART
from weigh.model.rules import RULES
from weigh.statistics.effects import over_blocks, pairs_of_rounds, typical
from weigh.statistics.partial_pooling import shrunk
from weigh.verdict import comparison, totals
from weigh.verdict.decide import decide
from weigh.verdict.refusals import soundness

from . import noise, rates
from .noise import Size
from .rates import MARGIN, Rate
from .row import Row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from weigh.statistics.arrays import Bools, Floats

    Law = Callable[[int], Floats]

TEMPLATES, MEMBERS = 12, 25
"""Of a session of 300 operations."""
DESIGNS = ((6, 2), (10, 4))
"""Starts and rounds."""
MACHINE = "shared machine"
SHOCK = 0.02
"""Standard deviation of what a start does to all operations alike, where it does."""


class Answered(NamedTuple):
    """Operations that are the same, alone and pooled, of the shape of their true effects."""

    alone: Bools
    pooled: Bools
    truth: Floats

    @property
    def shares(self) -> tuple[Rate, Rate]:
        """Of all operations."""
        return rates.rate(self.alone), rates.rate(self.pooled)

    @property
    def wrong(self) -> tuple[Rate, Rate]:
        """Of those that are the same: how many are not inside the margin."""
        beyond = np.abs(self.truth) >= MARGIN - 1e-9
        return rates.rate(beyond[self.alone]), rates.rate(beyond[self.pooled])

    @property
    def beyond(self) -> tuple[Rate, Rate]:
        """Of those that are not inside the margin: how many are the same."""
        beyond = np.abs(self.truth) >= MARGIN - 1e-9
        return rates.rate(self.alone[beyond]), rates.rate(self.pooled[beyond])


def answered(kind: str, truth: Floats, design: tuple[int, int], seed: int, shock: float = 0.0) -> Answered:
    """Sessions under a law.

    Args:
        kind: of noise.
        truth: true effects as logarithms, shape (templates, members).
        design: starts and rounds.
        seed: of the noise.
        shock: standard deviation of what a start does to all operations of a template alike.
    """
    starts, rounds = design
    draw = np.random.default_rng(seed)
    laws = noise.ALL | noise.SKEWED
    single, agree = [], []
    for logs in rates.batches(laws[kind], Size(truth.size, starts, rounds=rounds), seed):
        sides = logs[..., :1, 0], logs[..., -2:, 0]
        single.append(typical(*sides))
        agree.append(comparison.agreeing(single[-1], pairs_of_rounds(*sides)))
    numbers = np.concatenate(single).reshape(*truth.shape, starts) + truth[..., None]
    numbers += draw.normal(0, shock, (len(truth), 1, starts))
    rules, flat = totals.halved(RULES), numbers.reshape(-1, starts)
    names = decide(over_blocks(flat), np.full(len(flat), starts), rules).names
    other = soundness.of_another_kind(*comparison.outlying(flat, np.concatenate(agree)), rules)
    alone = np.isin(soundness.not_equal(names, other), ["same", "small"]).reshape(truth.shape)
    claimed = np.isin(names, ["slower", "faster"]) | other
    pooled = alone | ~claimed.reshape(truth.shape) & np.array([_same(one) for one in numbers])
    return Answered(alone, pooled, truth)


def _same(numbers: Floats) -> Bools:
    found = shrunk(numbers, PART * RULES.equivalence)
    return np.zeros(len(numbers), dtype=np.bool_) if found is None else found.within(MARGIN)


def equal(sessions: int, effect: float = 0.0, members: int = MEMBERS) -> Floats:
    """Every operation has the same effect."""
    return np.full((sessions * TEMPLATES * MEMBERS // members, members), effect)


def by_thirds(sessions: int) -> Floats:
    """Templates move as one: a third not at all, a third by exactly the margin to either side, a third by 5 %."""
    truth = equal(sessions)
    truth[1::3], truth[2::3] = MARGIN, np.log(1.05)
    truth[1::6] *= -1
    return truth


def lone(sessions: int, effect: float = float(np.log(1.05))) -> Floats:
    """One operation of each template differs."""
    truth = equal(sessions)
    truth[:, 0], truth[1::2, 0] = effect, -effect
    return truth


def scattered(sessions: int, seed: int = 5) -> Floats:
    """Operations differ from one another by 2 % (SD)."""
    return np.random.default_rng(seed).normal(0, 0.02, (sessions * TEMPLATES, MEMBERS))


_MIXED: dict[str, Law] = {
    "templates move as one, a third inside the margin": by_thirds,
    "one of 25 is 5 % off": lone,
    "operations scatter by 2 %": scattered,
}
_ORDINARY = "templates move as one, a third inside the margin"


def rows(experiments: int) -> Iterator[Row]:
    """The table."""
    sessions = max(experiments // 500, 4)
    for design in DESIGNS:
        at = f"{MACHINE}, {design[0]} x {design[1]}"
        for members in (MEMBERS, 10):
            alone, pooled = answered(MACHINE, equal(sessions, members=members), design, 51).shares
            met = pooled.within(0.7, 1.0) if members == MEMBERS else True
            goal = ">= 70 %" if members == MEMBERS else "told"
            of = f"{at}, unchanged, templates of {members}"
            yield Row("SAME, pooled", of, goal, pooled.banded, met, f"alone {alone.banded}")
        for name, law in _MIXED.items():
            alone, pooled = answered(MACHINE, law(sessions), design, 52).wrong
            met = pooled.value <= alone.value or (name != _ORDINARY and pooled.within(0.0, 0.05))
            goal = "<= alone" if name == _ORDINARY else "<= 5 %"
            yield Row("wrong of SAME, pooled", f"{at}, {name}", goal, pooled.banded, met, f"alone {alone.banded}")
        alone, pooled = answered(MACHINE, lone(sessions), design, 53).beyond
        of = f"{at}, the one of 25 that is 5 % off"
        yield Row("SAME, pooled", of, "told", pooled.banded, True, f"alone {alone.banded}")
    alone, pooled = answered(MACHINE, equal(sessions), DESIGNS[0], 54, SHOCK).shares
    of = f"{MACHINE}, 6 x 2, unchanged, a start moves all by 2 %"
    yield Row("SAME, pooled", of, "told", pooled.banded, True, f"alone {alone.banded}")
    for kind in noise.ALL | noise.SKEWED:
        for side in (MARGIN, -MARGIN):
            alone, pooled = answered(kind, equal(sessions, side), (10, 4), 55).shares
            of = f"{kind}, 10 x 4, {'slower' if side > 0 else 'faster'} by exactly the margin"
            # Templates are decided as one, so that many are needed.
            met = Rate(round(pooled.value * sessions * TEMPLATES), sessions * TEMPLATES).within(0.0, 0.055)
            yield Row("SAME, pooled", of, "<= 5.5 %", f"{pooled}", met, f"alone {alone}")
