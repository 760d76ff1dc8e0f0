"""How the reference moved from one session to the other: context for a join, and what can be seen of its assumption.

A time of one session over a time of another is never a verdict (T5): it is what the machine did. But a machine that
became slower for some operations and not for others may also have become slower for some contenders and not for
others, and then no reference helps. So it is tested whether the reference moved by one factor on all operations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from weigh.compare.model import ReferenceShift
from weigh.statistics import student_t
from weigh.statistics.effects import Effects
from weigh.statistics.welch import welch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.statistics.arrays import Floats
    from weigh.verdict.table import Table


LEVEL = 0.001
"""Family-wise error of calling the movement uneven."""


def reference_shift(first: tuple[Table, int], second: tuple[Table, int], operations: Sequence[str]) -> ReferenceShift:
    """How a contender moved.

    Args:
        first: table of the first session, and the number of the contender in it.
        second: of the second.
        operations: those whose times may be shown.
    """
    levels = [_levels(*side) for side in (first, second)]
    both = [name for name in operations if all(name in level for level in levels)]
    ratios = {name: float(np.exp(np.nanmean(levels[1][name]) - np.nanmean(levels[0][name]))) for name in both}
    if len(both) < 2:
        return ReferenceShift(ratios=ratios)
    whole = [_whole_blocks(np.stack([level[name] for name in both], axis=-1)) for level in levels]
    departures, p_values = uneven(*whole)
    found = {
        name: float(np.exp(departure))
        for name, departure, p_value in zip(both, departures, p_values, strict=True)
        if p_value < LEVEL
    }
    return ReferenceShift(ratios=ratios, uneven=found)


def uneven(first: Floats, second: Floats) -> tuple[Floats, Floats]:
    """How far each operation's movement departs from the mean movement of all, and with which p-value.

    What a block has in common is taken away first; what is left of different blocks is independent. Welch's t for each
    operation, p-values after Bonferroni.

    Args:
        first: mean logarithms, shape (blocks, operations), complete.
        second: of the other session; the number of blocks may be another.

    Returns:
        Departures (logarithms) and p-values of the shape (operations,); p-values are 1 where a session has one block.
    """
    count = first.shape[1]
    if min(len(first), len(second)) < 2:
        return np.zeros(count), np.ones(count)
    departure = welch(_centred(first), _centred(second))
    with np.errstate(invalid="ignore", divide="ignore"):
        p_values = student_t.two_sided(np.abs(departure.effect) / departure.error, departure.freedom)
    # Without any scatter there is no test: the clock is too coarse or the data are made up, and that is said elsewhere.
    return departure.effect, np.where(departure.error > 0, np.minimum(1.0, count * p_values), 1.0)


def _centred(levels: Floats) -> Effects:
    """Mean of each operation with its error, after each block's own mean is taken away."""
    rest = levels - levels.mean(axis=1, keepdims=True)
    blocks, count = levels.shape
    error = rest.std(axis=0, ddof=1) / np.sqrt(blocks)
    return Effects(rest.mean(axis=0), error, np.full(count, blocks - 1.0))


def _whole_blocks(levels: Floats) -> Floats:
    """The blocks in which every operation was measured: the block in which a session was ended may lack some."""
    return levels[np.isfinite(levels).all(axis=1)]


def _levels(table: Table, contender: int) -> dict[str, Floats]:
    """Mean logarithms of a contender's arms by operation (hot alone), one a block, NaN where it was not measured."""
    logs = table.levels()[..., table.contender_of == contender]
    present = ~np.isnan(logs)
    with np.errstate(invalid="ignore"):
        mean = np.where(present, logs, 0.0).sum(axis=-1) / present.sum(axis=-1)
    return {
        one.operation: mean[number] for number, one in enumerate(table.questions) if np.isfinite(mean[number]).any()
    }
