"""One long series of another tool: its mean with an honest interval, the naive one beside it, and its percentiles."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from weigh.model import codes
from weigh.model.units import Seconds, seconds
from weigh.statistics.percentiles import Percentile, percentiles
from weigh.statistics.series.correlated_mean import SeriesMean, mean
from weigh.statistics.series.steady_state import Steady, steady

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from weigh.judge.design import Turn
    from weigh.model.verdict import Reason

CONFIDENCE = 0.95
"""Level of the intervals of a series, as in the texts that these are compared with."""
QUANTILES = (0.5, 0.9, 0.99, 0.999)


class Quantile(msgspec.Struct, frozen=True, kw_only=True):
    """A quantile without an interval.

    Attributes:
        q: the fraction of values below it.
        value: the quantile.
    """

    q: float
    value: Seconds


class SeriesFigure(msgspec.Struct, frozen=True, kw_only=True):
    """What one series allows to be reported. Times in seconds.

    Attributes:
        operation, contender: whose it is.
        steady: where it settles (docs/concept/series.md#steady-state).
        left_out: values before it settled, which are not in the mean nor in the percentiles.
        mean: with an interval that allows for correlation, or the reason why there is none.
        naive: the interval that takes the values for independent: what many tools print. It begins at zero at least.
        percentiles: with intervals, where the values have an order.
        quantiles: of a histogram, which have no intervals.
    """

    operation: str
    contender: str
    steady: Steady
    left_out: int
    mean: SeriesMean
    naive: SeriesMean
    percentiles: tuple[Percentile, ...] = ()
    quantiles: tuple[Quantile, ...] = ()


def figures(turns: Iterable[Turn], confidence: float = CONFIDENCE) -> tuple[SeriesFigure, ...]:
    """One figure for every series; turns that are no series are taken as one, in their order.

    Args:
        turns: with values.
        confidence: level of the intervals.
    """
    whole: dict[tuple[str, str], list[Turn]] = {}
    found: list[list[Turn]] = []
    for turn in turns:
        if turn.measured.series:
            found.append([turn])
        elif (key := (turn.operation, turn.contender)) in whole:
            whole[key].append(turn)
        else:
            whole[key] = [turn]
            found.append(whole[key])
    return tuple(_figure(values, confidence) for values in found)


def _below_zero(found: Seconds) -> Reason:
    return codes.T3_SHORT.reason(
        f"the mean is {seconds(found)} and its interval would begin below zero, where no time is: a few large values "
        "make it. Measure longer, or give the percentiles"
    )


def _figure(turns: Sequence[Turn], confidence: float) -> SeriesFigure:
    values = np.concatenate([turn.measured.values for turn in turns])
    shape = steady(values)
    cut = 0 if shape.refused else shape.cut
    settled = values[cut:]
    quantiles = turns[0].measured.quantiles
    # Of a histogram log the means of its intervals are what is left.
    honest = mean(settled, confidence=confidence, intervals=bool(quantiles))
    if shape.refused is not None and honest.refused is None:
        # A series that does not settle has a mean of what was observed, and none to give an interval for.
        honest = msgspec.structs.replace(honest, low=None, high=None, refused=shape.refused)
    if honest.low is not None and honest.low <= 0:
        honest = msgspec.structs.replace(honest, low=None, high=None, refused=_below_zero(honest.mean))
    naive = mean(settled, confidence=confidence, method="naive")
    if naive.low is not None and naive.low < 0:
        naive = msgspec.structs.replace(naive, low=0.0)
    return SeriesFigure(
        operation=turns[0].operation,
        contender=turns[0].contender,
        steady=shape,
        left_out=cut,
        mean=honest,
        naive=naive,
        percentiles=() if quantiles else percentiles(settled, QUANTILES, confidence=confidence),
        quantiles=tuple(Quantile(q=q, value=value) for q, value in quantiles),
    )
