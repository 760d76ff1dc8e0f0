"""The judge: samples and what the gate found in, verdicts with their reasons out. A pure function."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from weigh.model.spec import FULL_STARTS, MIN_STARTS
from weigh.model.verdict import Rebuilt, Verdict, VerdictName
from weigh.statistics.student_t import quantile
from weigh.verdict import clickhouse_rule, reasons, refusals, totals
from weigh.verdict.analysis_model import MetricAnalysis, NoiseFloor
from weigh.verdict.comparison import compare, self_comparison
from weigh.verdict.decide import decide
from weigh.verdict.question import Question
from weigh.verdict.refusals import soundness
from weigh.verdict.refusals.preclusions import Ruling, Rulings
from weigh.verdict.table import tabulate
from weigh.verdict.timings import plain_ratio, timings

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from weigh.model.answer import GateStatus
    from weigh.model.sample import Sample
    from weigh.model.spec import Spec
    from weigh.model.verdict import Reason, SecondOpinion, Timing, Total
    from weigh.verdict.analysis_model import Contradicted, Gate, Metric
    from weigh.verdict.comparison import Comparisons
    from weigh.verdict.decide import Decisions
    from weigh.verdict.refusals import Refusals
    from weigh.verdict.table import Table

_NOTHING: Mapping[str, Mapping[str, GateStatus]] = MappingProxyType({})
_NOBODY: Mapping[str, Collection[str]] = MappingProxyType({})
_ALARM = 0.001
"""P-value below which a warning about an assumption is given."""
_CLAIMS = {VerdictName.SLOWER, VerdictName.FASTER, VerdictName.SMALL}
_CLOCKS = {"wall_s", "cpu_s", "first_query_s"}
_TOTALLED = "wall_s"
"""The metric with a second question: one waits for wall time."""


def analyse(
    samples: Sequence[Sample],
    *,
    spec: Spec,
    gate: Gate = _NOTHING,
    contradicted: Contradicted = _NOBODY,
    metric: Metric = "wall_s",
    refused: Sequence[Refusals] = (),
    shares: Mapping[str, float] = MappingProxyType({}),
    totals_too: bool = True,
) -> MetricAnalysis:
    """Judges every contender against the baseline on every operation.

    Operations come in the order of the gate, then of ``spec.operations``, then by name. The order of the
    samples does not matter. A metric that no sample has gives an empty analysis; an operation whose values
    are all missing or zero gives no rows.

    Args:
        samples: of all attempts of the experiment, untimed and failed executions included.
        spec: the experiment; gives contenders, baseline and rules.
        gate: status of the answers by operation and contender. One DIVERGED makes the operation DIVERGED for
            all contenders.
        contradicted: operations on which a contender was contradicted, by contender; marks all its rows.
        metric: field of the samples to judge.
        refused: comparisons that are refused because of what the machine did meanwhile; their figures are kept.
        shares: part of the error rates that each operation has left, where sampling could end early; 1 where it is not
            named (:mod:`weigh.verdict.decide`).
        totals_too: whether wall time has its second question, what one waits in all. Not where a start gives one
            figure, such as a percentile, whose sum over the starts means nothing.
    """
    table = tabulate(samples, metric, (contender.name for contender in spec.contenders))
    if metric != "wall_s" and not (table.value > 0).any():
        return MetricAnalysis()
    rulings = Rulings(samples, gate)
    totalled = totals_too and metric == _TOTALLED
    return _Session(spec, metric, table, rulings, contradicted, refused, shares, totalled=totalled).analysis(gate)


class _Session:
    """One call of :func:`analyse`."""

    def __init__(
        self,
        spec: Spec,
        metric: Metric,
        table: Table,
        rulings: Rulings,
        contradicted: Contradicted,
        refused: Sequence[Refusals],
        shares: Mapping[str, float],
        *,
        totalled: bool,
    ) -> None:
        self.spec, self.metric, self.table, self.rulings = spec, metric, table, rulings
        self.totalled = totalled
        self.contradicted = contradicted
        self.found = refused
        self.shares = shares
        self.number = {question: number for number, question in enumerate(table.questions)}
        self.contender = {name: number for number, name in enumerate(table.contenders)}
        self.baseline = self.contender[spec.baseline]
        self.unusable, self.executions = table.unusable(), table.executions()
        self.opinions: dict[tuple[Question, str], SecondOpinion] = {}
        self.totals: Decisions | None = None

    def analysis(self, gate: Gate) -> MetricAnalysis:
        """Everything, in the order of the gate."""
        measured = {question.operation for question in self.number}
        others = sorted(measured | self.rulings.operations)
        asked = list(dict.fromkeys([*gate, *self.spec.operations, *others]))
        questions = [Question(one, temperature) for temperature in self.spec.temperatures for one in asked]
        rows = {
            (question, candidate): self._ruling(question, candidate)
            for question in questions
            for candidate in self.table.contenders
            if candidate != self.spec.baseline and self._applicable(question, candidate)
        }
        pairs = [pair for pair, ruling in rows.items() if ruling is None]
        numbers = [(self.number[question], self.contender[candidate]) for question, candidate in pairs]
        compared = compare(self.table, numbers, self.baseline)
        clock = self.metric in _CLOCKS
        if clock:
            compared = soundness.with_rounding(compared)
        refused = np.array([any(self._refused(pair)) for pair in pairs], dtype=np.bool_)
        refused |= soundness.unfit(compared, self.table.attempts, self.spec.rules, clock=clock)
        share = np.array([self.shares.get(question.operation, 1.0) for question, _ in pairs])
        # Two questions about the time, and half of the false discoveries for each.
        rules = totals.halved(self.spec.rules) if self.totalled else self.spec.rules
        decisions = decide(compared.effects, compared.starts, rules, refused, share)
        decisions = replace(decisions, names=soundness.no_same(decisions.names, compared, rules))
        if self.totalled:
            self.totals = totals.decide_totals(compared, rules, refused, share)
        if self.spec.rule == "clickhouse":
            self.opinions = dict(zip(pairs, clickhouse_rule.opinions(self.table, numbers, self.baseline), strict=True))
        place = {pair: at for at, pair in enumerate(pairs)}
        return MetricAnalysis(
            timings=tuple(self._timings(questions)),
            verdicts=tuple(
                self._decided(pair, place[pair], compared, decisions)
                if ruling is None
                else self._verdict(pair, ruling.name, (ruling.reason,))
                for pair, ruling in rows.items()
            ),
            floors=tuple(self._floors(questions)),
            family=decisions.family,
            selected=decisions.selected,
        )

    def _usable(self, question: Question, candidate: str) -> tuple[int, int]:
        """Executions of both sides: those without a ratio, and all."""
        number = self.number.get(question)
        if number is None:
            return 0, 0
        both = [self.contender[candidate], self.baseline]
        return int(self.unusable[number, both].sum()), int(self.executions[number, both].sum())

    def _applicable(self, question: Question, candidate: str) -> bool:
        """Whether there is a row: not where the metric is zero or missing throughout."""
        unusable, executions = self._usable(question, candidate)
        return executions == 0 or unusable < executions

    def _ruling(self, question: Question, candidate: str) -> Ruling | None:
        """A verdict that needs no arithmetic, if there is one."""
        if (ruling := self.rulings.of(question.operation, candidate, self.spec.baseline)) is not None:
            return ruling
        unusable, executions = self._usable(question, candidate)
        if executions == 0:
            return Ruling(VerdictName.REFUSED, reasons.few_starts(0))
        if unusable:
            # Why the machine forbids a verdict is graver than a figure that is missing.
            refused = next(self._refused((question, candidate)), None)
            if refused is not None:
                return Ruling(VerdictName.REFUSED, refused)
            return Ruling(VerdictName.UNRESOLVED, reasons.no_ratio(self.metric, unusable, executions))
        return None

    def _decided(self, pair: tuple[Question, str], at: int, compared: Comparisons, decisions: Decisions) -> Verdict:
        """The verdict of the comparison at position ``at``."""
        name = VerdictName(str(decisions.names[at]))
        whole = totals.total(float(compared.totals.effect[at]), at, self.totals) if self.totals else None
        said = (*self._refused(pair), *self._reasons(name, at, compared, decisions, whole))
        starts, runs = int(compared.starts[at]), int(compared.runs[at])
        effect = float(compared.effects.effect[at])
        if starts < MIN_STARTS or not np.isfinite(effect):
            plain = plain_ratio(float(compared.median[at])) if name is VerdictName.REFUSED else None
            return self._verdict(pair, name, said, plain_ratio=plain, starts=starts, runs=runs)
        half, half_fcr = float(decisions.half[at]), float(decisions.half_fcr[at])
        in_family = name is not VerdictName.REFUSED
        floor = float(compared.floor[at])
        return self._verdict(
            pair,
            name,
            said,
            ratio=float(np.exp(effect)),
            low=float(np.exp(effect - half)),
            high=float(np.exp(effect + half)),
            low_fcr=float(np.exp(effect - half_fcr)) if in_family else None,
            high_fcr=float(np.exp(effect + half_fcr)) if in_family else None,
            median_ratio=float(np.exp(compared.median[at])),
            noise_floor=abs(float(np.expm1(floor))) if np.isfinite(floor) else None,
            detectable=float(decisions.detectable[at]),
            starts=starts,
            runs=runs,
            starts_needed=None if compared.builds[at] else _whole(decisions.needed[at]),
            total=whole,
            rebuilt=rebuilt(int(compared.builds[at]), float(compared.rebuilt[at])),
        )

    def _refused(self, pair: tuple[Question, str]) -> Iterator[Reason]:
        """Why the machine forbids a verdict."""
        return refusals.reasons(self.found, *pair, self.spec.baseline)

    def _reasons(
        self, name: VerdictName, at: int, compared: Comparisons, decisions: Decisions, whole: Total | None
    ) -> Iterator[Reason]:
        """Why the verdict is what it is, then warnings about assumptions."""
        starts, rules = int(compared.starts[at]), self.spec.rules
        effect, error = float(compared.effects.effect[at]), float(compared.effects.error[at])
        median, floor = float(compared.median[at]), float(compared.floor[at])
        if starts < MIN_STARTS:
            yield reasons.few_starts(starts)
            return
        if not np.isfinite(effect):
            few = int(compared.builds[at])
            yield reasons.few_builds(few) if few else reasons.apart()
            return
        yield from soundness.why(compared, at, self.table.attempts, rules, clock=self.metric in _CLOCKS)
        if decisions.unstable[at]:
            spread = float(np.expm1(error * np.sqrt(starts)))
            shown = name is not VerdictName.REFUSED
            yield reasons.unstable(float(decisions.detectable[at]), spread, rules.unstable, beyond=shown)
        if name is not VerdictName.REFUSED:
            yield from soundness.warnings(compared, at, rules)
        if name is VerdictName.UNRESOLVED:
            half = float(decisions.half[at])
            builds = int(compared.builds[at])
            # As many builds as starts: the scatter of the pairs is what must become smaller.
            needed = _whole(np.ceil(decisions.needed[at] * builds / starts) if builds else decisions.needed[at])
            of = "builds of each side, each with a start," if builds else "starts"
            yield reasons.unresolved(float(np.expm1(half)), abs(effect) > half, needed, of)
        if whole is not None and totals.contradicts(name, whole):
            yield reasons.total(whole)
        if starts < FULL_STARTS:
            yield reasons.some_starts(starts)
        if name in _CLAIMS and median * effect < 0:
            yield reasons.medians(float(np.exp(median)))
        if name in _CLAIMS and abs(effect) <= abs(floor):
            yield reasons.within_floor(abs(float(np.expm1(floor))))
        if error == 0 and self.metric in _CLOCKS:
            yield reasons.constant()
        if error > 0 and compared.p_trend[at] < _ALARM:
            yield reasons.trend()

    def _verdict(
        self, pair: tuple[Question, str], name: VerdictName, said: tuple[Reason, ...], **figures: object
    ) -> Verdict:
        """A verdict with what all verdicts of the session share."""
        (operation, temperature), candidate = pair
        contenders = (candidate, self.spec.baseline)
        marks = [
            reasons.contradicted(contender, elsewhere)
            for contender in contenders
            if (elsewhere := set(self.contradicted.get(contender, ())) - {operation})
        ]
        failed = name in (VerdictName.DIVERGED, VerdictName.ERROR)
        if not failed and self.rulings.unverified(operation, *contenders):
            marks.append(reasons.unverified())
        return Verdict(
            operation=operation,
            contender=candidate,
            baseline=self.spec.baseline,
            verdict=name,
            metric=self.metric,
            temperature=temperature,
            scale=self.spec.scale,
            layout=self.spec.layout_name(candidate),
            confidence=self.spec.rules.confidence,
            share=self.shares.get(operation, 1.0),
            margin=self.spec.rules.margin,
            second_opinion=self.opinions.get(pair),
            reasons=(*said, *marks),
            **figures,  # type: ignore[arg-type]
        )

    def _timings(self, questions: Sequence[Question]) -> Iterator[Timing]:
        """Timings of what may be shown."""
        found = timings(self.table, self.metric, scale=self.spec.scale)
        for question in questions:
            for contender in self.table.contenders:
                timing = found.get((question, contender))
                if timing is not None and self.rulings.shown(timing.operation, contender):
                    yield msgspec.structs.replace(timing, layout=self.spec.layout_name(contender))

    def _floors(self, questions: Sequence[Question]) -> Iterator[NoiseFloor]:
        """Noise floors of what may be shown."""
        floor, starts = self_comparison(self.table, self.baseline)
        half = quantile(self.spec.rules.confidence, floor.freedom) * floor.error
        for question in questions:
            at = self.number.get(question)
            if at is None or not np.isfinite(floor.effect[at]):
                continue
            if self.rulings.shown(question.operation, self.spec.baseline):
                yield NoiseFloor(
                    operation=question.operation,
                    metric=self.metric,
                    temperature=question.temperature,
                    ratio=float(np.exp(floor.effect[at])),
                    low=float(np.exp(floor.effect[at] - half[at])),
                    high=float(np.exp(floor.effect[at] + half[at])),
                    starts=int(starts[at]),
                )


def rebuilt(builds: int, spread: float) -> Rebuilt | msgspec.UnsetType:
    """What is told of several builds.

    Args:
        builds: groups of starts that share one; 0 where each side has one build.
        spread: what a build brings to its starts, a logarithm; NaN where that is not known.
    """
    if not builds:
        return msgspec.UNSET
    return Rebuilt(builds=builds, spread=float(np.expm1(spread)) if np.isfinite(spread) else None)


def _whole(number: float) -> int | None:
    """A number of starts, None where there is none."""
    return int(number) if np.isfinite(number) else None
