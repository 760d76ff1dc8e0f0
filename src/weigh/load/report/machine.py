"""The machine under the runs of a load: in sentences, and as parts of the JSON document.

The same words as of the turns of a run (:mod:`weigh.experiment.report.machine`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.load.activity import report as activity
from weigh.load.analysis import machine
from weigh.machine import contention_findings
from weigh.machine.contention import TELLABLE
from weigh.machine.unevenness import ALL
from weigh.machine.use_method import Resource, When
from weigh.model.units import Seconds, count, cpu_of_others, percent, seconds
from weigh.render.machine import NAMES, OtherProcessRow, SamplerRow, blamed, resource

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.load.activity.kinds import RunActive
    from weigh.load.analysis.machine import IntervalShare, LoadMachine, RunMachine
    from weigh.load.spikes import Spike

_SPIKES = 5
"""Spikes that a report names, the longest; the JSON has them all."""
_THEN = {
    "others": "others used the CPU",
    "steal": "other guests of the host had the CPU",
    "limit": "a control group's limit held back the CPU",
    "generator": "the generator's own threads were busy throughout",
    "cpu": "every CPU was busy",
    "memory": "work waited for memory",
    "disk": "requests queued and waited for a disk",
    "locks": "sessions of the server waited for locks",
    "network": "the network lost packets, sent segments again, or filled a link",
}


def lines(one: LoadMachine, run: RunMachine, meanwhile: RunActive | None = None) -> Iterator[str]:
    """The machine under a run in a few sentences.

    Args:
        one: what is known of all runs.
        run: of one of them.
        meanwhile: what its server did besides answering; None where nobody looked.
    """
    yield _others(one, run)
    yield from (line for each in run.use.resources if (line := resource(each, "interval")))
    if run.queue is not None:
        of = f" for {count(run.cpus, 'CPU')}" if run.cpus else ""
        yield f"run queue: {run.queue:.3g} tasks{of} on average, {run.longest_queue:,} at most"
    if any(each.saturated is not None for each in run.use.resources):
        yield _first(run)
    longest = sorted(run.spikes, key=lambda spike: -spike.p99_s)[:_SPIKES]
    yield from (
        _spike(number, one, activity.spike(meanwhile, number - 1))
        for number, one in enumerate(run.spikes, 1)
        if one in longest
    )
    if len(run.spikes) > _SPIKES:
        yield f"and {len(run.spikes) - _SPIKES:,} smaller spikes, which the JSON names"


def worst(run: RunMachine, meanwhile: RunActive | None = None) -> str:
    """When requests took longest, and what went on at that time, in a sentence; empty where they never took long.

    Args:
        run: the machine under it.
        meanwhile: what its server did besides answering; None where nobody looked.
    """
    if not run.spikes:
        return ""
    number, one = max(enumerate(run.spikes), key=lambda spike: spike[1].p99_s)
    others = f" The longest of {count(len(run.spikes), 'spike')}." if len(run.spikes) > 1 else ""
    line = _meanwhile(one, activity.spike(meanwhile, number))
    times = f"{one.p99_s / one.typical_s:,.3g} times as long as usual"
    return f"The worst moment was {seconds(one.from_s)} after the beginning, {times}: {line}.{others}"


def in_short(one: LoadMachine, run: RunMachine) -> str:
    """How full it was, what was full first, and who else used it, in a sentence.

    Args:
        one: what is known of all runs.
        run: of one of them.
    """
    used = [
        f"{NAMES[each.name]} {percent(each.utilisation)}"
        for each in run.use.resources
        if each.name in ("cpu", "disk", "network") and each.utilisation is not None
    ]
    full = f"{NAMES[run.use.bottleneck]} was saturated first" if run.use.bottleneck else "nothing was saturated"
    others = (
        "others cannot be distinguished from the server"
        if one.apart
        else f"others used {cpu_of_others(run.foreign, 'the CPU', 'the run')}"
    )
    return f"{', '.join(used)} in use; {full}; {others}, other guests {percent(run.steal)}."


def _spike(number: int, one: Spike, blamed: str) -> str:
    """When it was, how much longer requests took, what a test blames for it, and what was saturated at that time."""
    times = f"{one.p99_s / one.typical_s:,.3g} times the typical {seconds(one.typical_s)}"
    when = f"from {seconds(one.from_s)} to {seconds(one.to_s)}"
    return f"spike {number}, {when}: p99 {seconds(one.p99_s)}, {times}: {_meanwhile(one, blamed)}"


def _meanwhile(one: Spike, server: str) -> str:
    """What a test over all spikes blames for it; and what was saturated at that time, which shows no cause."""
    then = _then(one) if one.saturated or not server else ""
    return "; ".join(part for part in (server, then) if part)


def _then(one: Spike) -> str:
    if not one.watched:
        return "nobody watched the machine then"
    found = [
        _THEN[name] + (f" ({contention_findings.named(one.other_processes)})" if name == "others" else "")
        for name in one.saturated
    ]
    if not found:
        return "nothing that was watched was busier at that time than otherwise"
    return f"at that time {' and '.join(found)}, and hardly otherwise, which shows no cause"


def _others(one: LoadMachine, run: RunMachine) -> str:
    judged = (
        "others cannot be distinguished from the server"
        if one.apart
        else f"others used {cpu_of_others(run.foreign, 'the CPU', 'the run')}"
    )
    who = "other guests" if one.apart else "either"
    allowed = (
        "any share was allowed"
        if one.bound >= ALL
        else f"in {len(run.contended):,} of {count(run.intervals, 'interval')} {who} had more than "
        f"{percent(one.bound)}, and at least {seconds(TELLABLE)} of it"
    )
    cost = one.cost_s / one.seconds if one.seconds else 0.0
    return (
        f"{judged}, other guests {percent(run.steal)}; {allowed}. The sampler itself used {percent(cost, 2)} of one CPU"
    )


def _first(run: RunMachine) -> str:
    first = next((one.first for one in run.use.resources if one.name == run.use.bottleneck), None)
    if not isinstance(first, When):
        return "nothing was saturated during the run"
    return f"first saturated: {NAMES[run.use.bottleneck or '']}, in the interval from {seconds(first.at)} on"


class MachineDocument(msgspec.Struct, frozen=True, kw_only=True):
    """``machine`` of the document: what holds for all runs.

    Attributes:
        watched: whether the sampler covered every interval that counts.
        gaps: what it did not cover, in sentences.
        bound: share of a run's CPU that others may use; None where any was allowed.
        apart: whether the server cannot be distinguished from others, which then are not judged.
        sampler: what the sampler did itself.
    """

    watched: bool
    gaps: tuple[str, ...]
    bound: float | None
    apart: bool
    sampler: SamplerRow


class ContendedInterval(msgspec.Struct, frozen=True, kw_only=True):
    """An interval in which others used more than they may.

    Attributes:
        from_s, to_s: since the run began.
        foreign, steal: shares of its CPU that others used, and that the hypervisor gave to other guests.
        foreign_s, steal_s: the same as CPU time.
    """

    from_s: Seconds
    to_s: Seconds
    foreign: float
    steal: float
    foreign_s: Seconds
    steal_s: Seconds


class SpikeRow(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a run in which requests took much longer than usual.

    Attributes:
        from_s, to_s: since the run began: when the slowest requests were due, and when the interval ended in which
            they were answered.
        p99_s: the longest p99 of its intervals.
        typical_s: the median of the p99s of all intervals.
        saturated: what was saturated then and hardly ever else: ``others``, ``steal``, ``limit``, ``generator``,
            ``cpu``, ``memory``, ``disk``, ``network``, ``locks``; empty where the sampler saw nothing.
        other_processes: who the others were, where they are among them.
        watched: whether the sampler covered it.
    """

    from_s: Seconds
    to_s: Seconds
    p99_s: Seconds
    typical_s: Seconds
    saturated: tuple[str, ...]
    other_processes: tuple[OtherProcessRow, ...]
    watched: bool


class RunMachineDocument(msgspec.Struct, frozen=True, kw_only=True):
    """``machine`` of a run.

    Attributes:
        foreign, steal: shares of its CPU that others used, and that the hypervisor gave to other guests.
        refused: whether the run is refused for it.
        intervals: how many count.
        contended: those above the bound, the worst first.
        other_processes: processes of others during those, or during all of a refused run; the greediest first, at most
            16 names.
        queue: tasks that ran or were ready to run, on average; None where it was not read.
        longest_queue: the same at most.
        cpus: how many CPUs the machine has; None likewise.
        use: of every resource; of locks where the sessions of a server were sampled.
        bottleneck: the resource that was saturated first; None where none was.
        spikes: in the order of time.
    """

    foreign: float
    steal: float
    refused: bool
    intervals: int
    contended: tuple[ContendedInterval, ...]
    other_processes: tuple[OtherProcessRow, ...]
    queue: float | None
    longest_queue: int | None
    cpus: int | None
    use: tuple[Resource, ...]
    bottleneck: str | None
    spikes: tuple[SpikeRow, ...]


def document(one: LoadMachine) -> MachineDocument:
    """``machine`` of the document: what holds for all runs."""
    return MachineDocument(
        watched=one.watched,
        gaps=tuple(machine.gaps(one)),
        bound=None if one.bound >= ALL else one.bound,
        apart=one.apart,
        sampler=SamplerRow(moments=one.moments, seconds=one.seconds, cpu_s=one.cost_s, unreadable=one.unreadable),
    )


def of_run(one: LoadMachine | None, number: int) -> RunMachineDocument | None:
    """``machine`` of a run; None where nobody watched."""
    run = one.of(number) if one else None
    if run is None:
        return None
    return RunMachineDocument(
        foreign=run.foreign,
        steal=run.steal,
        refused=bool(run.reasons),
        intervals=run.intervals,
        contended=tuple(map(_interval, run.contended)),
        other_processes=blamed(run.other_processes),
        queue=run.queue,
        longest_queue=run.longest_queue,
        cpus=run.cpus,
        use=run.use.resources,
        bottleneck=run.use.bottleneck,
        spikes=tuple(
            SpikeRow(**{**msgspec.structs.asdict(spike), "other_processes": blamed(spike.other_processes)})
            for spike in run.spikes
        ),
    )


def _interval(one: IntervalShare) -> ContendedInterval:
    return ContendedInterval(
        from_s=one.from_s,
        to_s=one.to_s,
        foreign=one.foreign,
        steal=one.steal,
        foreign_s=one.foreign_s,
        steal_s=one.steal_s,
    )
