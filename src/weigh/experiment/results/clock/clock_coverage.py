"""Work outside the clock: an answer computed after it (A5), or before it (A6). Pure.

Both are told by CPU time, which an honest adapter spends inside ``run``; where its engine executes in other processes,
by the time that passes. The bounds are generous: a false accusation is as bad as a missed lie.
"""

from __future__ import annotations

from collections import defaultdict
from statistics import median
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from weigh.model import codes
from weigh.model.units import Seconds, count, seconds

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from weigh.model.finding import Finding
    from weigh.model.sample import Sample
    from weigh.statistics.arrays import Floats

Rows = TypeVar("Rows", "float", "Floats")

FETCH_FLOOR = 1e-3
FETCH_PER_ROW = 20e-6
FETCH_SHARE = 8.0
"""An honest hand-out copies columns that are there: a few hundred microseconds, and a few a row. Some clients need
milliseconds for it, whatever was asked, which is several times a query of a millisecond; who has only a handle until
then executes in next to nothing. What lies below costs the verdicts that it would change (A5.deferred)."""

LATE = 5e-3
"""CPU seconds that a process may use between the end of its clock and weigh's reading of the reply: for messages, and
for threads that wait a little for more work. More is work that goes on: on a busy machine it is over before the answer
is asked for."""

LEAST = 3
"""Executions below which nobody is accused: what a client does once, or a collection of garbage, costs as much."""

PREPARE_FLOOR = 10e-3
"""CPU seconds that taking a query may cost: parsing and planning take 1 to 5 ms where an adapter does them there."""
PREPARE_SHARE = 1.0
"""Above the floor, more CPU before the clock than inside it is executing the query, if its files are not needed any
more then; an engine that compiles needs them."""
EARLY = "before its clock"
"""What the gate writes of a contender that answers what it was handed before its files were withdrawn."""
PREPARE_CLAIM = 1e-3
"""CPU seconds from which on it is reported, as a note: what is planned there is not in the times."""


class _Cost(NamedTuple):
    """Medians over the timed executions of one contender on one operation, CPU seconds.

    Attributes:
        preparing: before the clock.
        executing: inside it.
        handing: after it, until the answer was handed out.
        rows: of the answer.
    """

    preparing: float
    executing: float
    handing: float
    rows: float


def clock_coverage(
    samples: Iterable[Sample], layouts: Mapping[str, str], background: Collection[str] = (), *, ingest: bool = False
) -> list[Finding]:
    """Findings of both kinds, by contender and operation.

    Args:
        samples: of all attempts.
        layouts: what contenders answer from, as the gate found (:class:`weigh.model.gate.Gate`).
        background: contenders that declare work in the background: their CPU is not that of the query alone.
        ingest: whether they are of loading tables: what comes before that is no taking of a query, but making an empty
            place and removing what was loaded before.
    """
    measured: dict[tuple[str, str], list[tuple[float, float, float, int]]] = defaultdict(list)
    elsewhere: dict[tuple[str, str], list[tuple[float, float, float, int]]] = defaultdict(list)
    for one in samples:
        pair = one.contender, one.operation
        if one.timed and one.cpu_s is not None and one.contender not in background:
            row = (one.prepare_cpu_s or 0.0, one.cpu_s, (one.answer_cpu_s or 0.0) + _late(one), one.rows or 0)
            measured[pair].append(row)
        elif one.timed and one.wall_s is not None:
            elsewhere[pair].append((one.prepare_s or 0.0, one.wall_s, one.answer_s or 0.0, one.rows or 0))
    measured, elsewhere = (
        {pair: rows for pair, rows in by.items() if len(rows) >= LEAST} for by in (measured, elsewhere)
    )
    costs = {pair: _Cost(*map(median, zip(*rows, strict=True))) for pair, rows in measured.items()}
    # Time that passes is that of everybody on the machine: the shortest has the least of others in it.
    costs |= {
        pair: _Cost(min(r[0] for r in rows), median(r[1] for r in rows), min(r[2] for r in rows), rows[0][3])
        for pair, rows in elsewhere.items()
    }
    early = {name for name, claim in layouts.items() if claim == EARLY}
    if ingest:
        return [*_after(costs)]
    # What is only said, and as CPU, is reported of those whose CPU was read: time on a busy machine is everybody's.
    charged = {pair: costs[pair] for pair in measured}
    return [*_after(costs), *_before(costs, early), *_planned(charged, early)]


def _late(one: Sample) -> Seconds:
    """CPU that its process used after its clock, before weigh had the reply; 0 of what messages cost."""
    if one.round_trip_cpu_s is None or one.cpu_s is None:
        return 0.0
    late = one.round_trip_cpu_s - one.cpu_s
    return late if late > LATE else 0.0


def conversion(rows: Rows) -> Rows:
    """Seconds that converting an answer of so many rows may take."""
    return FETCH_FLOOR + FETCH_PER_ROW * rows


def _after(costs: dict[tuple[str, str], _Cost]) -> Iterator[Finding]:
    """A5: handing out costs several times the CPU of executing, and more than converting can."""
    for (contender, operation), cost in costs.items():
        if cost.handing > conversion(cost.rows) and cost.handing > FETCH_SHARE * cost.executing:
            yield codes.A5_LAZY.finding(
                contender=contender,
                operation=operation,
                text=f"executing takes {1e3 * cost.executing:.1f} ms of CPU, and what follows until the answer is "
                f"handed out {1e3 * cost.handing:.1f} ms: the work is done outside the clock",
                remedy="its adapter must consume all rows inside run(); it is not compared",
            )


def _before(costs: dict[tuple[str, str], _Cost], early: Collection[str]) -> Iterator[Finding]:
    """A6: taking the query costs more CPU than executing it, and afterwards its files are not needed any more."""
    for (contender, operation), cost in costs.items():
        if contender in early and _too_much(cost):
            yield codes.A6_PREPARE.finding(
                contender=contender,
                operation=operation,
                text=f"taking the query costs {seconds(cost.preparing)} of CPU before the clock starts, executing it "
                f"{seconds(cost.executing)} inside: the clock covers the smaller part of the work",
                remedy="its adapter must do in run() whatever depends on the query; it is not compared",
            )


def _planned(costs: dict[tuple[str, str], _Cost], early: Collection[str]) -> Iterator[Finding]:
    """A6: a contender that works before the clock without executing there; nobody is accused, and everybody sees it."""
    accused = {contender for (contender, _), cost in costs.items() if contender in early and _too_much(cost)}
    little: dict[str, list[tuple[float, str, float]]] = defaultdict(list)
    for (contender, operation), cost in costs.items():
        if cost.preparing > PREPARE_CLAIM and contender not in accused:
            little[contender].append((cost.preparing, operation, cost.executing))
    for contender, found in little.items():
        preparing, operation, executing = max(found)
        yield codes.A6_PLANNED.finding(
            contender=contender,
            text=f"it spends CPU on taking a query before the clock starts, on {count(len(found), 'operation')}: "
            f"up to {seconds(preparing)} ({operation}, where executing takes {seconds(executing)}), and no time "
            "contains it",
            remedy="its adapter could parse and plan in run(), as the others do",
        )


def _too_much(cost: _Cost) -> bool:
    return cost.preparing > PREPARE_FLOOR and cost.preparing > PREPARE_SHARE * cost.executing
