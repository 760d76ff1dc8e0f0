"""Spread: the coefficient of variation with an interval, and by how much a setting changes it. Pure.

Executions of one block share its state, so blocks are the unit: the interval is a jackknife over blocks of the
logarithm, with Student's t (B. Efron, C. Stein, "The jackknife estimate of variance", Annals of Statistics 9, 1981).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from weigh.statistics.student_t import quantile

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from weigh.statistics.arrays import Floats


CONFIDENCE = 0.99
"""Of the intervals."""


class Estimate(msgspec.Struct, frozen=True, kw_only=True):
    """A positive number with its interval.

    Attributes:
        value: the estimate.
        low, high: its 95 % interval.
    """

    value: float
    low: float
    high: float

    @property
    def differs(self) -> bool:
        """Whether a ratio is not 1."""
        return not self.low <= 1 <= self.high


def cv(times: Floats) -> Estimate:
    """Standard deviation over mean of all executions.

    Args:
        times: shape (blocks, executions).
    """
    return _jackknife(lambda chosen: _cv(times[chosen]), len(times))


def cv_ratio(times: Floats, others: Floats) -> Estimate:
    """The coefficient of variation of ``times`` over that of ``others``; block by block both were measured."""
    return _jackknife(lambda chosen: _cv(times[chosen]) / _cv(others[chosen]), len(times))


def time_ratio(times: Floats, others: Floats) -> Estimate:
    """The median of ``times`` over that of ``others``."""
    return _jackknife(lambda chosen: float(np.median(times[chosen]) / np.median(others[chosen])), len(times))


def _cv(times: Floats) -> float:
    return float(times.std(ddof=1) / times.mean())


def _jackknife(statistic: Callable[[NDArray[np.bool_]], float], blocks: int) -> Estimate:
    everything = np.ones(blocks, dtype=np.bool_)
    value = float(np.log(statistic(everything)))
    without = np.array([np.log(statistic(np.arange(blocks) != block)) for block in range(blocks)])
    error = float(np.sqrt((blocks - 1) / blocks * ((without - without.mean()) ** 2).sum()))
    half = float(quantile(CONFIDENCE, np.array(blocks - 1.0))) * error
    return Estimate(value=float(np.exp(value)), low=float(np.exp(value - half)), high=float(np.exp(value + half)))
