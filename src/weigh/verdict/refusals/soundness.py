"""Soundness: what figures must not have to be decided on, whatever the interval says. Pure.

Three things make an interval narrow without making it true: a clock whose ticks are larger than the margin gives the
same number again and again; where starts of one side are missing, the missing ones may be the slow ones; and a few
starts of another kind among the rest (one in twenty is slower by 30 %) are observed too rarely to be weighed.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from weigh.model.build import MIN_BUILDS
from weigh.model.verdict import VerdictName
from weigh.verdict import dependence, reasons

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from weigh.model.rules import Rules
    from weigh.model.verdict import Reason
    from weigh.statistics.arrays import Bools, Floats, Ints
    from weigh.statistics.effects import Effects
    from weigh.verdict.comparison import Comparisons

_EQUAL = [VerdictName.SAME.value, VerdictName.SMALL.value]


def coarse(compared: Comparisons, rules: Rules) -> Bools:
    """Comparisons whose clock ticks in steps larger than the margin, or too large to be observed at all.

    At a margin of 0 every clock does: only what is all the same counts then.
    """
    found: Bools = np.isinf(compared.step) | (compared.step > (rules.margin or np.inf))
    return found


def with_rounding(compared: Comparisons) -> Comparisons:
    """The comparisons with what a clock's ticks add to the errors, for metrics that are read from a clock.

    Where a block's number varies by less than half a tick, rounding does not average out: it is the same in every
    start. Each side is off by up to half a tick, evenly, which is a variance of ``tick**2 / 12``.
    """
    effects, totals = (
        rounded(effects, compared.starts, compared.step) for effects in (compared.effects, compared.totals)
    )
    return replace(compared, effects=effects, totals=totals)


def rounded(effects: Effects, starts: Ints, step: Floats) -> Effects:
    """The same of effects alone; the arguments are those of :class:`weigh.verdict.comparison.Comparisons`."""
    tick = np.where(np.isfinite(step), step, 0.0)
    hidden = effects.error * np.sqrt(starts) < tick / 2
    return replace(effects, error=np.where(hidden, np.hypot(effects.error, tick / np.sqrt(6)), effects.error))


def lossy(compared: Comparisons, attempts: int) -> Bools:
    """Comparisons that lack turns of one arm: in more than the last block of every attempt, which may be broken off."""
    found: Bools = compared.lost > attempts
    return found


def other_starts(compared: Comparisons, rules: Rules) -> Bools:
    """Comparisons with starts of another kind, further away than the margin."""
    return of_another_kind(compared.outlying, compared.apart, rules)


def of_another_kind(outlying: Ints, apart: Floats, rules: Rules) -> Bools:
    """The same, of what :func:`weigh.verdict.comparison.outlying` found."""
    found: Bools = (outlying > 0) & (np.abs(apart) > np.log1p(rules.margin))
    return found


def few_builds(compared: Comparisons) -> Bools:
    """Comparisons of several builds, of which too few are different."""
    found: Bools = (compared.builds > 0) & (compared.builds < MIN_BUILDS)
    return found


def dependent(compared: Comparisons) -> Bools:
    """Comparisons whose starts depend on the one before: the error of a mean of so many is not what they scatter by."""
    found: Bools = compared.p_dependent < dependence.LEVEL
    return found


def unfit(compared: Comparisons, attempts: int, rules: Rules, *, clock: bool) -> Bools:
    """Comparisons that are refused whatever they show.

    Args:
        compared: the comparisons.
        attempts: of the experiment.
        rules: with the margin.
        clock: whether the metric is read from a clock.
    """
    lost = lossy(compared, attempts) | few_builds(compared) | dependent(compared)
    return lost | coarse(compared, rules) if clock else lost


def no_same(names: NDArray[np.str_], compared: Comparisons, rules: Rules) -> NDArray[np.str_]:
    """The verdicts, where equality is not said over starts of another kind."""
    return not_equal(names, other_starts(compared, rules))


def not_equal(names: NDArray[np.str_], other: Bools) -> NDArray[np.str_]:
    """The verdicts, open where they would say equality over what is marked."""
    return np.where(np.isin(names, _EQUAL) & other, VerdictName.UNRESOLVED.value, names)


def why(compared: Comparisons, at: int, attempts: int, rules: Rules, *, clock: bool) -> Iterator[Reason]:
    """Why the comparison at position ``at`` is refused."""
    if lossy(compared, attempts)[at]:
        yield reasons.lost(int(compared.lost[at]))
    if few_builds(compared)[at]:
        yield reasons.few_builds(int(compared.builds[at]))
    if dependent(compared)[at]:
        yield reasons.dependent(int(compared.starts[at]))
    if clock and coarse(compared, rules)[at] and np.isfinite(compared.step[at]):
        yield reasons.clock(float(compared.step[at]), rules.margin)


def warnings(compared: Comparisons, at: int, rules: Rules) -> Iterator[Reason]:
    """What is to be known about its starts."""
    if other_starts(compared, rules)[at]:
        yield reasons.other_starts(int(compared.outlying[at]), int(compared.starts[at]), float(compared.apart[at]))
