"""A sampler that was never there: records of :mod:`reporting` with a clock, and with moments along it."""

from __future__ import annotations

import random
from itertools import groupby
from typing import TYPE_CHECKING, Any

import msgspec

from weigh.model.machine.calibration import Calibration
from weigh.model.machine.timeline import Disk, ForeignProcess, Moment, Network, Watch

if TYPE_CHECKING:
    from collections.abc import Callable

    from weigh.experiment.record import Record
    from weigh.model.sample import Sample

JOB = ForeignProcess(pid=812, name="cc1plus", cpu_s=0.2)
SPAN = 0.05


def watched(
    record: Record, foreign: Callable[[Sample], float] = lambda _: 0.0, *, rows: bool = True, **fields: Any
) -> Record:
    """The record as if its machine had been watched.

    Args:
        record: whose executions follow each other without a pause.
        foreign: share of one CPU that others used during the turn of a sample.
        rows: whether everything is read, and not only what the contention needs.
        fields: of every moment, instead of what is made.
    """
    draw = random.Random(3)
    samples, watches, now = [], [], 0.0
    for (_, _), turn in groupby(record.samples, key=lambda one: (one.block, one.turn)):
        began = now
        for one in turn:
            samples.append(msgspec.structs.replace(one, at=now))
            now += one.wall_s or 0.0
        share = foreign(samples[-1])
        moments = []
        at = began
        while at < now:
            span = min(SPAN, now - at)
            made: dict[str, Any] = {"at": at, "span": span, "foreign": share * span, "steal": 0.0}
            if rows:
                made |= _everything(span, share, draw)
            moments.append(Moment(**(made | fields)))
            at += span
        watches.append(Watch(moments=tuple(moments), culprits=(JOB,) if share else (), cost_s=0.003 * (now - began)))
    calibrations = tuple(
        Calibration(at=float(at), block=at, place="between", kernel=kernel, seconds=(0.01, 0.0101, 0.0099))
        for at in range(5)
        for kernel in ("integer", "memory")
    )
    return msgspec.structs.replace(record, samples=tuple(samples), watches=tuple(watches), calibrations=calibrations)


def _everything(span: float, share: float, draw: random.Random) -> dict[str, Any]:
    """A busy machine with two CPUs and a disk."""
    own = 1.6 * span * draw.random()
    return {
        "busy": own + share * span,
        "tracked": own,
        "pressure_cpu": 0.2 * draw.random(),
        "pressure_memory": 0.0,
        "pressure_io": 0.01,
        "queue": 2,
        "disk": {"vda": Disk(read=4096, written=0, queue=0.1, utilisation=0.3 * draw.random())},
        "cpus": (0.8, 0.6),
        "network": Network(received=round(5e4 * span), sent=1000, retransmits=0, drops=0, errors=0, overflows=0),
        "memory_free": 4 << 30,
        "cached": 8 << 30,
        "dirty": 0,
        "swapped": 0,
        "oom_kills": 0,
    }
