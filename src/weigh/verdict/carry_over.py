"""Carry-over: whether the baseline takes longer right after a contender, which never follows itself. Pure.

What a contender leaves behind (caches that are full of its data, heat, dirty pages) slows whoever comes next. In a
random order of three arms a turn of the baseline follows the contender's in a third of the rounds, so the ratio is off
by a third of what is carried over, and more starts do not help. The order is known, so it can be told: a turn after the
contender against the baseline's other turn of the same round. Where that differs, the turns after the contender are
left out, and the rest is as if it had left nothing behind.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from weigh.model.rules import Typical
from weigh.statistics import student_t
from weigh.statistics.effects import TINY
from weigh.verdict.decide import step_up

if TYPE_CHECKING:
    from weigh.statistics.arrays import Bools, Floats, Ints
    from weigh.verdict.table import Table, Turns

LEVEL = 0.001
"""False discovery rate over the questions of a table: how likely any is found where nothing is carried over."""


def carried(table: Table, turns: Turns, candidate: int, base: Ints) -> Floats:
    """By how much longer the baseline takes after a contender, a logarithm; 0 where that is not told from none.

    Turns that are the first of their round have nobody of it before them, which is another difference: it is estimated
    beside this one, by least squares over the rounds with errors from the blocks (Liang and Zeger).

    Args:
        table: of the experiment.
        turns: its turns.
        candidate: number of the contender.
        base: numbers of the baseline's arms.

    Returns:
        Shape (questions,).
    """
    found = np.zeros(len(table.questions))
    p_values = np.full(len(found), np.nan)
    if table.before is None or len(base) != 2 or table.typical is Typical.PAIRS:
        return found
    after, known = table.after(candidate)[..., base], _known(table)[..., base]
    middle = turns.middle[..., base]
    apart = middle[..., 0] - middle[..., 1]
    # How the two turns differ: by one that followed the contender, and by one that was the first.
    follows = after[..., 0].astype(np.float64) - after[..., 1]
    first = (~known[..., 0]).astype(np.float64) - ~known[..., 1]
    usable = ~np.isnan(apart) & ((follows != 0) | (first != 0))
    for question in range(len(found)):
        cases = np.flatnonzero(table.question_of == question)
        there = usable[cases]
        block = np.broadcast_to(np.arange(table.blocks)[None, :, None], there.shape)[there]
        found[question], p_values[question] = _estimated(
            apart[cases][there], follows[cases][there], first[cases][there], block
        )
    tested = np.flatnonzero(~np.isnan(p_values))
    found[np.setdiff1d(np.arange(len(found)), tested[step_up(p_values[tested], LEVEL)])] = 0.0
    return found


def without(turns: Turns, table: Table, candidate: int, base: Ints, size: Floats) -> Turns:
    """The turns without those of the baseline that followed a contender, where something is carried over.

    Args:
        turns: of the table.
        table: of the experiment.
        candidate: number of the contender.
        base: numbers of the baseline's arms.
        size: as :func:`carried` found it.
    """
    if not size.any():
        return turns
    out: Bools = table.after(candidate) & (size != 0)[table.question_of][:, None, None, None]
    out[..., np.setdiff1d(np.arange(out.shape[-1]), base)] = False
    return replace(turns, middle=np.where(out, np.nan, turns.middle), mean=np.where(out, np.nan, turns.mean))


def _known(table: Table) -> Bools:
    """Turns that a turn of anybody went before in their round."""
    found: Bools = np.any([table.after(number) for number in range(len(table.contenders))], axis=0)
    return found


def _estimated(apart: Floats, follows: Floats, first: Floats, block: Ints) -> tuple[float, float]:
    """By how much what follows the contender takes longer, and the p-value of none; NaN where that cannot be told."""
    blocks = len(np.unique(block))
    design = np.stack([follows, first], axis=1)
    if blocks < 3 or np.linalg.matrix_rank(design) < 2:
        return 0.0, math.nan
    inverse = np.linalg.inv(design.T @ design)
    size = inverse @ design.T @ apart
    scores = design * (apart - design @ size)[:, None]
    sums = np.stack([np.bincount(block, column) for column in scores.T], axis=1)
    variance = (inverse @ (sums.T @ sums) @ inverse)[0, 0] * blocks / (blocks - 1)
    # Where nothing varies, rounding may leave less than nothing.
    error = math.sqrt(max(variance, 0.0))
    if error < TINY:
        return 0.0, math.nan
    p_value = student_t.two_sided(np.array(abs(size[0]) / error), np.array(blocks - 1.0))
    return float(size[0]), float(p_value)
