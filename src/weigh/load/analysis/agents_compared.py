"""What is to be reported of the agents of a load alongside why a run is refused, and what their load lacks. Pure."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from weigh.load.analysis.agents import stood_still
from weigh.model import codes
from weigh.model.units import Seconds, percent, seconds
from weigh.model.verdict import Reason

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from weigh.load.analysis.agents import AgentFigures
    from weigh.load.record import LoadRecord
    from weigh.model.finding import Finding

_WALL: Seconds = 0.1
"""By which the wall clocks of machines may differ before it is named."""
_SLOW, _OFTEN, _FEWEST = 2.0, 0.8, 5
"""An agent is slow with so many times the median of the others, in such a share of the parts with so many answers."""
_SLOW_BY: Seconds = 1e-3


def findings(record: LoadRecord, agents: Mapping[int, Sequence[AgentFigures]]) -> Iterator[Finding]:
    """What is to be reported of agents alongside why a run is refused.

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
                    if why.code.startswith(codes.E10_REFUSED.family)
                    else codes.E4_CONTENDED.finding(
                        "warning", text=f"{where}{why.text}", remedy="stop them and run again"
                    )
                )
            others = max((other.gap_s for other in found if other is not one), default=0.0)
            if stood_still(one, others) and not any(why.code == codes.E10_STILL.code for why in one.reasons):
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
    compared = slower = 0
    for moment, waited in at.items():
        theirs = [each.p50 for other in others for each in other.moments if each.at == moment and each.p50 is not None]
        if theirs:
            compared += 1
            slower += waited > _SLOW * median(theirs)
    if compared >= _FEWEST and slower >= _OFTEN * compared:
        yield codes.E10_SLOW.finding(
            text=f"{where}{one.name} waited {seconds(one.p50)} (median) where the others waited {seconds(usual)}, at "
            f"the same moments in {percent(slower / compared, 0)} of the run: its path to the server or its machine is "
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
        names = (
            f"agent {with_server[0]} runs"
            if len(with_server) == 1
            else f"agents {', '.join(map(str, with_server))} run"
        )
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
