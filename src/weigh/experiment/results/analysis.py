"""The observations of an experiment, from its samples, and the analysis of one metric. Pure."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

import msgspec

from weigh.experiment.results.preclusions import NOBODY, UNKNOWN, preclusions
from weigh.model.metrics.run_metrics import HEADLINE, RUN_METRICS
from weigh.model.verdict import Timing, Verdict
from weigh.verdict import analysis as judge
from weigh.verdict.analysis_model import Inquiry, NoiseFloor
from weigh.verdict.observation import Observation
from weigh.verdict.question import Question
from weigh.verdict.table import tabulate
from weigh.verdict.timings import timings

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from weigh.experiment.results.preclusions import Contradicted, Gate
    from weigh.model.sample import Sample
    from weigh.model.spec import Spec
    from weigh.verdict.refusals import Refusals
    from weigh.verdict.table import Table


class MetricAnalysis(msgspec.Struct, frozen=True, kw_only=True):
    """The result of judging one metric.

    Attributes:
        timings: one of every operation and contender that may be shown: the gate passed, nothing failed.
        verdicts: one of every operation and contender other than the baseline, in the order of the gate.
        floors: one of every operation whose baseline was measured with two arms.
        family: comparisons over which false discoveries are controlled.
        selected: those of them that are SLOWER or FASTER.
    """

    timings: tuple[Timing, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    floors: tuple[NoiseFloor, ...] = ()
    family: int = 0
    selected: int = 0

    def at(self, temperature: str) -> MetricAnalysis:
        """The rows of one temperature; the family stays that of the session."""
        return msgspec.structs.replace(
            self,
            timings=tuple(one for one in self.timings if one.temperature == temperature),
            verdicts=tuple(one for one in self.verdicts if one.temperature == temperature),
            floors=tuple(one for one in self.floors if one.temperature == temperature),
        )


def observed(samples: Iterable[Sample], metric: str, contenders: Iterable[str]) -> Table:
    """The timed executions of the given contenders that ended well.

    Args:
        samples: of all attempts, in any order.
        metric: field of the samples.
        contenders: names, in the order of their numbers.
    """
    questions: dict[tuple[str, str], Question] = {}
    return tabulate(
        (
            Observation(
                questions.get((one.operation, one.temperature))
                or questions.setdefault((one.operation, one.temperature), Question(one.operation, one.temperature)),
                (one.attempt, one.block),
                one.contender,
                one.arm,
                getattr(one, metric),
                one.round,
                one.case,
                one.build,
            )
            for one in samples
            if one.timed
        ),
        RUN_METRICS[metric].unit,
        contenders,
    )


def analyse(
    samples: Sequence[Sample],
    *,
    spec: Spec,
    gate: Gate = UNKNOWN,
    contradicted: Contradicted = NOBODY,
    metric: str = HEADLINE,
    refused: Sequence[Refusals] = (),
    shares: Mapping[str, float] = MappingProxyType({}),
) -> MetricAnalysis:
    """Judges every contender against the baseline on every operation.

    Operations come in the order of the gate, then of ``spec.operations``, then by name. The order of the
    samples does not matter. A metric that no sample has gives an empty analysis.

    Args:
        samples: of all attempts of the experiment, untimed and failed executions included.
        spec: the experiment; gives contenders, baseline and rules.
        gate: status of the answers by operation and contender.
        contradicted: operations on which a contender was contradicted, by contender.
        metric: field of the samples to judge.
        refused: as of :class:`weigh.verdict.analysis_model.Inquiry`.
        shares: likewise.
    """
    table = observed(samples, metric, (contender.name for contender in spec.contenders))
    if metric != HEADLINE and not (table.value > 0).any():
        return MetricAnalysis()
    precluded = preclusions(samples, gate, contradicted)
    failed = {*precluded.diverged, *(operation for operation, _ in precluded.failed)}
    measured = {question.operation for question in table.questions}
    operations = dict.fromkeys([*gate, *spec.operations, *sorted(measured | failed)])
    questions = [Question(one, temperature) for temperature in spec.temperatures for one in operations]
    found = judge.analyse(
        table,
        Inquiry(
            metric=RUN_METRICS[metric],
            baseline=spec.baseline,
            questions=questions,
            rules=spec.rules,
            totals=metric == HEADLINE,
            second_opinion=spec.rule == "clickhouse",
            preclusions=precluded,
            refused=refused,
            shares=shares,
        ),
    )
    layout = {one.name: spec.layout_name(one.name) for one in spec.contenders}
    times = timings(table, metric)
    return MetricAnalysis(
        timings=tuple(
            msgspec.structs.replace(timing, scale=spec.scale, layout=layout[name])
            for question in questions
            for name in table.contenders
            if (timing := times.get((question, name))) and precluded.allows(question.operation, name)
        ),
        verdicts=tuple(
            msgspec.structs.replace(one, scale=spec.scale, layout=layout[one.contender])
            for one in found.verdicts.values()
        ),
        floors=tuple(found.floors.values()),
        family=found.family,
        selected=found.selected,
    )
