"""Moments of the sampler: in order of time, and how much of a quantity falls into spans of it. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from weigh.model.machine.timeline import Moment, Watch
    from weigh.statistics.arrays import Floats


def in_order(watches: Sequence[Watch]) -> list[Moment]:
    """The moments of an attempt in order of time."""
    return sorted((moment for watch in watches for moment in watch.moments), key=lambda moment: moment.at)


def amounts(moments: Sequence[Moment], of: Callable[[Moment], float | None], begin: Floats, length: Floats) -> Floats:
    """How much of a quantity falls into each stretch of time; moments without it have none."""
    known = [(moment.at, moment.end, value) for moment in moments if (value := of(moment)) is not None]
    if not known:
        return np.zeros(len(begin))
    begins, ends, values = np.array(known, dtype=np.float64).T
    total = np.concatenate([[0.0], np.cumsum(values)])
    # Two points a moment: between moments the sum stands still. Rounding must not make time run backwards.
    time = np.maximum.accumulate(np.stack([begins, ends], axis=1).ravel())
    amount = np.stack([total[:-1], total[1:]], axis=1).ravel()
    return np.asarray(np.interp(begin + length, time, amount) - np.interp(begin, time, amount), dtype=np.float64)
