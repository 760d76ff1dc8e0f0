"""Templates: the operations of a suite that are one statement with other values, judged together. Pure.

One small operation may scatter so much that a hundred starts do not decide on it. Those of a template mostly move
together, and the mean of their ratios scatters less. It answers another question, and the verdicts of the operations
stay as they are: it is the mean over the template, in which one that is slower can hide behind the others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

from weigh.experiment.results.analysis import observed
from weigh.model.metrics.run_metrics import HEADLINE
from weigh.model.rules import MIN_STARTS
from weigh.model.verdict import Reason, Verdict, VerdictName
from weigh.statistics.effects import Effects
from weigh.statistics.groups import Grouped
from weigh.verdict import comparison, reasons, refusals
from weigh.verdict.analysis import rebuilt
from weigh.verdict.decide import decide
from weigh.verdict.question import Question
from weigh.verdict.refusals import soundness
from weigh.verdict.totals import halved

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from weigh.model.operation import Workload
    from weigh.model.sample import Sample
    from weigh.model.spec import Spec
    from weigh.statistics.arrays import Floats
    from weigh.verdict.decide import Decisions
    from weigh.verdict.table import Table


class TemplateVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """One contender against the baseline over all operations of a template.

    Attributes:
        operations: of the template.
        verdicts: how many of them have each verdict, the most frequent first.
        verdict: on wall time; its ``operation`` is the template. The ratio is the geometric mean of those of the
            operations, in the starts in which all of them were measured.
    """

    operations: tuple[str, ...]
    verdicts: dict[VerdictName, int]
    verdict: Verdict


def by_template(
    workload: Workload | None,
    spec: Spec,
    samples: Sequence[Sample],
    verdicts: Sequence[Verdict],
    shares: Mapping[str, float],
) -> tuple[TemplateVerdict, ...]:
    """The verdicts of all templates, in the order of the suite; none where it has no template.

    False discoveries are controlled over the templates by themselves, at half of the rate, as over each of the two
    questions about single operations. A template of which one operation has no figure, or is refused for more than its
    noise, is refused: a mean of the others would be of what happened to be left.

    Args:
        workload: of the experiment.
        spec: of the experiment.
        samples: of all attempts.
        verdicts: of its operations, on wall time.
        shares: as of :func:`weigh.verdict.analysis.analyse`; a template has the smallest of its operations, because
            the starts that count end where the first of them ended.
    """
    templates = workload.templates if workload else {}
    if not templates or not verdicts:
        return ()
    found = {(one.operation, one.temperature, one.contender): one for one in verdicts}
    questions = []
    for temperature in spec.temperatures:
        for name, operations in templates.items():
            for contender in spec.contenders:
                parts = tuple(found.get((one, temperature, contender.name)) for one in operations)
                if any(parts):
                    whys = map(refusals.why_not_pooled, parts)
                    why = next((one for one in whys if one is not None), None)
                    share = min(shares.get(one, 1.0) for one in operations)
                    questions.append(_Question(name, operations, temperature, contender.name, parts, share, why))
    return tuple(_decided(spec, samples, questions))


class _Question(NamedTuple):
    template: str
    operations: tuple[str, ...]
    temperature: str
    contender: str
    parts: tuple[Verdict | None, ...]
    share: float
    why: Reason | None


def _decided(spec: Spec, samples: Sequence[Sample], questions: Sequence[_Question]) -> Iterator[TemplateVerdict]:
    rules = halved(spec.rules)
    table = observed(samples, HEADLINE, (one.name for one in spec.contenders))
    blocks = _blocks(table, spec.baseline, questions)
    found, starts = _over_starts(table, spec.baseline, questions, blocks), (~np.isnan(blocks)).sum(axis=1)
    refused = np.array([one.why is not None for one in questions], dtype=np.bool_)
    decisions = decide(found.effects, starts, rules, refused, np.array([one.share for one in questions]))
    outlying, apart = comparison.outlying(blocks)
    other = soundness.of_another_kind(outlying, apart, rules)
    names = soundness.not_equal(decisions.names, other)
    for at, one in enumerate(questions):
        name = VerdictName(str(names[at]))
        verdict = Verdict(
            operation=one.template,
            contender=one.contender,
            baseline=spec.baseline,
            verdict=name,
            temperature=one.temperature,
            confidence=rules.confidence,
            share=one.share,
            margin=rules.margin,
            starts=int(starts[at]),
            rebuilt=rebuilt(int(found.groups[at]), float(found.spread[at])),
        )
        whys: list[Reason] = []
        if one.why is not None:
            whys.append(one.why)
        elif starts[at] < MIN_STARTS or not np.isfinite(found.effects.effect[at]):
            whys.append(reasons.few_starts(int(starts[at])))
        else:
            if decisions.unstable[at]:
                spread = float(np.expm1(found.effects.error[at] * np.sqrt(starts[at])))
                stands = name is not VerdictName.REFUSED
                whys.append(reasons.unstable(float(decisions.detectable[at]), spread, rules.unstable, beyond=stands))
            if other[at]:
                whys.append(reasons.other_starts(int(outlying[at]), int(starts[at]), float(apart[at])))
            verdict = _with_figures(verdict, float(found.effects.effect[at]), decisions, at)
        verdict = msgspec.structs.replace(verdict, reasons=tuple(whys))
        yield TemplateVerdict(operations=one.operations, verdicts=_counted(one.parts), verdict=verdict)


def _with_figures(verdict: Verdict, middle: float, decisions: Decisions, at: int) -> Verdict:
    half, wide, needed = (float(v[at]) for v in (decisions.half, decisions.half_fcr, decisions.needed))
    return msgspec.structs.replace(
        verdict,
        ratio=float(np.exp(middle)),
        low=float(np.exp(middle - half)),
        high=float(np.exp(middle + half)),
        low_fcr=float(np.exp(middle - wide)),
        high_fcr=float(np.exp(middle + wide)),
        detectable=float(decisions.detectable[at]),
        starts_needed=int(needed) if np.isfinite(needed) else None,
    )


def _blocks(table: Table, baseline: str, questions: Sequence[_Question]) -> Floats:
    """The mean difference of logarithms of each template and block; NaN where an operation was not measured."""
    number = {question: at for at, question in enumerate(table.questions)}
    differences = {
        name: comparison.typical_differences(table, name, baseline) for name in {one.contender for one in questions}
    }
    rows = np.full((len(questions), table.blocks), np.nan)
    for at, one in enumerate(questions):
        questions_of = [Question(operation, one.temperature) for operation in one.operations]
        if all(question in number for question in questions_of):
            members = np.array([number[question] for question in questions_of])
            rows[at] = differences[one.contender][members].mean(axis=0)
    return rows


def _over_starts(table: Table, baseline: str, questions: Sequence[_Question], blocks: Floats) -> Grouped:
    """What is estimated of each template: contenders may have different builds."""
    whole = Grouped(
        Effects(*np.full((3, len(questions)), np.nan)),
        np.zeros(len(questions), np.int64),
        np.full(len(questions), np.nan),
    )
    for contender in {one.contender for one in questions}:
        rows = np.array([at for at, one in enumerate(questions) if one.contender == contender])
        own, other = (table.contenders.index(name) for name in (contender, baseline))
        part = comparison.over_starts(table, own, other, blocks[rows])
        comparison.put(whole.effects, rows, part.effects)
        whole.groups[rows], whole.spread[rows] = part.groups, part.spread
    return whole


def _counted(parts: Sequence[Verdict | None]) -> dict[VerdictName, int]:
    names = [one.verdict for one in parts if one]
    return {name: names.count(name) for name in sorted(set(names), key=lambda name: (-names.count(name), name))}
