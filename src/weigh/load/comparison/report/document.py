"""A comparison of servers as JSON (schema ``weigh/load-comparison/1``, docs/reference/json.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from weigh.load.analysis import conditions
from weigh.load.comparison.metrics import BlockRow
from weigh.load.comparison.rate_search import report as rates
from weigh.load.comparison.rate_search.report import RatesDocument
from weigh.load.comparison.results import Apart, LoadComparisonResults, Sustained
from weigh.load.comparison.spec import CONTENDERS
from weigh.load.comparison.verdicts import LoadFloor, LoadVerdict
from weigh.load.replay.differences import Compared
from weigh.load.report.document import ExperimentRow
from weigh.load.requirements import report as requirements
from weigh.load.requirements.report import RequirementsDocument
from weigh.load.spec import Arrivals, Loop
from weigh.machine.drift import Quiet
from weigh.model.finding import Finding
from weigh.model.rules import Rules
from weigh.model.units import Seconds
from weigh.model.verdict import Reason, Tier, VerdictName

if TYPE_CHECKING:
    from weigh.load.comparison.figures import BlockRun

SCHEMA = "weigh/load-comparison/1"


class OfferedRow(msgspec.Struct, frozen=True, kw_only=True):
    """What every contender was offered.

    Attributes:
        arrivals: when requests were due.
        duration_s: of each run.
        records: of YCSB; None of scripts.
        blocks: that were asked for; 1 of a search for rates.
        measured: blocks of all attempts in which anything was measured; of a search its rounds.
        baseline: name of the contender that the others are compared with.
        twice: whether the baseline has a second arm.
    """

    arrivals: Arrivals
    duration_s: Seconds
    records: int | None
    blocks: int
    measured: int
    baseline: str
    twice: bool


class ArmRow(msgspec.Struct, frozen=True, kw_only=True):
    """A contender as it took part.

    Attributes:
        name: of the arm: the contender's, or with ``#2`` behind it.
        contender: its name.
        target: what it loaded, without its password.
        load: place of its own load experiment in the evidence; ``weigh report`` reads it.
        product: what the server calls itself, with its version; None where it was not reached.
        durable: whether its settings, and the scripts, keep every acknowledged write; None where that is not known.
        undurable: what may lose one, each in a few words.
        lives: how many lives of its server the runs of this attempt met.
    """

    name: str
    contender: str
    target: str
    load: str
    product: str | None
    durable: bool | None
    undurable: tuple[str, ...]
    lives: int


class LoadVerdictRow(msgspec.Struct, frozen=True, kw_only=True):
    """One contender against the baseline in one figure.

    Attributes:
        metric: a figure of the runs (``runs``), of which ``rate`` is judged in a closed loop alone; or
            ``highest_rate`` of a search, of which there is no other verdict.
        operation: its name; all together are ``all``.
        loop, connections: of the runs.
        contender, baseline: whose figures.
        verdict: what follows; of errors and of what the server used, ``slower`` is more, and ``faster`` less.
        value, baseline_value: geometric means over the blocks, the baseline's two arms together; of errors the mean
            share. Seconds, answers a second, a share, or bytes; None where there is none.
        ratio: contender over baseline; above 1 is more. Of errors it is that of the requests for each that was
            answered. None of a verdict without figures, as the next ones.
        plain_ratio: ``value`` over ``baseline_value`` where the verdict is refused and has no ratio: it is no verdict,
            and nothing counts or decides by it. None elsewhere.
        low, high: interval of the ratio at ``confidence``.
        confidence: level of that interval.
        low_fcr, high_fcr: false-coverage-rate interval, which decides whether a difference matters.
        margin: the smallest change that matters; of errors, the error budget.
        noise_floor: how far the baseline's two arms are apart, a fraction.
        detectable: smallest effect that this many blocks would find (99 % test, 80 % power), a fraction.
        starts: blocks, each a fresh life of both servers, in which both were measured.
        starts_needed: of a verdict that is unresolved or unstable: blocks that would about settle it.
        reasons: why, and warnings about assumptions.
    """

    metric: str
    operation: str
    loop: Loop
    connections: int
    contender: str
    baseline: str
    verdict: VerdictName
    value: float | None
    baseline_value: float | None
    ratio: float | None
    plain_ratio: float | None
    low: float | None
    high: float | None
    confidence: float
    low_fcr: float | None
    high_fcr: float | None
    margin: float
    noise_floor: float | None
    detectable: float | None
    starts: int
    starts_needed: int | None
    reasons: tuple[Reason, ...]


class LoadComparisonDocument(msgspec.Struct, frozen=True, kw_only=True):
    """The whole document but for ``schema``.

    Attributes:
        experiment: what was measured.
        evidence: name of the evidence directory.
        attempts: how many were read together.
        tier: what the evidence is good for.
        offered: what every contender was offered.
        rules: margin and error rates.
        contenders: every arm, in their order.
        verdicts: one of every figure and contender other than the baseline.
        floors: the baseline's second arm over its first.
        sustained: how each contender kept the rate of open loops; empty where there is none.
        requirements: whether what ``--require`` names holds for each contender, by its name, in the last attempt;
            absent where nothing must.
        replayed: answers of each contender against the baseline's, of a replay (docs/guide/replay.md); absent where
            none were kept.
        rate_search: what ``--find-rate`` found of each; absent where it was not asked for.
        runs: every run of every attempt.
        findings: what weakens the result, errors first.
        apart: of a duet, how far apart the two schedules began; else absent.
        calibrations: how even the machine itself was, by fixed work between the blocks; absent where none was done.
    """

    experiment: ExperimentRow
    evidence: str
    attempts: int
    tier: Tier
    offered: OfferedRow
    rules: Rules
    contenders: tuple[ArmRow, ...]
    verdicts: tuple[LoadVerdictRow, ...]
    floors: tuple[LoadFloor, ...]
    sustained: tuple[Sustained, ...]
    replayed: tuple[Compared, ...] | msgspec.UnsetType
    requirements: dict[str, RequirementsDocument] | msgspec.UnsetType
    rate_search: RatesDocument | msgspec.UnsetType
    runs: tuple[BlockRow, ...]
    findings: tuple[Finding, ...]
    apart: Apart | msgspec.UnsetType
    calibrations: tuple[Quiet, ...] | msgspec.UnsetType


def document(results: LoadComparisonResults, evidence: str) -> dict[str, Any]:
    """The whole document as plain JSON; what is absent is null.

    Args:
        results: what is to be reported.
        evidence: name of the evidence directory.
    """
    record = results.record
    spec = record.spec
    search = spec.load.find_rate
    found = LoadComparisonDocument(
        experiment=ExperimentRow(
            id=spec.id, attempt=record.attempt, workload=spec.load.title, notice=spec.load.notice or None
        ),
        evidence=evidence,
        attempts=len(results.records),
        tier=results.tier,
        offered=OfferedRow(
            arrivals=spec.load.arrivals,
            duration_s=spec.load.duration_s,
            records=spec.load.records if spec.load.letter else None,
            blocks=spec.blocks,
            measured=results.blocks,
            baseline=spec.baseline,
            twice=spec.twice,
        ),
        rules=spec.rules,
        contenders=tuple(_arms(results)),
        verdicts=tuple(map(_verdict, results.verdicts)),
        floors=results.floors,
        sustained=results.sustained,
        replayed=results.replayed or msgspec.UNSET,
        requirements={name: requirements.document(one) for name, one in results.required} or msgspec.UNSET,
        rate_search=rates.document(results.rates, search) if results.rates and search else msgspec.UNSET,
        runs=tuple(map(_run, results.runs)),
        findings=results.findings,
        apart=results.apart or msgspec.UNSET,
        calibrations=conditions.speed(record.calibrations) or msgspec.UNSET,
    )
    return {"schema": SCHEMA, **msgspec.to_builtins(found)}


def _arms(results: LoadComparisonResults) -> list[ArmRow]:
    made = []
    for arm in results.record.spec.arms:
        load = results.record.loads.get(arm.name)
        target = load.environment.target if load and load.environment else None
        made.append(
            ArmRow(
                name=arm.name,
                contender=arm.contender,
                target=arm.target,
                load=f"{CONTENDERS}/{arm.folder}",
                product=f"{target.product} {target.version}" if target else None,
                durable=load.durable if load else None,
                undurable=load.undurable if load else (),
                lives=len({run.life for run in load.runs}) if load else 0,
            )
        )
    return made


def _verdict(one: LoadVerdict) -> LoadVerdictRow:
    return LoadVerdictRow(**{name: getattr(one, name) for name in LoadVerdictRow.__struct_fields__})


def _run(one: BlockRun) -> BlockRow:
    return BlockRow(
        attempt=one.attempt,
        block=one.block,
        arm=one.arm,
        loop=one.kind.loop,
        connections=one.kind.connections,
        life=one.run.life,
        run=one.run.number,
        verdict="counts" if one.counts else "refused",
        reasons=one.run.reasons,
        resolved=one.resolved(),
        **one.figures(),
    )
