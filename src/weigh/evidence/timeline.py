"""The timeline on disk: the journal's event ``watch``, and ``timeline.parquet``.

An event holds columns, not moments: a minute at 20 readings a second takes about 60 kB of journal. Its numbers are
whole, in units that keep what the kernel tells. A column whose values are all the same is written as that one. One that
is left out is 0, and null is what cannot be read; but what few machines tell is left out where it is not told. A device
is left out of the moments in which it did nothing.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import msgspec

from weigh.evidence import files, whole
from weigh.model.errors import EvidenceFault
from weigh.model.machine.timeline import Disk, ForeignProcess, Moment, Network, Watch

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa


TIMELINE = "timeline.parquet"

Column = list[int | None] | int | None
_KIB = 1024
_SCALES = {
    "busy": 100, "own": 100_000, "foreign": 100_000, "steal": 100,
    "pressure_cpu": 1000, "pressure_memory": 1000, "pressure_io": 1000,
}  # fmt: skip
"""Columns of every moment: units in one second, or in the whole."""
_PLAIN = ("queue", "context_switches")
_FAST = {**_SCALES, **dict.fromkeys(_PLAIN, 1)}
"""Columns of every moment, and their units."""
_NOT_READ: dict[str, Any] = {}
"""Of a moment in which what is read less often was not read."""


class Device(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Columns of one block device.

    Attributes:
        when: numbers of the moments in which it did something.
        read, written: bytes.
        queue: hundredths.
        wait: 10 us; None where no request ended.
        utilisation: thousandths.
    """

    when: tuple[int, ...] = ()
    read: Column = 0
    written: Column = 0
    queue: Column = 0
    wait: Column = None
    utilisation: Column = 0


class Slow(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Columns of what is read twice a second.

    Attributes:
        when: numbers of the moments in which it was read.
        cpus: hundredths, for each CPU.
        mhz: for each CPU. This, ``disk_errors``, ``link``, ``memory_errors`` and ``cpu_throttles`` are None where they
            are left out: few machines tell them.
        disk_errors: by device.
        received, sent: bytes.
        link: thousandths.
        memory_free, cached, dirty, swap_used, group_memory: KiB.
        throttled: 0.1 ms.
    """

    when: tuple[int, ...] = ()
    cpus: list[tuple[int, ...] | None] | None = None
    mhz: list[tuple[int, ...] | None] | None = None
    disk_errors: list[dict[str, int] | None] | None = None
    received: Column = 0
    sent: Column = 0
    retransmits: Column = 0
    drops: Column = 0
    errors: Column = 0
    overflows: Column = 0
    link: Column = None
    memory_free: Column = 0
    cached: Column = 0
    dirty: Column = 0
    swap_used: Column = 0
    swapped: Column = 0
    major_faults: Column = 0
    oom_kills: Column = 0
    throttled: Column = 0
    group_memory: Column = 0
    memory_errors: Column = None
    cpu_throttles: Column = None


class Columns(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The body of the event ``watch``.

    Attributes:
        at: 0.1 ms since the attempt began at which the first moment begins; None where there is no moment.
        span: 0.1 ms each.
        busy, steal: 10 ms.
        tracked, foreign: 10 us.
        pressure_cpu, pressure_memory, pressure_io: thousandths.
        disk: by device; None where the devices cannot be read.
        slow: what is read less often; None where it was not read.
        culprits: process id, name, 10 us of CPU.
        cost: microseconds of CPU of the sampler.
        unreadable: as in :class:`Watch`.
    """

    at: int | None = None
    span: list[int] = []
    busy: Column = 0
    tracked: Column = msgspec.field(name="own", default=0)
    foreign: Column = 0
    steal: Column = 0
    pressure_cpu: Column = 0
    pressure_memory: Column = 0
    pressure_io: Column = 0
    queue: Column = 0
    context_switches: Column = 0
    disk: dict[str, Device] | None = None
    slow: Slow | None = None
    culprits: list[tuple[int, str, int]] = []
    cost: int = 0
    unreadable: dict[str, str] = {}


_ATTRIBUTES = dict(zip(Columns.__struct_encode_fields__, Columns.__struct_fields__, strict=True))
_FAST_OF = attrgetter(*(_ATTRIBUTES[name] for name in _FAST))


def pack(drained: dict[str, Any]) -> Columns:
    """What the sampler handed out as it is written.

    Raises:
        msgspec.ValidationError: it is not what this version's sampler hands out.
    """
    made = dict(drained)
    # Not the spans: how many moments there are is reported by nothing else.
    made |= {name: _short(drained[name]) for name in (*_SCALES, *_PLAIN)}
    if drained["disk"] is not None:
        made["disk"] = {name: _busy(device) for name, device in drained["disk"].items()}
    slow = drained["slow"]
    made["slow"] = {**_short_all(slow), "when": slow["when"]} if slow["when"] else None
    return msgspec.convert(made, Columns)


def _busy(device: dict[str, list[int | None]]) -> dict[str, Any]:
    """A device without the moments in which it did nothing."""
    when = [index for index, values in enumerate(zip(*device.values(), strict=True)) if any(values)]
    return {"when": when, **_short_all({name: [column[index] for index in when] for name, column in device.items()})}


def _short_all(columns: dict[str, list[Any]]) -> dict[str, Any]:
    return {name: _short(column) for name, column in columns.items()}


def _short(column: list[Any]) -> list[Any] | int | None:
    """A column with one value for all where all are the same number; 0 where it holds nothing."""
    if not column:
        return 0
    first = column[0]
    # Mostly one moment.
    same = len(column) == 1 or column.count(first) == len(column)
    return first if same and (first is None or isinstance(first, int)) else column


def unpack(columns: Columns) -> Watch:
    """The moments of an event.

    Raises:
        msgspec.ValidationError: its columns are not of one length.
    """
    number = len(columns.span)
    starts = accumulate(columns.span, initial=columns.at or 0)
    slow = _slow(columns.slow, number) if columns.slow else {}
    moments = tuple(
        Moment(
            at=at / 10_000,
            span=span / 10_000,
            busy=busy,
            tracked=tracked,
            foreign=foreign,
            steal=steal,
            pressure_cpu=cpu,
            pressure_memory=memory,
            pressure_io=io,
            queue=queue,
            context_switches=switches,
            disk=disk,
            **slow.get(index, _NOT_READ),
        )
        for index, (at, span, busy, tracked, foreign, steal, cpu, memory, io, queue, switches, disk) in enumerate(
            zip(
                starts,
                columns.span,
                *(
                    _spread(value, number, scale)
                    for value, scale in zip(_FAST_OF(columns), _FAST.values(), strict=True)
                ),
                _disks(columns.disk, number),
                strict=False,
            )
        )
    )
    culprits = tuple(ForeignProcess(pid=pid, name=name, cpu_s=cpu / 100_000) for pid, name, cpu in columns.culprits)
    return Watch(
        moments=moments, culprits=culprits, cost_s=columns.cost / 1_000_000, unreadable=dict(columns.unreadable)
    )


def _spread(column: Column, number: int, scale: int = 1) -> Sequence[Any]:
    """A column of so many values in their unit."""
    values = _each(column, number)
    return values if scale == 1 else [None if value is None else value / scale for value in values]


def _each(column: Sequence[Any] | int | None, count: int) -> Sequence[Any]:
    """A column with a value for each of so many moments; raises as :func:`unpack`."""
    if not isinstance(column, list):
        return [column] * count
    if len(column) != count:
        raise msgspec.ValidationError(f"a column of {len(column)} values for {count} moments")
    return column


_IDLE = Disk(read=0, written=0, queue=0.0, utilisation=0.0)


def _disks(devices: dict[str, Device] | None, number: int) -> list[dict[str, Disk] | None]:
    if devices is None:
        return [None] * number
    made = [dict.fromkeys(devices, _IDLE) for _ in range(number)]
    for name, device in devices.items():
        count = _within(device.when, number)
        columns = zip(
            device.when,
            _spread(device.read, count),
            _spread(device.written, count),
            _spread(device.queue, count, 100),
            _spread(device.wait, count, 100_000),
            _spread(device.utilisation, count, 1000),
            strict=True,
        )
        for index, read, written, queue, wait, utilisation in columns:
            made[index][name] = Disk(read=read, written=written, queue=queue, await_s=wait, utilisation=utilisation)
    return list(made)


def _within(when: tuple[int, ...], number: int) -> int:
    """How many moments something names.

    Raises:
        msgspec.ValidationError: there are not so many.
    """
    if when and not 0 <= min(when) <= max(when) < number:
        raise msgspec.ValidationError("something was read in a moment that there is not")
    return len(when)


_BYTES = ("memory_free", "cached", "dirty", "swap_used", "group_memory")
_COUNTS = ("swapped", "major_faults", "oom_kills", "memory_errors", "cpu_throttles")
_SECONDS = {
    "busy": "busy_s", "tracked": "own_s", "foreign": "foreign_s", "steal": "steal_s", "throttled": "throttled_s",
}  # fmt: skip
"""Columns of ``timeline.parquet`` that are CPU seconds; ``foreign`` alone would be a word of SQL."""
_OF_MOMENT = frozenset(Moment.__struct_fields__) - {*_SECONDS, "network", "disk", "disk_errors"}
_NETWORK = ("received", "sent", "retransmits", "drops", "errors", "overflows")
_DISK = attrgetter("read", "written", "queue", "await_s", "utilisation")
_AS_READ = ("disk_errors", *_COUNTS)
_SLOW_OF = attrgetter("throttled", "cpus", "mhz", "link", *_AS_READ, *_BYTES, *_NETWORK)


def _slow(slow: Slow, number: int) -> dict[int, dict[str, Any]]:
    """What was read less often, by the number of the moment."""
    count = _within(slow.when, number)
    made = {}
    columns = (_each(value, count) for value in _SLOW_OF(slow))
    for index, throttled, cpus, mhz, link, *row in zip(slow.when, *columns, strict=True):
        plain, kib, network = row[: len(_AS_READ)], row[len(_AS_READ) : -len(_NETWORK)], row[-len(_NETWORK) :]
        made[index] = {
            "throttled": None if throttled is None else throttled / 10_000,
            "cpus": None if cpus is None else tuple([share / 100 for share in cpus]),
            "mhz": None if mhz is None else tuple(map(float, mhz)),
            **dict(zip(_AS_READ, plain, strict=True)),
            **dict(zip(_BYTES, [None if one is None else one * _KIB for one in kib], strict=True)),
            "network": None
            if network[0] is None
            else Network(**dict(zip(_NETWORK, network, strict=True)), link=None if link is None else link / 1000),
        }
    return made


class Timeline(msgspec.Struct, frozen=True, kw_only=True):
    """What the sampler saw in an attempt, and what went on meanwhile.

    Attributes:
        attempt: its number.
        watches: what was observed, in order.
        columns: what a span is called: the type of each column, as Arrow names it.
        spans: from when to when, in seconds since the attempt began, and what it is called; by their beginnings.
    """

    attempt: int
    watches: Sequence[Watch]
    columns: dict[str, str]
    spans: Sequence[tuple[float, float, dict[str, Any]]]


def write(folder: Path, timeline: Timeline) -> None:
    """``timeline.parquet``, where the attempt was watched: ``select * from 'runs/*/timeline.parquet'`` works."""
    import pyarrow.parquet as pq

    if timeline.watches:
        with whole.aside(folder / TIMELINE) as place:
            pq.write_table(table(timeline), place, compression="zstd")


def same(folder: Path, timeline: Timeline) -> bool:
    """Whether ``timeline.parquet`` is what the journal says; where nothing was watched there is none.

    Raises:
        EvidenceFault: the file is missing or damaged.
    """
    import pyarrow as pa

    if not timeline.watches:
        return not (folder / TIMELINE).exists()
    try:
        return files.same_rows(folder / TIMELINE, table(timeline))
    except (OSError, pa.ArrowException) as error:
        raise EvidenceFault(
            f"{TIMELINE} cannot be read: {error}",
            where=str(folder),
            remedy="the evidence was edited or the disk is failing",
        ) from error


def table(timeline: Timeline) -> pa.Table:
    """All moments in order, one row each, with the span in which its middle lies."""
    import pyarrow as pa

    begins = [begin for begin, _, _ in timeline.spans]
    disk = pa.struct(
        {
            "device": pa.string(), "read": pa.int64(), "written": pa.int64(), "queue": pa.float64(),
            "await_s": pa.float64(), "utilisation": pa.float64(), "errors": pa.int64(),
        }
    )  # fmt: skip
    floats = ("at", "span", *_SECONDS.values(), "pressure_cpu", "pressure_memory", "pressure_io", "link")
    columns = {
        "attempt": pa.int32(), **{name: pa.type_for_alias(of) for name, of in timeline.columns.items()},
        **dict.fromkeys(floats, pa.float64()),
        "queue": pa.int64(), "context_switches": pa.int64(), "disk": pa.list_(disk),
        "cpus": pa.list_(pa.float64()), "mhz": pa.list_(pa.float64()),
        **dict.fromkeys((*_NETWORK, *_BYTES, *_COUNTS), pa.int64()),
    }  # fmt: skip
    moments = [moment for watch in timeline.watches for moment in watch.moments]
    named = [_named(moment, timeline.spans, begins) for moment in moments]
    values: dict[str, list[Any]] = {"attempt": [timeline.attempt] * len(moments)}
    values |= {name: [of and of[name] for of in named] for name in timeline.columns}
    values |= {name: [getattr(moment, name) for moment in moments] for name in columns if name in _OF_MOMENT}
    values |= {column: [getattr(moment, name) for moment in moments] for name, column in _SECONDS.items()}
    networks = [moment.network for moment in moments]
    values |= {name: [of and getattr(of, name) for of in networks] for name in (*_NETWORK, "link")}
    arrays = {name: pa.array(column, type=columns[name]) for name, column in values.items()}
    arrays["disk"] = _used(moments, disk)
    return pa.table({name: arrays[name] for name in columns})


def _named(
    moment: Moment, spans: Sequence[tuple[float, float, dict[str, Any]]], begins: Sequence[float]
) -> dict[str, Any] | None:
    """What the span is called in which the middle of a moment lies; None where that is in none."""
    middle = moment.at + moment.span / 2
    place = bisect_right(begins, middle) - 1
    return spans[place][2] if place >= 0 and middle <= spans[place][1] else None


def _used(moments: Sequence[Moment], device: pa.StructType) -> pa.ListArray:
    """Every device of each moment; null where none was read."""
    import pyarrow as pa

    disks = [(moment.disk_errors or {}, *device) for moment in moments for device in (moment.disk or {}).items()]
    rows = [(name, *_DISK(one), errors.get(name)) for errors, name, one in disks]
    columns = zip(*rows, strict=True) if rows else [()] * len(device)
    arrays = [pa.array(column, type=field.type) for column, field in zip(columns, device, strict=True)]
    firsts = accumulate((len(moment.disk or ()) for moment in moments), initial=0)
    known = [None if one.disk is None else first for one, first in zip(moments, firsts, strict=False)]
    offsets = pa.array([*known, len(rows)], type=pa.int32())
    return pa.ListArray.from_arrays(offsets, pa.StructArray.from_arrays(arrays, fields=list(device)))
