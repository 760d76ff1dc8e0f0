"""Each agent of a run judged by itself: one that is late, or stands still, hides in the figures of all together. Pure.

What agents saw at the same moments is compared: a server that is slow is slow for all of them.
"""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

import msgspec

from weigh.load.analysis.validity import LATE, SATURATED
from weigh.model import codes
from weigh.model.spec import CONTENTION
from weigh.model.units import Seconds, percent, seconds
from weigh.model.verdict import Reason
from weigh.statistics.histogram import decode, merged

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from weigh.load.agents.model import AgentRead, AgentRun
    from weigh.load.analysis.figures import RunFigures
    from weigh.load.record import LoadRecord
    from weigh.model.finding import Finding

STILL: Seconds = 2.0
"""Without a sign of life, which comes every second, an agent stood still; if the others did not."""
_TAIL = 1e-4
"""Share of all requests that one which stood still may have held back: the last percentile that is shown."""
_HELD: Seconds = 0.1
"""By which a request is held back."""
_DRIFT, _JUMP = 5e-4, 5e-3
"""How fast a disciplined clock may run (500 parts in a million), and seconds by which one that was set has moved."""
_WALL: Seconds = 0.1
"""By which the wall clocks of machines may differ before it is named."""
_THROTTLED = 0.01
"""Share of a run in which the kernel may hold an agent back."""
_SLOW, _OFTEN, _FEWEST = 2.0, 0.8, 5
"""An agent is slow with so many times the median of the others, in such a share of the parts with so many answers."""
_SLOW_BY: Seconds = 1e-3


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
    own = {one.agent: one for one in record.agent_runs if one.run == run.number}
    return tuple(
        _figures(record, run, read, own[read.number], list(own.values()))
        for read in record.agents.agents
        if read.number in own
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
    record: LoadRecord, run: RunFigures, read: AgentRead, own: AgentRun, all_: Sequence[AgentRun]
) -> AgentFigures:
    cut = run.settled.cut_s if run.settled else 0.0
    # A part in which the warm-up ends is left out as a whole.
    counted = [one for one in own.parts if one.from_s >= cut - 1e-6] or list(own.parts[-1:])
    response, late = merged(decode(one.response) for one in counted), merged(decode(one.lag_late) for one in counted)
    length = sum(one.to_s - one.from_s for one in counted)
    count = sum(one.count for one in counted)
    computed = sum(one.client_cpu_s for one in counted)
    found = AgentFigures(
        agent=own.agent,
        host=read.host,
        worker=read.worker,
        threads=own.threads,
        connections=own.connections,
        count=count,
        failed=sum(one.failed for one in counted),
        rate=count / length if length else None,
        p50=response.quantile(0.5),
        p99=response.quantile(0.99),
        max=response.max,
        late_p90=late.quantile(0.9),
        late_max=late.max,
        cpu=computed / (own.threads * length) if length else None,
        queued=max((one.queued for one in counted), default=0),
        gap_s=own.gap_s,
        gap_at=own.gap_at,
        wall_s=own.before.wall_s if own.before else None,
        bound_s=own.before.bound_s if own.before else None,
        foreign=own.machine.foreign if own.machine else None,
        steal=own.machine.steal if own.machine else None,
        with_server=own.with_server or (read.here and _server_here(record)),
        lost=own.lost,
        reasons=(),
        moments=tuple(
            AgentMoment(
                at=one.from_s,
                until=one.to_s,
                p50=(felt := decode(one.response)).quantile(0.5),
                p99=felt.quantile(0.99),
                late=decode(one.lag_late).quantile(0.99),
            )
            for one in own.parts
        ),
    )
    everybody = sum(one.count + one.failed for each in all_ for one in each.parts)
    held = sum(decode(one.lag_late).above(_HELD) for one in own.parts)
    others = max((one.gap_s for one in all_ if one.agent != own.agent), default=0.0)
    why = [*_lost(found), *_late(found, run), *_saturated(found, run, record)]
    why += [*_still(found, others, held / everybody if everybody else 0.0), *_clock(found, own), *_machine(found, own)]
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
            "its own, and among those of all together they cannot be told apart. Give it a machine of its own, or "
            "lower --rate"
        )


def _saturated(one: AgentFigures, run: RunFigures, record: LoadRecord) -> Iterator[Reason]:
    own_work = run.loop == "closed" or record.spec.spin is not True
    if own_work and one.cpu is not None and one.cpu > SATURATED:
        yield codes.E10_SATURATED.reason(
            f"{one.name} computed for {percent(one.cpu, 0)} of the time of its threads: the result is the agent's, not "
            "the server's. Take more agents, or raise --threads"
        )


def _still(one: AgentFigures, others: Seconds, held: float) -> Iterator[Reason]:
    if _stood_still(one, others) and held > _TAIL:
        yield codes.E10_STILL.reason(
            f"{one.name} stood still for about {seconds(one.gap_s)}, {seconds(one.gap_at)} after the beginning, and "
            f"the others did not: {percent(held, 2)} of all requests left late for it, so the tail is the agent's. "
            "See what stopped it, and run again"
        )


def _stood_still(one: AgentFigures, others: Seconds) -> bool:
    # By its own clock too: else it was the network that was silent, or whoever listens.
    own = one.late_max is not None and one.late_max > (one.gap_s - 1.0) / 2
    return not one.lost and one.gap_s > STILL and others < one.gap_s / 2 and own


def _clock(one: AgentFigures, own: AgentRun) -> Iterator[Reason]:
    if own.summary is not None and own.summary.clock_jumps:
        yield codes.E10_CLOCK.reason(
            f"the clocks of {one.name} jumped: its machine slept or was moved, and no time across a jump can be known. "
            "Run again"
        )
        return
    if own.before is None or own.after is None:
        return
    elapsed = own.after.at - own.before.at
    bound = own.before.bound_s + own.after.bound_s
    ran = own.after.monotonic_s - own.before.monotonic_s
    moved = own.after.wall_s - own.before.wall_s - ran
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


def _machine(one: AgentFigures, own: AgentRun) -> Iterator[Reason]:
    length = own.summary.seconds if own.summary else 0.0
    held = own.machine.throttled_s if own.machine else None
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


def findings(record: LoadRecord, agents: Mapping[int, Sequence[AgentFigures]]) -> Iterator[Finding]:
    """What is to be said of agents beside why a run is refused.

    Args:
        record: of the load.
        agents: figures of each run.
    """
    if record.agents is None:
        return
    several = len(agents) > 1
    for number, found in agents.items():
        where = f"run {number}: " if several else ""
        for one in found:
            for why in one.reasons:
                yield (
                    codes.E10_REFUSED.finding(
                        text=f"{where}{why.text}", remedy="each agent is judged by itself: nothing of the run counts"
                    )
                    if why.code.startswith("E10")
                    else codes.E4_CONTENDED.finding(
                        "warning", text=f"{where}{why.text}", remedy="stop them and run again"
                    )
                )
            others = max((other.gap_s for other in found if other is not one), default=0.0)
            if _stood_still(one, others) and not any(why.code == codes.E10_STILL.code for why in one.reasons):
                yield codes.E10_PAUSED.finding(
                    text=f"{where}{one.name} stood still for about {seconds(one.gap_s)}, {seconds(one.gap_at)} after "
                    "the beginning",
                    remedy="so few requests left late for it that no percentile shows them; the maximum may be its",
                )
            yield from _slow(one, found, where)
            if one.wall_s is not None and one.bound_s is not None and abs(one.wall_s) - one.bound_s > _WALL:
                ahead = "ahead of" if one.wall_s > 0 else "behind"
                yield codes.E10_WALL.finding(
                    text=f"{where}the wall clock of {one.name} is {seconds(abs(one.wall_s))} {ahead} that of whoever "
                    f"asked (to within {seconds(one.bound_s)})",
                    remedy="no latency depends on it; times of day in its journal do not fit a server's log: set its "
                    "clock by chrony or NTP",
                )
    yield from _schedule(record, agents)


def _slow(one: AgentFigures, all_: Sequence[AgentFigures], where: str) -> Iterator[Finding]:
    """An agent that waits longer than the others at the same moments."""
    others = [other for other in all_ if other is not one and other.p50 is not None]
    if len(others) < 2 or one.p50 is None or one.reasons:
        return
    usual = median(other.p50 for other in others if other.p50 is not None)
    if one.p50 < _SLOW * usual or one.p50 - usual < _SLOW_BY:
        return
    at = {moment.at: moment.p50 for moment in one.moments if moment.p50 is not None}
    seen = slower = 0
    for moment, own in at.items():
        theirs = [each.p50 for other in others for each in other.moments if each.at == moment and each.p50 is not None]
        if theirs:
            seen += 1
            slower += own > _SLOW * median(theirs)
    if seen >= _FEWEST and slower >= _OFTEN * seen:
        yield codes.E10_SLOW.finding(
            text=f"{where}{one.name} waited {seconds(one.p50)} (median) where the others waited {seconds(usual)}, at "
            f"the same moments in {percent(slower / seen, 0)} of the run: its path to the server or its machine is "
            "slow, and the server is not",
            remedy="the figures of all together are of two populations: look at each agent's",
        )


def _schedule(record: LoadRecord, agents: Mapping[int, Sequence[AgentFigures]]) -> Iterator[Finding]:
    """How even the common schedule is: of Poisson streams no clock matters, for together they are Poisson."""
    arrivals, bounds = record.spec.arrivals, [one.bound_s for found in agents.values() for one in found if one.bound_s]
    if "open" not in record.spec.loops or arrivals.kind in ("poisson", "closed") or not bounds:
        return
    rate = arrivals.mean_rate(record.spec.duration_s)
    gap = f", and one request every {seconds(1 / rate)} was asked for" if rate else ""
    yield codes.E10_SCHEDULE.finding(
        text=f"the agents begin at one moment to within {seconds(max(bounds))}, by round trips to each{gap}: so far "
        f"may the {arrivals.kind} arrivals of all together be from what was declared",
        remedy="Poisson arrivals stay what they are however the clocks are off: --arrivals poisson",
    )


def tier_reasons(record: LoadRecord, agents: Mapping[int, Sequence[AgentFigures]]) -> Iterator[Reason]:
    """What a load by agents lacks to be conclusive."""
    if record.agents is None:
        return
    with_server = sorted({one.agent for found in agents.values() for one in found if one.with_server})
    if with_server:
        names = f"agent {beside[0]} runs" if len(with_server) == 1 else f"agents {', '.join(map(str, with_server))} run"
        yield codes.E8_SAME_MACHINE.reason(f"{names} on the machine of the server, and its processors are shared")
    for finding in findings(record, agents):
        if finding.code in (codes.E10_WALL.code, codes.E10_SLOW.code):
            yield Reason(code=finding.code, text=finding.text)
    unwatched = {
        one.agent
        for found in agents.values()
        for one in found
        if one.foreign is None and not _is_here(record, one.agent)
    }
    if unwatched:
        yield codes.E4_UNWATCHED.reason(
            f"nobody watched the machines of agents {', '.join(map(str, sorted(unwatched)))}"
        )


def _is_here(record: LoadRecord, agent: int) -> bool:
    return record.agents is not None and any(one.here for one in record.agents.agents if one.number == agent)
