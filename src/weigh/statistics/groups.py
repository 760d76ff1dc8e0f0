"""Groups: blocks that are not independent of each other, because they share something that was drawn once.

Several builds of one revision are measured in turn. Blocks with the same pair of builds share what those two builds
happen to have in common with no other: how the linker laid out their code. The pair is then the unit, as the start is
where there is one build.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from weigh.statistics.effects import TINY, Effects

if TYPE_CHECKING:
    from weigh.statistics.arrays import Floats, Ints


class Grouped(NamedTuple):
    """Arrays of the shape (comparisons,).

    Attributes:
        effects: the mean over the blocks, its error from the scatter of the groups.
        groups: groups with a block that has a number.
        spread: standard deviation that a group brings to its blocks; NaN where no group has two of them.
    """

    effects: Effects
    groups: Ints
    spread: Floats


def joined(candidate: Ints, other: Ints) -> Ints | None:
    """The group of every block: blocks that share a build of a side that has several are in one.

    Args:
        candidate: number of the candidate's build in each block, -1 where it has none.
        other: that of the baseline's.

    Returns:
        Numbers from 0, or None where neither side has two different builds: then the start is the unit.
    """
    sides = [side for side in (candidate, other) if len(np.unique(side[side >= 0])) > 1]
    if not sides:
        return None
    label = np.arange(len(candidate))
    before = None
    while before is None or (label != before).any():
        before = label.copy()
        for side in sides:
            for build in np.unique(side[side >= 0]):
                label[side == build] = label[side == build].min()
    return np.unique(label, return_inverse=True)[1]


def over_groups(differences: Floats, group: Ints) -> Grouped:
    """The mean over the blocks with the error that the groups give it, and Student's t of one less than there are.

    The error is the cluster-robust one (K.-Y. Liang, S. L. Zeger, Biometrika 73, 1986) with the factor G / (G - 1) of
    few groups: where all have as many blocks it is that of the mean of their means, and where each has one block, that
    of :func:`weigh.statistics.effects.over_blocks`.

    Args:
        differences: one number a block, shape (comparisons, blocks), NaN where a block has none.
        group: of each block, shape (blocks,).
    """
    present = ~np.isnan(differences)
    member = group[None, :] == np.arange(group.max(initial=-1) + 1)[:, None]
    size = (present[:, None, :] & member).sum(axis=2).astype(np.float64)
    count, groups = size.sum(axis=1), (size > 0).sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(present, differences, 0.0).sum(axis=1) / count
        off = np.where(present, differences - mean[:, None], 0.0)
        sums = (off[:, None, :] * member).sum(axis=2)
        error = np.sqrt((sums**2).sum(axis=1) * groups / (groups - 1)) / count
        middles = np.where(size > 0, sums / size, 0.0)
        between = (size * middles**2).sum(axis=1) / (groups - 1)
        within = ((off**2).sum(axis=1) - (size * middles**2).sum(axis=1)) / (count - groups)
        typical = (count - (size**2).sum(axis=1) / count) / (groups - 1)
        spread = np.where(count > groups, np.sqrt(np.maximum(between - within, 0.0) / typical), np.nan)
    known = groups >= 2
    effects = Effects(
        np.where(known, np.where(np.abs(mean) < TINY, 0.0, mean), np.nan),
        np.where(known, np.where(error < TINY, 0.0, error), np.nan),
        np.where(known, groups - 1.0, np.nan),
    )
    return Grouped(effects, groups, np.where(known, spread, np.nan))
