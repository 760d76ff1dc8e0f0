"""Means over several operations, judged as single operations are. Pure.

One number a start: the mean of the logarithms of the ratios of its operations, where all of them were measured in it.
It scatters less than each of them, and answers another question than theirs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

from weigh.experiment.results.analysis import observed
from weigh.model.metrics.run_metrics import HEADLINE
from weigh.model.rules import MIN_STARTS
from weigh.model.sample import Samples
from weigh.model.verdict import Reason, Verdict, VerdictName
from weigh.statistics.effects import Effects
from weigh.statistics.groups import Grouped
from weigh.verdict import comparison, reasons
from weigh.verdict.analysis import rebuilt
from weigh.verdict.decide import decide
from weigh.verdict.question import Question
from weigh.verdict.refusals import soundness
from weigh.verdict.totals import halved

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from weigh.model.sample import Sample
    from weigh.model.spec import Spec
    from weigh.statistics.arrays import Floats, Ints
    from weigh.verdict.decide import Decisions
    from weigh.verdict.table import Table


class Pool(NamedTuple):
    """One contender against another over some operations.

    Attributes:
        name: what the verdict calls its operation.
        operations: in the mean.
        temperature: of the executions.
        contender, other: whose ratio, and over whom. Of two contenders neither of which is the baseline of the
            experiment it is the ratio of their ratios to it, start by start.
        share: part of the error rates that its figures have.
        why: it is refused, whatever it shows; None where nothing forbids it.
    """

    name: str
    operations: tuple[str, ...]
    temperature: str
    contender: str
    other: str
    share: float
    why: Reason | None


def pooled(spec: Spec, samples: Sequence[Sample], pools: Sequence[Pool]) -> Iterator[Verdict]:
    """The verdicts, in the order of the pools.

    False discoveries are controlled over these pools by themselves, at half of the rate, as over each of the two
    questions about single operations.
    """
    rules = halved(spec.rules)
    table = _table(spec, samples)
    blocks = _blocks(spec, samples, pools)
    found, starts = _over_starts(table, pools, blocks), (~np.isnan(blocks)).sum(axis=1)
    refused = np.array([one.why is not None for one in pools], dtype=np.bool_)
    decisions = decide(found.effects, starts, rules, refused, np.array([one.share for one in pools]))
    outlying, apart = comparison.outlying(blocks)
    other = soundness.of_another_kind(outlying, apart, rules)
    names = soundness.not_equal(decisions.names, other)
    for at, one in enumerate(pools):
        name = VerdictName(str(names[at]))
        verdict = Verdict(
            operation=one.name,
            contender=one.contender,
            baseline=one.other,
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
        yield msgspec.structs.replace(verdict, reasons=tuple(whys))


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


def of_operations(spec: Spec, samples: Sequence[Sample], pool: Pool) -> Floats:
    """The differences of a contender over the baseline, shape (operations, blocks): of blocks that have all of them."""
    table = _table(spec, samples)
    rows = _differences(spec, samples, pool.contender)[_members(table, pool)]
    return rows[:, ~np.isnan(rows).any(axis=0)]


def _table(spec: Spec, samples: Sequence[Sample]) -> Table:
    return observed(samples, HEADLINE, (one.name for one in spec.contenders)).under(spec.rules)


def _differences(spec: Spec, samples: Sequence[Sample], contender: str) -> Floats:
    """Of a contender over the baseline, shape (questions, blocks)."""
    every = Samples.of(samples)

    def compute() -> Floats:
        return comparison.typical_differences(_table(spec, every), contender, spec.baseline)

    return every.once(("differences", contender, spec.baseline, str(spec.rules.typical)), compute)


def _members(table: Table, pool: Pool) -> Ints:
    """Places of its operations among the questions; none where one of them was not measured."""
    number = {question: at for at, question in enumerate(table.questions)}
    found = [number.get(Question(operation, pool.temperature)) for operation in pool.operations]
    return np.array([] if None in found else found, dtype=np.int64)


def _blocks(spec: Spec, samples: Sequence[Sample], pools: Sequence[Pool]) -> Floats:
    """The mean difference of logarithms of each pool and block; NaN where an operation was not measured."""
    table = _table(spec, samples)
    rows = np.full((len(pools), table.blocks), np.nan)
    for at, one in enumerate(pools):
        members = _members(table, one)
        if len(members):
            candidate, other = (
                _differences(spec, samples, name)[members].mean(axis=0) if name != spec.baseline else 0.0
                for name in (one.contender, one.other)
            )
            rows[at] = candidate - other
    return rows


def _over_starts(table: Table, pools: Sequence[Pool], blocks: Floats) -> Grouped:
    """What is estimated of each pool: contenders may have different builds."""
    whole = Grouped(
        Effects(*np.full((4, len(pools)), np.nan)),
        np.zeros(len(pools), np.int64),
        np.full(len(pools), np.nan),
    )
    for pair in {(one.contender, one.other) for one in pools}:
        rows = np.array([at for at, one in enumerate(pools) if (one.contender, one.other) == pair])
        candidate, other = map(table.contenders.index, pair)
        part = comparison.over_starts(table, candidate, other, blocks[rows])
        comparison.put(whole.effects, rows, part.effects)
        whole.groups[rows], whole.spread[rows] = part.groups, part.spread
    return whole
