r"""Effects of a complete factorial design, from paired differences.

All combinations of the levels of all factors take turns in the same blocks. The *main effect* of a level is by how much
it differs from the first level of its factor, on average over the levels of the others; the *interaction* of two levels
is by how much the effect of one changes where the other is there (and of three, by how much that changes). With
logarithms of times an interaction of zero means that the ratios multiply.

Every effect is a weighted sum of differences of two combinations that differ in one factor alone, such as

.. math:: \frac12 [(y_{21} - y_{11}) + (y_{22} - y_{12})], \qquad (y_{22} - y_{12}) - (y_{21} - y_{11})

in a design of two factors. Each of these differences is estimated as that of any two contenders, so an effect has one
number a block, and its interval is Student's t of them (:mod:`weigh.statistics.effects`): that combinations share turns
and blocks, and so depend on one another, is in these numbers, and nothing is assumed about it.

G. E. P. Box, J. S. Hunter, W. G. Hunter, "Statistics for Experimenters", 2nd edition, 2005, chapter 5.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, product
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from weigh.statistics.arrays import Floats


@dataclass(frozen=True, slots=True)
class Contrast:
    """What an effect is made of.

    Attributes:
        factors: numbers of the factors: one of a main effect, several of an interaction.
        levels: of the same: the number of the level that is compared with the first.
        differences: (combination, combination, weight): the second is subtracted from the first; they differ in the
            last of the factors alone.
    """

    factors: tuple[int, ...]
    levels: tuple[int, ...]
    differences: tuple[tuple[int, int, float], ...]


def contrasts(shape: Sequence[int]) -> Iterator[Contrast]:
    """Every effect of a complete design, main effects first: as many as there are combinations, but one.

    Args:
        shape: levels of each factor. Combinations are numbered with the last factor varying fastest.
    """
    for order in range(1, len(shape) + 1):
        for factors in combinations(range(len(shape)), order):
            for levels in product(*(range(1, shape[one]) for one in factors)):
                yield contrast(shape, factors, levels)


def contrast(
    shape: Sequence[int],
    factors: tuple[int, ...],
    levels: tuple[int, ...],
    at: tuple[tuple[int, int], ...] = (),
) -> Contrast:
    """One effect.

    Args:
        shape: levels of each factor.
        factors: those whose effect it is.
        levels: of each of them, compared with the first; at least 1.
        at: (factor, level) of others that are held; an effect is averaged over the levels of the rest.
    """
    held = dict(at)
    rest = [one for one in range(len(shape)) if one not in factors and one not in held]
    places = list(product(*(range(shape[one]) for one in rest)))
    *first, last = zip(factors, levels, strict=True)
    found = []
    for place in places:
        for chosen in product((False, True), repeat=len(first)):
            cell = {**held, **dict(zip(rest, place, strict=True))}
            cell |= {factor: level if taken else 0 for (factor, level), taken in zip(first, chosen, strict=True)}
            sign = -1 if (len(first) - sum(chosen)) % 2 else 1
            high, low = (_number(shape, {**cell, last[0]: level}) for level in (last[1], 0))
            found.append((high, low, sign / len(places)))
    return Contrast(factors, levels, tuple(found))


def of_blocks(contrast: Contrast, difference: Callable[[int, int], Floats]) -> Floats:
    """The effect in each block; NaN in blocks where a difference that it needs is missing.

    Args:
        contrast: what it is made of.
        difference: of two combinations, by their numbers, one number a block; any shape whose last axis are blocks.
    """
    parts = [weight * difference(high, low) for high, low, weight in contrast.differences]
    return np.asarray(np.sum(parts, axis=0), dtype=np.float64)


def _number(shape: Sequence[int], cell: dict[int, int]) -> int:
    return int(np.ravel_multi_index([cell[one] for one in range(len(shape))], tuple(shape)))
