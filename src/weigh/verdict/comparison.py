"""Comparisons: candidates against the baseline, each on one question.

Only the arms of the two contenders enter: what a third contender does cannot change the ratio of these two.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from weigh.statistics import student_t
from weigh.statistics.effects import Effects, fit
from weigh.verdict.timings import median_logs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.statistics.arrays import Floats, Ints
    from weigh.verdict.table import Table


@dataclass(frozen=True, slots=True)
class Comparisons:
    """Arrays of the shape (comparisons,).

    Attributes:
        effects: candidate over baseline.
        starts: blocks in which both were measured.
        runs: executions a start of the candidate, the median over its starts.
        median: difference of the logarithms of the medians.
        floor: the baseline's second arm over its first, as a logarithm; NaN where there is no second.
        p_trend: p-value of "the ratio does not drift from block to block"; NaN below four blocks.
    """

    effects: Effects
    starts: Ints
    runs: Ints
    median: Floats
    floor: Floats
    p_trend: Floats


def compare(table: Table, pairs: Sequence[tuple[int, int]], baseline: int) -> Comparisons:
    """Estimates the pairs (number of a question, number of a candidate)."""
    logs, counts, medians = table.logs(), table.counts(), median_logs(table)
    question, candidate = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    figures = np.full((5, len(pairs)), np.nan)
    starts, runs = np.zeros((2, len(pairs)), dtype=np.int64)
    base = np.flatnonzero(table.contender_of == baseline)
    for number in np.unique(candidate):
        own = np.flatnonzero(table.contender_of == number)
        rows = np.flatnonzero(candidate == number)
        there = question[rows]
        of_own, of_base = logs[there][..., own], logs[there][..., base]
        weights = np.array([1.0] * len(own) + [-1.0] * len(base))
        effects = fit(np.concatenate([of_own, of_base], axis=-1), weights)
        measured = ~np.isnan(of_own).all(axis=-1) & ~np.isnan(of_base).all(axis=-1)
        starts[rows] = measured.sum(axis=1)
        runs[rows] = _typical(counts[there][..., own].reshape(len(there), -1))
        trend = _p_trend(_mean(of_own) - _mean(of_base))
        median = medians[there, number] - medians[there, baseline]
        figures[:, rows] = (effects.effect, effects.error, effects.freedom, median, trend)
    effect, error, freedom, median, trend = figures
    floor = self_comparison(table, baseline)[0].effect[question]
    return Comparisons(Effects(effect, error, freedom), starts, runs, median, floor, trend)


def self_comparison(table: Table, baseline: int) -> tuple[Effects, Ints]:
    """Estimates the baseline's second arm over its first, and counts the blocks in which both were measured.

    Returns:
        Arrays of the shape (questions,).
    """
    logs = table.logs()
    arms = np.flatnonzero(table.contender_of == baseline)[:2]
    if len(arms) < 2:
        missing = np.full((3, len(logs)), np.nan)
        return Effects(*missing), np.zeros(len(logs), dtype=np.int64)
    pair = logs[..., arms]
    return fit(pair, np.array([-1.0, 1.0])), (~np.isnan(pair)).all(axis=-1).sum(axis=1)


def _mean(logs: Floats) -> Floats:
    """Mean over the arms that were measured, NaN where none was."""
    present = ~np.isnan(logs)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(present, logs, 0).sum(axis=-1) / present.sum(axis=-1), dtype=np.float64)


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
