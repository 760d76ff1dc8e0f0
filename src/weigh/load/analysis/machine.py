"""The machine under the runs of a load: who else used it, what was saturated, and which runs that spoils. Pure.

**The CPU of a run** is what weigh and the server used over the part that counts, and at least one CPU for as long as it
lasted. **A run is refused** where others used more of it than they may, or other guests of the host did. **An interval
is contended** where that holds for it alone, and is more than the kernel's clock can tell from nothing: it is named and
kept. The same bound and the same words as of the turns of a run (:mod:`weigh.machine.contention`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from weigh.load.analysis.spikes import SpikeInput, spikes
from weigh.load.spikes import Spike
from weigh.load.waits import locks
from weigh.machine import contention_findings as contended
from weigh.machine.contention import TELLABLE, ProcessGroup, by_name, processes_during
from weigh.machine.moments import amounts, in_order
from weigh.machine.readings import readings
from weigh.machine.turn_shares import WATCHED, Used
from weigh.machine.unevenness import ALL
from weigh.machine.use_method import Use, When, memory_of, summarised
from weigh.model import codes
from weigh.model.spec import CONTENTION
from weigh.model.units import Seconds, count, percent, seconds
from weigh.model.verdict import Reason

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from weigh.load.analysis.figures import RunFigures
    from weigh.load.record import LoadEnvironment, LoadRecord
    from weigh.load.runs import LoadInterval, LoadRun
    from weigh.model.finding import Finding
    from weigh.model.machine.timeline import Moment

_NAMED = 3
"""Intervals that a text names; the JSON has them all."""


class IntervalShare(Used, frozen=True, kw_only=True):
    """What others used during one interval; its ends in seconds since the run began."""

    from_s: Seconds
    to_s: Seconds


class RunMachine(msgspec.Struct, frozen=True, kw_only=True):
    """The machine under one run, over the part that counts.

    Attributes:
        number: of the run.
        foreign, steal: shares of its CPU that others and other guests used.
        reasons: why the run is refused for it.
        intervals, unwatched: how many there are, and how many of them the sampler did not cover.
        contended: those in which others used more than they may, the worst first.
        other_processes: who they were during those, or during all of a refused run; the greediest first.
        queue, longest_queue: tasks that ran or were ready to run, on average and at most; None where it was not read.
        cpus: how many CPUs the machine has; None likewise.
        use: utilisation, saturation and errors of every resource.
        spikes: in the order of time.
    """

    number: int
    foreign: float
    steal: float
    reasons: tuple[Reason, ...]
    intervals: int
    unwatched: int
    contended: tuple[IntervalShare, ...]
    other_processes: tuple[ProcessGroup, ...]
    queue: float | None
    longest_queue: int | None
    cpus: int | None
    use: Use
    spikes: tuple[Spike, ...]


class LoadMachine(msgspec.Struct, frozen=True, kw_only=True):
    """What the sampler says of a load experiment.

    Attributes:
        bound: share of a run's CPU that others may use; at ``ALL`` nothing is refused.
        apart: whether the server may be here and cannot be distinguished from others: then they are not judged.
        anew: whether that is because it may have begun anew during the runs.
        runs: those of which an interval counts.
        moments: how many the sampler took.
        seconds: that they cover.
        cost_s: CPU seconds of the sampler itself.
        unreadable: sources that it could not read, and why.
    """

    bound: float
    apart: bool
    anew: bool
    runs: tuple[RunMachine, ...]
    moments: int
    seconds: Seconds
    cost_s: Seconds
    unreadable: dict[str, str]

    @property
    def watched(self) -> bool:
        """Whether every interval that counts was covered."""
        return bool(self.runs) and not any(run.unwatched for run in self.runs)

    def of(self, number: int) -> RunMachine | None:
        """What is known of a run."""
        return next((run for run in self.runs if run.number == number), None)


def machine(record: LoadRecord, runs: Sequence[RunFigures]) -> LoadMachine | None:
    """What is known of the machine; None where nobody watched it.

    Args:
        record: with what the sampler saw.
        runs: figures of all its runs.
    """
    if not record.watches:
        return None
    environment = record.environment
    anew = _may_be_anew(record.environment, runs)
    apart = anew or environment is None or environment.apart is True
    bound = record.spec.contention or CONTENTION
    moments = in_order(record.watches)
    figures = {run.number: run for run in runs}
    return LoadMachine(
        bound=bound,
        apart=apart,
        anew=anew,
        runs=tuple(
            _run(run, figures[run.number], moments, record, bound, apart)
            for run in record.runs
            if run.at is not None and _counted(run, figures[run.number])
        ),
        moments=len(moments),
        seconds=sum(one.span for one in moments),
        cost_s=sum(watch.cost_s for watch in record.watches),
        unreadable={name: why for watch in record.watches for name, why in watch.unreadable.items()},
    )


def _may_be_anew(environment: LoadEnvironment | None, runs: Sequence[RunFigures]) -> bool:
    """Whether the processes of somebody else's server may be others than those that it had when it was found."""
    if environment is None or environment.apart is True:
        return False
    target = environment.target
    return not target.embedded and target.same_host is not False and any(run.reconnects for run in runs)


def _counted(run: LoadRun, found: RunFigures) -> Sequence[LoadInterval]:
    """The intervals that count and took any time."""
    cut = found.settled.intervals if found.settled else 0
    return [one for one in run.intervals[cut:] if one.to_s > one.from_s]


def _run(
    run: LoadRun, found: RunFigures, moments: Sequence[Moment], record: LoadRecord, bound: float, apart: bool
) -> RunMachine:
    assert run.at is not None
    counted = _counted(run, found)
    first, last = run.at + counted[0].from_s, run.at + counted[-1].to_s
    moments_of = [one for one in moments if one.end > first and one.at < last]
    begin = np.array([run.at + one.from_s for one in counted])
    length = np.array([one.to_s - one.from_s for one in counted])
    foreign = amounts(moments_of, lambda one: one.foreign, begin, length)
    steal = amounts(moments_of, lambda one: one.steal, begin, length)
    used = amounts(moments_of, lambda one: one.tracked, begin, length)
    covered = amounts(moments_of, lambda one: None if one.foreign is None else one.span, begin, length)
    shares = [
        IntervalShare(
            from_s=one.from_s,
            to_s=one.to_s,
            cpu_s=max(float(used[at]), float(length[at])),
            foreign_s=float(foreign[at]),
            steal_s=float(steal[at]),
        )
        for at, one in enumerate(counted)
    ]
    watched = covered >= WATCHED * length
    # What nobody watched is no sign of peace.
    cpu = max(float(used[watched].sum()), float(length[watched].sum()))
    by_others, by_guests = (float(of[watched].sum()) / cpu if cpu else 0.0 for of in (foreign, steal))
    refused, stolen = (bound < ALL and share > bound for share in (by_others, by_guests))
    refused = refused and not apart
    worst = sorted((one for one in shares if _is_contended(one, bound, apart)), key=lambda one: _order(one, apart))
    by_processes = [one for one in worst if _is_past(one.foreign, one.foreign_s, bound)]
    at_fault = [(first, last)] if refused else [(run.at + one.from_s, run.at + one.to_s) for one in by_processes]
    other_processes = (
        () if apart else by_name(one for those in processes_during(at_fault, record.watches) for one in those)
    )
    reasons = [contended.by_others(by_others, bound, other_processes, "the run")] if refused else []
    reasons += [contended.by_guests(by_guests, bound, "the run")] if stolen else []
    queues = [one.queue for one in moments_of if one.queue is not None]
    read = readings(moments_of, begin, length, memory_of(record.host))
    sampled = [one for one in record.waits if one.run == run.number]
    if (locked := locks.reading(sampled, begin, length, _deadlocks(record, run.number))) is not None:
        read["locks"] = locked
    p99 = {one.at: one.p99 for one in found.moments}
    scene = SpikeInput(
        at=run.at,
        intervals=counted,
        p99=[p99[one.from_s] for one in counted],
        threads=sum(one.threads for one in record.agent_runs if one.run == run.number)
        or min(record.spec.threads, run.connections),
        generating=not record.spec.in_process and (run.loop == "closed" or record.spec.spin is not True),
        moments=moments_of,
        watches=record.watches,
        memory=memory_of(record.host),
        reported=not apart,
        waits=sampled,
    )
    return RunMachine(
        number=run.number,
        foreign=by_others,
        steal=by_guests,
        reasons=tuple(reasons),
        intervals=len(counted),
        unwatched=int((~watched).sum()),
        contended=tuple(worst),
        other_processes=other_processes,
        queue=sum(queues) / len(queues) if queues else None,
        longest_queue=max(queues, default=None),
        cpus=max((len(one.cpus) for one in moments_of if one.cpus), default=None),
        use=summarised(
            {name: [one] for name, one in read.items()}, [When(run.number, o.from_s) for o in counted], [length]
        ),
        spikes=spikes(scene),
    )


def _deadlocks(record: LoadRecord, run: int) -> list[Seconds] | None:
    """When each was found, once for each; None where they cannot be observed."""
    parts = [one.activity for one in record.activity if one.run == run]
    if not any("deadlock" in one.counted for one in parts):
        return None
    return [
        one.until if one.until is not None else one.at
        for part in parts
        for one in part.events
        if one.kind == "deadlock"
        for _ in range(one.amount or 1)
    ]


def _is_contended(one: IntervalShare, bound: float, apart: bool) -> bool:
    used = [(one.steal, one.steal_s)] + ([] if apart else [(one.foreign, one.foreign_s)])
    return any(_is_past(share, spent, bound) for share, spent in used)


def _is_past(share: float, spent: Seconds, bound: float) -> bool:
    return bound < ALL and share > bound and spent >= TELLABLE


def _order(one: IntervalShare, apart: bool) -> tuple[float, float]:
    """The worst first; those that are equal but for rounding in the order of time."""
    return -round(one.steal if apart else max(one.foreign, one.steal), 6), one.from_s


def findings(found: LoadMachine) -> Iterator[Finding]:
    """Who was disturbed, when and by whom; nothing where nobody was.

    A warning where a run is refused. Contended intervals that are too few for that are a note.
    """
    for run in found.runs:
        name = f"run {run.number}: " if len(found.runs) > 1 else ""
        yield from _disturbed(run, name, found)
    if found.runs and found.apart:
        yield _anew() if found.anew else contended.apart()
    if found.runs and found.bound > CONTENTION:
        worst = max(max(run.steal, 0.0 if found.apart else run.foreign) for run in found.runs)
        yield contended.allowed(worst, found.bound, "a run")


def _disturbed(run: RunMachine, name: str, found: LoadMachine) -> Iterator[Finding]:
    for reason in run.reasons:
        guests = reason.code == codes.E4_STEAL.code
        code = codes.E4_STEAL if guests else codes.E4_CONTENDED
        yield code.finding(
            "warning",
            text=f"{name}{reason.text}; {_where(run, found.bound, guests=guests)}",
            remedy="nothing inside this machine mends it: take a host of your own, or one with fewer guests"
            if guests
            else "stop them and run again; --contention sets another bound, and the report says so",
        )
    codes_named = {reason.code for reason in run.reasons}
    for code, guests in ((codes.E4_CONTENDED, False), (codes.E4_STEAL, True)):
        if code.code in codes_named or (found.apart and not guests) or not _worst(run, found.bound, guests=guests):
            continue
        who = "" if guests else f": {contended.named(run.other_processes)}"
        yield code.finding(
            "note",
            text=f"{name}{'other guests of the host' if guests else 'others'} used more than "
            f"{percent(found.bound)} of the CPU of single intervals{who}; {_where(run, found.bound, guests=guests)}",
            remedy="nothing is left out: the intervals are too few to refuse the run, and what they add is in it",
        )


def _anew() -> Finding:
    return msgspec.structs.replace(
        contended.apart(),
        text="connections were lost and opened again: a server that began anew has other processes than those that "
        "were found, which cannot be distinguished from others that use the machine: contention is not judged",
        remedy="see in the server's log why, and run again",
    )


def _worst(run: RunMachine, bound: float, *, guests: bool) -> list[tuple[float, Seconds]]:
    """Shares of intervals that others of one kind, or other guests, used too much of, and when; the worst first."""
    used = [
        (one.steal, one.steal_s, one.from_s) if guests else (one.foreign, one.foreign_s, one.from_s)
        for one in run.contended
    ]
    past = [(share, at) for share, spent, at in used if _is_past(share, spent, bound)]
    return sorted(past, key=lambda one: (-round(one[0], 6), one[1]))


def _where(run: RunMachine, bound: float, *, guests: bool) -> str:
    """``2 of 60 intervals: from 3.00 s (61 %), ...``, the worst first."""
    worst = _worst(run, bound, guests=guests)
    if not worst:
        return f"none of {count(run.intervals, 'interval')} is long enough to be named"
    moments = [f"from {seconds(at)} ({percent(share, 0)})" for share, at in worst[:_NAMED]]
    more = f" and {len(worst) - _NAMED:,} more" if len(worst) > _NAMED else ""
    return f"{len(worst):,} of {count(run.intervals, 'interval')}: {', '.join(moments)}{more}"


def gaps(found: LoadMachine) -> tuple[str, ...]:
    """What the sampler did not cover, run by run."""
    why = "".join(f"; {name}: {reason}" for name, reason in found.unreadable.items())
    return tuple(
        f"the machine was not watched during {run.unwatched:,} of {count(run.intervals, 'interval')} of run "
        f"{run.number}{why}"
        for run in found.runs
        if run.unwatched
    )
