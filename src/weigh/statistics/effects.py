"""Effects: the ratio of two contenders as a difference of logarithms, with its uncertainty, for two questions.

Both are asked of pairs: a turn of the candidate and one of the baseline in the same round, close enough in time that
the machine was the same for both (what moves within a tenth of a second stays as noise).

*Typical* is the median of the differences of the logarithms of the pairs of a start: what one execution usually takes.
A stall that hits one execution in a hundred does not move it. *Total* is the logarithm of the ratio of the sums over
the same pairs of all starts: what one waits in all, stalls included.

The start is the unit: each block gives one number a question, numbers of different blocks are independent, and nothing
is assumed about what happens within a block. Student's t of these numbers is all the arithmetic that follows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from weigh.statistics.arrays import Floats


TINY = 1e-12
"""Differences of logarithms below this are rounding, not effects."""


@dataclass(frozen=True, slots=True)
class Effects:
    """Estimates of many comparisons; every array has the shape (comparisons,).

    Attributes:
        effect: mean difference of logarithms; NaN where the data cannot tell.
        error: its standard error.
        freedom: degrees of freedom of Student's t that go with it.
    """

    effect: Floats
    error: Floats
    freedom: Floats


def typical(candidate: Floats, baseline: Floats) -> Floats:
    """The median of the paired differences, one number a block.

    Pairs with each arm of the baseline, not with their mean: differences from the mean of two arms are skewed, which
    costs twice the type-I error.

    Args:
        candidate: logarithms of its turns, shape (..., rounds, arms), NaN where there was none.
        baseline: those of the baseline's turns in the same rounds; the number of arms may differ.
    """
    return _median(_pairs(candidate) - _pairs(baseline, of_baseline=True))


def pairs_of_rounds(candidate: Floats, baseline: Floats) -> Floats:
    """The differences of which that is the median, shape (..., rounds, pairs of arms); arguments of :func:`typical`."""
    pairs = _pairs(candidate) - _pairs(baseline, of_baseline=True)
    return pairs.reshape(*pairs.shape[:-2], math.prod(pairs.shape[-2:]))


def total(candidate: Floats, baseline: Floats) -> Floats:
    """The logarithm of the ratio of the sums over all blocks, one number a block, whose mean it is.

    A block's number is the logarithm plus what the block adds to its error, the linear part of it. The logarithm of
    each block's own ratio would be too low where the candidate scatters more: a mean of few executions is often below
    what is expected, and no number of blocks makes up for it.

    Args:
        candidate: mean times of its turns, shape (..., blocks, rounds, arms), NaN where there was none.
        baseline: those of the baseline's turns in the same rounds.
    """
    own, other = np.broadcast_arrays(_pairs(candidate), _pairs(baseline, of_baseline=True))
    own, other = _flat(own), _flat(other)
    both = ~np.isnan(own) & ~np.isnan(other)
    with np.errstate(invalid="ignore", divide="ignore"):
        one, two = (np.where(both, side, 0.0).sum(axis=-1) / both.sum(axis=-1) for side in (own, other))
        blocks = both.any(axis=-1)
        mean, other_mean = (
            np.where(blocks, side, 0.0).sum(axis=-1, keepdims=True) / blocks.sum(axis=-1, keepdims=True)
            for side in (one, two)
        )
        return np.asarray(np.log(mean / other_mean) + (one / mean - two / other_mean), dtype=np.float64)


def over_blocks(differences: Floats) -> Effects:
    """The mean over the blocks with its error: the one-sample t.

    Args:
        differences: one number a block, shape (comparisons, blocks), NaN where a block has none.
    """
    present = ~np.isnan(differences)
    count = present.sum(axis=1).astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        # Centred first: exact cancellation for constant samples, whatever the unit of time.
        first = np.take_along_axis(differences, present.argmax(axis=1)[:, None], axis=1) if differences.size else 0.0
        rest = np.where(present, differences - first, 0.0)
        mean = rest.sum(axis=1) / count
        squares = np.where(present, rest - mean[:, None], 0.0) ** 2
        error = np.sqrt(squares.sum(axis=1) / (count - 1) / count)
        effect = mean + np.reshape(first, (-1,))
    known = count >= 2
    effect = np.where(np.abs(effect) < TINY, 0.0, effect)
    error = np.where(error < TINY, 0.0, error)
    return Effects(np.where(known, effect, np.nan), np.where(known, error, np.nan), np.where(known, count - 1, np.nan))


def _median(values: Floats) -> Floats:
    """The median over the last three axes of what is no NaN; NaN where nothing is."""
    ordered = np.sort(_flat(values), axis=-1)
    if ordered.shape[-1] == 0:
        return np.full(ordered.shape[:-1], np.nan)
    count = (~np.isnan(ordered)).sum(axis=-1, keepdims=True)
    low = np.take_along_axis(ordered, np.maximum(count - 1, 0) // 2, axis=-1)
    high = np.take_along_axis(ordered, np.minimum(count // 2, ordered.shape[-1] - 1), axis=-1)
    return np.asarray(((low + high) / 2)[..., 0], dtype=np.float64)


def _flat(pairs: Floats) -> Floats:
    """Rounds and pairs of arms as one axis."""
    return pairs.reshape(*pairs.shape[:-3], math.prod(pairs.shape[-3:]))


def _pairs(turns: Floats, *, of_baseline: bool = False) -> Floats:
    """Shape (..., rounds, arms of the candidate, arms of the baseline), to be broadcast."""
    return turns[..., None, :] if of_baseline else turns[..., :, None]
