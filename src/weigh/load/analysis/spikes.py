"""Spikes of a load run, and which resource was saturated in them and not in the rest of the run. Pure.

**A resource is linked** to a spike where it was saturated in a tenth of a second of it, and in hardly any tenth of a
second outside all spikes. What is saturated all the time explains no spike. That both came together is all that is
said: a link is where to look first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

from weigh.load.analysis.validity import SATURATED
from weigh.load.spikes import Spike, unlinked
from weigh.load.waits import locks
from weigh.machine.contention import by_name, processes_during
from weigh.machine.moments import amounts
from weigh.machine.readings import BUSY, readings, throttled
from weigh.machine.turn_shares import WATCHED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from weigh.load.runs import LoadInterval
    from weigh.load.waits.model import RunWaits
    from weigh.model.machine.timeline import Moment, Watch
    from weigh.model.units import Bytes, Seconds
    from weigh.statistics.arrays import Floats


CELL = 0.1
"""Seconds of the parts that are looked at: two readings of the sampler."""
_MOST_CELLS = 10_000_000
"""Of a run of eleven days; evidence may claim any length."""
TAKEN = 0.2
"""Share of the CPU of such a part from which on others, or other guests, are what was in the way."""
RARE = 0.01
"""Share of the parts outside of spikes in which a resource that explains a spike may be saturated."""
CAUSES = ("others", "steal", "limit", "generator", "cpu", "memory", "disk", "network", "locks")


class SpikeInput(NamedTuple):
    """What is looked at.

    Attributes:
        at: when the run's schedule began, seconds since the attempt began.
        intervals: the part of the run that counts.
        p99: of each; None where nothing was answered.
        threads: of the generator.
        generating: whether its CPU was the work of generating, as of :class:`weigh.load.analysis.validity.RunFacts`.
        moments: in order of time, on the attempt's clock.
        watches: that hold them.
        memory: bytes that the machine has.
        reported: whether the server can be distinguished from others.
        waits: looks at the sessions of the server in this run.
    """

    at: Seconds
    intervals: Sequence[LoadInterval]
    p99: Sequence[Seconds | None]
    threads: int
    generating: bool
    moments: Sequence[Moment]
    watches: Sequence[Watch]
    memory: Bytes | None
    reported: bool
    waits: Sequence[RunWaits] = ()


def spikes(scene: SpikeInput) -> tuple[Spike, ...]:
    """Every spike, in the order of time."""
    found = unlinked(scene.intervals, scene.p99)
    return _linked(found, scene) if found else ()


def _linked(found: Sequence[Spike], scene: SpikeInput) -> tuple[Spike, ...]:
    first, last = scene.intervals[0].from_s, scene.intervals[-1].to_s
    number = (last - first) / CELL
    if not number <= _MOST_CELLS:
        return ()
    cells = first + CELL * np.arange(max(int(number), 1), dtype=np.float64)
    signals = _signals(cells + scene.at, np.full(len(cells), CELL), scene)
    begins = np.array([one.from_s for one in scene.intervals])
    lengths = np.array([one.to_s - one.from_s for one in scene.intervals])
    spent = np.array([one.client_cpu_s for one in scene.intervals])
    busy = (spent > SATURATED * scene.threads * lengths).astype(np.float64)
    if not scene.generating:
        busy = np.full(len(busy), np.nan)
    places = dict.fromkeys(signals, (cells, cells + CELL)) | {"generator": (begins, begins + lengths)}
    signals["generator"] = busy
    inside = {name: [(begin < one.to_s) & (end > one.from_s) for one in found] for name, (begin, end) in places.items()}
    explaining = {name for name, signal in signals.items() if _is_rare(signal, ~np.any(inside[name], axis=0))}
    other_processes = processes_during([(one.from_s + scene.at, one.to_s + scene.at) for one in found], scene.watches)
    spans = np.array([(one.from_s, one.to_s) for one in found])
    shares = amounts(scene.moments, lambda one: one.span, spans[:, 0] + scene.at, spans[:, 1] - spans[:, 0])
    made = []
    for number, one in enumerate(found):
        names = [name for name in CAUSES if name in explaining and (signals[name][inside[name][number]] == 1).any()]
        made.append(
            msgspec.structs.replace(
                one,
                saturated=tuple(names),
                other_processes=by_name(other_processes[number]) if "others" in names else (),
                watched=bool(shares[number] >= WATCHED * (one.to_s - one.from_s)),
            )
        )
    return tuple(made)


def _is_rare(signal: Floats, outside: NDArray[np.bool_]) -> bool:
    """Whether it is hardly ever 1 outside of all spikes; what was not read is no sign."""
    known = signal[outside & ~np.isnan(signal)]
    return not len(known) or float((known == 1).mean()) <= RARE


def _signals(begin: Floats, length: Floats, scene: SpikeInput) -> dict[str, Floats]:
    """1 where a resource was saturated, 0 where not, NaN where it was not read."""
    read = readings(scene.moments, begin, length, scene.memory)
    tracked = amounts(scene.moments, lambda one: one.tracked, begin, length)
    cpu = np.maximum(tracked, length)

    def taken(used: Floats) -> Floats:
        return (used > TAKEN * cpu).astype(np.float64)

    with np.errstate(invalid="ignore"):
        full = (read["cpu"].utilisation > BUSY).astype(np.float64)
    found = {
        "steal": taken(amounts(scene.moments, lambda one: one.steal, begin, length)),
        "limit": throttled(scene.moments, begin, length),
        # That a task waited for a CPU now and then is usual where every request is handed from one to another.
        "cpu": full,
        **{name: read[name].saturated for name in ("memory", "disk", "network")},
    }
    if (locked := locks.reading(scene.waits, begin, length)) is not None:
        found["locks"] = locked.saturated
    if scene.reported:
        found["others"] = taken(amounts(scene.moments, lambda one: one.foreign, begin, length))
    return found
