"""Starts that resemble the one before (T14): of each comparison, and of all that share their starts. Pure."""

from __future__ import annotations

import math
from collections import defaultdict
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from weigh.model.rules import FULL_STARTS
from weigh.statistics.effects import TINY

if TYPE_CHECKING:
    from weigh.statistics.arrays import Floats, Ints

LEVEL = 0.001
"""How likely starts that know nothing of each other are called dependent: of one comparison, and of all of a run."""
LEAST = 0.2
"""Mean autocorrelation below which comparisons are not refused together: many tell one that changes hardly any error
(.2 makes a standard error larger by 22 %)."""
MOST = 500
"""Starts beyond which each comparison tells by itself."""
_DRAWN, _SEED = 4_999, 14


def p_dependent(usual: Floats, candidate: Ints) -> Floats:
    """P-value of "a start says nothing about the next", NaN below ten starts.

    All questions that a candidate was asked in the same starts have theirs together, where it is smaller: one bad hour
    is in all of them, and few starts do not show it of one.

    Args:
        usual: shape (comparisons, blocks), NaN where a block has none.
        candidate: whose each comparison is.
    """
    found = _alone(usual)
    sharing: dict[tuple[int, bytes], list[int]] = defaultdict(list)
    for at in np.flatnonzero(~np.isnan(found)):
        sharing[int(candidate[at]), (~np.isnan(usual[at])).tobytes()].append(int(at))
    many: dict[int, list[list[int]]] = defaultdict(list)
    for (number, _), rows in sharing.items():
        if len(rows) > 1:
            many[number].append(rows)
    for groups in many.values():
        for rows in groups:
            starts = usual[rows]
            found[rows] = np.minimum(found[rows], len(groups) * _joint(starts[:, ~np.isnan(starts[0])]))
    return found


def _alone(usual: Floats) -> Floats:
    """Of each by itself, one-sided.

    M. S. Bartlett, "On the theoretical specification and sampling properties of autocorrelated time-series", J. R.
    Statist. Soc. Suppl. 8, 1946: about normal with variance 1 / n, after the bias -1 / n.
    """
    found = np.full(len(usual), np.nan)
    for at, row in enumerate(usual):
        starts = row[~np.isnan(row)]
        off = starts - starts.mean() if len(starts) >= FULL_STARTS else starts[:0]
        if (off**2).sum() > TINY**2:
            lag = (off[1:] * off[:-1]).sum() / (off**2).sum()
            found[at] = 0.5 * math.erfc((lag + 1 / len(off)) * math.sqrt(len(off) / 2))
    return found


def _joint(starts: Floats) -> float:
    """By permutation of the starts, all questions alike: the mean of their autocorrelations; 1 where that is small.

    A question may be correlated with another one as it likes: only the order of the starts is drawn.
    """
    off = starts - starts.mean(axis=1, keepdims=True)
    scaled = off / np.sqrt((off**2).sum(axis=1, keepdims=True))
    products = scaled.T @ scaled / len(scaled)
    number = len(products)
    mean = float(np.trace(products, 1))
    if mean + 1 / number < LEAST or number > MOST:
        return 1.0
    order = _orders(number)
    drawn = products[order[:, :-1], order[:, 1:]].sum(axis=1)
    return float(1 + np.count_nonzero(drawn >= mean - TINY)) / (_DRAWN + 1)


@cache
def _orders(number: int) -> Ints:
    """Orders of so many starts, the same each time: evidence gives the same verdict again."""
    return np.argsort(np.random.default_rng(_SEED).random((_DRAWN, number)), axis=1)
