"""The grid of layouts: the effect of each key and how keys interact, for every contender and operation. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

from weigh.experiment.results.analysis import observed
from weigh.model.data.grid import Level, laid_out
from weigh.model.errors import EvidenceFault
from weigh.model.metrics.run_metrics import HEADLINE, rules_of
from weigh.model.rules import MIN_STARTS
from weigh.model.units import Bytes
from weigh.model.verdict import Reason, VerdictName
from weigh.statistics import factorial
from weigh.statistics.effects import over_blocks
from weigh.statistics.student_t import quantile
from weigh.verdict import reasons, refusals
from weigh.verdict.decide import decide

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from weigh.experiment.record import Record
    from weigh.experiment.results.analysis import MetricAnalysis
    from weigh.model.data.grid import Grid
    from weigh.model.sample import Sample
    from weigh.model.spec import Spec
    from weigh.model.verdict import Verdict
    from weigh.statistics.arrays import Floats
    from weigh.statistics.effects import Effects
    from weigh.statistics.factorial import Contrast
    from weigh.verdict.decide import Decisions
    from weigh.verdict.question import Question

METRICS = (HEADLINE, "cpu_s", "bytes_read")
"""Those with effects: what one waits for, and what tells why."""


class Within(msgspec.Struct, frozen=True, kw_only=True):
    """The effect of the first key of an interaction where the other one has one value.

    Attributes:
        level: value of the other key.
        ratio: level over first level of the first key.
        low, high: its interval, at the confidence of the effect.
    """

    level: Level
    ratio: float
    low: float
    high: float


class Effect(msgspec.Struct, frozen=True, kw_only=True):
    """What a value of a key does to a metric, or how values of several keys change what each other does.

    Attributes:
        contender: as it was asked for, without a layout.
        operation: whose executions; None for the mean over all operations, which is there where each of them has one.
        metric: ``wall_s``, ``cpu_s`` or ``bytes_read``.
        temperature: ``hot``, ``cold`` or ``first``.
        keys: of ``[layout]``: one, or several that interact.
        levels: value of each key that is compared.
        against: the first value of each key, with which it is compared.
        verdict: as of a comparison: ``slower`` is more than the margin, ``same`` within it. Of an interaction
            ``slower`` means that both together take longer than what each does by itself would give.
        ratio: of one key: with the value over without, the mean over the values of all other keys. Of several: by what
            factor the ratio of one changes where the others have their values. None where there is no figure.
        low, high: interval of the ratio at ``confidence``.
        low_fcr, high_fcr: interval that decides whether it matters, false discoveries controlled over all effects.
        confidence: level of that interval.
        starts: blocks in which every cell that it needs was measured.
        within: of two keys that interact: the effect of the first at both values of the second.
        reasons: why there is no figure.
    """

    contender: str
    operation: str | None
    metric: str
    temperature: str
    keys: tuple[str, ...]
    levels: tuple[Level, ...]
    against: tuple[Level, ...]
    verdict: VerdictName
    ratio: float | None = None
    low: float | None = None
    high: float | None = None
    low_fcr: float | None = None
    high_fcr: float | None = None
    confidence: float
    starts: int = 0
    within: tuple[Within, ...] = ()
    reasons: tuple[Reason, ...] = ()


class Cell(msgspec.Struct, frozen=True, kw_only=True):
    """One contender on one layout.

    Attributes:
        contender: its name.
        of: the contender as it was asked for.
        layout: name of its layout.
        levels: value of each key.
        files: of all tables.
        bytes: of the files; None where the attempt ended before they were recorded.
        wall_s, cpu_s: sums of the medians of all operations; None where one of them has none.
        parallelism: CPU seconds a second of wall time, of these sums.
        bytes_read: from disk, likewise; None where nobody counted.
        temperature: of the executions.
    """

    contender: str
    of: str
    layout: str
    levels: dict[str, Level]
    files: int | None
    bytes: Bytes | None
    wall_s: float | None
    cpu_s: float | None
    parallelism: float | None
    bytes_read: float | None
    temperature: str


class GridResults(msgspec.Struct, frozen=True, kw_only=True):
    """What the grid says.

    Attributes:
        keys: those that are varied, with their values; the first of each is what the others are compared with.
        cells: contenders on layouts, for each temperature.
        effects: over all operations first, then operation by operation; of each, single keys before interactions.
    """

    keys: dict[str, tuple[Level, ...]]
    cells: tuple[Cell, ...]
    effects: tuple[Effect, ...]


def grid_results(
    record: Record,
    samples: Sequence[Sample],
    analyses: Mapping[str, MetricAnalysis],
    shares: Mapping[str, float],
) -> GridResults | None:
    """What the grid of an experiment says; None where it has none.

    Args:
        record: of the latest attempt.
        samples: of all attempts.
        analyses: the verdicts of every metric; an operation on which a cell has none has no effects.
        shares: as of :func:`weigh.verdict.analysis.analyse`.

    Raises:
        EvidenceFault: its cells are not the layouts that contenders read.
    """
    spec = record.spec
    if not (grid := spec.grid):
        return None
    _check(spec, grid)
    effects: list[Effect] = []
    for metric in METRICS:
        if (analysis := analyses.get(metric)) and analysis.verdicts and samples:
            effects += _Metric(spec, grid, metric, samples, analysis, shares).effects()
    return GridResults(
        keys={one.key: one.levels for one in grid.factors},
        cells=tuple(_cells(record, grid, analyses)),
        effects=tuple(effects),
    )


def _check(spec: Spec, grid: Grid) -> None:
    """A grid that is not that of its layouts would tell effects apart that nobody measured apart."""
    for name, members in grid.members.items():
        theirs = [one for one in spec.contenders if one.name in members]
        layouts = [spec.layouts.get(one.layout) for one in theirs]
        known = [one for one in layouts if one is not None]
        # What all have of Parquet's keys, a cell of Vortex does not show.
        base = next((one for one in known if not one.vortex), known[0] if known else None)
        wanted = [laid_out(base, cell).normal for cell in grid.cells] if base else None
        if layouts != wanted or tuple(one.name for one in theirs) != members:
            raise EvidenceFault(
                f"the grid of {name} is not made of the layouts that its cells read",
                remedy="the evidence was edited; only the original journal helps",
            )


class _Comparison(NamedTuple):
    """An effect before it is decided.

    Attributes:
        contender: as it was asked for.
        operation: its name; None for all together.
        temperature: of the executions.
        numbers: of the questions of the table that it is the mean over.
        contrast: what it is made of.
        why: why it has no figure; None where it may have one.
    """

    contender: str
    operation: str | None
    temperature: str
    numbers: tuple[int, ...]
    contrast: Contrast
    why: Reason | None


class _Metric:
    """Effects on one metric."""

    def __init__(
        self,
        spec: Spec,
        grid: Grid,
        metric: str,
        samples: Sequence[Sample],
        analysis: MetricAnalysis,
        shares: Mapping[str, float],
    ) -> None:
        self._spec, self._grid, self._metric, self._shares = spec, grid, metric, shares
        self._table = observed(samples, metric, (one.name for one in spec.contenders)).under(spec.rules)
        self._turns = self._table.turns()
        self._verdicts = {(one.operation, one.temperature, one.contender): one for one in analysis.verdicts}
        self._rules = rules_of(metric, spec.rules)
        self._differences: dict[tuple[str, int, int], Floats] = {}

    def effects(self) -> Iterator[Effect]:
        """Over all operations, then of each; two families of their own."""
        questions = list(self._comparisons())
        yield from self._decided([one for one in questions if one.operation is None])
        yield from self._decided([one for one in questions if one.operation is not None])

    def _comparisons(self) -> Iterator[_Comparison]:
        for contender, members in self._grid.members.items():
            for temperature in self._spec.temperatures:
                there = [
                    (number, one)
                    for number, one in enumerate(self._table.questions)
                    if one.temperature == temperature and self._judged(one, members)
                ]
                whys = {number: self._why(one, members) for number, one in there}
                for contrast in factorial.contrasts(self._grid.shape):
                    if len(there) > 1 and not any(whys.values()):
                        yield _Comparison(contender, None, temperature, tuple(whys), contrast, None)
                    for number, one in there:
                        yield _Comparison(contender, one.operation, temperature, (number,), contrast, whys[number])

    def _pairs(self, question: Question, members: Sequence[str]) -> list[Verdict | None]:
        return [
            self._verdicts.get((question.operation, question.temperature, name))
            for name in members
            if name != self._spec.baseline
        ]

    def _judged(self, question: Question, members: Sequence[str]) -> bool:
        """Whether anything is reported of it: nothing is where a metric is zero, or nobody was timed."""
        return any(self._pairs(question, members))

    def _why(self, question: Question, members: Sequence[str]) -> Reason | None:
        """Why it has no effects: a cell that is not compared with the baseline, because of more than its noise."""
        return next(filter(None, map(refusals.why_not_pooled, self._pairs(question, members))), None)

    def _blocks(self, contender: str, contrast: Contrast, numbers: tuple[int, ...]) -> Floats:
        """One number a block; of several operations their mean, where all of them were measured."""
        members = self._grid.members[contender]
        arms = [np.flatnonzero(self._table.contender_of == self._table.contenders.index(name)) for name in members]

        def difference(high: int, low: int) -> Floats:
            key = contender, high, low
            if key not in self._differences:
                pair = (self._turns.middle[..., arms[one]] for one in (high, low))
                self._differences[key] = self._table.by_question(self._table.usual(*pair))
            return self._differences[key]

        found: Floats = factorial.of_blocks(contrast, difference)[list(numbers)].mean(axis=0)
        return found

    def _decided(self, questions: Sequence[_Comparison]) -> Iterator[Effect]:
        if not questions:
            return
        blocks = np.stack([self._blocks(one.contender, one.contrast, one.numbers) for one in questions])
        effects, starts = over_blocks(blocks), (~np.isnan(blocks)).sum(axis=1)
        refused = np.array([one.why is not None for one in questions], dtype=np.bool_)
        share = np.array([self._share(one) for one in questions])
        decisions = decide(effects, starts, self._rules, refused, share)
        for at, one in enumerate(questions):
            factors = [self._grid.factors[number] for number in one.contrast.factors]
            effect = Effect(
                contender=one.contender,
                operation=one.operation,
                metric=self._metric,
                temperature=one.temperature,
                keys=tuple(factor.key for factor in factors),
                levels=tuple(factor.levels[n] for factor, n in zip(factors, one.contrast.levels, strict=True)),
                against=tuple(factor.levels[0] for factor in factors),
                verdict=VerdictName(str(decisions.names[at])),
                confidence=self._rules.confidence,
                starts=int(starts[at]),
                reasons=tuple(self._reasons(one, int(starts[at]), effects, decisions, at)),
            )
            middle = float(effects.effect[at])
            if one.why is None and np.isfinite(middle):
                half, wide = float(decisions.half[at]), float(decisions.half_fcr[at])
                effect = msgspec.structs.replace(
                    effect,
                    ratio=float(np.exp(middle)),
                    low=float(np.exp(middle - half)),
                    high=float(np.exp(middle + half)),
                    low_fcr=float(np.exp(middle - wide)),
                    high_fcr=float(np.exp(middle + wide)),
                    within=tuple(self._within(one, float(share[at]))),
                )
            yield effect

    def _share(self, one: _Comparison) -> float:
        """Of the error rates; over several operations that of the one that was looked at most."""
        named = [self._table.questions[number].operation for number in one.numbers]
        return min((self._shares.get(name, 1.0) for name in named), default=1.0)

    def _reasons(
        self, one: _Comparison, starts: int, effects: Effects, decisions: Decisions, at: int
    ) -> Iterator[Reason]:
        if one.why is not None:
            yield one.why
        elif starts < MIN_STARTS:
            yield reasons.few_starts(starts)
        elif decisions.unstable[at]:
            spread = float(np.expm1(effects.error[at] * np.sqrt(starts)))
            stands = decisions.names[at] != VerdictName.REFUSED.value
            yield reasons.unstable(float(decisions.detectable[at]), spread, self._rules.unstable, beyond=stands)

    def _within(self, one: _Comparison, share: float) -> Iterator[Within]:
        """Of two keys that interact, what the first does at each value of the second."""
        if len(one.contrast.factors) != 2:
            return
        (first, second), (level, other) = one.contrast.factors, one.contrast.levels
        for second_level in (0, other):
            simple = factorial.contrast(self._grid.shape, (first,), (level,), ((second, second_level),))
            effect = over_blocks(self._blocks(one.contender, simple, one.numbers)[None, :])
            wide = 1 - (1 - self._rules.confidence) * share
            middle = float(effect.effect[0])
            half = float((quantile(wide, effect.freedom) * effect.error)[0])
            yield Within(
                level=self._grid.factors[second].levels[second_level],
                ratio=float(np.exp(middle)),
                low=float(np.exp(middle - half)),
                high=float(np.exp(middle + half)),
            )


def _cells(record: Record, grid: Grid, analyses: Mapping[str, MetricAnalysis]) -> Iterator[Cell]:
    spec = record.spec
    for temperature in spec.temperatures:
        sums = {metric: _sums(analyses.get(metric), temperature) for metric in METRICS}
        for of, members in grid.members.items():
            for name, levels in zip(members, grid.cells, strict=True):
                manifest = record.manifest_of(name)
                wall, cpu, read = (sums[metric].get(name) for metric in METRICS)
                yield Cell(
                    contender=name,
                    of=of,
                    layout=spec.contender(name).layout,
                    levels=levels,
                    files=len(manifest.files) if manifest else None,
                    bytes=manifest.bytes if manifest else None,
                    wall_s=wall,
                    cpu_s=cpu,
                    parallelism=cpu / wall if wall and cpu else None,
                    bytes_read=read,
                    temperature=temperature,
                )


def _sums(analysis: MetricAnalysis | None, temperature: str) -> dict[str, float]:
    """By contender over all operations that anybody has; none of one that lacks an operation."""
    timings = [one for one in analysis.timings if one.temperature == temperature] if analysis else []
    operations = {one.operation for one in timings}
    found: dict[str, dict[str, float]] = {}
    for one in timings:
        found.setdefault(one.contender, {})[one.operation] = one.median
    return {name: sum(sums.values()) for name, sums in found.items() if sums.keys() == operations}
