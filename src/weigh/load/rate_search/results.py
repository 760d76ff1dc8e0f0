"""What a search found: recomputed from its runs, by asking the same decision for every probe again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

from weigh.load.analysis.machine import machine
from weigh.load.budgets import RateSearch
from weigh.load.rate_search.probes import ProbeFigures, judged
from weigh.load.rate_search.search import EXCEEDANCES, PRECISION, Ending, Made, Plan, Probe, Search, threshold
from weigh.load.rate_search.threshold import Threshold
from weigh.model.errors import ExitCode

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence

    from weigh.load.analysis.figures import RunFigures
    from weigh.load.rate_search.search import Verdict
    from weigh.load.record import LoadRecord
    from weigh.load.runs import LoadRun
    from weigh.load.spec import LoadSpec
    from weigh.model.units import Seconds

Status = Literal["found", "broken", "kept", "generator", "unresolved"]

PILOT_S = 4.0
"""Length of the closed loop that shows where to begin."""
_PARTS = 6.0
"""Share of the time that one probe may take: one in so many."""
_BARELY = 1.25
"""How many times the slow requests that are needed the longest probe has at the lowest rate."""
_SLACK = 2.0
"""The open loop has the connections of the closed one: it does not get more than so many times as much through."""


class Pilot(msgspec.Struct, frozen=True, kw_only=True):
    """The closed loop before the search: what goes through if nobody asks how long it takes.

    Attributes:
        run: its number.
        rate: answers a second.
        probe: what it saw of each budget.
    """

    run: int
    rate: float
    probe: ProbeFigures

    @property
    def broken(self) -> bool:
        """Whether a budget was broken in it."""
        return any(not one.within for one in self.probe.budgets)


class RateSearchResults(msgspec.Struct, frozen=True, kw_only=True):
    """What is reported of a search; rates in requests a second.

    Attributes:
        search: what was asked for.
        status: ``found``; ``broken`` at the lowest rate that could be tried; ``kept`` up to the highest one;
            ``generator`` where it could not offer more; ``unresolved`` where it ended before that was clear.
        ended: why it ended.
        threshold: where the budget breaks; None unless found.
        sustained: the highest rate below every one that broke the budget; None where none kept it.
        broken: the lowest rate above every one that kept it; None where none broke it.
        pilot: the closed loop; None where it was not made.
        probes: in the order in which they were made.
        as_planned: whether each probe is the one that the search asks for after those before it.
    """

    search: RateSearch
    status: Status
    ended: Ending | Literal["stopped", "unresolvable"]
    threshold: Threshold | None
    sustained: float | None = msgspec.field(name="kept")
    broken: float | None
    pilot: Pilot | None
    probes: tuple[ProbeFigures, ...]
    as_planned: bool = msgspec.field(name="as_asked")

    @property
    def counted(self) -> tuple[ProbeFigures, ...]:
        """Probes that say something of the server."""
        return tuple(one for one in self.probes if one.verdict in ("kept", "broken"))

    @property
    def best(self) -> ProbeFigures | None:
        """The probe at the highest rate that kept the budgets, below all that broke them."""
        own = [one for one in self.probes if one.verdict == "kept" and one.rate == self.sustained]
        return own[0] if own else None

    @property
    def wasted(self) -> ProbeFigures | None:
        """The probe that answered most while it broke a budget, and as much as was due; None where none did."""
        found = [one for one in self.probes if one.verdict == "broken" and one.sustained and one.budgets]
        return max(found, key=lambda one: one.achieved or 0.0, default=None)

    def exit_code(self) -> ExitCode:
        """What the exit code of the command is."""
        highest_found = self.status == "kept" and self.search.highest is not None
        return ExitCode.OK if self.status == "found" or highest_found else ExitCode.INCONCLUSIVE


def longest_s(search: RateSearch) -> Seconds:
    """How long a probe may be."""
    return search.probe_s or search.budget_s / _PARTS


def precision(search: RateSearch) -> float:
    """Half of the interval, as a share of the rate, at which the search ends."""
    return search.half_width or PRECISION


def planned(spec: LoadSpec, search: RateSearch, rate: float) -> Plan | None:
    """What is searched; None where a probe at the highest rate would take too long to resolve anything.

    Args:
        spec: of the load.
        search: what is asked for.
        rate: answers a second of the closed loop.
    """
    longest = longest_s(search)
    low = _BARELY * EXCEEDANCES / (search.share * longest)
    high = search.highest or _SLACK * rate
    if low >= high:
        return None
    return Plan(
        low=low,
        high=high,
        start=rate,
        share=search.share,
        limit_s=search.limit_s,
        duration_s=search.probe_s,
        longest_s=longest,
        seed=spec.seed,
        precision=precision(search),
        alone=search.half_width is msgspec.UNSET,
    )


def pilot(run: LoadRun, found: RunFigures, search: RateSearch) -> Pilot | None:
    """The closed loop; None where it was answered nothing."""
    probe = judged(run, found, search.budgets, last=True)
    return Pilot(run=run.number, rate=probe.achieved, probe=probe) if probe.achieved else None


def with_machine(record: LoadRecord, run: LoadRun, found: RunFigures) -> RunFigures:
    """The figures of a run, refused also for what the machine did in it: by itself, as it is known when it is over.

    Args:
        record: with what the sampler saw.
        run: of it.
        found: its figures, refused for what it says of itself.
    """
    watched = machine(msgspec.structs.replace(record, runs=(run,)), (found,))
    own = watched.of(run.number) if watched else None
    return msgspec.structs.replace(found, reasons=(*found.reasons, *own.reasons)) if own else found


def rate_search(record: LoadRecord, search: RateSearch, figures: Mapping[int, RunFigures]) -> RateSearchResults:
    """Compute it, asking the search again for every probe.

    Args:
        record: of the experiment.
        search: what was asked for.
        figures: of its runs by number, refused for what each says of itself.
    """
    runs = [run for run in record.runs if run.summary is not None]
    computed = {run.number: with_machine(record, run, figures[run.number]) for run in runs}
    complete = record.end is not None and record.end.how == "complete"
    first = next((run for run in runs if run.loop == "closed"), None)
    begun = pilot(first, computed[first.number], search) if first else None
    plan = planned(record.spec, search, begun.rate) if begun else None
    if plan is None:
        ended: Ending | Literal["stopped", "unresolvable"] = "unresolvable" if begun else "stopped"
        return RateSearchResults(
            search=search, status="unresolved", ended=ended, threshold=None, sustained=None, broken=None, pilot=begun,
            probes=(), as_planned=True,
        )  # fmt: skip
    made = [run for run in runs if run.loop == "open"]
    probes, finished, why = _replayed(plan, search, made, computed)
    found = threshold(plan, made_of(probes))
    own = ended_as(why, complete=complete)
    status = status_of(own, probes, found)
    return RateSearchResults(
        search=search,
        status=status,
        ended=own,
        threshold=found if status == "found" else None,
        sustained=highest_rate(probes),
        broken=lowest_broken(probes),
        pilot=begun,
        probes=tuple(probes),
        as_planned=finished,
    )


def ended_as(why: Ending | None, *, complete: bool) -> Ending | Literal["stopped"]:
    """Why a search ended that did not say so: its time was over, or it was broken off."""
    return why or ("time" if complete else "stopped")


def _replayed(
    plan: Plan, search: RateSearch, runs: Sequence[LoadRun], computed: Mapping[int, RunFigures]
) -> tuple[list[ProbeFigures], bool, Ending | None]:
    own = Search(plan)
    deciding: Generator[Probe, Verdict, Ending] = own.run()
    probes: list[ProbeFigures] = []
    complete = True
    try:
        wanted = next(deciding)
        for run in runs:
            complete &= (run.rate, run.duration_s) == (wanted.rate, wanted.seconds)
            probes.append(judged(run, computed[run.number], search.budgets, last=wanted.last))
            wanted = deciding.send(probes[-1].verdict)
    except StopIteration as stopped:
        ended: Ending = stopped.value
        # Nothing is asked for behind the end.
        return probes, complete and len(probes) == len(runs), ended
    # What goes on for others is found when its own interval is narrow.
    return probes, complete, "found" if own.narrow else None


def made_of(probes: Sequence[ProbeFigures]) -> list[Made]:
    """Probes as the search was told of them."""
    return [Made(probe=Probe(rate=one.rate, seconds=one.seconds), verdict=one.verdict) for one in probes]


def status_of(ended: str, probes: Sequence[ProbeFigures], found: Threshold | None) -> Status:
    """What came of a search.

    Args:
        ended: why it ended.
        probes: that were made.
        found: where the budget breaks; None where that is not known.
    """
    passed = any(one.verdict == "kept" for one in probes)
    broken = any(one.verdict == "broken" for one in probes)
    if found is not None and ended in ("found", "probes", "time", "stopped"):
        return "found"
    if ended == "lowest" and not passed:
        return "broken"
    if ended == "highest" and not broken:
        return "kept"
    return "generator" if ended == "generator" and passed else "unresolved"


def highest_rate(probes: Sequence[ProbeFigures]) -> float | None:
    """The highest rate below every one that broke the budget; None where none kept it."""
    lowest = min((one.rate for one in probes if one.verdict == "broken"), default=float("inf"))
    return max((one.rate for one in probes if one.verdict == "kept" and one.rate < lowest), default=None)


def lowest_broken(probes: Sequence[ProbeFigures]) -> float | None:
    """The lowest rate above every one that kept the budget; None where none broke it."""
    highest = max((one.rate for one in probes if one.verdict == "kept"), default=0.0)
    return min((one.rate for one in probes if one.verdict == "broken" and one.rate > highest), default=None)


def left_s(search: RateSearch, spent_s: Seconds, between_s: Sequence[Seconds], probe_s: Seconds) -> Seconds:
    """Seconds that are left behind the next probe: below zero it is not made.

    Args:
        search: what is asked for.
        spent_s: since the search began.
        between_s: what each probe so far took alongside its own length.
        probe_s: length of the next one.
    """
    usual = sorted(between_s)[len(between_s) // 2] if between_s else 0.0
    return search.budget_s - spent_s - probe_s - usual
