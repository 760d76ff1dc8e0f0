"""A load experiment as JSON (schema ``weigh/load/1``, docs/reference/json.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import msgspec

from weigh.host.knobs.read import KnobRead
from weigh.load import rows
from weigh.load.activity import report as activity
from weigh.load.activity.report import ActivityDocument
from weigh.load.analysis import conditions
from weigh.load.analysis.agents import AgentFigures
from weigh.load.analysis.expected_interval import Corrected
from weigh.load.analysis.findings import data_bytes, in_memory
from weigh.load.analysis.repeats import Between, Loops, Page
from weigh.load.analysis.warmup import Settled
from weigh.load.disturbances.results import DisturbedResults
from weigh.load.durability.results import Durability
from weigh.load.gate import report as gate
from weigh.load.gate.report import AnswersDocument
from weigh.load.isolation.results import IsolationFigures
from weigh.load.rate_search import report as searches
from weigh.load.rate_search.report import RateSearchDocument
from weigh.load.replay.results import ReplayResults
from weigh.load.report import machine
from weigh.load.report.machine import MachineDocument, RunMachineDocument
from weigh.load.report.operation_document import MeanRow, OperationRow, mean_row, operation_row
from weigh.load.requirements import report as requirements
from weigh.load.requirements.report import RequirementsDocument
from weigh.load.runs import ColdStart, CpusRead, ServerUse
from weigh.load.spec import Arrivals, Loop, QueryMode
from weigh.load.tpcc.results import TpccFigures
from weigh.load.waits import report
from weigh.load.waits.report import WaitsDocument
from weigh.load.ycsb.workload import YcsbWorkload
from weigh.machine.drift import Quiet
from weigh.machine.working_set import WorkingSet
from weigh.model.data.storage import Place
from weigh.model.finding import Finding
from weigh.model.units import Bytes, Seconds
from weigh.model.verdict import Reason, Tier

if TYPE_CHECKING:
    from weigh.load.analysis.figures import RunFigures
    from weigh.load.results import Group, LoadResults

SCHEMA = "weigh/load/1"


class ExperimentRow(msgspec.Struct, frozen=True, kw_only=True):
    """What was measured.

    Attributes:
        id: of the experiment: twelve hex digits.
        attempt: number of the attempt, from 1.
        workload: its name.
        notice: what every report on the workload must say, such as "derived from TPC-B, not comparable to published
            results"; None where nothing must be reported.
    """

    id: str
    attempt: int
    workload: str
    notice: str | None


class RequestsRow(msgspec.Struct, frozen=True, kw_only=True):
    """Where the requests of a run went; None of a run that was broken off.

    Attributes:
        scheduled: due during the run.
        sent: sent to the server.
        answered: answered by it.
        unsent: due and never sent.
        in_flight_at_end: sent, and not answered when the run ended.
        longest_queue: due and waiting for a free connection at one moment, at most; those of the generator's threads
            are added.
    """

    scheduled: int | None
    sent: int | None
    answered: int | None
    unsent: int | None
    in_flight_at_end: int | None
    longest_queue: int | None


class RunRow(msgspec.Struct, frozen=True, kw_only=True):
    """One run.

    Attributes:
        number: from 1.
        repeat: which of its repeats, from 1.
        life: of the server, from 1.
        verdict: whether its figures count.
        reasons: why it is refused.
        complete: whether it came to its end.
        loop: on a schedule, or the next request when the last one was answered.
        connections: that it had.
        rate_target: requests a second that were due; None of a closed loop.
        rate_cv: coefficient of variation of the rate over its intervals; None of fewer than two.
        rate_achieved: requests a second that were answered; None where the run is refused.
        requests: where the requests went.
        verified_reads: answers that were compared with what had been written; None of a run that was broken off.
        client_cpu_s: CPU time of the generator; None likewise.
        server: what the server used; None where its processes are not on this machine, or not known.
        reconnects: connections that were lost and opened again.
        reconnect_s: time that this took, of all of them together; None of a run that was broken off.
        longest_reconnect_s: the longest of them; None likewise.
        steady: what counts of it; None where nothing does.
        operations: all together first.
        corrected: of a closed loop with an expected interval, what is estimated of it; else absent.
        cpus: of server and generator, read back while it ran; absent where none were asked for.
        cold: what of the data was in memory at its beginning; absent where it was not to be cold.
        machine: what the machine did meanwhile; absent where it was not watched.
        waits: what the server's sessions waited for (docs/concept/load.md#what-the-servers-sessions-wait-for); absent
            where nothing was sampled.
        activity: what the server did besides answering
            (docs/concept/load.md#what-the-server-did-meanwhile); absent where nothing was sampled.
        tpcc: its figure, limits and checks (docs/guide/tpcc.md); absent of another workload.
        isolation: whether its level was kept (docs/guide/isolation.md); absent of another workload.
        agents: each agent that offered it, judged by itself (docs/guide/load-agents.md); absent where weigh itself did.
    """

    number: int
    repeat: int
    life: int
    verdict: Literal["counts", "refused"]
    reasons: tuple[Reason, ...]
    complete: bool
    loop: Loop
    connections: int
    rate_target: float | None
    rate_cv: float | None
    rate_achieved: MeanRow | None
    requests: RequestsRow
    verified_reads: int | None
    client_cpu_s: Seconds | None
    server: ServerUse | None
    reconnects: int
    reconnect_s: Seconds | None
    longest_reconnect_s: Seconds | None
    steady: Settled | None
    operations: tuple[OperationRow, ...]
    corrected: Corrected | msgspec.UnsetType
    cpus: CpusRead | msgspec.UnsetType
    cold: ColdStart | msgspec.UnsetType
    machine: RunMachineDocument | msgspec.UnsetType
    waits: WaitsDocument | msgspec.UnsetType
    activity: ActivityDocument | msgspec.UnsetType
    tpcc: TpccFigures | msgspec.UnsetType
    isolation: IsolationFigures | msgspec.UnsetType
    agents: tuple[AgentFigures, ...] | msgspec.UnsetType


class GroupRow(msgspec.Struct, frozen=True, kw_only=True):
    """Runs of one loop and number of connections.

    Attributes:
        loop: on a schedule, or the next request when the last one was answered.
        connections: that they had.
        runs: their numbers.
        between: figures over them; empty below two.
        page: what a page takes that makes many requests at once; None where none was asked for.
    """

    loop: Loop
    connections: int
    runs: tuple[int, ...]
    between: tuple[Between, ...]
    page: Page | None


class LoadRow(msgspec.Struct, frozen=True, kw_only=True):
    """What was offered to what, and how the headline run was.

    Attributes:
        target: as it was named, without its password.
        product: what the server calls itself, with its version; None where it was not reached.
        lives: of the server in which the runs were made.
        same_rows: whether each life began with the same rows; None where there are none, or they were not read.
        durable: whether its settings, and the scripts, keep every acknowledged write; None where that is not known.
        data_bytes: how large it said that its data is before the first run; None where it did not.
        arrivals: when requests were due.
        duration_s: of each run.
        records: of YCSB; None of scripts.
        ycsb: what a workload of YCSB's properties is made of; absent of the six and of scripts.
        server_memory: bytes that a control group held the server to; absent where it had no limit of its own.
        query_mode: absent where statements are prepared.
        spin: true; absent where the generator sleeps until a request is due.
        tls: of a server reached by URL: ``off``, ``require`` (encrypted, whoever it is), ``verify`` (its certificate
            checked); else absent.
        loop: of the headline run; None where there is none, as the next three.
        connections: of the headline run.
        rate_target: of the headline run; None of a closed loop.
        rate_achieved: of the headline run; None where it is refused.
    """

    target: str
    product: str | None
    lives: int
    same_rows: bool | None
    durable: bool | None
    data_bytes: Bytes | None
    arrivals: Arrivals
    duration_s: Seconds
    records: int | None
    ycsb: YcsbWorkload | msgspec.UnsetType
    server_memory: Bytes | msgspec.UnsetType
    query_mode: QueryMode | msgspec.UnsetType
    spin: bool | msgspec.UnsetType
    tls: str | msgspec.UnsetType
    loop: Loop | None
    connections: int | None
    rate_target: float | None
    rate_achieved: MeanRow | None


class LoadDocument(msgspec.Struct, frozen=True, kw_only=True):
    """The whole document but for ``schema``.

    Attributes:
        experiment: what was measured.
        evidence: name of the evidence directory.
        tier: what the evidence is good for.
        load: what was offered to what.
        operations: of the headline run, all together first.
        steady: what counts of the headline run; None where nothing does.
        reasons: why the headline run is refused.
        runs: every run.
        groups: runs of one loop and number of connections.
        loops: with ``--both``, the open loop against the closed one; else None.
        findings: what weakens the result, errors first.
        working_set: the server's data against the memory of its machine
            (docs/concept/machine.md#size-against-memory); None where one is not known.
        storage: where the server's data lies; None where that is not on this machine, or not known.
        answers: what is known of them; absent where nothing was asked outside the clock.
        knobs: settings of the machine as they were read (docs/guide/doctor.md); absent where nobody read them.
        calibrations: how even the machine itself was, by fixed work between the runs; absent where none was done.
        machine: the machine meanwhile (docs/concept/load.md#the-machine-during-the-load); absent where it was not
            watched.
        durability: what crashes of the server showed (docs/guide/durability.md); absent where there were none.
        disturbances: what else happened to the server, and what users felt of it (docs/guide/disturb.md); absent where
            nothing did.
        replay: how a replay kept to its recording (docs/guide/replay.md); absent of other loads.
        rate_search: what ``--find-rate`` found; absent where it was not asked for. The headline run is then the probe
            at the highest rate that kept the budgets, and ``runs`` has every probe.
        requirements: whether what ``--require`` names holds; absent where nothing must.
    """

    experiment: ExperimentRow
    evidence: str
    tier: Tier
    load: LoadRow
    operations: tuple[OperationRow, ...]
    steady: Settled | None
    reasons: tuple[Reason, ...]
    runs: tuple[RunRow, ...]
    groups: tuple[GroupRow, ...]
    loops: Loops | None
    findings: tuple[Finding, ...]
    working_set: WorkingSet | None
    storage: Place | None
    answers: AnswersDocument | msgspec.UnsetType
    knobs: tuple[KnobRead, ...] | msgspec.UnsetType
    calibrations: tuple[Quiet, ...] | msgspec.UnsetType
    machine: MachineDocument | msgspec.UnsetType
    durability: Durability | msgspec.UnsetType
    disturbances: DisturbedResults | msgspec.UnsetType
    replay: ReplayResults | msgspec.UnsetType
    rate_search: RateSearchDocument | msgspec.UnsetType
    requirements: RequirementsDocument | msgspec.UnsetType


def document(results: LoadResults, evidence: str) -> dict[str, Any]:
    """The whole document as plain JSON; what is absent is null.

    Args:
        results: what is to be reported.
        evidence: name of the evidence directory.
    """
    spec, head = results.record.spec, results.headline
    found = LoadDocument(
        experiment=ExperimentRow(
            id=spec.id, attempt=results.record.attempt, workload=spec.title, notice=spec.notice or None
        ),
        evidence=evidence,
        tier=results.tier,
        load=_load(results, head),
        operations=tuple(map(operation_row, head.operations)) if head else (),
        steady=head.settled if head else None,
        reasons=head.reasons if head else (),
        runs=tuple(_run(results, run) for run in results.probes or results.runs),
        groups=tuple(map(_group, results.groups)),
        loops=results.loops,
        findings=results.findings,
        working_set=in_memory(results.record),
        storage=results.record.environment.storage if results.record.environment else None,
        answers=gate.document(results.answers) if results.answers else msgspec.UNSET,
        knobs=results.record.knobs or msgspec.UNSET,
        calibrations=conditions.speed(results.record.calibrations) or msgspec.UNSET,
        # Of evidence of before there was a sampler the document is as it was.
        machine=machine.document(results.machine) if results.machine else msgspec.UNSET,
        durability=results.durability or msgspec.UNSET,
        disturbances=results.disturbed or msgspec.UNSET,
        replay=results.replay or msgspec.UNSET,
        rate_search=searches.document(results.rate_search) if results.rate_search else msgspec.UNSET,
        requirements=requirements.document(results.requirements) if results.requirements else msgspec.UNSET,
    )
    return {"schema": SCHEMA, **msgspec.to_builtins(found)}


def _load(results: LoadResults, head: RunFigures | None) -> LoadRow:
    spec, environment = results.record.spec, results.record.environment
    target = environment.target if environment else None
    return LoadRow(
        target=spec.target,
        product=f"{target.product} {target.version}" if target else None,
        lives=rows.lives(results.record),
        same_rows=rows.same(results.record),
        durable=results.record.durable,
        data_bytes=data_bytes(results.record),
        arrivals=spec.arrivals,
        duration_s=spec.duration_s,
        records=spec.records if spec.is_ycsb else None,
        ycsb=spec.ycsb,
        server_memory=spec.server_memory,
        query_mode=spec.query_mode,
        spin=spec.spin,
        tls=target.tls if target else msgspec.UNSET,
        loop=head.loop if head else None,
        connections=head.connections if head else None,
        rate_target=head.rate_target if head else None,
        rate_achieved=_rate(head) if head else None,
    )


def _rate(run: RunFigures) -> MeanRow | None:
    return None if run.refused else mean_row(run.rate_achieved)


def _run(results: LoadResults, run: RunFigures) -> RunRow:
    summary = run.summary
    waits = results.waits.get(run.number)
    meanwhile = results.activity.get(run.number)
    return RunRow(
        number=run.number,
        repeat=run.repeat,
        life=run.life,
        verdict="refused" if run.refused else "counts",
        reasons=run.reasons,
        complete=run.complete and run.number != results.broken_off,
        loop=run.loop,
        connections=run.connections,
        rate_target=run.rate_target,
        rate_cv=run.rate_cv,
        rate_achieved=_rate(run),
        requests=RequestsRow(
            scheduled=summary.scheduled if summary else None,
            sent=summary.sent if summary else None,
            answered=summary.done if summary else None,
            unsent=summary.unsent if summary else None,
            in_flight_at_end=summary.in_flight_at_end if summary else None,
            longest_queue=summary.max_queue if summary else None,
        ),
        verified_reads=summary.verified_reads if summary else None,
        client_cpu_s=summary.client_cpu_s if summary else None,
        server=run.server,
        reconnects=run.reconnects,
        reconnect_s=summary.reconnect_s if summary else None,
        longest_reconnect_s=summary.longest_reconnect_s if summary else None,
        steady=run.settled,
        operations=tuple(map(operation_row, run.operations)),
        corrected=run.corrected or msgspec.UNSET,
        cpus=conditions.cpus_of(results.record, run.number) or msgspec.UNSET,
        cold=conditions.cold_of(results.record, run.number) or msgspec.UNSET,
        machine=machine.of_run(results.machine, run.number) or msgspec.UNSET,
        waits=report.document(waits) if waits else msgspec.UNSET,
        activity=activity.document(meanwhile) if meanwhile else msgspec.UNSET,
        isolation=next((one for one in results.isolation if one.number == run.number), msgspec.UNSET),
        tpcc=next((one for one in results.tpcc if one.number == run.number), msgspec.UNSET),
        agents=results.agents.get(run.number, ()) or msgspec.UNSET,
    )


def _group(group: Group) -> GroupRow:
    return GroupRow(
        loop=group.first.loop,
        connections=group.first.connections,
        runs=tuple(run.number for run in group.runs),
        between=group.between,
        page=group.page,
    )
