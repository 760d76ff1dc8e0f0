"""What a dataset by parts would take, from a part that is made and measured: workers, hours, and where it ends."""

from __future__ import annotations

import time
from math import ceil
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from weigh.data.generator import generator, parted
from weigh.data.parts.destination import destination
from weigh.data.parts.part import MARK, PartCost, PartFacts, make_part
from weigh.host import scratch

if TYPE_CHECKING:
    from weigh.data.making import Environment
    from weigh.data.parts.make import Making
    from weigh.model.units import Bytes, Seconds

_WORKERS = (1, 4, 16, 64, 256, 1024, 4096)
_TASKS_A_PART = 2 + 1 / 16
_TASK: Seconds = 0.001
"""Of the scheduler for a task: Dask's own figure, "each task suffers about 1 ms of overhead" (Best Practices)."""
_PUTS_A_SECOND = 3_500
"""Of S3 below one prefix (AWS, "Optimizing Amazon S3 performance")."""
_PUTS_A_FILE, _PUTS_A_PART = 1, 2
_BRANCHES = 16
_USED = 0.5
"""Share of the workers' time that must go into parts: below, more of them only wait."""


class Measured(NamedTuple):
    """One part of the dataset, made here.

    Attributes:
        cost: of making it.
        files: that it has.
        facts: bytes that come back of it.
        known: bytes of what is known of its rows, which stay on the workers.
        add_s: seconds of adding that of :data:`_BRANCHES` parts.
        note_s: seconds of the asking process for the facts of one part.
    """

    cost: PartCost
    files: int
    facts: Bytes
    known: Bytes
    add_s: Seconds
    note_s: Seconds


class Line(NamedTuple):
    """A number of workers.

    Attributes:
        workers: each with one thread.
        seconds: from the first part to the manifest.
        worker_s: seconds of all of them, which are paid for.
        used: share of it that goes into parts.
    """

    workers: int
    seconds: Seconds
    worker_s: Seconds
    used: float


class Plan(NamedTuple):
    """What a dataset would take.

    Attributes:
        parts: how many there are.
        bytes: of all files.
        cpu_s: processor seconds of all parts.
        manifest: bytes of it.
        measured: the part that it follows from.
        lines: by number of workers.
        ends: where it stops to get faster, and why, one sentence each.
    """

    parts: int
    bytes: Bytes
    cpu_s: Seconds
    manifest: Bytes
    measured: Measured
    lines: tuple[Line, ...]
    ends: tuple[str, ...]


def measured(making: Making, environment: Environment) -> Measured:
    """Make a part of a dataset in a folder for a moment; raises as :func:`make_part`."""
    folder = scratch.folder("plan", place=scratch.USUAL if scratch.USUAL.is_dir() else None)
    try:
        job = msgspec.structs.replace(making.job(0), to=str(folder))
        if making.layout.files > 1:
            # The first part of some generators has what no other has.
            job = msgspec.structs.replace(job, number=1)
        destination(job.to).replace(job.mark, MARK)
        # What is made once, environments for instance, is no part's.
        made = make_part(job, environment)
        family = making.name.generator.partition("/")[0]
        began = time.perf_counter()
        parted(generator(family)).add([made.known] * _BRANCHES)
        add_s, began = time.perf_counter() - began, time.perf_counter()
        facts = msgspec.json.decode(made.facts, type=PartFacts)
        for file in facts.files:
            msgspec.json.encode(file)
        note_s = time.perf_counter() - began
        return Measured(facts.cost, len(facts.files), len(made.facts), len(made.known), add_s, note_s)
    finally:
        scratch.remove(folder)


def plan(making: Making, environment: Environment) -> Plan:
    """What the dataset would take on any number of workers; raises as :func:`make_part`."""
    parts = making.layout.files
    return _plan(parts, measured(making, environment), objects=making.to.startswith("s3://"))


def _plan(parts: int, one: Measured, *, objects: bool) -> Plan:
    asking = parts * (_TASKS_A_PART * _TASK + one.note_s)
    puts = parts * (one.files * _PUTS_A_FILE + _PUTS_A_PART) / _PUTS_A_SECOND if objects else 0.0
    lines = tuple(_line(workers, parts, one, max(asking, puts)) for workers in _WORKERS)
    most = max(line.workers for line in lines if line.used >= _USED or line.workers == 1)
    ends = [f"up to about {most:,} workers at least half of their time goes into parts"]
    ends.append(f"beyond {parts:,} workers there are more than parts; --files makes more of them")
    ends.append(
        f"the scheduler and the asking process need {asking:,.1f} s in any case, at {_TASK * 1000:g} ms a task of Dask "
        f"and {one.note_s * 1000:,.2f} ms a part"
    )
    if objects:
        ends.append(
            f"the store takes {_PUTS_A_SECOND:,} puts a second below one prefix of S3: {puts:,.1f} s in any case"
        )
    return Plan(
        parts=parts,
        bytes=one.cost.bytes * parts,
        cpu_s=one.cost.cpu_s * parts,
        manifest=one.facts * parts,
        measured=one,
        lines=lines,
        ends=tuple(ends),
    )


def _line(workers: int, parts: int, one: Measured, least: Seconds) -> Line:
    """Parts in rounds, then what is known of their rows, level by level."""
    seconds, level = ceil(parts / workers) * one.cost.wall_s, parts
    while level > 1:
        level = ceil(level / _BRANCHES)
        seconds += ceil(level / workers) * one.add_s
    seconds = max(seconds, least)
    return Line(workers, seconds, workers * seconds, parts * one.cost.wall_s / (workers * seconds))
