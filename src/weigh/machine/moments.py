"""Moments of the sampler: in order of time, and how much of a quantity falls into spans of it. Pure."""

from __future__ import annotations

from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from weigh.model.machine.timeline import Watches

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from weigh.model.machine.timeline import Moment, Watch
    from weigh.statistics.arrays import Floats

    Quantity = Callable[[Moment], float | None]


BY_WEIGH: Quantity = attrgetter("tracked")
BY_OTHERS: Quantity = attrgetter("foreign")
STOLEN: Quantity = attrgetter("steal")
"""CPU seconds of weigh and the contenders, of others, and of other guests of the host."""


class Moments(list[Any]):
    """Moments of one attempt, with their quantities as columns: each is read once, however often it is asked for."""

    @cached_property
    def at(self) -> Floats:
        """When each begins, seconds since the attempt began."""
        return np.array([one.at for one in self], dtype=np.float64)

    @cached_property
    def span(self) -> Floats:
        """Seconds that each covers."""
        return np.array([one.span for one in self], dtype=np.float64)

    @cached_property
    def end(self) -> Floats:
        """When each ends."""
        return self.at + self.span

    @cached_property
    def _columns(self) -> dict[Quantity, Floats]:
        return {}

    def column(self, of: Quantity) -> Floats:
        """A quantity of each moment; NaN where it was not read."""
        if of not in self._columns:
            self._columns[of] = np.array(list(map(of, self)), dtype=np.float64)
        return self._columns[of]

    @cached_property
    def disks(self) -> dict[str, Floats]:
        """Of every device by name, shape (3, moments), NaN where it was not read.

        Its utilisation, the requests at it, and how many of them ended a second.
        """
        found = {
            name: np.full((len(self), 3), np.nan) for name in sorted({one for each in self for one in each.disk or ()})
        }
        for at, moment in enumerate(self):
            for name, one in (moment.disk or {}).items():
                found[name][at] = one.utilisation, one.queue, one.queue / one.await_s if one.await_s else 0.0
        return {name: figures.T for name, figures in found.items()}

    def watched(self, of: Quantity) -> Floats:
        """Seconds of each moment of which a quantity was read; NaN where it was not."""
        return np.where(np.isnan(self.column(of)), np.nan, self.span)


def in_order(watches: Sequence[Watch]) -> Moments:
    """The moments of an attempt in order of time."""
    return watches.once("in order", lambda: _sorted(watches)) if isinstance(watches, Watches) else _sorted(watches)


def _sorted(watches: Sequence[Watch]) -> Moments:
    return Moments(sorted((moment for watch in watches for moment in watch.moments), key=lambda moment: moment.at))


def columns(moments: Sequence[Moment]) -> Moments:
    """Moments whose quantities can be had as columns."""
    return moments if isinstance(moments, Moments) else Moments(moments)


def amounts(moments: Sequence[Moment], of: Quantity, begin: Floats, length: Floats) -> Floats:
    """How much of a quantity falls into each stretch of time; moments without it have none."""
    every = columns(moments)
    return shared_out(every, every.column(of), begin, length)


def shared_out(moments: Moments, values: Floats, begin: Floats, length: Floats) -> Floats:
    """The same of values that are there: one for each moment, NaN where there is none."""
    return spread(moments.at, moments.end, values, begin, length)


def spread(begins: Floats, ends: Floats, values: Floats, begin: Floats, length: Floats) -> Floats:
    """How much of what happened between some times falls into each stretch of time.

    Args:
        begins: of the spans in which it happened, seconds, in order.
        ends: likewise.
        values: how much happened in each; NaN where that is not known.
        begin: of each stretch, seconds.
        length: of each, seconds.
    """
    known = ~np.isnan(values)
    if not known.any():
        return np.zeros(len(begin))
    begins, ends, values = begins[known], ends[known], values[known]
    total = np.concatenate([[0.0], np.cumsum(values)])
    # Two points a moment: between moments the sum stands still. Rounding must not make time run backwards.
    time = np.maximum.accumulate(np.stack([begins, ends], axis=1).ravel())
    amount = np.stack([total[:-1], total[1:]], axis=1).ravel()
    return np.asarray(np.interp(begin + length, time, amount) - np.interp(begin, time, amount), dtype=np.float64)
