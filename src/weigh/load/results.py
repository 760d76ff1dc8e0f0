"""The conclusion of a load experiment, before it has a form."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.load.activity.analysis import active
from weigh.load.activity.kinds import RunActive
from weigh.load.analysis import agents as judgement
from weigh.load.analysis import agents_compared, conditions, lacking, later_answers, repeats
from weigh.load.analysis.agents import AgentFigures
from weigh.load.analysis.figures import RunFigures, figures, moments
from weigh.load.analysis.findings import findings
from weigh.load.analysis.isolation import of_isolation
from weigh.load.analysis.machine import LoadMachine, machine
from weigh.load.analysis.repeats import Between, Loops, Page
from weigh.load.analysis.tier import tier
from weigh.load.analysis.tpcc import of_tpcc
from weigh.load.disturbances.results import DisturbedResults, disturbed
from weigh.load.durability.results import Durability, Level, durability, undisturbed
from weigh.load.gate.results import GateResults, gate_results
from weigh.load.isolation import findings as isolation
from weigh.load.isolation.results import IsolationFigures, refusals
from weigh.load.rate_search import findings as of_search
from weigh.load.rate_search.results import RateSearchResults, rate_search
from weigh.load.record import LoadRecord
from weigh.load.replay.results import ReplayResults, replay_results
from weigh.load.requirements.results import Requirements, requirements
from weigh.load.tpcc.results import TpccFigures
from weigh.load.waits.analysis import RunWaited, waited
from weigh.model import codes
from weigh.model.errors import ExitCode
from weigh.model.finding import Finding, gravest_first
from weigh.model.verdict import Tier, TierName

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from weigh.load.runs import LoadRun
    from weigh.model.gate import Check

WRONG = tuple(
    one.code
    for one in (
        codes.L6_WRONG,
        codes.L6_MISSING,
        codes.L6_INVARIANT,
        codes.L6_BROKEN,
        codes.L6_WORK,
        codes.A1_STATEMENT,
        codes.A1_REPLAYED,
        codes.A1_MIXED,
        codes.A3_MIXED,
        codes.A3_SAMPLED,
        codes.E7_LOST,
        codes.E7_TORN,
        codes.E7_NOT_BACK,
        codes.L12_VIOLATED,
        codes.L12_LEVEL,
    )
)
"""Findings of wrong answers. What could not be read (``L6.unread``) is none: a server that died has said nothing."""


class Group(msgspec.Struct, frozen=True, kw_only=True):
    """Repeats of one kind of run.

    Attributes:
        runs: with the same loop and connections, in the order in which they were made.
        between: figures over them; empty below two.
        page: what a page of many requests takes, where one was asked for.
    """

    runs: tuple[RunFigures, ...]
    between: tuple[Between, ...]
    page: Page | None

    @property
    def first(self) -> RunFigures:
        """The first of them."""
        return self.runs[0]


class LoadResults(msgspec.Struct, frozen=True, kw_only=True):
    """What is reported of a load experiment.

    Attributes:
        groups: one for each loop and number of connections, in the order of the spec.
        loops: the open loop against the closed one, where both ran.
        machine: what it did meanwhile; None where nobody watched it.
        answers: what is known of them; None where nothing was asked.
        waits: what the server's sessions waited for, by the number of the run; of those that were sampled.
        durability: what crashes of the server showed; None where there were none. All figures of a run are of the part
            before its crash.
        disturbed: what else happened to the server, and what users felt of it; None where nothing did. Figures of a run
            are of the part before it.
        activity: what the server did besides answering, likewise.
        rate_search: what a search for a rate found; None where none was asked for. Its groups are the one run that is
            shown: the probe at the highest rate that kept the budget, or else another.
        probes: all runs of such a search, in order.
        replay: how a replay kept to its recording; None of other loads.
        tpcc: what is reported of each run of TPC-C; empty of another workload.
        isolation: what is reported of the isolation of each run; empty of another workload.
        requirements: whether what must hold holds; None where nothing must.
        agents: each agent that offered the load, by the number of the run; none where weigh itself did.
    """

    record: LoadRecord
    groups: tuple[Group, ...]
    loops: Loops | None
    findings: tuple[Finding, ...]
    tier: Tier
    machine: LoadMachine | None = None
    waits: dict[int, RunWaited] = {}
    durability: Durability | None = None
    disturbed: DisturbedResults | None = None
    activity: dict[int, RunActive] = {}
    answers: GateResults | None = None
    rate_search: RateSearchResults | None = None
    probes: tuple[RunFigures, ...] = ()
    replay: ReplayResults | None = None
    tpcc: tuple[TpccFigures, ...] = ()
    isolation: tuple[IsolationFigures, ...] = ()
    requirements: Requirements | None = None
    agents: dict[int, tuple[AgentFigures, ...]] = {}

    @property
    def runs(self) -> tuple[RunFigures, ...]:
        """Every run."""
        return tuple(run for group in self.groups for run in group.runs)

    @property
    def kind(self) -> str:
        """Protocol of the server; empty where it was not reached."""
        return self.record.environment.target.kind if self.record.environment else ""

    @property
    def headline(self) -> RunFigures | None:
        """The run whose figures stand first: the first one of the open loop, or else of the closed one."""
        return self.groups[0].first if self.groups else None

    @property
    def broken_off(self) -> int | None:
        """The number of the run that was going on when the experiment was ended early."""
        end = self.record.end
        if (end is not None and end.how == "complete") or not self.record.runs:
            return None
        return self.record.runs[-1].number

    @property
    def refused(self) -> bool:
        """Whether a run does not count."""
        return any(run.refused for run in self.runs)

    def exit_code(self) -> ExitCode:
        """What the exit code of the command is (docs/reference/commands.md)."""
        if any(one.code in WRONG for one in self.findings):
            return ExitCode.FOUND
        if not any(run.operations and run.whole.count for run in self.runs):
            return ExitCode.FAILED
        if self.requirements:
            return self.requirements.exit_code()
        if self.tier.name is TierName.INADMISSIBLE:
            return ExitCode.INCONCLUSIVE
        return self.rate_search.exit_code() if self.rate_search else ExitCode.OK


def load_results(record: LoadRecord, others: Sequence[Check] = ()) -> LoadResults:
    """Compute it. A pure function of the record.

    Args:
        record: of the load.
        others: its answers before the clock against those of other servers under the same load.
    """
    whole = record
    until = {one.run: one.at for one in whole.crashes}
    for window in whole.windows:
        until.setdefault(window.run, window.from_s)
    record = msgspec.structs.replace(whole, runs=undisturbed(whole.runs, until))
    computed = {run.number: figures(run, record.spec) for run in record.runs}
    for raw in whole.runs if whole.windows else ():
        # All of it is drawn.
        computed[raw.number] = msgspec.structs.replace(computed[raw.number], moments=moments(raw))
    search = record.spec.find_rate
    searched = rate_search(record, search, computed) if search else None
    watched = machine(record, tuple(computed.values()))
    for one in watched.runs if watched else ():
        if one.reasons:
            run = computed[one.number]
            computed[one.number] = msgspec.structs.replace(run, reasons=(*one.reasons, *run.reasons))
    agents = {number: judgement.judged(record, run) for number, run in computed.items()} if record.spec.agents else {}
    for number, found_agents in agents.items():
        run = computed[number]
        why = tuple(judgement.reasons(record, run, found_agents))
        computed[number] = msgspec.structs.replace(run, reasons=(*why, *run.reasons))
    if searched:
        return _of_search(record, searched, computed, watched)
    made = {(run.loop, run.connections) for run in record.runs}
    # As they were asked for: they are made in random order.
    keys = [(loop, own) for own in record.spec.connections for loop in record.spec.loops if (loop, own) in made]
    for number, run in computed.items():
        if reasons := tuple(conditions.refusals(record, number)):
            computed[number] = msgspec.structs.replace(run, reasons=(*run.reasons, *reasons))
    isolated = of_isolation(record)
    for one_isolated in isolated:
        if (reasons := tuple(refusals(one_isolated))) and one_isolated.number in computed:
            run = computed[one_isolated.number]
            computed[run.number] = msgspec.structs.replace(run, reasons=(*reasons, *run.reasons))
    groups = tuple(
        _group(record, [computed[run.number] for run in record.runs if (run.loop, run.connections) == key])
        for key in keys
    )
    runs = [computed[run.number] for run in record.runs]
    sampled = {run.number: waited(record.waits, run.number, run.settled.cut_s if run.settled else 0.0) for run in runs}
    waits = {number: one for number, one in sampled.items() if one}
    levels = {run.number: level for run in runs if (level := _level(run))}
    place = whole.environment.storage if whole.environment else None
    crashed = durability(whole.crashes, whole.runs, levels, place, whole.undurable, whole.spec.crash or None)
    happened = disturbed(whole.spec, whole.windows, whole.runs, levels, isolated, whole.queries)
    activities = {run.number: _active(record, run, computed[run.number]) for run in record.runs}
    activity = {number: one for number, one in activities.items() if one}
    product = record.environment.target.product if record.environment else ""
    answers = gate_results(record.gate, record.spec, record.runs, product, others)
    replayed = replay_results(record.replay, record.spec, record.runs)
    of_terminals = of_tpcc(record, runs)
    found = findings(record, runs, watched, waits, activity, crashed, answers, replayed, of_terminals, happened)
    found = (*found, *later_answers.findings(whole, until), *isolation.findings(isolated))
    found = gravest_first((*found, *agents_compared.findings(record, agents)))
    judged = tier(record, runs, found, watched, activity, answers, tuple(agents_compared.tier_reasons(record, agents)))
    return LoadResults(
        record=whole,
        groups=groups,
        loops=_loops(record, computed),
        findings=found,
        tier=judged,
        machine=watched,
        waits=waits,
        durability=crashed,
        disturbed=happened,
        activity=activity,
        answers=answers,
        replay=replayed,
        tpcc=of_terminals,
        isolation=isolated,
        requirements=requirements(record, computed, judged),
        agents=agents,
    )


def _active(record: LoadRecord, run: LoadRun, found: RunFigures) -> RunActive | None:
    cut = found.settled.intervals if found.settled else 0
    return active(record.activity, run, cut, {one.at: one.p99 for one in found.moments})


def _level(run: RunFigures) -> Level | None:
    """What the responses of a run took before its crash."""
    if not run.operations or run.whole.response.max is None:
        return None
    tail = run.whole.response.at(0.99)
    if tail.resolved and tail.high is not None:
        return Level(seconds=tail.high, resolved=True)
    return Level(seconds=run.whole.response.max, resolved=False)


def _of_search(
    record: LoadRecord, searched: RateSearchResults, computed: Mapping[int, RunFigures], watched: LoadMachine | None
) -> LoadResults:
    """A search: its result, and one of its probes as the run that is shown."""
    counted = {one.run for one in searched.counted}
    probes = tuple(computed.values())
    late = False
    lowest = sorted(searched.counted, key=lambda one: one.rate)
    number = searched.best or (lowest[0] if lowest else None) or (searched.probes[-1] if searched.probes else None)
    figures_of_probe = computed[number.run] if number else probes[0] if probes else None
    if figures_of_probe is not None and figures_of_probe.number in counted:
        # That a rate is too high is an outcome of a search, and of a late generator there is a finding.
        late = codes.E8_LATE.code in {one.code for one in figures_of_probe.reasons}
        figures_of_probe = msgspec.structs.replace(figures_of_probe, reasons=())
    runs = [figures_of_probe] if figures_of_probe else []
    if watched and figures_of_probe:
        own = tuple(one for one in watched.runs if one.number == figures_of_probe.number)
        watched = msgspec.structs.replace(watched, runs=own)
    cut = figures_of_probe.settled.cut_s if figures_of_probe and figures_of_probe.settled else 0.0
    sampled = waited(record.waits, figures_of_probe.number, cut) if figures_of_probe else None
    waits = {figures_of_probe.number: sampled} if figures_of_probe and sampled else {}
    raw = next((run for run in record.runs if figures_of_probe and run.number == figures_of_probe.number), None)
    activity_of_probe = _active(record, raw, figures_of_probe) if raw and figures_of_probe else None
    activity = {figures_of_probe.number: activity_of_probe} if figures_of_probe and activity_of_probe else {}
    wrong = [run for run in probes if run not in runs and any(one.wrong or one.missing for one in run.operations)]
    # As long as the probe that is shown.
    own_record = msgspec.structs.replace(record, spec=record.spec.varied(None, number.seconds if number else None))
    found = (
        *of_search.findings(searched, figures_of_probe if searched.best else None, late=late),
        *findings(own_record, [*runs, *wrong], watched, waits, activity),
    )
    found = gravest_first(found)
    judged = tier(own_record, runs, found, watched, activity)
    if judged.name is not TierName.INADMISSIBLE:
        fresh = len({run.life for run in probes}) == len(probes)
        missing = lacking.with_commands((*judged.reasons, *of_search.reasons(searched, fresh=fresh)), own_record, runs)
        judged = Tier(name=TierName.SUGGESTIVE if missing else judged.name, reasons=missing)
    return LoadResults(
        record=record,
        groups=tuple(_group(record, [run]) for run in runs),
        loops=None,
        findings=found,
        tier=judged,
        machine=watched,
        waits=waits,
        activity=activity,
        rate_search=searched,
        probes=probes,
    )


def _group(record: LoadRecord, runs: Sequence[RunFigures]) -> Group:
    raw = {run.number: run for run in record.runs}
    page = None
    if record.spec.fanout and runs[0].operations:
        cut = runs[0].settled.intervals if runs[0].settled else 0
        page = repeats.page(repeats.responses(raw[runs[0].number], cut), record.spec.fanout)
    return Group(runs=tuple(runs), between=repeats.between(runs), page=page)


def _loops(record: LoadRecord, computed: Mapping[int, RunFigures]) -> Loops | None:
    """All of the first run of each loop: a stall may have come at any moment, and nothing of it may be cut away."""
    first = {run.loop: run for run in reversed(record.runs)}
    if len(first) < 2:
        return None
    refused = any(computed[run.number].refused for run in first.values())
    return repeats.loops(repeats.responses(first["open"], 0), repeats.responses(first["closed"], 0), refused=refused)
