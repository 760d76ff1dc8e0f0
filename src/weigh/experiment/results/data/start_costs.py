"""What starts and loading cost (D9): no time of an execution contains it. Pure."""

from __future__ import annotations

from collections import defaultdict
from statistics import median
from typing import TYPE_CHECKING, Literal

import msgspec

from weigh.experiment.results.data.storage import working_set
from weigh.model import codes
from weigh.model.units import Bytes, Seconds, count, seconds, size

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from weigh.experiment.record import Record
    from weigh.model.clock_coverage import StartCost
    from weigh.model.finding import Finding

_NAMED = 3
COPY = "its own copy"
"""What the gate writes of a contender that answers without its files."""

MEMORY = 32 << 20
"""Bytes by which an engine's own memory may grow when it is given files: what it reads of them is their description."""
MEMORY_SHARE = 2.0
"""Above that, of the files: rows in memory take more than in files that are compressed."""


class StartCosts(msgspec.Struct, frozen=True, kw_only=True):
    """What one contender's tables cost before any clock, medians over its starts.

    Attributes:
        contender: whose.
        how: ``bind`` files where they lie, ``attach`` what was loaded before, ``load`` it: once, for many starts.
        starts: how many were measured; of ``load`` 1.
        open_s: seconds until the engine was there.
        tables_s: seconds from then until its tables were.
        cpu_s: CPU seconds of all its processes, both together.
        memory: bytes by which its own memory grew with the tables; None where the kernel does not tell.
        disk: bytes that it wrote for itself, or of what was loaded.
    """

    contender: str
    how: Literal["bind", "attach", "load"]
    starts: int
    open_s: Seconds
    tables_s: Seconds
    cpu_s: Seconds
    memory: Bytes | None
    disk: Bytes


def start_costs(attempts: Sequence[Record]) -> tuple[StartCosts, ...]:
    """A row for each contender, and one more where it loads.

    Args:
        attempts: all that the verdicts read.
    """
    found: dict[tuple[str, Literal["bind", "attach", "load"]], list[StartCost]] = defaultdict(list)
    # Who is to load under the clock gets no tables before.
    for record in attempts if not attempts or not attempts[-1].spec.ingest else ():
        for one in record.starts:
            found[one.contender, one.how].append(one)
    order = [contender.name for contender in attempts[-1].spec.contenders] if attempts else []
    return tuple(
        _row(contender, how, found[contender, how])
        for contender, how in sorted(found, key=lambda key: (order.index(key[0]), key[1] != "load"))
    )


def _row(contender: str, how: Literal["bind", "attach", "load"], found: Sequence[StartCost]) -> StartCosts:
    memory = [one.memory for one in found if one.memory is not None]
    return StartCosts(
        contender=contender,
        how=how,
        # It was loaded once, whatever number of attempts say so.
        starts=1 if how == "load" else len(found),
        open_s=median(one.open_s for one in found),
        tables_s=median(one.tables_s for one in found),
        cpu_s=median(one.cpu_s for one in found),
        memory=round(median(memory)) if memory else None,
        disk=round(median(one.disk for one in found)),
    )


def _named(operations: Sequence[str]) -> str:
    rest = len(operations) - _NAMED
    return ", ".join(operations[:_NAMED]) + (f" and {count(rest, 'other operation')}" if rest > 0 else "")


def _ways(record: Record) -> dict[str, str]:
    """How the data got to systems by URL, read back, by contender."""
    remote = {one.name for one in record.spec.contenders if one.remote}
    return {
        read.name: str(read.in_force.get("weigh.data", {}).get("value", "load"))
        for read in (record.environment.contenders if record.environment else ())
        if read.name in remote
    }


def findings(rows: Sequence[StartCosts], record: Record) -> Iterator[Finding]:
    """Who holds the rows in a layout of its own, and what it cost.

    Args:
        rows: of all contenders.
        record: of the latest attempt.
    """
    ways = _ways(record)
    for one in rows:
        way = ways.get(one.contender, "")
        if one.how == "load" and way != "exists":
            # What a server elsewhere used of its CPUs and disks is not recorded here.
            cost = f" and {seconds(one.cpu_s)} of CPU, into {size(one.disk)} of its own layout" * (not way)
            done = "registered over files" if way == "external" else "loaded"
            yield codes.D9_LOADED.finding(
                contender=one.contender,
                text=f"its tables were {done} once, in {seconds(one.tables_s)}{cost}: no time contains that",
                remedy="count it where the data is queried only a few times",
            )
    layouts = record.gate.layouts if record.gate else {}
    copies = {name for name, claim in layouts.items() if claim == COPY}
    examined = record.gate.answered_without_files if record.gate else {}
    for name, operations in examined.items():
        if name not in copies:
            yield codes.D9_COPY.finding(
                contender=name,
                text=f"once it has executed {_named(operations)} it answers without its files, a question that nobody "
                "asked before: what it made of the rows, such as sums, no timed execution makes again",
                remedy="its times are those of asking again, and not of reading the data",
            )
    for one in rows:
        if one.how == "bind" and one.contender in copies:
            memory = "" if one.memory is None else f", {size(one.memory)} of memory"
            yield codes.D9_COPY.finding(
                contender=one.contender,
                text="it answers although its files are gone: it made a copy of the rows when it was given them, or "
                f"asked first (being given them takes {seconds(one.tables_s)}, {seconds(one.cpu_s)} of CPU{memory}, "
                f"{size(one.disk)} on disk, at every start), in a layout of its own, and no time contains that",
                remedy="an engine that must copy says so (Engine.copies); else its adapter binds the files where they "
                "lie",
            )
    yield from _by_memory(rows, record, {*copies, *examined, *ways})


def _by_memory(rows: Sequence[StartCosts], record: Record, named: Collection[str]) -> Iterator[Finding]:
    """Who holds more than the files are: it may look at whether they are there before it answers from that."""
    found = working_set(record)
    recorded = {one.contender for one in record.findings if one.code == codes.D9_COPY.code}
    for one in rows:
        if one.how != "bind" or one.contender in named or one.contender in recorded or found is None:
            continue
        if (one.memory or 0) > max(MEMORY, MEMORY_SHARE * found.data_bytes):
            yield codes.D9_COPY.finding(
                contender=one.contender,
                text=f"its own memory grew by {size(one.memory or 0)} when it was given files of "
                f"{size(found.data_bytes)} ({seconds(one.tables_s)}, {seconds(one.cpu_s)} of CPU at every start): what "
                "it holds of the rows was made before any clock",
                remedy="an engine that must copy says so (Engine.copies); else its adapter binds the files where they "
                "lie",
            )
