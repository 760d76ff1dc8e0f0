"""Partial pooling: many effects that are mostly one, each shrunk to their mean as far as they are not distinguished.

Empirical Bayes (B. Efron, C. Morris, "Data analysis using Stein's estimator and its generalizations", JASA 70, 1975),
for few blocks of heavy-tailed numbers. Everything is a logarithm, D is what one block gives for one operation:

1. *Winsorised.* Each D is brought to within two robust standard deviations of the median of its operation's. These
   numbers tell how operations differ from their mean, and how sure that is: a burst that hits one block of one
   operation counts as little. What they lose in the mean cancels in a difference from it.
2. *The mean* over the operations is that of the numbers as they are: one a block, with Student's t over the blocks.
3. *The spread* of the operations around it, beyond what noise makes of equal ones, is taken as large as it is not
   unlikely to be (an upper bound of 75 %).
4. *Shrunk*: with spread tau and error v of its deviation an operation's effect is the mean and tau^2 / (tau^2 + v) of
   its deviation; its error that of the mean, and what is left of its own.

An operation that lies two standard errors off the others is *apart*; where as much scatter as theirs is rarer than one
in twenty among equal ones they are not *alike*. Neither should be pooled.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from weigh.statistics import student_t
from weigh.statistics.special import special

if TYPE_CHECKING:
    from weigh.statistics.arrays import Bools, Floats

LEAST = 3
"""Operations, and blocks, below which a spread is not estimated."""
WITHIN = 2.0
"""Robust standard deviations from its operation's median to which a number is brought."""
ROBUST = 1.4826
"""Standard deviation over the median absolute deviation of normal noise."""
UPPER = 0.6745
"""Normal quantile of 75 %: the bound that the spread is taken at."""
APART, ALIKE = 2.0, 0.05
"""Standard errors by which an operation is off the others; p-value below which all of them differ."""


@dataclass(frozen=True, slots=True)
class Shrunk:
    """Of each operation, shape (operations,), logarithms.

    Attributes:
        effect: shrunk to the mean.
        half: half-width of its interval.
        unshrunk: not shrunk: the mean and the whole deviation.
        apart: whether it lies off the others.
        alike: whether the operations are distinguished by no more than noise.
    """

    effect: Floats
    half: Floats
    unshrunk: Floats
    apart: Bools
    alike: bool

    def within(self, margin: float) -> Bools:
        """Which are the same, with an effect inside a margin that is given as a logarithm."""
        near: Bools = (np.abs(self.effect) + self.half < margin) & (np.abs(self.unshrunk) < margin)
        return near & ~self.apart & self.alike


def shrunk(numbers: Floats, error: float) -> Shrunk | None:
    """The effects of operations that belong together; None where too few tell how far they scatter, or nothing does.

    Args:
        numbers: of each operation and block, shape (operations, blocks), none missing.
        error: of either end of the interval.
    """
    operations, blocks = numbers.shape
    if min(operations, blocks) < LEAST:
        return None
    middle = np.median(numbers, axis=1, keepdims=True)
    off = numbers - middle
    reach = WITHIN * ROBUST * float(np.median(np.abs(off)))
    if not reach > 0:
        return None
    near = middle + np.clip(off, -reach, reach)
    deviation = near.mean(axis=1) - near.mean()
    rest = near - near.mean(axis=0) - deviation[:, None]
    # What is brought nearer says less than what was there (J. W. Tukey, D. H. McLaughlin, Sankhya A 25, 1963).
    effective = float((np.abs(off) <= reach).mean()) ** 2 * blocks * (blocks - 1)
    freedom = operations - 1
    variance = float((rest**2).sum()) / freedom / effective
    if not variance > 0:
        return None
    each = np.maximum(variance, (rest**2).sum(axis=1) / effective)
    scatter = float((deviation**2).sum()) / freedom
    spread = max(scatter / _lowest(freedom) - variance, 0.0)
    weight = spread / (spread + each)
    by_block = numbers.mean(axis=0)
    mean, of_mean = float(by_block.mean()), float(by_block.std(ddof=1)) / math.sqrt(blocks)
    level = 1 - 2 * error
    of_whole = student_t.quantile(level, np.array([float(blocks - 1)]))[0] * of_mean
    return Shrunk(
        effect=mean + weight * deviation,
        half=np.hypot(of_whole, special.ndtri(1 - error) * np.sqrt(weight * each)),
        unshrunk=mean + deviation,
        apart=np.abs(deviation) > APART * math.sqrt(variance),
        alike=bool(special.fdtrc(freedom, freedom * (blocks - 1), scatter / variance) > ALIKE),
    )


def _lowest(freedom: int) -> float:
    """Lower quartile of chi-squared over its degrees of freedom.

    E. B. Wilson, M. M. Hilferty, "The distribution of chi-square", PNAS 17, 1931.
    """
    part = 2 / (9 * freedom)
    return float((1 - part - UPPER * math.sqrt(part)) ** 3)
