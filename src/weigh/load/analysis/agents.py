"""Each agent of a run judged by itself: one that is late, or stands still, hides in the figures of all together. Pure.

What agents saw at the same moments is compared: a server that is slow is slow for all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.load.analysis.validity import LATE, SATURATED
from weigh.model import codes
from weigh.model.spec import CONTENTION
from weigh.model.units import Seconds, percent, seconds
from weigh.model.verdict import Reason
from weigh.statistics.histogram import decode, merged

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from weigh.load.agents.model import AgentRead, AgentRun
    from weigh.load.analysis.figures import RunFigures
    from weigh.load.record import LoadRecord

STILL: Seconds = 2.0
"""Without a sign of life, which comes every second, an agent stood still; if the others did not."""
_TAIL = 1e-4
"""Share of all requests that one which stood still may have held back: the last percentile that is shown."""
_HELD: Seconds = 0.1
"""By which a request is held back."""
_DRIFT, _JUMP = 5e-4, 5e-3
"""How fast a disciplined clock may run (500 parts in a million), and seconds by which one that was set has moved."""
_THROTTLED = 0.01
"""Share of a run in which the kernel may hold an agent back."""


class AgentMoment(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a run as an agent saw it.

    Attributes:
        at, until: seconds since the run began.
        p50, p99: of the response time.
        late: p99 of its own lateness.
    """

    at: Seconds
    until: Seconds
    p50: Seconds | None
    p99: Seconds | None
    late: Seconds | None


class AgentFigures(msgspec.Struct, frozen=True, kw_only=True):
    """One agent in one run, over the part that counts.

    Attributes:
        agent: its number.
        host: name of its machine.
        worker: that it ran on.
        threads, connections: that it had.
        count: requests answered.
        failed: errors and time-outs.
        rate: requests answered a second; None where nothing is known of it.
        p50, p99, max: of the response time.
        late_p90, late_max: by which it sent requests late though a connection was free.
        cpu: share of its threads' time that it computed; None where it is not known.
        waited: share of it that they wanted a processor and had none; None likewise.
        queued: requests that were due and waited for a connection at the end of an interval, at most.
        gap_s, gap_at: the longest time in which nothing was heard of it, and when that began.
        wall_s: by how much its wall clock was ahead; None where it was not read, as the next.
        bound_s: by which that, and the common start, may be off.
        foreign, steal: shares of its machine's CPU that others and other guests used; None where it was not watched, or
            is the machine of whoever asked.
        with_server: whether it ran on the machine of the server.
        lost: how it was lost; empty where it was not.
        reasons: why the run is refused for it.
        moments: every part of the run.
    """

    agent: int
    host: str
    worker: str
    threads: int
    connections: int
    count: int
    failed: int
    rate: float | None
    p50: Seconds | None
    p99: Seconds | None
    max: Seconds | None
    late_p90: Seconds | None
    late_max: Seconds | None
    cpu: float | None
    waited: float | None
    queued: int
    gap_s: Seconds
    gap_at: Seconds
    wall_s: Seconds | None
    bound_s: Seconds | None
    foreign: float | None
    steal: float | None
    with_server: bool
    lost: str
    reasons: tuple[Reason, ...]
    moments: tuple[AgentMoment, ...]

    @property
    def name(self) -> str:
        """For people."""
        return f"agent {self.agent} ({self.host})"


def judged(record: LoadRecord, run: RunFigures) -> tuple[AgentFigures, ...]:
    """Every agent of a run.

    Args:
        record: of the load.
        run: figures of all together.
    """
    if record.agents is None:
        return ()
    agent_run = {one.agent: one for one in record.agent_runs if one.run == run.number}
    return tuple(
        _figures(record, run, read, agent_run[read.number], list(agent_run.values()))
        for read in record.agents.agents
        if read.number in agent_run
    )


def reasons(record: LoadRecord, run: RunFigures, found: Sequence[AgentFigures]) -> Iterator[Reason]:
    """Why a run is refused for its agents, whose figures are given."""
    if record.agents is None:
        return
    if len(found) < len(record.agents.agents):
        yield codes.E10_LOST.reason(
            "what its agents did is not known: weigh ended before their journals came. Run again"
        )
    for one in found:
        yield from one.reasons


def _figures(
    record: LoadRecord, run: RunFigures, read: AgentRead, agent_run: AgentRun, all_: Sequence[AgentRun]
) -> AgentFigures:
    cut = run.settled.cut_s if run.settled else 0.0
    # A part in which the warm-up ends is left out as a whole.
    counted = [one for one in agent_run.parts if one.from_s >= cut - 1e-6] or list(agent_run.parts[-1:])
    response, late = merged(decode(one.response) for one in counted), merged(decode(one.lag_late) for one in counted)
    length = sum(one.to_s - one.from_s for one in counted)
    count = sum(one.count for one in counted)
    available = agent_run.threads * length
    found = AgentFigures(
        agent=agent_run.agent,
        host=read.host,
        worker=read.worker,
        threads=agent_run.threads,
        connections=agent_run.connections,
        count=count,
        failed=sum(one.failed for one in counted),
        rate=count / length if length else None,
        p50=response.quantile(0.5),
        p99=response.quantile(0.99),
        max=response.max,
        late_p90=late.quantile(0.9),
        late_max=late.max,
        cpu=sum(one.client_cpu_s for one in counted) / available if available else None,
        waited=sum(one.client_wait_s for one in counted) / available if available else None,
        queued=max((one.queued for one in counted), default=0),
        gap_s=agent_run.gap_s,
        gap_at=agent_run.gap_at,
        wall_s=agent_run.before.wall_s if agent_run.before else None,
        bound_s=agent_run.before.bound_s if agent_run.before else None,
        foreign=agent_run.machine.foreign if agent_run.machine else None,
        steal=agent_run.machine.steal if agent_run.machine else None,
        with_server=agent_run.with_server or (read.here and _server_here(record)),
        lost=agent_run.lost,
        reasons=(),
        moments=tuple(
            AgentMoment(
                at=one.from_s,
                until=one.to_s,
                p50=(felt := decode(one.response)).quantile(0.5),
                p99=felt.quantile(0.99),
                late=decode(one.lag_late).quantile(0.99),
            )
            for one in agent_run.parts
        ),
    )
    everybody = sum(one.count + one.failed for each in all_ for one in each.parts)
    held = sum(decode(one.lag_late).above(_HELD) for one in agent_run.parts)
    others = max((one.gap_s for one in all_ if one.agent != agent_run.agent), default=0.0)
    why = [*_lost(found), *_late(found, run), *_saturated(found, run, record)]
    why += [
        *_still(found, others, held / everybody if everybody else 0.0),
        *_clock(found, agent_run),
        *_machine(found, agent_run),
    ]
    why += _contended(found, record.spec.contention or CONTENTION)
    return msgspec.structs.replace(found, reasons=tuple(why))


def _server_here(record: LoadRecord) -> bool:
    return record.environment is not None and record.environment.target.same_host is True


def _lost(one: AgentFigures) -> Iterator[Reason]:
    if one.lost:
        yield codes.E10_LOST.reason(
            f"{one.name} was lost ({one.lost}): from then on less was offered than was declared, so nothing of this "
            "run counts. See the log of its worker, and run again"
        )


def _late(one: AgentFigures, run: RunFigures) -> Iterator[Reason]:
    if run.loop == "open" and one.late_p90 is not None and one.p50 is not None and one.late_p90 > LATE * one.p50:
        yield codes.E10_LATE.reason(
            f"{one.name} itself was late: one of its requests in ten left {seconds(one.late_p90)} or more after it was "
            f"due although a connection was free, and its median response time is {seconds(one.p50)}. Its times are "
            "its own, and among those of all together they cannot be distinguished. Give it a machine of its own, or "
            "lower --rate"
        )


def _saturated(one: AgentFigures, run: RunFigures, record: LoadRecord) -> Iterator[Reason]:
    works = run.loop == "closed" or record.spec.spin is not True
    if not works or one.cpu is None or one.waited is None or one.cpu + one.waited <= SATURATED:
        return
    if one.cpu > SATURATED:
        did, remedy = f"computed for {percent(one.cpu, 0)}", "Take more agents, or raise --threads"
    else:
        did = f"computed for {percent(one.cpu, 0)}, and waited for a processor for {percent(one.waited, 0)},"
        remedy = "Give the agent processors of its own, or lower --rate"
    yield codes.E10_SATURATED.reason(
        f"{one.name} {did} of the time of its threads: the result is the agent's, not the server's. {remedy}"
    )


def _still(one: AgentFigures, others: Seconds, held: float) -> Iterator[Reason]:
    if stood_still(one, others) and held > _TAIL:
        yield codes.E10_STILL.reason(
            f"{one.name} stood still for about {seconds(one.gap_s)}, {seconds(one.gap_at)} after the beginning, and "
            f"the others did not: {percent(held, 2)} of all requests left late for it, so the tail is the agent's. "
            "See what stopped it, and run again"
        )


def stood_still(one: AgentFigures, others: Seconds) -> bool:
    """Whether an agent stood still while the others did not.

    Args:
        one: the agent.
        others: the longest time in which nothing was heard of another one.
    """
    # By its own clock too: else it was the network that was silent, or whoever listens.
    agent_run = one.late_max is not None and one.late_max > (one.gap_s - 1.0) / 2
    return not one.lost and one.gap_s > STILL and others < one.gap_s / 2 and agent_run


def _clock(one: AgentFigures, agent_run: AgentRun) -> Iterator[Reason]:
    if agent_run.summary is not None and agent_run.summary.clock_jumps:
        yield codes.E10_CLOCK.reason(
            f"the clocks of {one.name} jumped: its machine slept or was moved, and no time across a jump can be known. "
            "Run again"
        )
        return
    if agent_run.before is None or agent_run.after is None:
        return
    elapsed = agent_run.after.at - agent_run.before.at
    bound = agent_run.before.bound_s + agent_run.after.bound_s
    ran = agent_run.after.monotonic_s - agent_run.before.monotonic_s
    moved = agent_run.after.wall_s - agent_run.before.wall_s - ran
    if abs(ran) > bound + _DRIFT * elapsed + 1e-3:
        yield codes.E10_CLOCK.reason(
            f"the clock of {one.name} ran {percent(abs(ran) / elapsed, 2)} too {'fast' if ran > 0 else 'slow'}: every "
            "time that it measured is off by as much. Take another machine"
        )
    elif abs(moved) > bound + _JUMP + _DRIFT * elapsed:
        yield codes.E10_CLOCK.reason(
            f"the wall clock of {one.name} was set by {seconds(abs(moved))} during the run: what its journal says of "
            "when things happened does not hold together. Let its clock be, and run again"
        )


def _machine(one: AgentFigures, agent_run: AgentRun) -> Iterator[Reason]:
    length = agent_run.summary.seconds if agent_run.summary else 0.0
    held = agent_run.machine.throttled_s if agent_run.machine else None
    if held is not None and length and held > _THROTTLED * length:
        yield codes.E10_THROTTLED.reason(
            f"the kernel held {one.name} back for {seconds(held)} of {seconds(length)}, for its control group has a "
            "limit of CPU: its times are its own. Raise the limit of its worker"
        )


def _contended(one: AgentFigures, bound: float) -> Iterator[Reason]:
    if one.foreign is not None and bound < 1 and one.foreign > bound:
        yield codes.E4_CONTENDED.reason(
            f"others used {percent(one.foreign)} of the CPU of the machine of {one.name}, and {percent(bound)} may. "
            "Stop them, or give it a machine of its own"
        )
    if one.steal is not None and bound < 1 and one.steal > bound:
        yield codes.E4_STEAL.reason(
            f"other guests of its host took {percent(one.steal)} of the CPU of {one.name}, and {percent(bound)} may"
        )
