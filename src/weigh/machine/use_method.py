"""USE: utilisation, saturation and errors of CPU, memory, disk and network while the clock ran. Pure.

The questions are those of B. Gregg, "Thinking Methodically about Performance", ACM Queue 10(12), 2012: for every
resource, how busy it was, whether work had to wait for it, and whether it failed. The resource that first made work
wait is where the time of a contender is to be looked for.

What is asked of each, where the kernel says it:

========  ==============================  ================================================  ======================
resource  utilisation                     saturated                                         errors
========  ==============================  ================================================  ======================
cpu       busy CPU seconds                tasks waited for a CPU, or a limit held them       none are counted
memory    what is neither free nor cache  tasks waited for memory, or pages were swapped     processes killed
disk      the busiest device              tasks waited, and a device was busy throughout     requests that failed
network   unknown: no speed is known      segments sent again, dropped, or refused           damaged packets
========  ==============================  ================================================  ======================
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np

from weigh.machine.moments import amounts, in_order

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from weigh.model.sample import Sample
    from weigh.model.timeline import Disk, Moment, Watch
    from weigh.model.units import Bytes
    from weigh.statistics.arrays import Floats


_GAP = 1e-3
"""Seconds between two moments above which they do not follow each other: there nothing was read."""
WAITING = 0.10
"""Share of a stretch in which some task must have waited for a resource for it to count as saturated."""
BUSY = 0.90
"""Utilisation from which on a disk that tasks waited for counts as saturated."""
SWAPPING = 64.0
"""Pages moved to or from swap in a second from which on memory counts as saturated; a few come back at any time."""
LOSING = 10.0
"""Segments sent again, or packets lost, in a second from which on the network counts as saturated."""
RESOURCES = ("cpu", "memory", "disk", "network")


class Place(NamedTuple):
    """A turn."""

    attempt: int
    block: int
    turn: int
    operation: str
    contender: str


class When(NamedTuple):
    """An interval of a run of a load: where it begins, in seconds since the run began."""

    run: int
    at: float


class Resource(msgspec.Struct, frozen=True, kw_only=True):
    """One resource over the turns of all attempts, or over the intervals of a load; None where it cannot be told.

    Attributes:
        name: of :data:`RESOURCES`.
        utilisation, most: share in use, on average and in the turn with most.
        saturated: share of the turns' time in turns in which work waited for it.
        first: the first of those turns.
        errors: how many there were.
    """

    name: str
    utilisation: float | None = None
    most: float | None = None
    saturated: float | None = None
    first: Place | When | None = None
    errors: int | None = None


class Use(msgspec.Struct, frozen=True, kw_only=True):
    """What the turns made of the machine.

    Attributes:
        resources: in the order of :data:`RESOURCES`.
        bottleneck: name of the resource that was saturated first; None where none was.
    """

    resources: tuple[Resource, ...]
    bottleneck: str | None = None


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """One resource over many stretches of time; arrays of one value a stretch, NaN where it was not read.

    Attributes:
        utilisation: share in use.
        saturated: 1 where work waited for it, 0 where not.
        errors: how many.
    """

    utilisation: Any
    saturated: Any
    errors: Any


def use(attempts: Iterable[tuple[Sequence[Sample], Sequence[Watch], Bytes | None]]) -> Use:
    """Sum up every resource over the turns.

    Args:
        attempts: samples, watches and bytes of memory of each.
    """
    places: list[Place] = []
    lengths: list[Floats] = []
    parts: dict[str, list[Reading]] = {name: [] for name in RESOURCES}
    for samples, watches, memory in attempts:
        moments = in_order(watches)
        found = _turns(samples, moments)
        if not found:
            continue
        places += [place for place, _, _ in found]
        begin, end = np.array([(begin, end) for _, begin, end in found], dtype=np.float64).T
        lengths.append(end - begin)
        for name, reading in readings(moments, begin, end - begin, memory).items():
            parts[name].append(reading)
    return summarised(parts, places, lengths)


def summarised(
    parts: Mapping[str, Sequence[Reading]], places: Sequence[Place] | Sequence[When], lengths: Sequence[Floats]
) -> Use:
    """Sum up readings.

    Args:
        parts: readings of each resource, attempt by attempt.
        places: of all their stretches, in order.
        lengths: of the stretches of each attempt, seconds.
    """
    resources = tuple(_summed(name, parts[name], places, lengths) for name in RESOURCES)
    saturated = [one for one in resources if one.first]
    first = min(saturated, key=lambda one: places.index(one.first), default=None)
    return Use(resources=resources, bottleneck=first.name if first else None)


def _turns(samples: Sequence[Sample], moments: Sequence[Moment]) -> list[tuple[Place, float, float]]:
    """Turns with their beginning and end: to the end of the moment in which the last execution ended."""
    ends = np.array([one.end for one in moments])
    # A cold turn has two lives, and what lies between them is nobody's execution.
    spans: dict[tuple[Place, str], tuple[float, float]] = {}
    for one in samples:
        key = Place(one.attempt, one.block, one.turn, one.operation, one.contender), one.temperature
        begin, end = spans.get(key, (one.at, one.at))
        spans[key] = min(begin, one.at), max(end, one.at + (one.wall_s or 0.0))
    found = []
    for (place, _), (begin, end) in spans.items():
        after = int(np.searchsorted(ends, end)) if len(ends) else 0
        last = max(end, float(ends[after])) if after < len(ends) else end
        if last > begin:
            found.append((place, begin, last))
    return sorted(found)


def _summed(
    name: str, parts: Sequence[Reading], places: Sequence[Place] | Sequence[When], lengths: Sequence[Floats]
) -> Resource:
    """One resource over all turns."""
    if not parts:
        return Resource(name=name)
    weights = np.concatenate(lengths)
    utilisation, saturated, errors = (
        np.concatenate([getattr(part, of) for part in parts]) for of in ("utilisation", "saturated", "errors")
    )
    first = np.flatnonzero(saturated == 1)
    return Resource(
        name=name,
        utilisation=_mean(utilisation, weights),
        most=float(np.nanmax(utilisation)) if not np.isnan(utilisation).all() else None,
        saturated=_mean(saturated, weights),
        first=places[first[0]] if len(first) else None,
        errors=round(float(np.nansum(errors))) if not np.isnan(errors).all() else None,
    )


def _mean(values: Floats, weights: Floats) -> float | None:
    """The mean over what is known, None where nothing is."""
    known = ~np.isnan(values)
    return float(np.average(values[known], weights=weights[known])) if known.any() else None


def memory_of(host: Mapping[str, Any]) -> int | None:
    """Bytes that the machine has, from the facts of a host; None where they do not say."""
    found = host.get("memory_bytes")
    return int(found) if isinstance(found, int) else None


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
    return _above(_Bins(moments, begin, length).rate(lambda one: one.throttled), WAITING)


class _Bins:
    """Quantities of the moments, put into stretches."""

    def __init__(self, moments: Sequence[Moment], begin: Floats, length: Floats) -> None:
        self.moments, self.begin, self.length = moments, begin, length

    def amount(self, of: Callable[[Moment], float | None]) -> Floats:
        """What happened in each stretch; NaN where the moments that touch it do not say."""
        known = amounts(self.moments, lambda one: None if of(one) is None else one.span, self.begin, self.length)
        found = amounts(self.moments, of, self.begin, self.length)
        return np.where(known > 0, found, np.nan)

    def share(self, of: Callable[[Moment], float | None]) -> Floats:
        """The mean of a share over what is known of each stretch."""
        known = amounts(self.moments, lambda one: None if of(one) is None else one.span, self.begin, self.length)
        found = amounts(
            self.moments,
            lambda one: None if (value := of(one)) is None else value * one.span,
            self.begin,
            self.length,
        )
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(known > 0, found / known, np.nan)

    def rate(self, of: Callable[[Moment], float | None]) -> Floats:
        """How much a second: a count that is read now and then is of all the time since it was read last."""
        read, since, before = [], 0.0, None
        for one in self.moments:
            if before is None or one.at - before > _GAP:
                since = one.at
            before = one.end
            if of(one) is not None:
                read.append(msgspec.structs.replace(one, at=since, span=one.end - since))
                since = one.end
        known = amounts(read, lambda one: one.span, self.begin, self.length)
        found = amounts(read, of, self.begin, self.length)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(known > 0, found / known, np.nan)

    def level(self, of: Callable[[Moment], float | None]) -> Floats:
        """A level at the middle of each stretch: it is read now and then, and stays until it is read again."""
        read = [(one.end, value) for one in self.moments if (value := of(one)) is not None]
        if not read:
            return np.full(len(self.begin), np.nan)
        times, values = np.array(read, dtype=np.float64).T
        return np.asarray(np.interp(self.begin + self.length / 2, times, values), dtype=np.float64)


def _cpu(every: _Bins) -> Reading:
    number = max((len(one.cpus) for one in every.moments if one.cpus), default=0)
    busy = every.share(lambda one: None if one.busy is None or one.span <= 0 else one.busy / one.span)
    waiting = every.share(lambda one: one.pressure_cpu)
    held = every.rate(lambda one: one.throttled)
    with np.errstate(invalid="ignore"):
        return Reading(
            utilisation=np.minimum(busy / number, 1.0) if number else np.full(len(busy), np.nan),
            saturated=_either(_above(waiting, WAITING), _above(held, WAITING)),
            errors=np.full(len(busy), np.nan),
        )


def _memory(every: _Bins, total: Bytes | None) -> Reading:
    left = every.level(_unused)
    waiting = _above(every.share(lambda one: one.pressure_memory), WAITING)
    swapping = _above(every.rate(lambda one: one.swapped), SWAPPING)
    return Reading(
        utilisation=np.clip(1 - left / total, 0.0, 1.0) if total else np.full(len(left), np.nan),
        saturated=_either(waiting, swapping),
        errors=every.amount(lambda one: one.oom_kills),
    )


def _unused(one: Moment) -> float | None:
    """What is free or can be had by giving up a cache."""
    return None if one.memory_free is None or one.cached is None else one.memory_free + one.cached


def _disk(every: _Bins) -> Reading:
    names = sorted({name for one in every.moments for name in one.disk or {}})
    busy = np.array([every.share(_device(name)) for name in names]).reshape(len(names), len(every.begin))
    most = np.nanmax(np.where(np.isnan(busy), -1.0, busy), axis=0, initial=-1.0)
    most = np.where(most < 0, np.nan, np.minimum(most, 1.0))
    full, waiting = _above(most, BUSY), _above(every.share(lambda one: one.pressure_io), WAITING)
    return Reading(
        utilisation=most,
        # Without word of who waited, a device that is busy throughout is all there is to go by.
        saturated=np.where(np.isnan(waiting), full, full * waiting),
        errors=every.amount(lambda one: None if one.disk_errors is None else sum(one.disk_errors.values())),
    )


def _device(name: str) -> Callable[[Moment], float | None]:
    def of(one: Moment) -> float | None:
        found: Disk | None = (one.disk or {}).get(name)
        return found.utilisation if found else None

    return of


def _network(every: _Bins) -> Reading:
    again = every.rate(lambda one: one.network.retransmits or 0 if one.network else None)
    lost = every.rate(lambda one: one.network.drops + (one.network.overflows or 0) if one.network else None)
    return Reading(
        utilisation=np.full(len(again), np.nan),
        saturated=_above(again + lost, LOSING),
        errors=every.amount(lambda one: one.network.errors if one.network else None),
    )


def _above(values: Floats, bound: float) -> Floats:
    """1 where a value is above the bound, 0 where it is not, NaN where it is not known."""
    with np.errstate(invalid="ignore"):
        return np.where(np.isnan(values), np.nan, (values > bound).astype(np.float64))


def _either(left: Floats, right: Floats) -> Floats:
    """1 where one of them is, NaN where neither is known."""
    return np.asarray(np.fmax(left, right), dtype=np.float64)
