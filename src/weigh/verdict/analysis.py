"""The judge: observations and what precludes a verdict in, verdicts with their reasons out. A pure function."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from weigh.model.rules import FULL_STARTS, MIN_STARTS
from weigh.model.verdict import Rebuilt, Verdict, VerdictName
from weigh.statistics.student_t import quantile
from weigh.verdict import clickhouse_rule, reasons, refusals, totals
from weigh.verdict.analysis_model import Analysis, NoiseFloor
from weigh.verdict.comparison import compare, self_comparison
from weigh.verdict.decide import decide
from weigh.verdict.refusals import soundness
from weigh.verdict.refusals.preclusions import Ruling

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.model.verdict import Reason, SecondOpinion, Total
    from weigh.verdict.analysis_model import Inquiry
    from weigh.verdict.comparison import Comparisons
    from weigh.verdict.decide import Decisions
    from weigh.verdict.question import Question
    from weigh.verdict.table import Table

_ALARM = 0.001
"""P-value below which a warning about an assumption is given."""
_CLAIMS = {VerdictName.SLOWER, VerdictName.FASTER, VerdictName.SMALL}


def analyse(table: Table, inquiry: Inquiry) -> Analysis:
    """Judges every contender against the baseline on every question.

    A question on which all values are missing or zero gives no verdict; one that nobody measured is refused.
    """
    return _Session(table, inquiry).analysis()


class _Session:
    """One call of :func:`analyse`."""

    def __init__(self, table: Table, inquiry: Inquiry) -> None:
        self.table, self.inquiry = table.under(inquiry.rules), inquiry
        self.metric, self.rules, self.preclusions = inquiry.metric, inquiry.rules, inquiry.preclusions
        self.number = {question: number for number, question in enumerate(table.questions)}
        self.contender = {name: number for number, name in enumerate(table.contenders)}
        self.baseline = self.contender[inquiry.baseline]
        self.unusable, self.executions = table.unusable(), table.executions()
        self.opinions: dict[tuple[Question, str], SecondOpinion] = {}
        self.totals: Decisions | None = None

    def analysis(self) -> Analysis:
        """Everything, in the order of the questions."""
        rows = {
            (question, candidate): self._ruling(question, candidate)
            for question in self.inquiry.questions
            for candidate in self.table.contenders
            if candidate != self.inquiry.baseline and self._applicable(question, candidate)
        }
        pairs = [pair for pair, ruling in rows.items() if ruling is None]
        numbers = [(self.number[question], self.contender[candidate]) for question, candidate in pairs]
        compared = compare(self.table, numbers, self.baseline)
        clock = self.metric.unit.clock
        if clock:
            compared = soundness.with_rounding(compared)
        refused = np.array([any(self._refused(pair)) for pair in pairs], dtype=np.bool_)
        refused |= soundness.unfit(compared, self.table.attempts, self.rules, clock=clock)
        share = np.array([self.inquiry.shares.get(question.operation, 1.0) for question, _ in pairs])
        # Two questions about the time, and half of the false discoveries for each.
        rules = totals.halved(self.rules) if self.inquiry.totals else self.rules
        decisions = decide(compared.effects, compared.starts, rules, refused, share)
        decisions = replace(decisions, names=soundness.no_same(decisions.names, compared, rules))
        if self.inquiry.totals:
            self.totals = totals.decide_totals(compared, rules, refused, share)
        if self.inquiry.second_opinion:
            self.opinions = dict(zip(pairs, clickhouse_rule.opinions(self.table, numbers, self.baseline), strict=True))
        place = {pair: at for at, pair in enumerate(pairs)}
        return Analysis(
            verdicts={
                pair: self._decided(pair, place[pair], compared, decisions)
                if ruling is None
                else self._verdict(pair, ruling.name, (ruling.reason,))
                for pair, ruling in rows.items()
            },
            floors=dict(self._floors()),
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
        if (ruling := self.preclusions.of(question.operation, candidate, self.inquiry.baseline)) is not None:
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
        why = (*self._refused(pair), *self._reasons(name, at, compared, decisions, whole))
        starts, runs = int(compared.starts[at]), int(compared.runs[at])
        effect = float(compared.effects.effect[at])
        if starts < MIN_STARTS or not np.isfinite(effect):
            median = float(compared.median[at])
            plain = self._ratio(median) if name is VerdictName.REFUSED and np.isfinite(median) else None
            return self._verdict(pair, name, why, plain_ratio=plain, starts=starts, runs=runs)
        low, high = self._interval(effect, float(decisions.half[at]))
        in_family = name is not VerdictName.REFUSED
        ends = self._interval(effect, float(decisions.half_fcr[at])) if in_family else (None, None)
        floor = float(compared.floor[at])
        return self._verdict(
            pair,
            name,
            why,
            ratio=self._ratio(effect),
            low=low,
            high=high,
            low_fcr=ends[0],
            high_fcr=ends[1],
            median_ratio=self._ratio(float(compared.median[at])),
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
        return refusals.reasons(self.inquiry.refused, *pair, self.inquiry.baseline)

    def _reasons(
        self, name: VerdictName, at: int, compared: Comparisons, decisions: Decisions, whole: Total | None
    ) -> Iterator[Reason]:
        """Why the verdict is what it is, then warnings about assumptions."""
        starts, rules = int(compared.starts[at]), self.rules
        effect, error = float(compared.effects.effect[at]), float(compared.effects.error[at])
        median, floor = float(compared.median[at]), float(compared.floor[at])
        if starts < MIN_STARTS:
            yield reasons.few_starts(starts)
            return
        if not np.isfinite(effect):
            few = int(compared.builds[at])
            yield reasons.few_builds(few) if few else reasons.apart()
            return
        yield from soundness.why(compared, at, self.table.attempts, rules, clock=self.metric.unit.clock)
        if decisions.unstable[at]:
            spread = float(np.expm1(error * np.sqrt(starts)))
            beyond = name is not VerdictName.REFUSED
            yield reasons.unstable(float(decisions.detectable[at]), spread, rules.unstable, beyond=beyond)
        if compared.carried[at]:
            # After what refuses it: by its first reason a mean tells whether it can have it.
            yield reasons.carried(float(compared.carried[at]))
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
            yield reasons.medians(self._ratio(median))
        if name in _CLAIMS and abs(effect) <= abs(floor):
            yield reasons.within_floor(abs(float(np.expm1(floor))))
        if error == 0 and self.metric.unit.clock:
            yield reasons.constant()
        if error > 0 and compared.p_trend[at] < _ALARM:
            yield reasons.trend()

    def _verdict(
        self, pair: tuple[Question, str], name: VerdictName, why: tuple[Reason, ...], **figures: object
    ) -> Verdict:
        """A verdict with what all verdicts of the session share."""
        question, candidate = pair
        operation = question.operation
        contenders = (candidate, self.inquiry.baseline)
        marks = [
            reason
            for contender in contenders
            if (doubt := self.preclusions.doubts.get(contender)) is not None
            for reason in reasons.doubted(contender, doubt, operation)
        ]
        failed = name in (VerdictName.DIVERGED, VerdictName.ERROR)
        if not failed and any((operation, contender) in self.preclusions.unverified for contender in contenders):
            marks.append(reasons.unverified())
        return Verdict(
            operation=operation,
            contender=candidate,
            baseline=self.inquiry.baseline,
            verdict=name,
            metric=self.metric.name,
            temperature=question.temperature,
            confidence=self.rules.confidence,
            share=self.inquiry.shares.get(operation, 1.0),
            margin=self.rules.margin,
            second_opinion=self.opinions.get(pair),
            reasons=(*why, *marks),
            **figures,  # type: ignore[arg-type]
        )

    def _floors(self) -> Iterator[tuple[Question, NoiseFloor]]:
        """Noise floors of what may be given."""
        floor, starts = self_comparison(self.table, self.baseline)
        half = quantile(self.rules.confidence, floor.freedom) * floor.error
        for question in self.inquiry.questions:
            at = self.number.get(question)
            if at is None or not np.isfinite(floor.effect[at]):
                continue
            if self.preclusions.allows(question.operation, self.inquiry.baseline):
                effect, (low, high) = float(floor.effect[at]), self._interval(floor.effect[at], half[at])
                yield (
                    question,
                    NoiseFloor(
                        operation=question.operation,
                        metric=self.metric.name,
                        temperature=question.temperature,
                        ratio=self._ratio(effect),
                        low=low,
                        high=high,
                        starts=int(starts[at]),
                    ),
                )

    def _ratio(self, effect: float) -> float:
        """The ratio as it is read: where more is better, above 1 is more of it, and the effect is that on its cost."""
        ratio = float(np.exp(effect))
        return 1 / ratio if self.metric.unit.more_is_better else ratio

    def _interval(self, effect: float, half: float) -> tuple[float, float]:
        low, high = self._ratio(effect - half), self._ratio(effect + half)
        return (high, low) if self.metric.unit.more_is_better else (low, high)


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
