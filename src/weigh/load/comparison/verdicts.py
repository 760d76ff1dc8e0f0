"""Verdicts of servers under one load: those of :mod:`weigh.verdict.analysis`, a block being a fresh life. Pure.

A block gives one number for each arm and question, the figure of its run. What a run holds inside (thousands of
requests that share one life of a server) is one observation, and never many.
"""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING

import msgspec

from weigh.load.comparison.metrics import ERRORS, LOAD_METRICS, RESPONSE, RUN_METRICS
from weigh.load.spec import Loop
from weigh.model import codes
from weigh.model.metrics.metric import Unit
from weigh.model.verdict import Verdict, VerdictName
from weigh.verdict import refusals
from weigh.verdict.analysis import analyse
from weigh.verdict.analysis_model import Inquiry
from weigh.verdict.observation import Observation
from weigh.verdict.table import tabulate

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from weigh.load.comparison.figures import BlockRun, Question
    from weigh.load.comparison.spec import LoadComparisonSpec
    from weigh.model.rules import Rules
    from weigh.model.verdict import Reason
    from weigh.verdict.refusals import Refusals


class LoadVerdict(Verdict, frozen=True, kw_only=True):
    """One contender against the baseline in one figure.

    Attributes:
        loop, connections: of the runs.
        value, baseline_value: geometric means of the figure over the blocks, the baseline's two arms together; of
            errors the mean share. None where there is none.
    """

    loop: Loop
    connections: int
    value: float | None = None
    baseline_value: float | None = None


class LoadFloor(msgspec.Struct, frozen=True, kw_only=True):
    """The baseline's second arm over its first, which is the same server: what no difference looks like.

    Attributes:
        loop, connections: of the runs.
        operation, metric: the figure.
        ratio: second arm over first.
        low, high: its interval.
    """

    loop: Loop
    connections: int
    operation: str
    metric: str
    ratio: float
    low: float
    high: float


def verdicts(
    spec: LoadComparisonSpec,
    runs: Sequence[BlockRun],
    questions: Sequence[Question],
    refused: Sequence[Refusals] = (),
) -> tuple[tuple[LoadVerdict, ...], tuple[LoadFloor, ...]]:
    """One verdict for every question and contender other than the baseline, and the noise floor of every question.

    Args:
        spec: the comparison; gives contenders, baseline and rules.
        runs: of all attempts; those that do not count are left out.
        questions: in the order of the verdicts.
        refused: why the figures of a (question, contender) carry no verdict; the figures are kept.
    """
    families: dict[str, list[Question]] = defaultdict(list)
    for question in questions:
        families[question.metric if question.metric in RUN_METRICS else ""].append(question)
    made: dict[Question, list[LoadVerdict]] = defaultdict(list)
    floors: dict[Question, LoadFloor] = {}
    beside = sum(not LOAD_METRICS[one].optional or any(one in run.figures() for run in runs) for one in RUN_METRICS)
    for metric, family in families.items():
        rules = rules_of(metric, spec, beside)
        _judge(spec, [one for one in runs if one.counts], family, metric, rules, refused, made, floors)
    return tuple(one for question in questions for one in made[question]), tuple(
        floors[question] for question in questions if question in floors
    )


def rules_of(metric: str, spec: LoadComparisonSpec, families: int = 1) -> Rules:
    """The rules under which a metric is judged; an empty name is that of the response times.

    Each of the families alongside them has its share of another false discovery rate. What may differ in errors is the
    budget that the user gave them.
    """
    if metric not in RUN_METRICS:
        return spec.rules
    margin = spec.load.error_budget if metric == ERRORS else spec.rules.margin
    return msgspec.structs.replace(spec.rules, fdr=spec.rules.fdr / families, margin=margin)


def _judge(
    spec: LoadComparisonSpec,
    runs: Sequence[BlockRun],
    questions: Sequence[Question],
    family: str,
    rules: Rules,
    refused: Sequence[Refusals],
    made: dict[Question, list[LoadVerdict]],
    floors: dict[Question, LoadFloor],
) -> None:
    """The verdicts of one family."""
    metric = LOAD_METRICS.get(family, RESPONSE)
    names = [one.name for one in spec.contenders]
    table = tabulate(_observations(questions, runs), metric.unit, names)
    if family and LOAD_METRICS[family].spent and not (table.value > 0).any():
        return
    found = analyse(
        table,
        Inquiry(metric=metric, baseline=spec.baseline, questions=questions, rules=rules, refused=refused),
    )
    for question in questions:
        for name in names:
            if (one := found.verdicts.get((question, name))) is None:
                continue
            # Where no run of a side counts there is nothing to analyse, and why is reported all the same.
            why = tuple(refusals.reasons(refused, question, name, spec.baseline))
            rest = _without_figure(one, question, (name, spec.baseline), runs) or one.reasons
            reasons = (*why, *(reason for reason in rest if reason not in why))
            made[question].append(_labelled(msgspec.structs.replace(one, reasons=reasons), question, spec, runs))
        if (floor := found.floors.get(question)) is not None:
            floors[question] = LoadFloor(
                loop=question.kind.loop,
                connections=question.kind.connections,
                operation=question.operation,
                metric=question.metric,
                ratio=floor.ratio,
                low=floor.low,
                high=floor.high,
            )


def _without_figure(
    one: Verdict, question: Question, sides: Sequence[str], runs: Sequence[BlockRun]
) -> tuple[Reason, ...]:
    """That a side was measured and has no such figure, which more starts would not change; empty where both have it."""
    values: dict[str, list[float | None]] = defaultdict(list)
    for run in runs:
        if run.kind == question.kind and run.contender in sides:
            values[run.contender].append(run.value(question))
    absent = [side for side in sides if values[side] and all(value is None for value in values[side])]
    if one.starts or not absent or not all(values[side] for side in sides):
        return ()
    label = LOAD_METRICS[question.metric].label
    return (codes.X_METRIC.reason(f"{label} of {' and '.join(absent)} is not known: no ratio"),)


def _observations(questions: Sequence[Question], runs: Sequence[BlockRun]) -> Iterator[Observation]:
    """One of each arm in each block; nobody compares errors where there are none."""
    for question in questions:
        values = [(one, one.value(question)) for one in runs if one.kind == question.kind]
        if question.metric == ERRORS and not any(value for _, value in values):
            continue
        for one, value in values:
            if value is not None:
                yield Observation(question, (one.attempt, one.block), one.contender, one.arm, value)


def _labelled(one: Verdict, question: Question, spec: LoadComparisonSpec, runs: Sequence[BlockRun]) -> LoadVerdict:
    """A verdict under its own name, with the figures that it is of."""
    fields = {field: getattr(one, field) for field in Verdict.__struct_fields__}
    if codes.T10_STARTS.code in {reason.code for reason in one.reasons}:
        # What scatters within one start says nothing about the next one.
        fields |= dict.fromkeys(("low", "high", "low_fcr", "high_fcr", "detectable", "noise_floor"))
    fields |= {"operation": question.operation, "metric": question.metric, "total": None}
    value, other = (typical(question, runs, name) for name in (one.contender, spec.baseline))
    refused = one.verdict is VerdictName.REFUSED and one.ratio is None and question.metric != ERRORS
    # One number a block: the ratio of the two figures that stand in the row.
    fields["plain_ratio"] = value / other if refused and value and other else None
    return LoadVerdict(
        **fields,
        loop=question.kind.loop,
        connections=question.kind.connections,
        value=value,
        baseline_value=other,
    )


def typical(question: Question, runs: Sequence[BlockRun], contender: str) -> float | None:
    """The geometric mean of a figure over the blocks of a contender; of errors the mean."""
    own = [
        value
        for one in runs
        if one.contender == contender
        and one.kind == question.kind
        and one.counts
        and (value := one.value(question)) is not None
    ]
    if not own:
        return None
    if LOAD_METRICS[question.metric].unit is Unit.SHARE:
        return math.fsum(own) / len(own)
    return math.exp(math.fsum(map(math.log, own)) / len(own)) if min(own) > 0 else None
