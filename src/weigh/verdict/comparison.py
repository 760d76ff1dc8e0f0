"""Comparisons: candidates against the baseline, each on one question.

Only the arms of the two contenders enter: what a third contender does cannot change the ratio of these two.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from weigh.model.rules import Typical
from weigh.statistics import student_t
from weigh.statistics.effects import Effects, over_blocks, pairs_of_rounds, total
from weigh.statistics.groups import Grouped, joined, over_groups
from weigh.statistics.order_statistics import Groups
from weigh.verdict import carry_over, dependence
from weigh.verdict.timings import median_logs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.statistics.arrays import Bools, Floats, Ints
    from weigh.verdict.table import Table, Turns

OUTLYING = 6.0
"""Robust standard deviations from the middle beyond which a start may be one of another kind."""
AGREEING = 2 / 3
"""Part of a start's distance from the middle that a pair of each of its rounds must keep, on the same side.

What a start is, all of its rounds are; what disturbs some of them is noise. One pair of a round is enough, because what
disturbs one arm of the baseline would hide a slow start in the other pairs.
"""
SPARED = 6
"""Rounds of which one may keep less."""
TICK = 1e-3
"""A spread below a thousandth is not told from none: what lies further off than six of it is of another kind."""
_TIED, _TIES = 10, 0.2
"""Measurements, and the share of them that equal their neighbour, from which on a clock is observed to tick."""
_ROBUST = 1.4826
"""Standard deviation over the median absolute deviation of normal noise."""


@dataclass(frozen=True, slots=True)
class Comparisons:
    """Arrays of the shape (comparisons,).

    Attributes:
        effects: candidate over baseline, what one execution usually takes.
        totals: candidate over baseline, what one waits in all.
        starts: blocks in which both were measured.
        lost: blocks in which one of their arms lacks a turn that another has: same case, same round.
        runs: executions a start of the candidate, the median over its starts.
        executions: of the two the fewer, all starts together.
        median: difference of the logarithms of the medians.
        floor: the baseline's second arm over its first, as a logarithm; NaN where there is no second.
        p_trend: p-value of "the ratio does not drift from block to block"; NaN below four blocks.
        outlying: starts whose ratio is of another kind than that of the rest, all on the same side.
        apart: how far the middle of those is from the middle of all, a logarithm; 0 where there is none.
        step: smallest step between two different values, over the smaller median: how coarse the clock is; 0 where it
            is fine, infinity where all values are the same.
        builds: pairs of builds that were measured, where a side has several (:mod:`weigh.statistics.groups`); 0 where
            neither has.
        rebuilt: standard deviation that another pair of builds brings, a logarithm; NaN where no pair had two starts.
        carried: by how much longer the baseline took right after the candidate, a logarithm; such turns are left out
            (:mod:`weigh.verdict.carry_over`). 0 where that is not distinguished from none.
        p_dependent: p-value of "a start says nothing about the next", of the question or of all together
            (:mod:`weigh.verdict.dependence`); NaN below ten starts.
    """

    effects: Effects
    totals: Effects
    starts: Ints
    lost: Ints
    runs: Ints
    executions: Ints
    median: Floats
    floor: Floats
    p_trend: Floats
    outlying: Ints
    apart: Floats
    step: Floats
    builds: Ints
    rebuilt: Floats
    carried: Floats
    p_dependent: Floats


def compare(table: Table, pairs: Sequence[tuple[int, int]], baseline: int) -> Comparisons:
    """Estimates the pairs (number of a question, number of a candidate)."""
    turns, counts, medians = table.turns(), table.counts(), median_logs(table)
    question, candidate = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    usual, whole = np.full((2, len(pairs), table.blocks), np.nan)
    agree = np.zeros((len(pairs), table.blocks), dtype=np.bool_)
    runs, lost = np.zeros((2, len(pairs)), dtype=np.int64)
    base = np.flatnonzero(table.contender_of == baseline)
    carried = np.zeros(len(pairs))
    for number in np.unique(candidate):
        own = np.flatnonzero(table.contender_of == number)
        rows = np.flatnonzero(candidate == number)
        there = question[rows]
        size = carry_over.carried(table, turns, number, base)
        fair = carry_over.without(turns, table, number, base, size)
        usual[rows], whole[rows] = (found[there] for found in _differences(table, fair, own, base))
        agree[rows] = agreeing(usual[rows], _of_rounds(table, fair, own, base)[there])
        carried[rows] = size[there]
        runs[rows] = _typical(counts[there][..., own].reshape(len(there), -1))
        lost[rows] = _lost(table, turns, np.concatenate([own, base]))[there].sum(axis=1)
    executions = table.executions()
    effects, totals = (Effects(*np.full((4, len(pairs)), np.nan)) for _ in range(2))
    builds, rebuilt = np.zeros(len(pairs), dtype=np.int64), np.full(len(pairs), np.nan)
    for number in np.unique(candidate):
        rows = np.flatnonzero(candidate == number)
        found = over_starts(table, number, baseline, usual[rows])
        put(effects, rows, found.effects)
        put(totals, rows, over_starts(table, number, baseline, whole[rows]).effects)
        builds[rows], rebuilt[rows] = found.groups, found.spread
    others, apart = outlying(usual, agree)
    return Comparisons(
        effects=effects,
        totals=totals,
        starts=(~np.isnan(usual)).sum(axis=1),
        lost=lost,
        runs=runs,
        executions=np.minimum(executions[question, candidate], executions[question, baseline]),
        median=medians[question, candidate] - medians[question, baseline],
        floor=self_comparison(table, baseline)[0].effect[question],
        p_trend=_p_trend(usual),
        outlying=others,
        apart=apart,
        step=_steps(table, pairs, baseline),
        builds=builds,
        rebuilt=rebuilt,
        carried=carried,
        p_dependent=np.full(len(usual), np.nan)
        if table.typical is Typical.PAIRS
        else dependence.p_dependent(usual, candidate),
    )


@dataclass(frozen=True, slots=True)
class Estimates:
    """What a look between the blocks reads: as in :class:`Comparisons`."""

    effects: Effects
    starts: Ints
    step: Floats


def estimate(table: Table, pairs: Sequence[tuple[int, int]], baseline: int) -> Estimates:
    """Estimates the pairs (number of a question, number of a candidate), and no more; as :func:`compare`."""
    turns = table.turns()
    question, candidate = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    usual = np.full((len(pairs), table.blocks), np.nan)
    effects = Effects(*np.full((4, len(pairs)), np.nan))
    for number in np.unique(candidate):
        rows = np.flatnonzero(candidate == number)
        usual[rows] = _usual(table, turns, number, baseline)[question[rows]]
        put(effects, rows, over_starts(table, number, baseline, usual[rows]).effects)
    return Estimates(effects, (~np.isnan(usual)).sum(axis=1), _steps(table, pairs, baseline))


def over_starts(table: Table, candidate: int, baseline: int, differences: Floats) -> Grouped:
    """The mean over the starts with its error; of several builds of a side, over groups of starts that share one.

    Args:
        table: of the experiment.
        candidate: number of a contender.
        baseline: number of the other one.
        differences: one number a block, shape (comparisons, blocks), NaN where a block has none.

    Returns:
        ``groups`` is 0 where each side has one build.
    """
    group = None if table.builds is None else joined(table.builds[:, candidate], table.builds[:, baseline])
    if group is not None:
        return over_groups(differences, group)
    none = np.zeros(len(differences), dtype=np.int64)
    return Grouped(over_blocks(differences), none, np.full(len(differences), np.nan))


def put(whole: Effects, rows: Ints, part: Effects) -> None:
    """Fill in what was estimated of some rows."""
    whole.effect[rows], whole.error[rows] = part.effect, part.error
    whole.freedom[rows], whole.skewness[rows] = part.freedom, part.skewness


def self_comparison(table: Table, baseline: int) -> tuple[Effects, Ints]:
    """Estimates the baseline's second arm over its first, and counts the blocks in which both were measured.

    Returns:
        Arrays of the shape (questions,).
    """
    arms = np.flatnonzero(table.contender_of == baseline)[:2]
    if len(arms) < 2:
        missing = np.full((4, len(table.questions)), np.nan)
        return Effects(*missing), np.zeros(len(table.questions), dtype=np.int64)
    usual, _ = _differences(table, table.turns(), arms[1:], arms[:1])
    return over_blocks(usual), (~np.isnan(usual)).sum(axis=1)


def typical_differences(table: Table, candidate: str, baseline: str) -> Floats:
    """What one execution usually takes, candidate over baseline, as a logarithm of shape (questions, blocks)."""
    return _usual(table, table.turns(), table.contenders.index(candidate), table.contenders.index(baseline))


def _usual(table: Table, turns: Turns, candidate: int, baseline: int) -> Floats:
    own, base = (np.flatnonzero(table.contender_of == number) for number in (candidate, baseline))
    fair = carry_over.without(turns, table, candidate, base, carry_over.carried(table, turns, candidate, base))
    return table.by_question(table.usual(fair.middle[..., own], fair.middle[..., base]))


@dataclass(frozen=True, slots=True)
class Components:
    """Variances of the number that a start gives.

    Attributes:
        total: over the starts.
        rounds: the part of it that the rounds leave, from the difference between the odd and the even ones.
    """

    total: float
    rounds: float


def components(table: Table, question: int, candidate: int, baseline: int) -> Components | None:
    """Of one comparison; None where fewer than three starts have two rounds."""
    turns = table.turns()
    own, base = (np.flatnonzero(table.contender_of == number) for number in (candidate, baseline))
    cases = np.flatnonzero(table.question_of == question)
    pairs = turns.middle[cases][..., own], turns.middle[cases][..., base]
    whole = table.usual(*pairs).mean(axis=0)
    # In a duet every pair has rounds of its own: those of others are empty here.
    used = np.flatnonzero(np.all([(~np.isnan(side)).any(axis=(0, 1, 3)) for side in pairs], axis=0))
    halves = [table.usual(*(side[:, :, used[first::2]] for side in pairs)).mean(axis=0) for first in (0, 1)]
    if len(used) < 2:
        return None
    apart = halves[0] - halves[1]
    apart, whole = apart[~np.isnan(apart)], whole[~np.isnan(whole)]
    if len(apart) < 3:
        return None
    return Components(total=float(whole.var(ddof=1)), rounds=float((apart**2).mean() / 4))


def _differences(table: Table, turns: Turns, own: Ints, base: Ints) -> tuple[Floats, Floats]:
    """Typical and total of every block, shape (questions, blocks): of an operation the mean over its cases."""
    usual = table.by_question(table.usual(turns.middle[..., own], turns.middle[..., base]))
    return usual, table.by_question(total(turns.mean[..., own], turns.mean[..., base]))


def _of_rounds(table: Table, turns: Turns, own: Ints, base: Ints) -> Floats:
    """The pairs of every round, shape (questions, blocks, rounds, pairs); NaN where a case has none."""
    return table.by_question(pairs_of_rounds(turns.middle[..., own], turns.middle[..., base]))


def _lost(table: Table, turns: Turns, arms: Ints) -> Bools:
    """Blocks in which some of the arms have a turn that others lack, shape (questions, blocks)."""
    present = ~np.isnan(turns.middle[..., arms])
    # An arm that never took part is not lost.
    present = present[..., present.any(axis=(0, 1, 2))]
    # In a duet a round is that of one pair: whoever never had a turn in a round of this number is not missed in it.
    due: Ints = present.any(axis=1, keepdims=True).sum(axis=-1)
    count: Ints = present.sum(axis=-1)
    rounds: Ints = ((count > 0) & (count < due)).sum(axis=2)
    found: Bools = table.by_question(rounds.astype(np.float64)) > 0
    return found


def _steps(table: Table, pairs: Sequence[tuple[int, int]], baseline: int) -> Floats:
    """Smallest step between different values of either side over the smaller median, shape (comparisons,).

    0 where the clock is fine; infinity where every value is the same, which hides the step.
    """
    groups = len(table.questions) * len(table.contenders)
    sides = Groups.of(table.value, table.question * len(table.contenders) + table.contender, groups)
    value, size = sides.values, sides.count
    group, ends = np.repeat(np.arange(groups), size), np.append(sides.first, len(value))
    # As many ties as a clock that ticks gives: two equal values of a fine clock are chance.
    equal = (np.diff(value) == 0) & (np.diff(group) == 0)
    ticking = (size >= _TIED) & (np.bincount(group[1:][equal], minlength=groups) / np.maximum(size - 1, 1) > _TIES)
    found = np.zeros(len(pairs))
    for number, (question, candidate) in enumerate(pairs):
        both = [question * len(table.contenders) + side for side in (candidate, baseline)]
        if not ticking[both].all():
            continue
        own, other = (value[ends[side] : ends[side + 1]] for side in both)
        if min(own[0], other[0]) > 0:
            steps = np.diff(np.unique(np.concatenate([own, other])))
            found[number] = steps.min(initial=np.inf) / min(own[len(own) // 2], other[len(other) // 2])
    return found


def outlying(usual: Floats, agree: Bools | None = None) -> tuple[Ints, Floats]:
    """Starts of another kind: how many of each comparison, and how far they are from the rest.

    Args:
        usual: one difference of logarithms a start, shape (comparisons, blocks), NaN where there is none.
        agree: whether the rounds of a start are where it is, of the same shape; None where that is not known.
    """
    present = ~np.isnan(usual)
    count = present.sum(axis=1)
    ordered = np.sort(usual, axis=1)
    middle = _middle(ordered, count)
    off = np.where(present, usual - middle[:, None], 0.0)
    spread = _ROBUST * _middle(np.sort(np.where(present, np.abs(off), np.nan), axis=1), count)
    far = np.abs(off) > OUTLYING * np.maximum(spread, TICK)[:, None]
    if agree is not None:
        far &= agree
    up, down = (far & (off > 0)).sum(axis=1), (far & (off < 0)).sum(axis=1)
    side = np.where(up >= down, 1.0, -1.0)[:, None]
    chosen = far & (off * side > 0)
    number = chosen.sum(axis=1)
    mean = np.where(chosen, off, 0.0).sum(axis=1) / np.maximum(number, 1)
    return number, mean


def agreeing(usual: Floats, pairs: Floats) -> Bools:
    """Whether the rounds of each start are about as far from the middle of all starts as it is; as ``usual`` in shape.

    Args:
        usual: of each start, shape (comparisons, blocks).
        pairs: of each of its rounds, shape (comparisons, blocks, rounds, pairs), NaN where there was none.
    """
    middle = _middle(np.sort(usual, axis=1), (~np.isnan(usual)).sum(axis=1))[:, None]
    off = usual - middle
    along = np.where(np.isnan(pairs), -np.inf, (pairs - middle[..., None, None]) * np.sign(off)[..., None, None])
    furthest = along.max(axis=-1, initial=-np.inf)
    measured = np.isfinite(furthest)
    lacking = measured & (furthest <= AGREEING * np.abs(off)[..., None])
    fewer: Bools = lacking.sum(axis=-1) <= measured.sum(axis=-1) // SPARED
    return fewer


def _middle(ordered: Floats, count: Ints) -> Floats:
    """Medians of sorted rows whose NaN come last."""
    last = ordered.shape[1] - 1
    if last < 0:
        return np.full(len(ordered), np.nan)
    low, high = np.clip((count - 1) // 2, 0, last), np.clip(count // 2, 0, last)
    both = np.take_along_axis(ordered, np.stack([low, high], axis=1), axis=1)
    return np.asarray(both.mean(axis=1), dtype=np.float64)


def _typical(counts: Ints) -> Ints:
    """Median of the positive numbers of each row, the lower one of two middle ones; 0 where there is none."""
    if counts.shape[1] == 0:
        return np.zeros(len(counts), dtype=np.int64)
    positive = (counts > 0).sum(axis=1)
    middle = counts.shape[1] - positive + np.maximum(positive - 1, 0) // 2
    middle = np.minimum(middle, counts.shape[1] - 1)
    chosen: Ints = np.take_along_axis(np.sort(counts, axis=1), middle[:, None], axis=1)[:, 0]
    return chosen


def _p_trend(ratio: Floats) -> Floats:
    """P-value of a linear trend over the blocks, shape (comparisons, blocks) to (comparisons,)."""
    present = ~np.isnan(ratio)
    count = present.sum(axis=1)
    place = np.where(present, np.arange(ratio.shape[1], dtype=np.float64), 0.0)
    level = np.where(present, ratio, 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        place = np.where(present, place - (place.sum(axis=1) / count)[:, None], 0.0)
        level = np.where(present, level - (level.sum(axis=1) / count)[:, None], 0.0)
        spread = (place**2).sum(axis=1)
        slope = (place * level).sum(axis=1) / spread
        rest = ((level - slope[:, None] * place) ** 2).sum(axis=1)
        freedom = np.where(count >= 4, count - 2.0, np.nan)
        statistic = np.abs(slope) / np.sqrt(rest / freedom / spread)
    return student_t.two_sided(statistic, freedom)
