"""What every resource did in stretches of time: how busy it was, whether work waited for it, whether it failed. Pure.

The conditions are those of :mod:`weigh.machine.use_method`.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from weigh.machine.moments import columns, spread

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.machine.moments import Quantity
    from weigh.model.machine.timeline import Moment
    from weigh.model.units import Bytes
    from weigh.statistics.arrays import Floats


_GAP = 1e-3
"""Seconds between two moments above which they do not follow each other: there nothing was read."""
WAITING = 0.10
"""Share of a stretch in which some task must have waited for a resource for it to count as saturated."""
BUSY = 0.90
"""Utilisation from which on a queue at a disk that tasks waited for counts as saturation, and a link as full."""
QUEUED = 2.0
"""Requests at a device while it is busy, from which on some of them wait for others."""
LONG = 0.010
"""Seconds from queueing to completion from which on queued requests have waited: a device that serves many at once
takes less, and one that turns takes as long as that for each."""
SWAPPING = 64.0
"""Pages moved to or from swap in a second from which on memory counts as saturated; a few come back at any time."""
LOSING = 10.0
"""Segments sent again, or packets lost, in a second from which on the network counts as saturated."""


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """One resource over many stretches of time; arrays of one value a stretch, NaN where it was not read.

    Attributes:
        utilisation: share in use.
        saturated: 1 where work waited for it, 0 where not.
        errors: how many.
        queue, await_s: of a disk; None of other resources.
    """

    utilisation: Any
    saturated: Any
    errors: Any
    queue: Any = None
    await_s: Any = None


def readings(moments: Sequence[Moment], begin: Floats, length: Floats, memory: Bytes | None) -> dict[str, Reading]:
    """Every resource in every stretch of time.

    Args:
        moments: of one attempt, in order of time.
        begin: of each stretch, seconds since the attempt began.
        length: of each, seconds.
        memory: bytes that the machine has.
    """
    every = _Bins(moments, begin, length)
    return {
        "cpu": _cpu(every),
        "memory": _memory(every, memory),
        "disk": _disk(every),
        "network": _network(every),
    }


def throttled(moments: Sequence[Moment], begin: Floats, length: Floats) -> Floats:
    """1 where the limit of weigh's control group held it back, 0 where not, NaN where that was not read.

    Args:
        moments: in order of time.
        begin: of each stretch, seconds since the attempt began.
        length: of each, seconds.
    """
    return _above(_Bins(moments, begin, length).rate(_throttled), WAITING)


class _Bins:
    """Quantities of the moments, put into stretches."""

    def __init__(self, moments: Sequence[Moment], begin: Floats, length: Floats) -> None:
        self.moments, self.begin, self.length = columns(moments), begin, length

    def amount(self, of: Quantity) -> Floats:
        """What happened in each stretch; NaN where the moments that touch it do not say."""
        values = self.moments.column(of)
        return np.where(self._known(values) > 0, self._spread(values), np.nan)

    def share(self, of: Quantity) -> Floats:
        """The mean of a share over what is known of each stretch."""
        return self.mean(self.moments.column(of))

    def mean(self, values: Floats) -> Floats:
        """The same of a column: one value a moment, NaN where there is none."""
        return self._mean(self._spread(values * self.moments.span), self._known(values))

    def rate(self, of: Quantity) -> Floats:
        """How much a second: a count that is read now and then is of all the time since it was read last."""
        read, since, span = self._since(of)
        return self._mean(self._after(since, span, read), self._after(since, span, span))

    def lasting(self, of: Quantity) -> Floats:
        """The mean of a share that is read now and then, and is of all the time since it was read last."""
        read, since, span = self._since(of)
        return self._mean(self._after(since, span, read * span), self._after(since, span, span))

    def level(self, of: Quantity) -> Floats:
        """A level at the middle of each stretch: it is read now and then, and stays until it is read again."""
        values = self.moments.column(of)
        known = ~np.isnan(values)
        if not known.any():
            return np.full(len(self.begin), np.nan)
        times = self.moments.end[known]
        return np.asarray(np.interp(self.begin + self.length / 2, times, values[known]), dtype=np.float64)

    def _known(self, values: Floats) -> Floats:
        """Seconds of each stretch of which there is a value."""
        return self._spread(np.where(np.isnan(values), np.nan, self.moments.span))

    def _spread(self, values: Floats) -> Floats:
        return spread(self.moments.at, self.moments.end, values, self.begin, self.length)

    def _after(self, since: Floats, span: Floats, values: Floats) -> Floats:
        return spread(since, since + span, values, self.begin, self.length)

    def _since(self, of: Quantity) -> tuple[Floats, Floats, Floats]:
        """What was read, since when it counts, and over how many seconds."""
        values, at, end = self.moments.column(of), self.moments.at, self.moments.end
        read = np.flatnonzero(~np.isnan(values))
        # It counts since it was read last, or since nothing was read for a while.
        place = np.arange(len(at))
        resumed = np.ones(len(at), dtype=np.bool_)
        resumed[1:] = at[1:] - end[:-1] > _GAP
        gap = np.maximum.accumulate(np.where(resumed, place, -1))[read]
        last = np.concatenate([[-1], read])[: len(read)]
        since = np.where(gap > last, at[gap], end[last])
        return values[read], since, end[read] - since

    @staticmethod
    def _mean(found: Floats, known: Floats) -> Floats:
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(known > 0, found / known, np.nan)


_pressure_cpu, _pressure_memory, _pressure_io, _throttled, _cpu_throttles, _swapped = map(
    attrgetter, ("pressure_cpu", "pressure_memory", "pressure_io", "throttled", "cpu_throttles", "swapped")
)


def _busy_cpus(one: Moment) -> float | None:
    return None if one.busy is None or one.span <= 0 else one.busy / one.span


def _cpu(every: _Bins) -> Reading:
    number = max((len(one.cpus) for one in every.moments if one.cpus), default=0)
    busy = every.share(_busy_cpus)
    waiting = every.share(_pressure_cpu)
    throttled_rate = every.rate(_throttled)
    with np.errstate(invalid="ignore"):
        return Reading(
            utilisation=np.minimum(busy / number, 1.0) if number else np.full(len(busy), np.nan),
            saturated=_either(_above(waiting, WAITING), _above(throttled_rate, WAITING)),
            errors=every.amount(_cpu_throttles),
        )


def _memory(every: _Bins, total: Bytes | None) -> Reading:
    left = every.level(_unused)
    waiting = _above(every.share(_pressure_memory), WAITING)
    swapping = _above(every.rate(_swapped), SWAPPING)
    return Reading(
        utilisation=np.clip(1 - left / total, 0.0, 1.0) if total else np.full(len(left), np.nan),
        saturated=_either(waiting, swapping),
        errors=every.amount(_memory_errors),
    )


def _memory_errors(one: Moment) -> float | None:
    known = [each for each in (one.oom_kills, one.memory_errors) if each is not None]
    return sum(known) if known else None


def _unused(one: Moment) -> float | None:
    """What is free or can be had by giving up a cache."""
    return None if one.memory_free is None or one.cached is None else one.memory_free + one.cached


def _disk(every: _Bins) -> Reading:
    devices = every.moments.disks
    shape = (len(devices), len(every.begin))
    busy, queue, ended = (
        np.array([every.mean(figures[number]) for figures in devices.values()]).reshape(shape) for number in range(3)
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        # While it is busy: a device that rests half of the time has twice as many when it does not.
        present = np.where(busy > 0, queue / np.minimum(busy, 1.0), np.nan)
        # Little's law: how many ended is what was there over how long each took.
        waited = np.where(ended > 0, queue / ended, np.nan)
    most = _fullest(busy)
    stalled = _above(every.share(_pressure_io), WAITING)
    # Without word of who waited, a queue at a device that is busy throughout is all there is to go by.
    blocked = np.where(np.isnan(stalled), 1.0, stalled)
    queued, slow, full = _above(present, QUEUED), _above(waited, LONG), _above(busy, BUSY)
    with np.errstate(invalid="ignore"):
        saturated = np.where(np.isnan(busy), np.nan, ((queued == 1) & ((slow == 1) | (full * blocked == 1))) * 1.0)
    fullest = np.nan_to_num(present * busy, nan=-1.0)
    which = fullest.argmax(axis=0) if devices else None
    return Reading(
        utilisation=np.minimum(most, 1.0),
        saturated=_fullest(saturated),
        errors=every.amount(_disk_errors),
        queue=most * np.nan if which is None else np.take_along_axis(present, which[None], 0)[0],
        await_s=most * np.nan if which is None else np.take_along_axis(waited, which[None], 0)[0],
    )


def _fullest(values: Floats) -> Floats:
    """The largest value of all devices, NaN where none is known."""
    most = np.nanmax(np.where(np.isnan(values), -1.0, values), axis=0, initial=-1.0)
    return np.asarray(np.where(most < 0, np.nan, most), dtype=np.float64)


def _network(every: _Bins) -> Reading:
    again = every.rate(_sent_again)
    lost = every.rate(_lost)
    full = every.lasting(_link)
    return Reading(
        utilisation=full,
        saturated=_either(_above(again + lost, LOSING), _above(full, BUSY)),
        errors=every.amount(_damaged),
    )


def _disk_errors(one: Moment) -> float | None:
    return None if one.disk_errors is None else sum(one.disk_errors.values())


def _sent_again(one: Moment) -> float | None:
    return one.network.retransmits or 0 if one.network else None


def _lost(one: Moment) -> float | None:
    return one.network.drops + (one.network.overflows or 0) if one.network else None


def _link(one: Moment) -> float | None:
    return one.network.link if one.network else None


def _damaged(one: Moment) -> float | None:
    return one.network.errors if one.network else None


def _above(values: Floats, bound: float) -> Floats:
    """1 where a value is above the bound, 0 where it is not, NaN where it is not known."""
    with np.errstate(invalid="ignore"):
        return np.where(np.isnan(values), np.nan, (values > bound).astype(np.float64))


def _either(left: Floats, right: Floats) -> Floats:
    """1 where one of them is, NaN where neither is known."""
    return np.asarray(np.fmax(left, right), dtype=np.float64)
