"""Effects: the ratio of two contenders as a difference of logarithms, with its uncertainty, for two questions.

Both are asked of pairs: a turn of the candidate and one of the baseline in the same round, close enough in time that
the machine was the same for both (what moves within a tenth of a second stays as noise).

*Typical* is what one execution usually takes: medians of the differences of the logarithms of the pairs of a start, in
a contrast that treats all arms alike (:func:`typical`). A stall that hits one execution in a hundred does not move it.
*Total* is the logarithm of the ratio of the sums over the same pairs of all starts: what one waits in all, stalls
included.

The start is the unit: each block gives one number a question, numbers of different blocks are independent, and nothing
is assumed about what happens within a block. Student's t of these numbers is all the arithmetic that follows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from weigh.statistics.arrays import Floats


TINY = 1e-12
"""Differences of logarithms below this are rounding, not effects."""
STEPS = 60
"""Steps of the search for the typical effect, at most: each brings it to a third of the distance or nearer."""
SKEWED = 1.5
"""Standard errors of the skewness of normal numbers within which skewness is chance."""
FEW = 1.5
"""Skewness over that which ten numbers show of it: of exponential ones 1.3 in the mean, where it is 2."""


@dataclass(frozen=True, slots=True)
class Effects:
    """Estimates of many comparisons; arrays have the shape (comparisons,).

    Attributes:
        effect: mean difference of logarithms; NaN where the data cannot tell.
        error: its standard error.
        freedom: degrees of freedom of Student's t that go with it.
        skewness: of the blocks' numbers; 0 where it is not known, without a shape where it never is.
    """

    effect: Floats
    error: Floats
    freedom: Floats
    skewness: Floats = field(default_factory=lambda: np.zeros(()))


def typical(candidate: Floats, baseline: Floats) -> Floats:
    """What one execution usually takes, one number a block, whose mean is the effect.

    For an effect d the candidate's turns are moved by -d. If d is true no arm is told from another, so the median of
    the differences of an arm to all others is 0 in the mean for each of them, whatever the noise. The contrast of a
    block takes those medians of the candidate's arms less those of the baseline's; the effect is the d at which its
    mean over the blocks is 0. A block's number is that d plus its contrast there, divided by the contrast's slope.

    The plain median of the pairs (:func:`median_of_pairs`) is not 0 in the mean where noise is skewed, because one turn
    of the candidate stands against two of the baseline: +0.6 % where a turn in five takes 20 % longer.

    Args:
        candidate: logarithms of its turns, shape (..., blocks, rounds, arms), NaN where there was none.
        baseline: those of the baseline's turns in the same rounds; the number of arms may differ.
    """
    plain = median_of_pairs(candidate, baseline)
    arms = candidate.shape[-1] + baseline.shape[-1]
    if arms <= 2 or 0 in candidate.shape or 0 in baseline.shape or (arms == 3 and candidate.shape[-2] == 1):
        return (
            plain  # It is the same number: two arms are alike, and of one round the median of two pairs is their mean.
        )
    new, old = (side.reshape(-1, *side.shape[-3:]) for side in (candidate, baseline))
    known = ~np.isnan(plain.reshape(len(new), plain.shape[-1]))
    effect = np.where(known.any(axis=-1), _mean(plain.reshape(known.shape)), 0.0)
    before, at_before = effect.copy(), np.full(effect.shape, np.nan)
    rest = np.flatnonzero(known.any(axis=-1))
    for _ in range(STEPS):
        off = _mean(_contrast(new[rest], old[rest], effect[rest]))
        with np.errstate(invalid="ignore", divide="ignore"):
            slope = (off - at_before[rest]) / (effect[rest] - before[rest])
        # It lies within these bounds everywhere, so that the search cannot fail.
        slope = np.where((slope >= -4 / 3) & (slope <= -2 / 3), slope, -1.0)
        before[rest], at_before[rest] = effect[rest], off
        effect[rest] -= off / slope
        rest = rest[np.abs(off) > TINY / 100]
        if not len(rest):
            break
    found, count = _contrast(new, old, effect), known.sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        step = 2 * np.sqrt((np.where(known, found, 0.0) ** 2).sum(axis=-1) / (count - 1) / count)
        low, high = (_mean(_contrast(new, old, effect + side * step)) for side in (-1, 1))
        slope = np.where((step > TINY) & (count > 1), (low - high) / (2 * step), 1.0)
    return np.asarray((effect[:, None] + found / slope[:, None]).reshape(plain.shape), dtype=np.float64)


def median_of_pairs(candidate: Floats, baseline: Floats) -> Floats:
    """The median of the paired differences, one number a block; arguments of :func:`typical`.

    Pairs with each arm of the baseline, not with their mean: differences from the mean of two arms are skewed, which
    costs twice the type-I error.
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
        off = np.where(present, rest - mean[:, None], 0.0)
        error = np.sqrt((off**2).sum(axis=1) / (count - 1) / count)
        effect = mean + np.reshape(first, (-1,))
    known = count >= 2
    effect = np.where(np.abs(effect) < TINY, 0.0, effect)
    error = np.where(error < TINY, 0.0, error)
    return Effects(
        np.where(known, effect, np.nan),
        np.where(known, error, np.nan),
        np.where(known, count - 1, np.nan),
        _skewness(off, count),
    )


def widening(effects: Effects, quantile: Floats) -> Floats:
    """By what factor an interval of Student's t must be wider, because the blocks' numbers are skewed.

    The first term of Hall's expansion (P. Hall, "On the removal of skewness by transformation", J. R. Statist. Soc. B
    54, 1992) at the end of the interval, for both ends: the sign of the skewness of few blocks is not to be relied on.

    Args:
        effects: with the skewness.
        quantile: of Student's t, how many standard errors the interval has to either side.
    """
    count = effects.freedom + 1
    with np.errstate(invalid="ignore", divide="ignore"):
        chance = np.sqrt(6 * count * (count - 1) / ((count - 2) * (count + 1) * (count + 3)))
    return 1 + np.where(np.abs(effects.skewness) > SKEWED * chance, _hall(effects, quantile), 0.0)


def toward_skewness(effects: Effects, quantile: Floats) -> tuple[Floats, Floats]:
    """The same for the lower and the upper end, each by itself; arguments of :func:`widening`.

    The mean of few numbers that are skewed to the right is mostly too low, and their scatter then too small: the upper
    end must be further off, and the lower one need not be. Nothing is taken for chance, because few numbers show less
    skewness than there is (:data:`FEW`), and those most of all in which the long ones are missing.
    """
    wider = 1 + FEW * _hall(effects, quantile)
    return np.where(effects.skewness < 0, wider, 1.0), np.where(effects.skewness > 0, wider, 1.0)


def _hall(effects: Effects, quantile: Floats) -> Floats:
    """The first term of Hall's expansion over the quantile, 0 where it is not known."""
    with np.errstate(invalid="ignore", divide="ignore"):
        part = np.abs(effects.skewness) / (6 * np.sqrt(effects.freedom + 1)) * (1 + 2 * quantile**2) / quantile
    return np.where(np.isfinite(part), part, 0.0)


def _skewness(off: Floats, count: Floats) -> Floats:
    """The adjusted Fisher-Pearson coefficient of deviations from a mean, 0 where they have none."""
    with np.errstate(invalid="ignore", divide="ignore"):
        variance = (off**2).sum(axis=1) / count
        plain = (off**3).sum(axis=1) / count / variance**1.5
        found = plain * np.sqrt(count * (count - 1)) / (count - 2)
    return np.where((count > 2) & (variance > TINY**2), found, 0.0)


def _contrast(candidate: Floats, baseline: Floats, effect: Floats) -> Floats:
    """What each block leaves of an effect that is taken from the candidate's turns; 0 in the mean if it is true."""
    first = candidate.shape[-1]
    arms = np.concatenate([candidate - effect[..., None, None, None], baseline], axis=-1)
    each = []
    for arm in range(arms.shape[-1]):
        others = np.delete(arms, arm, axis=-1)
        each.append(_median((arms[..., arm, None] - others)[..., None]))
    medians = np.stack(each, axis=-1)
    count = (~np.isnan(medians)).sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        sides = [_mean(side) for side in (medians[..., :first], medians[..., first:])]
        return np.asarray((sides[0] - sides[1]) * (count - 1) / count, dtype=np.float64)


def _mean(values: Floats) -> Floats:
    """Over the last axis, of what is no NaN; NaN where nothing is."""
    present = ~np.isnan(values)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(present, values, 0.0).sum(axis=-1) / present.sum(axis=-1), dtype=np.float64)


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
