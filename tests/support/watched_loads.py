"""Loads on a machine that was watched by hand."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import msgspec

from support.load_records import EACH, interval, record, run, spec, steady_times
from weigh.model.machine.timeline import Disk, ForeignProcess, Moment, Watch

if TYPE_CHECKING:
    from collections.abc import Callable

    from weigh.load.analysis.machine import RunMachine
    from weigh.load.record import LoadRecord
    from weigh.load.results import LoadResults
    from weigh.load.runs import LoadInterval, LoadRun

LENGTH = 100
AT = 7.0
"""When the schedule began, since the attempt did."""
SPAN = 0.05
JOB = ForeignProcess(pid=812, name="cc1plus", cpu_s=9.0)
SLOW = range(50, 53)
"""Intervals whose requests take a hundred times as long."""


def watches(length: int = LENGTH, at: float = AT, **told: Callable[[float], Any]) -> tuple[Watch, ...]:
    """Moments of a quiet machine from a second before the run to a second behind it, in one event.

    Args:
        length: intervals of the run.
        at: when it begins.
        told: of each moment, by the seconds since the run began.
    """
    moments = []
    for number in range(round((length * EACH + 2) / SPAN)):
        begin = at - 1 + number * SPAN
        usual = {
            "busy": 0.3 * SPAN,
            "tracked": 0.2 * SPAN,
            "foreign": 0.0,
            "steal": 0.0,
            "pressure_io": 0.0,
            "disk": {"vda": Disk(read=0, written=0, queue=0.0, utilisation=0.0)},
        }
        slow = {"cpus": (0.1, 0.1), "memory_free": 4 << 30, "cached": 1 << 30} if number % 10 == 0 else {}
        usual |= slow | {name: of(begin - at + SPAN / 2) for name, of in told.items()}
        moments.append(Moment(at=begin, span=SPAN, **usual))
    blamed = (JOB,) if any(one.foreign for one in moments) else ()
    return (Watch(moments=tuple(moments), culprits=blamed, cost_s=0.01),)


def intervals(slow: range = range(0)) -> list[LoadInterval]:
    return [interval(at, 100 * own if at in slow else own) for at, own in enumerate(steady_times(LENGTH))]


@functools.cache
def finished(slow: range) -> LoadRun:
    """A run that many tests look at; its histograms are decoded once."""
    return run(intervals(slow))


def load(seen: tuple[Watch, ...], slow: range = range(0), *, apart: bool = False, **asked: Any) -> LoadRecord:
    one = msgspec.structs.replace(finished(slow), at=AT)
    made = record([one], spec(LENGTH, **asked))
    environment = msgspec.structs.replace(made.environment, apart=apart, host={"memory_bytes": 8 << 30})  # type: ignore[type-var]
    return msgspec.structs.replace(made, environment=environment, watches=seen)


def of(found: LoadResults) -> RunMachine:
    assert found.machine
    (one,) = found.machine.runs
    return one
