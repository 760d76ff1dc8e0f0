"""How much a ladder of loads needs, before anything is loaded: bytes of a record, room on the disk, and time.

Estimates: what the data really takes is asked of the server, and stands in the report.
"""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from weigh.ladder.load.setting import SETTINGS, in_bytes
from weigh.load.target import server_folder
from weigh.model import units
from weigh.model.errors import EnvironmentFault, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from weigh.load.spec import LoadSpec
    from weigh.model.units import Bytes, Seconds

_OVER = {"mysql": (70, 2), "postgres": (110, 10), "redis": (0, 50)}
"""Bytes that a record takes alongside the values of its fields, with the index of its key: once, and for each field.
Fitted to what embedded servers said of 2,000 to 200,000 records of ten fields of 100 bytes."""
_FILLED = {"mysql": 0.6}
"""Share of its pages that rows fill: InnoDB keeps them in the order of their keys, which come in none."""
_FIELDS, _FIELD_BYTES = 10, 100.0
"""Of a record of the six workloads."""
_EMPTY = {"mysql": 0, "postgres": 8_200_000, "redis": 0}
"""Bytes of a server's data without any record."""
_FEWEST = 1_000
_COPIES = 3
"""What is loaded, the copy from which lives begin, and the life that is measured; where nothing can be shared."""
_LOG = 1 << 30
"""Bytes that a server writes alongside its data at most, in its log (max_wal_size of PostgreSQL)."""
_RECORDS_S = {"mysql": 5_000.0, "postgres": 8_000.0, "redis": 60_000.0}
"""Records that are loaded in a second on a slow machine."""
_COPY_S = 100e6
"""Bytes a second of a slow disk."""
_AROUND_S = 10.0
"""Seconds of a run alongside its length: start, quiet machine, fixed work."""


class Memory(NamedTuple):
    """What rungs are multiples of.

    Attributes:
        bytes: how much.
        by: what limits it, as :class:`weigh.ladder.load.plan.LoadLadderPlan` says it.
    """

    bytes: Bytes
    by: str


def memory_of(spec: LoadSpec, kind: str, settings: dict[str, str]) -> Memory:
    """The memory that a load's server has.

    Args:
        spec: of the load.
        kind: its target without version and settings.
        settings: of the target, as they were written.

    Raises:
        UsageError: nothing limits it.
    """
    setting = SETTINGS.get(kind)
    if setting is None:
        raise UsageError(
            f"a ladder of loads needs a server whose memory weigh can limit, and {spec.target} is none",
            remedy="take --target postgres:embedded with --server-memory SIZE",
        )
    if spec.server_memory is not msgspec.UNSET:
        if kind.startswith("valkey"):
            raise UsageError(
                "Valkey holds all its data in its own memory: a control group smaller than the data only kills it",
                remedy="write --target 'valkey:embedded?maxmemory=256mb': it then refuses what does not fit",
            )
        return Memory(spec.server_memory, "control group")
    if setting not in settings:
        group = "" if kind.startswith("valkey") else "--server-memory 256MB, or "
        mega = "M" if kind.startswith("mariadb") else "MB"
        raise UsageError(
            "nothing limits the server's memory, so no data is a multiple of it",
            remedy=f"add {group}--target '{spec.target}{'&' if settings else '?'}{setting}=256{mega}'",
        )
    if (found := in_bytes(setting, settings[setting])) is None:
        raise UsageError(f"{setting}={settings[setting]} is no limit", remedy=f"write {setting}=256MB")
    return Memory(found, setting)


def record_bytes(spec: LoadSpec, kind: str) -> Bytes:
    """What a record takes in a server.

    Args:
        spec: of the load.
        kind: protocol of the target.
    """
    fields, mean = _FIELDS, _FIELD_BYTES
    if spec.ycsb is not msgspec.UNSET:
        fields, mean = spec.ycsb.fields, (spec.ycsb.field_bytes.least + spec.ycsb.field_bytes.most) / 2
    once, each = _OVER[kind]
    return round((once + fields * (mean + each)) / _FILLED.get(kind, 1.0))


def records_for(wanted: Bytes, kind: str, each: Bytes) -> int:
    """Records whose data takes so many bytes in a server.

    Args:
        wanted: bytes.
        kind: protocol of the target.
        each: bytes of a record.

    Raises:
        UsageError: too few to be called data.
    """
    records = round((wanted - _EMPTY[kind]) / each)
    if records < _FEWEST:
        empty = f": without any, the server has {units.size(_EMPTY[kind])}" if _EMPTY[kind] else ""
        raise UsageError(
            f"a rung of {units.size(wanted)} has no room for {_FEWEST:,} records{empty}",
            remedy="take more memory, or larger --rungs",
        )
    return records


def needed_s(spec: LoadSpec, kind: str, each: Bytes, rate: float | None = None) -> Seconds:
    """How long a rung takes.

    Args:
        spec: of its load.
        kind: protocol of the target.
        each: bytes of a record.
        rate: records that were loaded in a second at an earlier rung; None for a guess.
    """
    data = _EMPTY[kind] + spec.records * each
    runs = len(spec.loops) * len(spec.connections) * spec.repeats
    once = spec.duration_s + _AROUND_S + (data / _COPY_S if spec.fresh_lives else 0.0)
    loads = 1 if spec.fresh_lives else runs
    return loads * spec.records / (rate or _RECORDS_S[kind]) + runs * once


def needed_bytes(spec: LoadSpec, kind: str, each: Bytes) -> Bytes:
    """Room on the disk that a rung takes, as of :func:`needed_s`."""
    data = _EMPTY[kind] + spec.records * each
    return data * (_COPIES if spec.fresh_lives else 1) + _LOG


def refuse_disk(specs: Sequence[LoadSpec], kind: str, each: Bytes) -> None:
    """See that the largest rung fits on the disk; the arguments are as of :func:`needed_s`.

    Raises:
        EnvironmentFault: it does not.
    """
    place = server_folder.place()
    free = shutil.disk_usage(place).free
    largest = max(specs, key=lambda one: one.records)
    if (needed := needed_bytes(largest, kind, each)) > free:
        raise _no_room(largest, needed, free, place)


def _no_room(spec: LoadSpec, needed: Bytes, free: Bytes, place: Path) -> EnvironmentFault:
    return EnvironmentFault(
        f"{units.count(spec.records, 'record')} need about {units.size(needed)} with the copies that are made of them, "
        f"and {units.size(free)} are free",
        where=str(place),
        remedy="take smaller --rungs or less memory, or free space there",
    )


def refuse_time(needed: Seconds, budget: Seconds, rungs: int) -> None:
    """See that what is still to do fits into the time.

    Raises:
        UsageError: it does not.
    """
    if needed > budget:
        raise UsageError(
            f"{units.count(rungs, 'rung')} would take about {units.duration(needed)}, and --budget leaves "
            f"{units.duration(max(budget, 0.0))}",
            remedy="raise --budget, shorten --duration, or take smaller --rungs or less memory",
        )
