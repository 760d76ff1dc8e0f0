"""Verdicts of servers under one load: those of :mod:`weigh.verdict.analysis`, a block being a fresh life. Pure.

A block gives one number for each arm and question, the figure of its run. What a run holds inside (thousands of
requests that share one life of a server) is one observation, and never many.
"""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING

import msgspec

from weigh.load.comparison.figures import CPU, ERRORS, HIGHEST, MEMORY, PERCENTILES, RATE
from weigh.load.spec import Loop
from weigh.model import codes
from weigh.model.contender import Contender
from weigh.model.sample import Outcome, Sample
from weigh.model.spec import Spec
from weigh.model.verdict import Verdict, VerdictName
from weigh.verdict import refusals
from weigh.verdict.analysis import analyse
from weigh.verdict.question import Question as Asked

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from weigh.load.comparison.figures import BlockRun, Question
    from weigh.load.comparison.spec import LoadComparisonSpec
    from weigh.model.spec import Rules
    from weigh.model.verdict import Reason
    from weigh.verdict.analysis_model import Metric

BESIDE = (RATE, ERRORS, CPU, MEMORY)
"""Metrics that share a false discovery rate of their own beside the response times, as those of a run do."""
DECIDING = (*PERCENTILES, RATE, ERRORS, HIGHEST)
"""Metrics that decide the exit code: what users meet, and not what it costs."""
_FIELD: dict[str, Metric] = {RATE: "wall_s", ERRORS: "bytes_read", CPU: "cpu_s", MEMORY: "peak_memory"}
"""Field of a sample that a figure becomes: of a clock, or of none (errors). Percentiles are wall times."""


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
    refused: Sequence[Mapping[tuple[Question, str], Reason]] = (),
) -> tuple[tuple[LoadVerdict, ...], tuple[LoadFloor, ...]]:
    """One verdict for every question and contender other than the baseline, and the noise floor of every question.

    Args:
        spec: the comparison; gives contenders, baseline and rules.
        runs: of all attempts; those that do not count are left out.
        questions: in the order of the verdicts.
        refused: why the figures of a (question, contender) carry no verdict; the figures are kept.
    """
    groups: dict[str, list[Question]] = defaultdict(list)
    for question in questions:
        groups[question.metric if question.metric in BESIDE else ""].append(question)
    made: dict[Question, list[LoadVerdict]] = defaultdict(list)
    floors: dict[Question, LoadFloor] = {}
    for metric, own in groups.items():
        _judge(spec, [one for one in runs if one.counts], own, metric, refused, made, floors)
    return tuple(one for question in questions for one in made[question]), tuple(
        floors[question] for question in questions if question in floors
    )


def rules_of(metric: str, spec: LoadComparisonSpec) -> Rules:
    """The rules under which a metric is judged; an empty name is that of the response times.

    Each metric beside them has its share of another false discovery rate. What may differ in errors is the budget that
    the user gave them.
    """
    if metric not in BESIDE:
        return spec.rules
    margin = spec.load.error_budget if metric == ERRORS else spec.rules.margin
    return msgspec.structs.replace(spec.rules, fdr=spec.rules.fdr / len(BESIDE), margin=margin)


def _judge(
    spec: LoadComparisonSpec,
    runs: Sequence[BlockRun],
    questions: Sequence[Question],
    metric: str,
    refused: Sequence[Mapping[tuple[Question, str], Reason]],
    made: dict[Question, list[LoadVerdict]],
    floors: dict[Question, LoadFloor],
) -> None:
    """The verdicts of one family."""
    field = _FIELD.get(metric, "wall_s")
    names = {str(number): question for number, question in enumerate(questions)}
    samples = [
        sample
        for name, question in names.items()
        if metric != ERRORS or any(one.value(question) for one in runs)
        for sample in _samples(name, question, runs, field)
    ]
    rules = rules_of(metric, spec)
    found = analyse(
        samples,
        spec=Spec(
            workload="load",
            contenders=tuple(Contender(name=one.name, engine="load") for one in spec.contenders),
            baseline=spec.baseline,
            operations=tuple(names),
            rules=rules,
        ),
        metric=field,
        refused=[
            {
                (Asked(name), who): why
                for name, question in names.items()
                for (about, who), why in one.items()
                if about == question
            }
            for one in refused
        ],
        totals_too=False,
    )
    for one in found.verdicts:
        question = names[one.operation]
        # Where no run of a side counts there is nothing to analyse, and why is said all the same.
        why = tuple(refusals.reasons(refused, question, one.contender, spec.baseline))  # type: ignore[arg-type]
        own = _without_figure(one, question, (one.contender, spec.baseline), runs) or one.reasons
        reasons = (*why, *(reason for reason in own if reason not in why))
        made[question].append(_labelled(msgspec.structs.replace(one, reasons=reasons), question, spec, runs))
    for floor in found.floors:
        question = names[floor.operation]
        ratio, low, high = _turned(question, floor.ratio, floor.low, floor.high)
        floors[question] = LoadFloor(
            loop=question.kind.loop,
            connections=question.kind.connections,
            operation=question.operation,
            metric=question.metric,
            ratio=ratio,
            low=low,
            high=high,
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
    return (codes.X_METRIC.reason(f"{question.metric} of {' and '.join(absent)} is not known: no ratio"),)


def _samples(name: str, question: Question, runs: Sequence[BlockRun], field: str) -> Iterator[Sample]:
    """The runs of one kind as samples of the judge: one of each arm in each block."""
    for turn, one in enumerate(runs):
        value = one.value(question) if one.kind == question.kind else None
        if value is None:
            continue
        yield Sample(
            attempt=one.attempt,
            block=one.block,
            start=turn,
            turn=turn,
            run=1,
            arm=one.arm,
            contender=one.contender,
            operation=name,
            case="",
            outcome=Outcome.OK,
            **{field: _worse(question, value)},  # type: ignore[arg-type]
        )


def _worse(question: Question, value: float) -> float:
    """A figure of which more is worse: seconds for each answer, requests for each that is answered."""
    if question.metric == RATE:
        return 1 / value if value else 0.0
    return 1 / (1 - value) if question.metric == ERRORS else value


def _turned(question: Question, ratio: float, low: float, high: float) -> tuple[float, float, float]:
    """A ratio as it is read: of rates, above 1 is more answers."""
    return (1 / ratio, 1 / high, 1 / low) if question.metric == RATE else (ratio, low, high)


def _labelled(one: Verdict, question: Question, spec: LoadComparisonSpec, runs: Sequence[BlockRun]) -> LoadVerdict:
    """A verdict under its own name, with the figures that it is of."""
    fields = {field: getattr(one, field) for field in Verdict.__struct_fields__}
    if question.metric == RATE:
        for low, high in (("low", "high"), ("low_fcr", "high_fcr")):
            fields[low], fields[high] = _inverse(fields[high]), _inverse(fields[low])
        fields |= {"ratio": _inverse(one.ratio), "median_ratio": _inverse(one.median_ratio)}
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


def _inverse(ratio: float | None) -> float | None:
    return 1 / ratio if ratio else None


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
    if question.metric == ERRORS:
        return math.fsum(own) / len(own)
    return math.exp(math.fsum(map(math.log, own)) / len(own)) if min(own) > 0 else None
