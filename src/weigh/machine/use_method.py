"""USE: utilisation, saturation and errors of CPU, memory, disk and network while the clock ran. Pure.

The questions are those of B. Gregg, "Thinking Methodically about Performance", ACM Queue 10(12), 2012: for every
resource, how busy it was, whether work had to wait for it, and whether it failed. The resource that first made work
wait is where the time of a contender is to be looked for.

What is asked of each, where the kernel says it:

========  ==============================  ================================================  ======================
resource  utilisation                     saturated                                         errors
========  ==============================  ================================================  ======================
cpu       busy CPU seconds                tasks waited for a CPU, or a limit held them       slowed down by heat
memory    what is neither free nor cache  tasks waited for memory, or pages were swapped     kills, damaged bits
disk      the busiest device              requests queued, and waited long                   requests that failed
network   the fullest link                segments sent again, dropped, refused; link full   damaged packets
========  ==============================  ================================================  ======================

**A disk is saturated** where requests queue and wait, however busy it is: at 60 % with 53 requests at once while it is
busy, each of which takes 50 ms, work waits for it. Being busy is no sign by itself: one that always serves a single
request has nobody waiting, and one that serves many at once answers each of them soon.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np

from weigh.machine.moments import columns, in_order
from weigh.machine.readings import readings
from weigh.model.sample import Samples
from weigh.model.units import Seconds

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from weigh.machine.readings import Reading
    from weigh.model.machine.timeline import Moment, Watch
    from weigh.model.sample import Sample
    from weigh.model.units import Bytes
    from weigh.statistics.arrays import Floats


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
    """One resource over the turns of all attempts, or over the intervals of a load; None where it cannot be determined.

    Attributes:
        name: ``cpu``, ``memory``, ``disk``, or ``network``.
        utilisation: share in use, on average.
        most: share in use in the turn, or the interval of a load, with most.
        saturated: share of the time of all turns that lay in turns in which work waited for it.
        first: the first of those turns; of a load the run and the seconds since it began.
        errors: how many there were.
        queue: of a disk: requests at the fullest device while it was busy, on average; None where it never was.
        await_s: of a disk: from queueing to completion of a request of that device, on average.
    """

    name: str
    utilisation: float | None = None
    most: float | None = None
    saturated: float | None = None
    first: Place | When | None = None
    errors: int | None = None
    queue: float | None = None
    await_s: Seconds | None = None


class Use(msgspec.Struct, frozen=True, kw_only=True):
    """What the turns made of the machine.

    Attributes:
        resources: in the order of :data:`RESOURCES`.
        bottleneck: name of the resource that was saturated first; None where none was.
    """

    resources: tuple[Resource, ...]
    bottleneck: str | None = None


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
    resources = tuple(_summed(name, parts[name], places, lengths) for name in parts)
    saturated = [one for one in resources if one.first]
    first = min(saturated, key=lambda one: places.index(one.first), default=None)
    return Use(resources=resources, bottleneck=first.name if first else None)


def _turns(samples: Sequence[Sample], moments: Sequence[Moment]) -> list[tuple[Place, float, float]]:
    """Turns with their beginning and end: to the end of the moment in which the last execution ended."""
    ends = columns(moments).end
    every = Samples.of(samples)
    # A cold turn has two lives, and what lies between them is nobody's execution.
    code, turns = every.coded(*Place._fields, "temperature")
    at = every.floats("at")
    begins, lasts = np.full(len(turns), np.inf), np.full(len(turns), -np.inf)
    np.minimum.at(begins, code, at)
    np.maximum.at(lasts, code, at + np.nan_to_num(every.floats("wall_s"), nan=0.0))
    after = np.searchsorted(ends, lasts)
    lasts = np.maximum(lasts, np.append(ends, -np.inf)[after])
    return sorted(
        (Place(*turn[:-1]), begin, last)
        for turn, begin, last in zip(turns, begins.tolist(), lasts.tolist(), strict=True)
        if last > begin
    )


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
        **_of_queue(parts, weights),
    )


def _of_queue(parts: Sequence[Reading], weights: Floats) -> dict[str, float | None]:
    """Queue and waiting of a disk over all turns; nothing of other resources."""
    if any(part.queue is None for part in parts):
        return {}
    queue, waited = (np.concatenate([getattr(part, of) for part in parts]) for of in ("queue", "await_s"))
    return {"queue": _mean(queue, weights), "await_s": _mean(waited, weights * np.nan_to_num(queue))}


def _mean(values: Floats, weights: Floats) -> float | None:
    """The mean over what is known, None where nothing is."""
    known = ~np.isnan(values) & (weights > 0)
    return float(np.average(values[known], weights=weights[known])) if known.any() else None


def memory_of(host: Mapping[str, Any]) -> int | None:
    """Bytes that the machine has, from the facts of a host; None where they do not say."""
    found = host.get("memory_bytes")
    return int(found) if isinstance(found, int) else None
