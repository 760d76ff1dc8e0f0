"""CPU outside the clocks (A11): what a contender's whole family of processes used beside what its worker reports. Pure.

Measured on seven engines, each on two queries and on 20,000 and 400,000 rows: beside what it reports an honest family
uses 0.1 to 1.5 ms an execution (messages, freeing a result, garbage collection), and 0 to 1.5 % of a CPU while others
have their turns.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

import msgspec

from weigh.model import codes
from weigh.model.units import Seconds, percent, seconds

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from weigh.experiment.record import Record
    from weigh.model.clock_coverage import TurnCpu
    from weigh.model.finding import Finding

FLOOR = 5e-3
"""CPU seconds an execution."""
RATIO = 0.5
"""Above the floor: more than this share of what was reported."""
BETWEEN = 0.1
"""Share of one CPU that may be busy while others have their turns."""
IDLE = 0.02
"""Share of one CPU that idle processes of an honest family use at most; what they use above it between two turns
follows from the turn before."""
LEAST = 3
"""Turns, or pauses between them, below which nobody is accused: one may hold a collection of garbage, or a fault."""
_SHORT = 5e-3
"""Seconds. A shorter pause tells nothing of what is busy in it."""


class OutsideClock(msgspec.Struct, frozen=True, kw_only=True):
    """CPU seconds of one contender on one operation, medians over the turns.

    Attributes:
        operation, contender: whose they are.
        reported_s: an execution, as reported: taking the query, executing, handing out the answer.
        outside_s: an execution, used outside its clock and reported by nobody.
        processes_s: an execution, used inside its clock by other processes than the one that reports; 0 where the
            adapter says that it executes elsewhere.
        between: share of one CPU that was busy while others had their turns; None where no pause was long enough.
        background: what works there, as the adapter declares; empty where it declares nothing.
        turns: how many they are medians of.
        exact: whether a control group counted; else processes were added up, and some may be missing.
    """

    operation: str
    contender: str
    reported_s: Seconds = msgspec.field(name="told_s")
    outside_s: Seconds
    processes_s: Seconds
    between: float | None
    background: str = ""
    turns: int
    exact: bool = True


def outside_clocks(attempts: Sequence[Record]) -> tuple[OutsideClock, ...]:
    """A row for each contender and operation that was timed.

    Args:
        attempts: all that the verdicts read.
    """
    turns: dict[tuple[str, str], list[_Turn]] = defaultdict(list)
    pauses: dict[str, list[TurnCpu]] = defaultdict(list)
    for record in attempts:
        last: dict[int, _Turn] = {}
        for one in record.cpu:
            if one.start in last:
                last.pop(one.start).after = max(0.0, one.before - IDLE * one.before_s)
            if one.executions:
                last[one.start] = _Turn(one)
                turns[one.operation, one.contender].append(last[one.start])
            # Before its first turn a life may still finish what opening its tables began.
            if not one.first and one.before_s >= _SHORT:
                pauses[one.contender].append(one)
    between = {
        name: median(one.before / one.before_s for one in found)
        for name, found in pauses.items()
        if len(found) >= LEAST
    }
    declared = declared_background(attempts)
    return tuple(
        OutsideClock(
            operation=operation,
            contender=contender,
            reported_s=median(one.reported for one in found),
            outside_s=median(one.outside for one in found),
            processes_s=median(one.processes for one in found),
            between=between.get(contender),
            background=declared.get(contender, ""),
            turns=len(found),
            exact=all(one.cpu.exact for one in found),
        )
        for (operation, contender), found in turns.items()
    )


@dataclass(slots=True)
class _Turn:
    """One turn, all figures an execution.

    Attributes:
        cpu: what the family used.
        after: CPU seconds until its next turn, above what is idle.
    """

    cpu: TurnCpu
    after: Seconds = 0.0

    @property
    def reported(self) -> Seconds:
        """As the worker reports."""
        inside = self.cpu.inside if self.cpu.reported_inside is None else self.cpu.reported_inside
        return (self.cpu.asides + inside) / self.cpu.executions

    @property
    def outside(self) -> Seconds:
        """Outside its clock."""
        return (max(0.0, self.cpu.used - self.cpu.inside - self.cpu.asides) + self.after) / self.cpu.executions

    @property
    def processes(self) -> Seconds:
        """Inside its clock, by others than the one that reports."""
        inside = self.cpu.reported_inside
        return 0.0 if inside is None else max(0.0, self.cpu.inside - inside) / self.cpu.executions


def declared_background(attempts: Sequence[Record]) -> Mapping[str, str]:
    """What each contender says that it does in the background."""
    environment = attempts[-1].environment
    return {one.name: one.background for one in (environment.contenders if environment else ())}


def mixed(found: Collection[Finding]) -> frozenset[str] | None:
    """Whose figures stand although processes were counted as those of others; None where none were."""
    if not any(one.code == codes.A11_STRANGERS.code for one in found):
        return None
    # What they used themselves is not less than what is counted.
    return frozenset(one.contender or "" for one in found if one.code == codes.A11_LEFT.code)


def findings(rows: Iterable[OutsideClock], only: Collection[str] | None = None) -> Iterator[Finding]:
    """Who is not compared, and who works in the background and says so.

    Args:
        rows: of all operations.
        only: whose figures are surely their own; None for everybody's.
    """
    busy: dict[str, OutsideClock] = {}
    for one in rows:
        if only is not None and one.contender not in only:
            continue
        if one.between is not None and one.between > BETWEEN:
            busy.setdefault(one.contender, one)
        if one.background:
            if one.outside_s > FLOOR:
                yield _cost(one)
        elif _much(one):
            yield _accused(one)
    for one in busy.values():
        if not one.background:
            yield codes.A11_BETWEEN.finding(
                contender=one.contender,
                text=f"its processes kept {percent(one.between or 0.0)} of a CPU busy while others had their turns: it "
                "disturbs them",
                remedy="its adapter must leave nothing at work after run(), or declare it (background); it is not "
                "compared",
            )


def _much(one: OutsideClock) -> bool:
    more = one.outside_s + one.processes_s
    return one.turns >= LEAST and more > FLOOR and more > RATIO * one.reported_s


def _accused(one: OutsideClock) -> Finding:
    if one.processes_s > one.outside_s:
        return codes.A11_PROCESSES.finding(
            contender=one.contender,
            operation=one.operation,
            text=f"an execution takes {seconds(one.reported_s)} of CPU as it reports, and other processes of it use "
            f"{seconds(one.processes_s)} while its clock runs: its figures are not those of the work",
            remedy="an adapter whose engine executes in other processes says so (elsewhere = True)",
        )
    return codes.A11_OUTSIDE.finding(
        contender=one.contender,
        operation=one.operation,
        text=f"an execution takes {seconds(one.reported_s)} of CPU as it reports, and its processes use "
        f"{seconds(one.outside_s)} more outside its clock: before it, after it, or between two executions",
        remedy="its adapter must do the work of a query inside run(); what its engine does in the background it "
        "declares (background)",
    )


def _cost(one: OutsideClock) -> Finding:
    return codes.A11_BACKGROUND.finding(
        contender=one.contender,
        operation=one.operation,
        text=f"{one.background}: {seconds(one.outside_s)} of CPU an execution outside its clock, where an execution "
        f"reports {seconds(one.reported_s)}",
        remedy="count it as a cost of its own: no time contains it",
    )
