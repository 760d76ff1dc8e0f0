"""The rate at which a run keeps its budget as often as not, from runs that kept it and runs that broke it.

Between two runs of the same rate a server is not equally fast, so that near its limit some keep the budget and some do
not: the share that does falls with the logarithm of the rate as a normal distribution function, ``F((t - log r) / s)``.
This is the psychometric function of A. B. Watson, D. G. Pelli, Perception & Psychophysics 33, 1983, and how its two
parameters follow from runs whose rates were chosen after those before is a posterior on a grid (M. Kuss, F. Jäkel,
F. A. Wichmann, Journal of Vision 5, 2005): what was chosen by what was observed needs no correction there.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from weigh.statistics.special import special

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.statistics.arrays import Floats

CONFIDENCE = 0.95
LAPSE = 0.02
"""Share of runs whose outcome has nothing to do with their rate: a stall far below the limit, or none far above it."""
_SPREADS = np.geomspace(0.002, 0.3, 16)
"""Standard deviations of the limit from run to run, as logarithms; each as likely as the next beforehand."""
_FINE, _COARSE = 0.002, 0.04
"""Steps of the grid of rates, as logarithms: around where outcomes change, and elsewhere."""
_AROUND = 0.3
_NODES = np.sqrt(2) * special.erfinv(np.linspace(-0.9, 0.9, 19))
"""Standard normal deviates that are equally likely."""


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """A run that counts: its rate in requests a second, and whether it kept the budget."""

    rate: float
    met: bool = msgspec.field(name="kept")


class Threshold(msgspec.Struct, frozen=True, kw_only=True):
    """Where runs stop keeping the budget, in requests a second.

    Attributes:
        rate: at which a run keeps it as often as not.
        low, high: interval of that rate.
        confidence: level of the interval.
        spread: standard deviation of the limit from run to run, as a share of the rate: the range in which some runs
            keep the budget and some do not.
    """

    rate: float
    low: float
    high: float
    confidence: float = CONFIDENCE
    spread: float

    @property
    def width(self) -> float:
        """Half of the interval, as a share of the rate."""
        return math.sqrt(self.high / self.low) - 1


class Posterior:
    """What outcomes leave to believe.

    Args:
        outcomes: of the runs so far.
        low, high: between which rates the limit lies; every rate as likely as the next beforehand, as logarithms.
    """

    def __init__(self, outcomes: Sequence[Outcome], low: float, high: float) -> None:
        self._places = _grid(outcomes, low, high)
        rates = np.log([one.rate for one in outcomes])
        sign = np.where([one.met for one in outcomes], 1.0, -1.0)
        # Runs, spreads, places.
        deviates = (self._places - rates[:, None, None]) / _SPREADS[:, None] * sign[:, None, None]
        likely = np.log(LAPSE / 2 + (1 - LAPSE) * special.ndtr(deviates)).sum(axis=0)
        # A grid that is finer somewhere must not count more there.
        weights = np.exp(likely - likely.max()) * np.gradient(self._places)
        self._weights: Floats = weights / weights.sum()

    @cached_property
    def limits(self) -> tuple[Floats, Floats]:
        """Where the limit may lie, as logarithms of rates, ascending; and how likely each place is, 1 together."""
        return self._places, self._weights.sum(axis=0)

    @cached_property
    def threshold(self) -> Threshold:
        """The median, and the interval between the tails."""
        tail = (1 - CONFIDENCE) / 2
        low, middle, high = np.exp(quantiles(*self.limits, (tail, 0.5, 1 - tail)))
        spread = float(np.exp(self._weights.sum(axis=1) @ np.log(_SPREADS)))
        return Threshold(rate=float(middle), low=float(low), high=float(high), spread=spread)

    def rates(self, shares: Sequence[float]) -> tuple[float, ...]:
        """The rates at which the next run's limit falls with these probabilities below: where a run tells most.

        Args:
            shares: each between 0 and 1, ascending.
        """
        places = (self._places + _SPREADS[:, None, None] * _NODES[:, None, None].transpose(1, 0, 2)).ravel()
        weights = np.broadcast_to(self._weights[:, None, :], (len(_SPREADS), len(_NODES), len(self._places))).ravel()
        order = np.argsort(places)
        return tuple(map(float, np.exp(quantiles(places[order], weights[order], shares))))


def _grid(outcomes: Sequence[Outcome], low: float, high: float) -> Floats:
    """Logarithms of rates: fine where the outcomes change from kept to broken, or mix."""
    bottom, top = math.log(low), math.log(high)
    passing = [math.log(one.rate) for one in outcomes if one.met]
    broken = [math.log(one.rate) for one in outcomes if not one.met]
    ends = [max(passing, default=bottom), min(broken, default=top)]
    begin, end = max(min(ends) - _AROUND, bottom), min(max(ends) + _AROUND, top)
    parts = [
        np.arange(bottom, begin, _COARSE),
        np.linspace(begin, end, max(int((end - begin) / _FINE), 2)),
        np.arange(top, end, -_COARSE)[::-1],
    ]
    found: Floats = np.unique(np.concatenate(parts))
    return found


def quantiles(places: Floats, weights: Floats, shares: Sequence[float]) -> Floats:
    """Where so much of the weight lies below.

    Args:
        places: ascending.
        weights: of each place.
        shares: of all weight, ascending.
    """
    reached = np.cumsum(weights) - weights / 2
    found: Floats = np.interp(shares, reached / weights.sum(), places)
    return found
