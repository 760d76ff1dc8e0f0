"""ClickHouse's published rule, as a second opinion: does the difference of two medians exceed what shuffling gives?

A. Kuzmenkov, "Testing the Performance of ClickHouse", 2021, clickhouse.com/blog/testing-the-performance-of-click-house;
the level and the median are those of ``eqmed.sql`` of the same project. D is the difference of the medians of all
executions over the old median. T is the 99th percentile of ``|D|`` when the same executions are dealt out to the two
sides at random. In the printed order: ``|D| <= T`` is no difference, ``|D| <= 5 %`` is too small, ``T >= 10 %`` is
unstable, and anything else has changed.

They shuffle 10,000 times. Here is the exact law. Let the median of n executions be the one of rank ``n // 2 + 1``, as
theirs is. Deal a and b executions out to sides whose medians have the ranks r and s. The first side's median falls on
the pooled rank i and the second one's on j > i in ``C(i-1, r-1) C(j-i-1, r+s-1-i) C(a+b-j, b-s)`` of the
``C(a+b, a)`` ways: below i lie r - 1 of the first side, above j lie b - s of the second. The other order is the same
with the sides exchanged, and both give the difference of the same two executions.

**Even n** has the upper of its two middle executions for a median, as in theirs. **Unequal n**, which the two arms of
our baseline give, are dealt out in their own sizes: that is the permutation law of what was measured. Theirs always
deals out halves, and is the same for equal n.

The rule knows no process starts: it takes thirty executions of one start for thirty witnesses
(docs/concept/statistics.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from weigh.model.verdict import SecondOpinion, SecondOpinionName
from weigh.statistics.order_statistics import Groups
from weigh.statistics.special import special

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from weigh.statistics.arrays import Floats, Ints
    from weigh.verdict.table import Table


LEVEL = 0.99
"""T is this quantile: the smallest difference that is exceeded in less than 1 % of all ways to deal out."""
SMALL = 0.05
"""Differences up to this, as a fraction, are too small to be important."""
UNSTABLE = 0.10
"""From this T on, as a fraction, the query varies too much."""
_ROUNDING = 1e-11
_NEVER = -37.0
"""Places of the medians whose logarithmic probability is less (1e-16) are left out: of a thousand runs nearly all."""
_CELLS = 4_000_000
"""Differences held at once: the rest waits, so that memory does not grow with the number of queries."""


@dataclass(frozen=True, slots=True)
class Law:
    """Where the medians of two sides fall when the executions are dealt out at random.

    Attributes:
        low, high: pooled ranks of the two medians, from 0, low < high.
        probability: of each such pair, whichever side has the lower one; they sum to 1.
    """

    low: Ints
    high: Ints
    probability: Floats


@cache
def law(new: int, old: int) -> Law:
    """The exact law for sides of ``new`` and ``old`` executions; each has at least one."""
    found: list[tuple[Ints, Ints, Floats]] = []
    for a, b in ((new, old), (old, new)):
        r, s = _rank(a), _rank(b)
        i, j = _likely(a, b)[:, None], _likely(b, a)[None, :]
        ways = (
            _log_ways(i - 1, np.array(r - 1))
            + _log_ways(j - i - 1, r + s - 1 - i)
            + _log_ways(a + b - j, np.array(b - s))
            - _log_ways(np.array(a + b), np.array(a))
        )
        low, high = np.nonzero(ways > _NEVER)
        found.append((i[low, 0], j[0, high], np.exp(ways[low, high])))
    low, high, share = (np.concatenate(parts) for parts in zip(*found, strict=True))
    key, which = np.unique(low * (new + old + 1) + high, return_inverse=True)
    low, high = np.divmod(key, new + old + 1)
    probability = np.bincount(which.reshape(-1), share)
    return Law(low - 1, high - 1, probability / probability.sum())


def _likely(candidate: int, other: int) -> Ints:
    """Pooled ranks on which the median of the first side falls, without those that it hardly ever does."""
    rank, middle = np.arange(1, candidate + other + 1), _rank(candidate)
    ways = _log_ways(rank - 1, np.array(middle - 1)) + _log_ways(candidate + other - rank, np.array(candidate - middle))
    return rank[ways - _log_ways(np.array(candidate + other), np.array(candidate)) > _NEVER]


def _log_ways(of: Ints, chosen: Ints) -> Floats:
    """Logarithm of the binomial coefficient; minus infinity where there is no way."""
    with np.errstate(invalid="ignore"):
        ways = special.gammaln(of + 1.0) - special.gammaln(chosen + 1.0) - special.gammaln(of - chosen + 1.0)
    return np.where((chosen >= 0) & (chosen <= of), ways, -np.inf)


def _rank(count: int) -> int:
    """The rank of the median, from 1."""
    return count // 2 + 1


def threshold(new: Floats, old: Floats) -> Floats:
    """The 99th percentile of the absolute difference of the medians under random dealing.

    Args:
        new: executions of each query, shape (queries, executions).
        old: the same of the other side; the number of executions may differ.

    Returns:
        Shape (queries,), in the unit of the executions.
    """
    spread = law(new.shape[1], old.shape[1])
    found = np.empty(len(new))
    step = max(1, _CELLS // len(spread.low))
    for begin in range(0, len(new), step):
        rows = slice(begin, begin + step)
        pooled = np.sort(np.concatenate([new[rows], old[rows]], axis=1), axis=1)
        size = pooled[:, spread.high] - pooled[:, spread.low]
        order = np.argsort(size, axis=1)
        within = np.cumsum(spread.probability[order], axis=1)
        # The first difference up to which more than the level lies, as an index into sorted shuffles is.
        at = (within <= LEVEL + _ROUNDING).sum(axis=1)
        chosen = np.take_along_axis(order, np.minimum(at, order.shape[1] - 1)[:, None], axis=1)
        found[rows] = np.take_along_axis(size, chosen, axis=1)[:, 0]
    return found


def median(values: Floats) -> Floats:
    """The median as the rule takes it: of an even number the upper one of the two middle ones."""
    middle = _rank(values.shape[1]) - 1
    return np.asarray(np.partition(values, middle, axis=1)[:, middle], dtype=np.float64)


def measures(new: Floats, old: Floats) -> tuple[Floats, Floats]:
    """D and T of many queries, both as fractions of the old median.

    Args:
        new: executions of each query, shape (queries, executions), above zero.
        old: the same of the baseline.
    """
    level = median(old)
    return median(new) / level - 1, threshold(new, old) / level


def rule(difference: Floats, bound: Floats) -> NDArray[np.str_]:
    """The four conditions in their printed order: values of :class:`SecondOpinionName`.

    As printed, a query with ``|D| <= T`` is never called unstable, however large T is.
    """
    size = np.abs(difference)
    return np.select(
        [size <= bound, size <= SMALL, bound >= UNSTABLE],
        [SecondOpinionName.NO_DIFFERENCE.value, SecondOpinionName.SMALL.value, SecondOpinionName.UNSTABLE.value],
        SecondOpinionName.CHANGED.value,
    )


def opinions(table: Table, pairs: Sequence[tuple[int, int]], baseline: int) -> list[SecondOpinion]:
    """The second opinion on pairs (number of a question, number of a candidate), in their order.

    All timed executions count, those of both arms of the baseline together. Of an operation with several cases they
    are divided by the median of their case first, that of both sides together: the difference between cases is not
    noise, and who executed does not enter. Every execution is above zero.
    """
    executions = Groups.of(
        table.value,
        table.case * len(table.contenders) + table.contender,
        len(table.question_of) * len(table.contenders),
    )
    sides = [_sides(table, executions, question, (candidate, baseline)) for question, candidate in pairs]
    difference, bound = np.empty((2, len(pairs)))
    sizes = np.array([[len(new), len(old)] for new, old in sides]).reshape(-1, 2)
    for size in np.unique(sizes, axis=0):
        rows = np.flatnonzero((sizes == size).all(axis=1))
        new, old = (np.stack([sides[row][side] for row in rows]) for side in (0, 1))
        difference[rows], bound[rows] = measures(new, old)
    return [
        SecondOpinion(name=SecondOpinionName(str(name)), difference=float(d), threshold=float(t), runs=(int(a), int(b)))
        for name, d, t, (a, b) in zip(rule(difference, bound), difference, bound, sizes, strict=True)
    ]


def _sides(table: Table, executions: Groups, question: int, contenders: tuple[int, int]) -> tuple[Floats, Floats]:
    """The executions of both contenders on one question."""
    new, old = [], []
    cases = np.flatnonzero(table.question_of == question)
    for case in cases:
        both = []
        for contender in contenders:
            group = case * len(table.contenders) + contender
            first = executions.first[group]
            both.append(executions.values[first : first + executions.count[group]])
        level = float(np.median(np.concatenate(both))) if len(cases) > 1 else 1.0
        new.append(both[0] / level)
        old.append(both[1] / level)
    return np.concatenate(new), np.concatenate(old)
