"""The JSON document of a ladder (schema ``weigh/ladder/1``, docs/reference/json.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from weigh.ladder.analysis import StepFigures
from weigh.ladder.cost import Cost
from weigh.ladder.forecast import Crossing
from weigh.ladder.plan import LadderPlan
from weigh.ladder.record import SCHEMA
from weigh.model.finding import Finding
from weigh.model.units import Scale

if TYPE_CHECKING:
    from weigh.ladder.analysis import Series
    from weigh.ladder.results import LadderResults, Rung


class LadderRow(msgspec.Struct, frozen=True, kw_only=True):
    """What was measured at every rung.

    Attributes:
        id: of the ladder: twelve hex digits.
        name: for people; None without one.
        workload: its name.
        notice: what every report on the workload must say; None where nothing must be reported.
        seed: of the data, of the order of turns, of the choice of literals.
        margin: the smallest change that matters, a fraction.
        confidence: level of the intervals.
        baseline: the contender that the others are compared with.
    """

    id: str
    name: str | None
    workload: str
    notice: str | None
    seed: int
    margin: float
    confidence: float
    baseline: str


class RungRow(msgspec.Struct, frozen=True, kw_only=True):
    """One experiment of the ladder.

    Attributes:
        scale: of its data.
        experiment: its id.
        evidence: name of the evidence directory.
        attempts: how many attempts its figures read.
        complete: whether the last of them came to its end.
        tier: what its evidence is good for; None where nothing was timed.
        exit_code: that it has by itself (docs/reference/commands.md#exit-codes).
    """

    scale: Scale | None
    experiment: str
    evidence: str
    attempts: int
    complete: bool
    tier: str | None
    exit_code: int


class SeriesRow(msgspec.Struct, frozen=True, kw_only=True):
    """One contender on one operation over all rungs.

    Attributes:
        operation, contender: whose series.
        itself: whether it is the baseline, whose ratio is its second arm over its first.
        steps: one a rung at which it was measured or judged.
        first: scale of the first rung from which on the margin is resolvable; None where the largest does not resolve.
        lost: scale of the largest rung that does not resolve although a smaller one does; None where there is none.
        predicted: scale at which the margin becomes resolvable, where no rung resolves and a line can tell; else None.
        unpredicted: why there is no prediction; None where there is one, or none is needed.
        starts_needed: starts that would resolve it at the largest rung, where none resolves; else None.
    """

    operation: str
    contender: str
    itself: bool
    steps: tuple[StepFigures, ...]
    first: Scale | None
    lost: Scale | None
    predicted: Crossing | None
    unpredicted: str | None
    starts_needed: int | None


class LadderDocument(msgspec.Struct, frozen=True, kw_only=True):
    """The whole document but for ``schema``.

    Attributes:
        ladder: what was measured at every rung.
        plan: what was asked for.
        rungs: those that have evidence.
        first: scale from which on every comparison resolves the margin; None where there is none.
        series: one for each operation and contender.
        costs: of contenders in several widths of threads; empty where no contender is single-threaded.
        findings: errors of the rungs, and what the ladder shows: ``T2.small``, ``T2.none``, ``T2.lost``.
    """

    ladder: LadderRow
    plan: LadderPlan
    rungs: tuple[RungRow, ...]
    first: Scale | None
    series: tuple[SeriesRow, ...]
    costs: tuple[Cost, ...]
    findings: tuple[Finding, ...]


def document(summary: LadderResults) -> dict[str, Any]:
    """The whole document as plain JSON; what is absent is null."""
    spec, rules = summary.spec, summary.rules
    found = LadderDocument(
        ladder=LadderRow(
            id=summary.plan.id,
            name=spec.name or None,
            workload=spec.workload,
            notice=summary.rungs[-1].results.record.notice or None,
            seed=spec.seed,
            margin=rules.margin,
            confidence=rules.confidence,
            baseline=spec.baseline,
        ),
        plan=summary.plan,
        rungs=tuple(map(_rung, summary.rungs)),
        first=summary.ladder.first,
        series=tuple(map(_series, summary.ladder.series)),
        costs=summary.costs,
        findings=summary.findings,
    )
    return {"schema": SCHEMA, **msgspec.to_builtins(found)}


def _rung(rung: Rung) -> RungRow:
    results = rung.results
    return RungRow(
        scale=rung.scale,
        experiment=results.record.spec.id,
        evidence=rung.evidence,
        attempts=results.attempts,
        complete=rung.complete,
        tier=str(results.tier.name) if results.tier else None,
        exit_code=int(results.exit_code()),
    )


def _series(one: Series) -> SeriesRow:
    return SeriesRow(
        operation=one.operation,
        contender=one.contender,
        itself=one.itself,
        steps=tuple(step.figures for step in one.steps),
        first=one.first,
        lost=one.lost,
        predicted=one.predicted,
        unpredicted=one.unpredicted or None,
        starts_needed=one.starts_needed,
    )
