"""The JSON document of a run (schema ``weigh/1``, docs/reference/json.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from weigh.experiment.report import grid, machine, resources, stores
from weigh.experiment.report.grid import GridDocument
from weigh.experiment.report.machine import MachineDocument
from weigh.experiment.report.resources import BoundsRow, ParityRow
from weigh.experiment.report.stores import StoresDocument
from weigh.experiment.results.answered import Answered
from weigh.experiment.results.by_template import TemplateVerdict
from weigh.experiment.results.clock.family_cpu import OutsideClock
from weigh.experiment.results.cold.cold_proof import ColdProof
from weigh.experiment.results.cost.cost import Cost
from weigh.experiment.results.cost.reported import Reported
from weigh.experiment.results.data.differences import Difference
from weigh.experiment.results.data.ingest import Ingested
from weigh.experiment.results.data.start_costs import StartCosts
from weigh.experiment.results.overall import OverallVerdict, Ranking
from weigh.host.knobs.read import KnobRead
from weigh.machine.working_set import WorkingSet
from weigh.model.answer import GateStatus
from weigh.model.build import BuildRead
from weigh.model.contender import Setting
from weigh.model.data.storage import Place
from weigh.model.finding import Finding
from weigh.model.units import Scale
from weigh.model.verdict import Missing, Tier, Timing, Verdict
from weigh.render.sentences import sentence

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.experiment.record import Record
    from weigh.experiment.results.results import ExperimentResults
    from weigh.experiment.results.statements import Statement
    from weigh.model.contender import ContenderRead
    from weigh.model.gate import Gate
    from weigh.model.spec import Spec
    from weigh.model.verdict import Suite

SCHEMA = "weigh/1"


class ExperimentRow(msgspec.Struct, frozen=True, kw_only=True):
    """What was measured.

    Attributes:
        id: of the experiment: twelve hex digits.
        name: for people; None without one.
        workload: its name.
        scale: rows as an integer, a scale factor as a number with a point; None for your own files.
        notice: what every report on the workload must say, such as "derived from TPC-H, not comparable to published
            results"; None where nothing must be reported.
        seed: of the data, of the order of turns, of the choice of literals.
        margin: the smallest change that matters, a fraction.
        baseline: the contender that the others are compared with.
    """

    id: str
    name: str | None
    workload: str
    scale: Scale | None
    notice: str | None
    seed: int
    margin: float
    baseline: str


class ContenderRow(msgspec.Struct, frozen=True, kw_only=True):
    """A contender.

    Attributes:
        name: unique in the experiment.
        engine: as ``weigh engines`` lists it.
        version: as the running engine says.
        settings: that were asked for. Those in force, and locks of packages, are in ``environment.json``.
        pins: further exact requirements.
        layout: name of the layout that it reads, ``default`` for ``[layout]``; None where all read one.
        catalog, store: how it finds its files and where they lie, as asked for; None where nothing was.
        build: what was installed, where that is no version of the index; else left out.
    """

    name: str
    engine: str
    version: str
    settings: dict[str, Setting]
    pins: tuple[str, ...]
    layout: str | None
    catalog: str | None
    store: str | None
    build: BuildRead | msgspec.UnsetType = msgspec.UNSET


class GateRow(msgspec.Struct, frozen=True, kw_only=True):
    """One operation and status: an operation that two answer and a third cannot parse has two rows.

    Attributes:
        operation: its name.
        status: what came of it (docs/concept/answers.md#statuses).
        contenders: names of those with this status. Under ``diverged`` those that were contradicted, or that differ
            and who is right is open; those that were right have no row, because the operation is not timed.
        detail: one sentence; of an agreed operation the tolerances and ties that were needed; empty where there is
            nothing to say.
    """

    operation: str
    status: GateStatus
    contenders: tuple[str, ...]
    detail: str


class VerdictRow(Verdict, frozen=True, kw_only=True):
    """A verdict, and what it says.

    Attributes:
        sentence: the verdict in plain words, without statistics; its wording may change.
    """

    sentence: str


class MetricRow(msgspec.Struct, frozen=True, kw_only=True):
    """What the verdicts on one operation and contender say together.

    Attributes:
        code: ``M.settled``, ``M.bought``, ``M.against``, ``M.with``, ``M.alone``, ``M.beside``; of the whole session
            or a contender ``M.zero``, ``M.some``, ``M.missing``.
        text: one sentence.
        metrics: those that it is about, except wall time.
        operation, contender: None where it is about the whole session.
        temperature: of the executions; absent where all is hot.
    """

    code: str
    text: str
    metrics: tuple[str, ...]
    operation: str | None
    contender: str | None
    temperature: str | msgspec.UnsetType


class SuiteRow(msgspec.Struct, frozen=True, kw_only=True):
    """What one contender did on the whole workload against the baseline.

    Attributes:
        contender, baseline: whose wall times the ratios are of.
        operations: how many belong to the workload, chosen or not.
        mean: geometric mean of their ratios; None where any is missing.
        low, high: smallest and largest of them; None with ``mean``.
        missing: operations without a ratio.
        temperature: of the executions; absent where all is hot.
    """

    contender: str
    baseline: str
    operations: int
    mean: float | None
    low: float | None
    high: float | None
    missing: tuple[Missing, ...]
    temperature: str | msgspec.UnsetType


class RunDocument(msgspec.Struct, frozen=True, kw_only=True):
    """The whole document but for ``schema``.

    Attributes:
        experiment: what was measured.
        evidence: name of the evidence directory.
        tier: what the evidence is good for; None where nothing was timed and no contender is inadmissible.
        contenders: who took part.
        gate: what came of the answers.
        timings: what was measured.
        verdicts: what follows from it.
        metrics: which metric moved with which; empty where nothing was compared.
        suites: the whole workload; empty where nothing was timed.
        findings: what weakens the result, errors first.
        cold: what is proven about cold and first executions; absent where all is hot.
        knobs: settings of the machine as they were read (docs/guide/doctor.md); this and the rest are absent from
            evidence that did not record them.
        working_set: the data's size against memory (docs/concept/machine.md#size-against-memory); None where one is
            not known.
        storage: where everything lies.
        bounds: what was asked for all contenders (docs/concept/method.md#one-affinity-and-one-memory-limit).
        parity: what each contender had in its last process (docs/concept/method.md#what-each-had).
        machine: who else used the machine; absent where no sampler watched.
        outside: CPU seconds that no clock contains (docs/concept/method.md#outside-the-clock-a11); empty where nothing
            was timed.
        start_costs: what starts and loading cost (docs/concept/method.md#what-a-start-costs-d9); empty likewise.
        ingested: what loading tables under the clock came to (docs/guide/ingest.md); absent where none was loaded.
        differences: in what the data that contenders read is not that of the baseline
            (docs/concept/method.md#what-differs-besides-the-contender); empty where all read the same bytes.
        objects: what was asked of stores (docs/concept/stores.md); absent where nobody reads from one.
        grid: effects of a grid of layouts (docs/guide/layouts.md); absent where there is none.
        templates: verdicts over the operations of each template (docs/guide/suites.md#by-template); absent where a
            suite has none.
        overall: verdicts of every two contenders over all operations that all can do
            (docs/concept/statistics.md#overall); absent where there are not two operations, and from evidence of before
            there were any.
        ranking: who is the fastest overall; absent likewise, and below three contenders.
        answered: how many questions each contender answered (docs/concept/answers.md#who-answered).
        cost: what answers cost (docs/guide/cost.md); absent where no price was declared.
        reported: what systems by URL say of their own time, queue and bytes; absent where nobody does.
    """

    experiment: ExperimentRow
    evidence: str
    tier: Tier | None
    contenders: tuple[ContenderRow, ...]
    gate: tuple[GateRow, ...]
    timings: tuple[Timing, ...]
    verdicts: tuple[VerdictRow, ...]
    metrics: tuple[MetricRow, ...]
    suites: tuple[SuiteRow, ...]
    findings: tuple[Finding, ...]
    cold: tuple[ColdProof, ...] | msgspec.UnsetType
    knobs: tuple[KnobRead, ...] | msgspec.UnsetType
    working_set: WorkingSet | msgspec.UnsetType | None
    storage: tuple[Place, ...] | msgspec.UnsetType
    bounds: BoundsRow | msgspec.UnsetType
    parity: tuple[ParityRow, ...] | msgspec.UnsetType
    machine: MachineDocument | msgspec.UnsetType
    outside: tuple[OutsideClock, ...] = ()
    start_costs: tuple[StartCosts, ...] = ()
    ingested: tuple[Ingested, ...] | msgspec.UnsetType = msgspec.UNSET
    differences: tuple[Difference, ...] = ()
    objects: StoresDocument | msgspec.UnsetType = msgspec.UNSET
    grid: GridDocument | msgspec.UnsetType = msgspec.UNSET
    templates: tuple[TemplateVerdict, ...] | msgspec.UnsetType = msgspec.UNSET
    overall: tuple[OverallVerdict, ...] | msgspec.UnsetType = msgspec.UNSET
    ranking: tuple[Ranking, ...] | msgspec.UnsetType = msgspec.UNSET
    answered: tuple[Answered, ...] = ()
    cost: Cost | msgspec.UnsetType = msgspec.UNSET
    reported: tuple[Reported, ...] | msgspec.UnsetType = msgspec.UNSET


def document(results: ExperimentResults, evidence: str) -> dict[str, Any]:
    """The whole document as plain JSON; what is absent is null.

    Args:
        results: what is to be reported.
        evidence: name of the evidence directory.
    """
    record = results.record
    spec = record.spec
    hot = spec.temperature == "hot"
    had = resources.document(results)
    found = RunDocument(
        experiment=experiment_row(record),
        evidence=evidence,
        tier=results.tier,
        contenders=tuple(
            contender_row(one, spec) for one in (record.environment.contenders if record.environment else ())
        ),
        gate=tuple(_gate(results.gate)),
        timings=results.timings,
        verdicts=tuple(
            VerdictRow(**msgspec.structs.asdict(one), sentence=sentence(one, spec.rules)) for one in results.verdicts
        ),
        metrics=tuple(_metric(one, hot=hot) for one in results.statements),
        suites=tuple(_suite(one, hot=hot) for one in results.suites),
        findings=results.findings,
        cold=msgspec.UNSET if hot else results.accounts,
        knobs=record.knobs or msgspec.UNSET,
        working_set=had.working_set if had else msgspec.UNSET,
        storage=had.storage if had else msgspec.UNSET,
        bounds=had.bounds if had else msgspec.UNSET,
        parity=had.parity if had else msgspec.UNSET,
        # Evidence of before there was a sampler has no such part.
        machine=machine.document(results.machine) if results.machine else msgspec.UNSET,
        outside=results.outside,
        start_costs=results.start_costs,
        ingested=results.ingested or msgspec.UNSET,
        differences=results.differences,
        objects=stores.document(results),
        grid=grid.document(results),
        templates=results.templates or msgspec.UNSET,
        overall=results.overall.verdicts or msgspec.UNSET,
        ranking=results.overall.rankings or msgspec.UNSET,
        answered=results.answered,
        cost=results.cost or msgspec.UNSET,
        reported=results.reported or msgspec.UNSET,
    )
    return {"schema": SCHEMA, **msgspec.to_builtins(found)}


def experiment_row(record: Record) -> ExperimentRow:
    """What an attempt measured."""
    spec = record.spec
    return ExperimentRow(
        id=spec.id,
        name=spec.name or None,
        workload=spec.workload,
        scale=spec.scale,
        notice=record.notice or None,
        seed=spec.seed,
        margin=spec.rules.margin,
        baseline=spec.baseline,
    )


def contender_row(one: ContenderRead, spec: Spec) -> ContenderRow:
    """A contender as its engine described itself, and what it was given to read."""
    declared = spec.contender(one.name)
    return ContenderRow(
        name=one.name,
        engine=one.engine,
        version=one.version,
        settings=one.settings,
        pins=one.pins,
        layout=spec.layout_name(one.name),
        catalog=declared.catalog or None,
        store=declared.store or None,
        build=one.build,
    )


def _metric(one: Statement, *, hot: bool) -> MetricRow:
    """With its temperature where there are several."""
    return MetricRow(
        code=one.code,
        text=one.text,
        metrics=one.metrics,
        operation=one.operation,
        contender=one.contender,
        temperature=msgspec.UNSET if hot else one.temperature,
    )


def _suite(one: Suite, *, hot: bool) -> SuiteRow:
    """With its temperature where there are several."""
    return SuiteRow(
        contender=one.contender,
        baseline=one.baseline,
        operations=one.operations,
        mean=one.mean,
        low=one.low,
        high=one.high,
        missing=one.missing,
        temperature=msgspec.UNSET if hot else one.temperature,
    )


def _gate(gate: Gate | None) -> Iterator[GateRow]:
    """One row an operation and status: most have one, some have contenders that could not answer alongside it."""
    for one in gate.operations if gate else ():
        by_status: dict[GateStatus, list[str]] = {}
        for contender, status in one.contenders.items():
            by_status.setdefault(status, []).append(contender)
        statuses = [one.status, *(status for status in by_status if status != one.status)]
        if one.status is GateStatus.DIVERGED:
            # Others agreed with the witness, but the operation is timed for nobody.
            statuses = [status for status in statuses if status is not GateStatus.AGREED]
        for status in statuses:
            names = tuple(by_status.get(status, ()))
            yield GateRow(operation=one.operation, status=status, contenders=names, detail=one.detail)
