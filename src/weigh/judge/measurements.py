"""Measurements: what another tool measured in a row, by one contender on one operation."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Measurements:
    """Values without another contender between them, as far as the file tells.

    Attributes:
        contender: as the file calls it; empty where it does not, and the name of the file decides.
        operation: as the file calls it; empty where there is only one.
        values: seconds, shape (values,), in the order in which they were measured; finite and not negative.
        starts: fresh processes that the values come from.
        turn: number of their turn in its file, from 0, in the order of time. Those of several operations may
            share one.
        at: seconds since some fixed time at which it began, where the file says so.
        series: whether the values are one long series of single events, whose mean is what counts.
        failed: measurements that the tool reports as failed; their times are not among the values.
        detail: what the tool said about the first of them.
        quantiles: (fraction, seconds) of all events, where the file keeps a histogram of them.
    """

    contender: str
    operation: str
    values: NDArray[np.float64]
    starts: int
    turn: int
    at: float | None = None
    series: bool = False
    failed: int = 0
    detail: str = ""
    quantiles: tuple[tuple[float, float], ...] = field(default=())
