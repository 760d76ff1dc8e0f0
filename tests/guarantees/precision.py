"""Adaptive stopping: when sampling ends, and what the verdicts and intervals that are printed then are worth.

Sampling of an operation ends where its interval is narrow at three looks in a row (the effect is not looked at), at one
of the early looks where it is decided, or after the most starts. The functions that decide are those of
:mod:`weigh.verdict.decide`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from weigh.experiment.results.precision.precision import FIRST_LOOK, IN_A_ROW
from weigh.model.rules import FULL_STARTS
from weigh.model.spec import MOST_STARTS, NARROW
from weigh.statistics.effects import Effects, over_blocks
from weigh.statistics.student_t import quantile
from weigh.verdict.decide import EARLY, LOOKS, at_end, decide, decided_early

from . import noise, rates
from .noise import Size
from .rates import HALVED, MARGIN, RULES, Rate, rate
from .row import Row

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from weigh.statistics.arrays import Bools, Floats

    from .rates import Make

OPERATIONS = 24
"""Comparisons of a session."""


@dataclass(frozen=True, slots=True)
class Rule:
    """When an operation is retired for its width.

    Attributes:
        least: starts below which it is not.
        in_a_row: looks at which it must be narrow enough.
        first: starts at the first look.
        early: whether it also ends where it is decided at an early look.
    """

    least: int = FULL_STARTS
    in_a_row: int = IN_A_ROW
    first: int = FIRST_LOOK
    early: bool = True


WEIGH = Rule()
WIDTH_ONLY = Rule(early=False)
EAGER = Rule(least=5, in_a_row=1, early=False)
"""Stops at the first look at which the interval is narrow enough, from five starts on."""


@dataclass(frozen=True, slots=True)
class Ended:
    """Where each experiment ended; arrays of the shape (experiments,).

    Attributes:
        effects: estimated then.
        starts: blocks.
        share: part of the error rates that the figures have.
        early: whether it ended because it was decided at an early look.
    """

    effects: Effects
    starts: NDArray[np.int64]
    share: Floats
    early: Bools

    @property
    def half(self) -> Floats:
        """Half-width of the interval that is printed."""
        level = 1 - (1 - RULES.confidence) * self.share
        return np.asarray(quantile(level, self.effects.freedom) * self.effects.error, dtype=np.float64)


def run(usual: Floats, family: int = OPERATIONS, rule: Rule = WEIGH, narrow: float = NARROW * MARGIN) -> Ended:
    """Ends every experiment on its own, by the rule, or where the blocks end.

    Args:
        usual: one number a block, shape (experiments, blocks).
        family: comparisons of the session.
        rule: of stopping.
        narrow: half-width that is enough, a logarithm.
    """
    count, blocks = usual.shape
    effect, error, skewness, share = np.full((4, count), np.nan)
    starts, streak = np.zeros((2, count), dtype=np.int64)
    early = np.zeros(count, dtype=np.bool_)
    running = np.arange(count)
    for seen in range(rule.first, blocks + 1):
        found = over_blocks(usual[running, :seen])
        effect[running], error[running], starts[running] = found.effect, found.error, seen
        skewness[running] = found.skewness
        # The looks aim at the width that they would have after all of them.
        aimed = 1 - EARLY if rule.early else 1.0
        half = quantile(1 - (1 - RULES.confidence) * aimed, found.freedom) * found.error
        streak[running] = np.where(half <= narrow, streak[running] + 1, 0)
        ended = (streak[running] >= rule.in_a_row) & (seen >= rule.least)
        share[running] = at_end(seen) if rule.early else 1.0
        if rule.early and seen in LOOKS:
            now = decided_early(found, starts[running], HALVED, family) & ~ended
            share[running[now]] = EARLY / len(LOOKS)
            early[running] = now
            ended |= now
        running = running[~ended]
        if len(running) == 0:
            break
    return Ended(Effects(effect, error, starts - 1.0, skewness), starts, share, early)


def ended(make: Make, experiments: int, seed: int, change: float, rule: Rule = WEIGH) -> Ended:
    """Experiments of a law whose candidate is slower by a factor (a logarithm)."""
    usual, _ = rates.blockwise(make, Size(experiments, MOST_STARTS), seed)
    return run(usual + change, rule=rule)


def covered(found: Ended, truth: float) -> Rate:
    """Intervals that hold the true ratio."""
    return rate(np.abs(found.effects.effect - truth) <= found.half)


def claimed_early(found: Ended) -> Bools:
    """What an early look called SLOWER or FASTER."""
    return found.early & (np.abs(found.effects.effect) > MARGIN)


def names(found: Ended, family: int = OPERATIONS) -> NDArray[np.str_]:
    """Verdicts on the typical execution of sessions of so many comparisons, shape (sessions, family)."""
    shape = (len(found.starts) // family, family)
    grouped = zip(*(one.reshape(shape) for one in _columns(found)), strict=True)
    return np.array([decide(Effects(*row[:4]), row[4], HALVED, share=row[5]).names for row in grouped])


def _columns(found: Ended) -> tuple[Floats, ...]:
    effects = found.effects
    return effects.effect, effects.error, effects.freedom, effects.skewness, found.starts, found.share


def discoveries(
    make: Make, sessions: int, seed: int, changed: float = 0.10, real: int = 3
) -> tuple[float, Rate, float]:
    """The worst case: what is unchanged lies exactly at the margin; three of 24 operations are 10 % slower.

    Returns:
        The mean share of false ones among SLOWER and FASTER, the share of the changed ones found, and mean starts.
    """
    usual, _ = rates.blockwise(make, Size(sessions * OPERATIONS, MOST_STARTS), seed)
    truly = np.arange(len(usual)) % OPERATIONS < real
    found = run(usual + np.where(truly, np.log1p(changed), MARGIN)[:, None])
    claimed = np.isin(names(found), rates.CLAIMS)
    true = truly.reshape(claimed.shape)
    false_share = (claimed & ~true).sum(axis=1) / np.maximum(claimed.sum(axis=1), 1)
    return float(false_share.mean()), rate(claimed[true]), float(found.starts.mean())


def noisy_starts(size: Size, draw: np.random.Generator) -> Floats:
    """Start effects of 5 %: hardly narrow after 100 starts."""
    return noise.start_effects(size, draw, start=0.05)


CHANGES = {"unchanged": 0.0, "at the margin": MARGIN, "+5 %": np.log(1.05), "+10 %": np.log(1.10), "3 times": np.log(3)}
LAWS: dict[str, Make] = {
    **{
        name: noise.ALL[name]
        for name in ("iid", "start effects", "sticky bimodal", "5 % spikes", "candidate scatters x5")
    },
    "start effects of 5 %": noisy_starts,
    "shared machine": noise.shared_machine,
}


SPENT = (10, 12, 17, 30)
"""Starts after which a budget ends it: one look less each has had its part of the error rates."""


def rows(experiments: int) -> Iterator[Row]:
    """The rows of the table of guarantees."""
    few = max(experiments // 5, 200)
    for name, make in LAWS.items():
        usual, _ = rates.blockwise(make, Size(few, MOST_STARTS), 31)
        for label, change in CHANGES.items():
            found = run(usual + change)
            one, setting = covered(found, change), f"{name}, {label}"
            said = rate(np.isin(decided(found), rates.CLAIMS))
            other = f"{found.starts.mean():.0f} starts, ended early {rate(found.early)}, SLOWER {said}"
            yield Row("adaptive: coverage at 99 %", setting, ">= 98.5 %", one.banded, one.within(0.985, 1.0), other)
            if label == "at the margin":
                wrong = rate(claimed_early(found))
                limit = EARLY * min(HALVED.fdr / OPERATIONS, 1 - RULES.confidence)
                goal = f"<= {limit:.3%}"
                yield Row("adaptive: early claims that are false", setting, goal, wrong.banded, wrong.within(0, limit))
                equal = rate(np.isin(decided(found), rates.EQUAL))
                yield Row("adaptive: SAME at the margin", setting, "<= 5.5 %", equal.banded, equal.within(0, 0.055))
    for name in ("iid", "start effects", "shared machine"):
        for starts in SPENT:
            found, wrong = by_budget(LAWS[name], few, 35, starts)
            setting = f"{name}, the budget ends it after {starts} starts"
            yield Row("adaptive: coverage at 99 %", setting, ">= 98.5 %", found.banded, found.within(0.985, 1.0))
            yield Row("adaptive: SAME at the margin", setting, "<= 5.5 %", wrong.banded, wrong.within(0, 0.055))
    for name in ("iid", "shared machine"):
        false_share, found, starts = discoveries(LAWS[name], max(few // OPERATIONS, 40), 32)
        setting = f"{name}, 21 of 24 exactly at the margin"
        other = f"{starts:.0f} starts, +10 % found {found}"
        yield Row("adaptive: FDR", setting, "<= 2.5 %", f"{100 * false_share:.2f} %", false_share <= 0.025, other)
    for label, rule in (
        ("three narrow looks from 10 starts on", WIDTH_ONLY),
        ("first narrow look from 5 starts on", EAGER),
    ):
        target, found = worst(noise.iid, experiments // 2, 33, rule)
        setting = f"{label}, half-width {target} SD"
        kept = found.within(0.985, 1.0) if rule is WIDTH_ONLY else None
        yield Row("(width alone) coverage at 99 %", setting, ">= 98.5 %", found.banded, kept)


TARGETS = (1.2, 0.9, 0.7, 0.6, 0.5, 0.4)
"""Half-widths asked for, in standard deviations of a block's number: reached after 10 to 45 starts."""


def worst(make: Make, experiments: int, seed: int, rule: Rule) -> tuple[float, Rate]:
    """The target at which fewest intervals cover, and how many."""
    usual, _ = rates.blockwise(make, Size(experiments, 60), seed)
    spread = float(usual.std())
    found = [(target, covered(run(usual, rule=rule, narrow=target * spread), 0.0)) for target in TARGETS]
    return min(found, key=lambda one: one[1].value)


def by_budget(make: Make, experiments: int, seed: int, starts: int) -> tuple[Rate, Rate]:
    """Where the budget ends sampling: intervals that cover what is unchanged, and SAME at the margin."""
    usual, _ = rates.blockwise(make, Size(experiments, starts), seed)
    wrong = np.concatenate([np.isin(decided(run(usual + side * MARGIN)), rates.EQUAL) for side in (-1, 1)])
    return covered(run(usual), 0.0), rate(wrong)


def decided(found: Ended) -> NDArray[np.str_]:
    """Verdicts of comparisons each of which is alone in its session."""
    return names(found, 1)[:, 0]
