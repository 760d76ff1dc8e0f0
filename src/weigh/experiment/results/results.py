"""The conclusion: what the records of an experiment's attempts say together. Pure."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import msgspec

from weigh.experiment import record as records
from weigh.experiment.record import Record
from weigh.experiment.results import answered, drift, duet, gaps, later_answers, pooled_engines, preclusions, terms
from weigh.experiment.results.analysis import MetricAnalysis, analyse
from weigh.experiment.results.answered import Answered, questions_missing
from weigh.experiment.results.by_template import TemplateVerdict, by_template
from weigh.experiment.results.clock import claim, clock_end, family_cpu, plausibility, repetition, round_trip
from weigh.experiment.results.clock.clock_coverage import clock_coverage
from weigh.experiment.results.clock.family_cpu import OutsideClock
from weigh.experiment.results.cold import cold
from weigh.experiment.results.cold.cold import cold_results
from weigh.experiment.results.cold.cold_proof import ColdProof
from weigh.experiment.results.cost import cost, reports
from weigh.experiment.results.cost.cost import Cost
from weigh.experiment.results.cost.quantities import quantities
from weigh.experiment.results.cost.reported import Reported, reported
from weigh.experiment.results.data import builds, differences, ingest, start_costs, storage, stores
from weigh.experiment.results.data.differences import Difference
from weigh.experiment.results.data.ingest import Ingested
from weigh.experiment.results.data.start_costs import StartCosts
from weigh.experiment.results.data.stores import RequestFigures
from weigh.experiment.results.grid import GridResults, grid_results
from weigh.experiment.results.machine import Machine, machine
from weigh.experiment.results.overall import Overall, overall
from weigh.experiment.results.pace import Pace, measured_s, pace
from weigh.experiment.results.precision import precision, precision_findings
from weigh.experiment.results.stalls import Stalls, stalls
from weigh.experiment.results.statements import Statement, judged, statements
from weigh.machine import contention_findings, standstill
from weigh.model.answer import GateStatus
from weigh.model.errors import EvidenceFault, ExitCode
from weigh.model.finding import Finding, gravest_first
from weigh.model.gate import Gate
from weigh.model.metrics.run_metrics import HEADLINE, RUN_METRICS, metrics_of, rules_of
from weigh.model.spec import CONTENTION
from weigh.model.units import Seconds
from weigh.model.verdict import Reason, Suite, Tier, Timing, Verdict, VerdictName
from weigh.verdict.refusals.disqualified import disqualified, withheld
from weigh.verdict.suite import suites
from weigh.verdict.tier import Basis, inconclusive, tier

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from weigh.model.sample import Samples
    from weigh.model.spec import Spec
    from weigh.statistics.arrays import Floats
    from weigh.verdict.refusals import Refusals

METRICS = metrics_of()
"""Of an experiment that asks queries. Wall time first: it decides the exit code. The others have verdicts of the same
form."""


class ExperimentResults(msgspec.Struct, frozen=True, kw_only=True):
    """What is printed, before it has a form.

    Attributes:
        record: of the latest attempt; spec, environment, manifest and gate are its.
        attempts: how many attempts the verdicts read.
        gate: of the latest attempt, with what earlier gates contradicted and what changed its answer later.
        analyses: by metric.
        findings: recorded and derived, errors first.
        tier: what the evidence is good for, provided that `weigh verify` passes; None where nothing was timed and
            nobody is inadmissible.
        suites: of every contender other than the baseline; none where nothing was timed.
        statements: what the metrics say together.
        machine: what it did meanwhile; None where nobody watched it.
        accounts: what cold and first executions found in memory and read.
        assumed: why the temperature is not proven; None where it is, and empty where nothing was recorded about it.
        stalls: why a total is another than its verdict.
        pace: how long a fresh start takes; None where nobody was timed.
        measured_s: seconds that measuring took, in all attempts; None where nobody was timed.
        outside: CPU seconds that no clock contains.
        start_costs: what starts and loading cost.
        ingested: what loading under the clock came to.
        differences: in what the data that contenders read is not that of the baseline.
        requests: what timed executions asked of stores.
        grid: what a grid of layouts says; None where the experiment has none.
        templates: verdicts over the operations of each template of a suite; none where it has none.
        overall: verdicts over all operations, and who is the fastest.
        answered: how many questions each contender answered; nobody where the gate was not reached.
        cost: what answers cost; None where no price was declared.
        reported: what systems by URL say of their own time.
    """

    record: Record
    attempts: int
    gate: Gate | None
    analyses: dict[str, MetricAnalysis]
    findings: tuple[Finding, ...]
    tier: Tier | None = None
    suites: tuple[Suite, ...] = ()
    statements: tuple[Statement, ...] = ()
    machine: Machine | None = None
    accounts: tuple[ColdProof, ...] = ()
    assumed: str | None = ""
    stalls: tuple[Stalls, ...] = ()
    pace: Pace | None = None
    measured_s: Seconds | None = None
    outside: tuple[OutsideClock, ...] = ()
    start_costs: tuple[StartCosts, ...] = ()
    ingested: tuple[Ingested, ...] = ()
    differences: tuple[Difference, ...] = ()
    requests: tuple[RequestFigures, ...] = ()
    grid: GridResults | None = None
    templates: tuple[TemplateVerdict, ...] = ()
    overall: Overall = Overall()
    answered: tuple[Answered, ...] = ()
    cost: Cost | None = None
    reported: tuple[Reported, ...] = ()

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """Verdicts of every metric, those of the headline first."""
        return tuple(verdict for analysis in self.analyses.values() for verdict in analysis.verdicts)

    @property
    def timings(self) -> tuple[Timing, ...]:
        """Timings of every metric, those of the headline first."""
        return tuple(timing for analysis in self.analyses.values() for timing in analysis.timings)

    @property
    def headline(self) -> MetricAnalysis:
        """Of wall time."""
        return self.analyses["wall_s"]

    def exit_code(self, *, strict: bool = False) -> ExitCode:
        """What the exit code of the command that made it is (docs/reference/commands.md)."""
        if any(finding.severity == "error" for finding in self.findings):
            return ExitCode.FOUND
        names = [verdict.verdict for verdict in self.headline.verdicts]
        if VerdictName.DIVERGED in names or (self.gate and self.gate.contradicted):
            return ExitCode.FOUND
        totals = [verdict.total.verdict for verdict in self.headline.verdicts if verdict.total]
        template_verdicts = [one.verdict.verdict for one in self.templates]
        overalls = [one.verdict.verdict for one in self.overall.against(self.record.spec.baseline)]
        slower = VerdictName.SLOWER in (*names, *totals, *template_verdicts, *overalls)
        if slower and self.record.spec.baseline_declared:
            return ExitCode.FOUND
        if not self.record.blocks and self.gate and self.gate.left_open:
            return ExitCode.INCONCLUSIVE
        tried = any(sample.timed for sample in self.record.samples)
        failed = all(name is VerdictName.ERROR for name in names) if names else tried and not self.headline.timings
        nobody_left = self.record.blocks and failed
        if self._nobody_to_compare() or nobody_left:
            return ExitCode.FAILED
        found = inconclusive([*names, *template_verdicts], self.tier, strict=strict)
        return ExitCode.INCONCLUSIVE if questions_missing(self.record, self.findings) else found

    def _nobody_to_compare(self) -> bool:
        """Whether engines failed so widely that no operation was answered by as many as a comparison needs."""
        needed = min(2, len(self.record.spec.contenders))
        return not any(
            sum(status in (GateStatus.AGREED, GateStatus.UNVERIFIED) for status in one.contenders.values()) >= needed
            for one in (self.gate.operations if self.gate else ())
        )


def experiment_results(attempts: Sequence[Record]) -> ExperimentResults:
    """Read the attempts of one experiment together; every one counts (T8).

    1. Findings: those of the records, and what follows from samples, clocks, CPU, data and the machine.
    2. The gate of the last attempt, held against earlier attempts and against the timed answers.
    3. Verdicts of every metric, without what is refused; the headline again without what another clock would change.
    4. Figures, tier and suites: all of them follow from the verdicts and the findings.

    Args:
        attempts: records, oldest first.

    Raises:
        EvidenceFault: they belong to different experiments, or there is none.
    """
    if not attempts:
        raise EvidenceFault("there is no attempt to read", remedy="name an evidence directory")
    latest = attempts[-1]
    if len({record.spec.id for record in attempts}) > 1:
        raise EvidenceFault("these attempts belong to different experiments", remedy="compare them with one spec")
    samples = records.samples(attempts)
    findings = later_answers.recorded(attempts)
    findings += later_answers.answered_differently(samples)
    layouts = latest.gate.layouts if latest.gate else {}
    background = [name for name, declared in family_cpu.declared_background(attempts).items() if declared]
    findings += clock_coverage(samples, layouts, background, ingest=bool(latest.spec.ingest))
    outside = family_cpu.outside_clocks(attempts)
    findings += family_cpu.findings(outside, family_cpu.mixed(findings))
    costs = start_costs.start_costs(attempts)
    findings += start_costs.findings(costs, latest)
    findings += [*pooled_engines.pooled(attempts), *repetition.repetitions(attempts)]
    findings += plausibility.implausible(attempts)
    findings += round_trip.findings(samples, background)
    services = {one.name for one in latest.spec.contenders if one.remote and latest.spec.reported}
    findings += claim.findings(one for one in samples if one.contender not in services)
    findings += [*reports.findings(samples, latest.spec), *preclusions.reconnects(samples)]
    findings += terms.findings(latest)
    findings += cost.findings(samples, latest.spec)
    findings += storage.findings(latest, samples)
    findings += ingest.findings(latest, samples)
    requests = stores.figures(attempts)
    findings += stores.findings(latest, requests)
    findings += builds.findings(latest)
    differ = differences.differences(latest)
    findings += differences.findings(latest, differ)
    watched = machine(attempts, latest.spec.contention or CONTENTION)
    findings += contention_findings.findings(watched.contention) if watched else ()
    findings += drift.findings(attempts)
    findings += standstill.findings((record.samples, record.watches) for record in attempts)
    findings += duet.findings(samples, latest.spec)
    measured = max(1, sum(1 for record in attempts if record.blocks))
    findings += precision_findings.precision(samples, latest.spec, latest.looks)
    findings += precision_findings.attempts(measured, samples)
    gates = later_answers.gates(attempts, samples)
    given = answered.answered(latest, gates[1])
    findings += answered.findings(latest, gates[1], given)
    proven = cold_results(attempts)
    findings += proven.findings
    looks = [look for record in attempts for look in record.looks]
    shares = precision.shares(latest.spec, looks, samples)
    unexplained = repetition.refusals(findings, latest.spec.temperatures)
    analyses = {}
    for metric in metrics_of(latest.spec.groups):
        refused_by = (proven.refused, unexplained, *refusals(attempts, watched, metric))
        judge = partial(_analyse, latest, *gates, findings=findings, metric=metric, shares=shares)
        analysis = (
            _headline(judge, samples, refused_by, latest.spec)
            if metric == HEADLINE
            else judge(samples, refused_by, values=quantities(metric, samples, latest.spec))
        )
        analyses[metric] = reports.withheld(cold.withheld(analysis, proven.refused), metric, findings)
    if latest.spec.price:
        analyses[cost.NAME] = cost.following(analyses[cost.NAME], analyses[HEADLINE], latest.spec)
    findings += builds.rebuilt(latest, analyses[HEADLINE].verdicts)
    results = ExperimentResults(
        record=latest,
        attempts=measured,
        gate=gates[1],
        analyses=analyses,
        findings=_distinct(findings),
        statements=statements(analyses, samples, latest.spec.temperatures),
        machine=watched,
        accounts=proven.proofs,
        assumed=proven.assumed,
        stalls=stalls(analyses[HEADLINE].verdicts, samples),
        pace=pace(attempts),
        measured_s=measured_s(attempts),
        outside=outside,
        start_costs=costs,
        differences=differ,
        requests=requests,
        grid=grid_results(latest, samples, analyses, shares),
        answered=given,
        templates=by_template(latest.workload, latest.spec, samples, analyses[HEADLINE].verdicts, shares),
        overall=overall(latest, samples, analyses[HEADLINE].verdicts, shares),
        cost=cost.cost(latest, samples, analyses[cost.NAME]) if latest.spec.price else None,
        reported=reported(samples, latest.spec, analyses[HEADLINE].timings),
    )
    results = msgspec.structs.replace(results, ingested=ingest.ingested(latest, results.timings))
    timed = results.gate is not None and bool(samples.timed.any())
    names = tuple(contender.name for contender in latest.spec.contenders)
    return msgspec.structs.replace(
        results,
        tier=tier(_basis(results, attempts, names, timed=timed)),
        suites=tuple(
            suite
            for temperature in latest.spec.temperatures
            for suite in suites(latest.workload, results.headline.verdicts, names, latest.spec.baseline, temperature)
        )
        if timed and latest.workload
        else (),
    )


def _headline(
    judge: Callable[..., MetricAnalysis], samples: Samples, refused_by: tuple[Refusals, ...], spec: Spec
) -> MetricAnalysis:
    """The analysis of wall time: without the verdicts that another end of the clock, or round trips, would change."""

    def judged_by(seconds: Floats) -> MetricAnalysis:
        return judge(samples, refused_by, values=seconds)

    analysis = judge(samples, refused_by)
    doubts = [
        round_trip.doubts(samples, analysis, judged_by),
        clock_end.refusals(analysis, samples, spec.rules.margin, judged_by),
    ]
    if any(doubts):
        analysis = judge(samples, (*refused_by, *doubts))
    return msgspec.structs.replace(analysis, timings=round_trip.around(samples, analysis.timings))


def refusals(
    attempts: Sequence[Record], watched: Machine | None, metric: str, baseline: str = ""
) -> tuple[Refusals, ...]:
    """Comparisons of a metric that are refused because of what the machine did (:mod:`weigh.verdict.refusals`).

    Args:
        attempts: all that the verdicts read.
        watched: what is known of the machine.
        metric: that is judged. What others use of the CPU spoils clocks; what is read from a cache spoils everything.
        baseline: with whom the others are compared, where that is not the baseline of the experiment.
    """
    found: list[Refusals] = []
    if watched and RUN_METRICS[metric].unit.clock:
        found += contention_findings.refusals(watched.contention, baseline)
    if RUN_METRICS[metric].unit.clock:
        found += drift.refusals(attempts)
    return tuple(found)


def _basis(results: ExperimentResults, attempts: Sequence[Record], names: tuple[str, ...], *, timed: bool) -> Basis:
    """What the tier is computed from."""
    record = results.record
    return Basis(
        contenders=names,
        baseline=record.spec.baseline,
        gate=results.gate,
        verdicts=results.headline.verdicts,
        findings=results.findings,
        timed=timed,
        unfinished=tuple(gaps.unfinished(attempts)),
        unread=tuple(gaps.unread(record)),
        laid_out=all(record.manifest_of(name) is not None for name in names),
        watched=results.machine is not None and results.machine.contention.watched,
        gaps=contention_findings.gaps(results.machine.contention) if results.machine else (),
        temperature_proven=results.assumed is None,
        assumed=results.assumed or "",
        quick=record.spec.quick is True,
    )


def _analyse(
    latest: Record,
    before: Gate | None,
    gate: Gate | None,
    samples: Samples,
    refused_by: Sequence[Refusals],
    findings: Iterable[Finding],
    metric: str,
    shares: Mapping[str, float],
    values: Floats | None = None,
) -> MetricAnalysis:
    if gate is None or before is None:
        return MetricAnalysis()
    spec = latest.spec
    analysis = analyse(
        samples,
        spec=msgspec.structs.replace(spec, rules=rules_of(metric, spec.rules, spec.groups)),
        # As it was before the clock: the judge sees the samples that changed their answer, and says so (A3).
        gate={one.operation: one.contenders for one in before.operations},
        doubts=gate.doubts,
        metric=metric,
        refused=refused_by,
        shares=shares,
        values=values,
    )
    analysis = judged(metric, analysis)
    unmeasured = (VerdictName.DIVERGED, VerdictName.ERROR)
    # Of what the gate alone asks, only what it forbids is reported.
    untimed = {one.name for one in latest.workload.operations if not one.timed()} if latest.workload else set()
    verdicts = tuple(one for one in analysis.verdicts if one.verdict in unmeasured or one.operation not in untimed)
    analysis = msgspec.structs.replace(analysis, verdicts=verdicts)
    if not samples.timed.any():
        # Nobody was timed: nothing else is reported of any.
        analysis = MetricAnalysis(verdicts=tuple(one for one in verdicts if one.verdict in unmeasured))
    out, pairs = disqualified(findings), withheld(findings)
    if not out and not pairs:
        return analysis

    def why(contender: str, operation: str) -> Finding | None:
        return out.get(contender) or pairs.get((contender, operation))

    return msgspec.structs.replace(
        analysis,
        timings=tuple(one for one in analysis.timings if not why(one.contender, one.operation)),
        verdicts=tuple(
            _refuse(one, why(one.contender, one.operation) or why(one.baseline, one.operation))
            for one in analysis.verdicts
        ),
    )


def _refuse(verdict: Verdict, finding: Finding | None) -> Verdict:
    """A verdict on a pair that is not compared has a reason and no figures."""
    if finding is None or verdict.verdict in (VerdictName.DIVERGED, VerdictName.ERROR):
        return verdict
    who = "" if finding.contender == verdict.contender else f"the baseline {finding.contender}: "
    return verdict.refused(Reason(code=finding.code, text=who + finding.text), *verdict.reasons[1:])


def _distinct(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    return gravest_first({(f.code, f.contender, f.operation, f.text): f for f in findings}.values())
