"""Carry-over: whether the baseline takes longer right after a contender, which never follows itself. Pure.

What a contender leaves behind (caches that are full of its data, heat, dirty pages) slows whoever comes next. In a
random order of three arms a turn of the baseline follows the contender's in a third of the rounds, so the ratio is off
by a third of what is carried over, and more starts do not help. The order is known, so it can be told: a turn after the
contender against the baseline's other turn of the same round. Where that differs, the turns after the contender are
left out, and the rest is as if it had left nothing behind.

It is asked of each operation, and of all together: what a contender leaves behind is mostly the same whatever it was
asked, and few starts show it of none by itself. Left out where nothing was carried over, turns cost precision and make
no error.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from weigh.model.rules import Typical
from weigh.statistics import student_t
from weigh.statistics.effects import TINY
from weigh.verdict.decide import step_up

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.statistics.arrays import Bools, Floats, Ints
    from weigh.verdict.table import Table, Turns

LEVEL = 0.001
"""How likely any is found in a table where nothing is carried over: half for single questions (there their false
discovery rate), half for all together."""

LEAST, PAIRS = 5, 10
"""Blocks and rounds of a question below which nothing is told of it: an error from so few is too small too often."""


class _Estimate(NamedTuple):
    """Of a question: by how much longer what follows the contender takes, and what each block adds to its error."""

    size: float
    scores: Floats

    @property
    def error(self) -> float:
        """Its standard error, by the jackknife over the blocks that say anything."""
        blocks = np.count_nonzero(~np.isnan(self.scores))
        return math.sqrt(np.nansum(self.scores**2) * blocks / (blocks - 1))

    @property
    def p_value(self) -> float:
        """Of none; 1 where nothing varies."""
        error, freedom = self.error, np.count_nonzero(~np.isnan(self.scores)) - 1.0
        return float(student_t.two_sided(np.array(abs(self.size) / error), np.array(freedom))) if error > TINY else 1.0


def carried(table: Table, turns: Turns, candidate: int, base: Ints) -> Floats:
    """By how much longer the baseline takes after a contender, a logarithm; 0 where that is not told from none.

    Turns that are the first of their round have nobody of it before them, which is another difference: it is estimated
    alongside this one, by least squares over the rounds.

    Args:
        table: of the experiment.
        turns: its turns.
        candidate: number of the contender.
        base: numbers of the baseline's arms.

    Returns:
        Shape (questions,). That of all questions of a temperature together, where it is told of those and not of one
        by itself.
    """
    found = np.zeros(len(table.questions))
    estimates = _estimates(table, turns, candidate, base)
    by_temperature: dict[str, list[int]] = defaultdict(list)
    for number in estimates:
        by_temperature[table.questions[number].temperature].append(number)
    groups = [numbers for numbers in by_temperature.values() if len(numbers) > 1]
    level = LEVEL / 2 if groups else LEVEL
    for numbers in groups:
        whole = _combined([estimates[number] for number in numbers])
        if whole.p_value <= level / len(groups):
            found[numbers] = whole.size
    tested = np.array(list(estimates), dtype=np.int64)
    alone = step_up(np.array([one.p_value for one in estimates.values()]), level)
    for number in tested[alone].tolist():
        found[number] = estimates[number].size
    return found


def _estimates(table: Table, turns: Turns, candidate: int, base: Ints) -> dict[int, _Estimate]:
    """By number the questions of which something can be determined.

    From all blocks, and from all but one: with few of them the usual errors are too small.
    """
    if table.before is None or len(base) != 2 or table.typical is Typical.PAIRS:
        return {}
    after, known = table.after(candidate)[..., base], _known(table)[..., base]
    middle = turns.middle[..., base]
    apart = middle[..., 0] - middle[..., 1]
    # How the two turns differ: by one that followed the contender, and by one that was the first.
    follows = after[..., 0].astype(np.float64) - after[..., 1]
    first = (~known[..., 0]).astype(np.float64) - ~known[..., 1]
    usable = ~np.isnan(apart) & ((follows != 0) | (first != 0))
    case, block, _ = np.nonzero(usable)
    shape = (len(table.questions), table.blocks)
    cell = table.question_of[case] * table.blocks + block
    design = np.stack([follows[usable], first[usable]], axis=1)
    rounds = np.bincount(cell, minlength=shape[0] * shape[1]).reshape(shape)
    squares, moments = np.zeros((*shape, 2, 2)), np.zeros((*shape, 2))
    np.add.at(squares.reshape(-1, 2, 2), cell, design[:, :, None] * design[:, None, :])
    np.add.at(moments.reshape(-1, 2), cell, design * apart[usable][:, None])
    all_squares, all_moments = squares.sum(axis=1), moments.sum(axis=1)
    without, moments_without = all_squares[:, None] - squares, all_moments[:, None] - moments
    there = rounds > 0
    blocks = there.sum(axis=1)
    # Of a question whose estimate hangs on one block nothing can be determined.
    decided = (np.linalg.det(without) >= 0.5).all(axis=1, where=there)
    sound = np.flatnonzero((blocks >= LEAST) & (rounds.sum(axis=1) >= PAIRS) & decided)
    sizes = np.linalg.solve(all_squares[sound], all_moments[sound][..., None])[:, 0, 0]
    others = np.full((len(sound), table.blocks), np.nan)
    known = there[sound]
    others[known] = np.linalg.solve(without[sound][known], moments_without[sound][known][..., None])[:, 0, 0]
    scores = (sizes[:, None] - others) * (blocks[sound] - 1)[:, None] / blocks[sound][:, None]
    return {
        question: _Estimate(size, of_blocks)
        for question, size, of_blocks in zip(sound.tolist(), sizes.tolist(), scores, strict=True)
    }


def _combined(estimates: Sequence[_Estimate]) -> _Estimate:
    """Of several questions, with what the blocks do to all of them.

    Each weighs with one over its error. One over its square were best if errors were known; of few blocks it is those
    that came out too small by chance that would count.
    """
    weights = np.array([1 / max(one.error, TINY) for one in estimates])
    weights /= weights.sum()
    scores = np.array([one.scores for one in estimates])
    there = ~np.isnan(scores)
    sums = np.where(there.any(axis=0), weights @ np.where(there, scores, 0.0), np.nan)
    return _Estimate(float(weights @ [one.size for one in estimates]), sums)


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
