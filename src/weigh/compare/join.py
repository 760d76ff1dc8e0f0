"""The join: contenders of two sessions compared through a reference that took part in both. A pure function.

The opinion of this file: what the machine was like in a session multiplies the times of all its contenders alike.
Then ``(candidate / reference) of the second session over (candidate / reference) of the first`` is free of the
machine, and a time of one session over a time of the other is not (T5). In logarithms it is the difference of two
effects of :mod:`weigh.verdict.comparison`, with the variances of both (:mod:`weigh.statistics.welch`). The decisions
are those of one session, over the family of this join.

The assumption cannot be proven from two sessions. What can be seen of it: whether the reference itself moved alike on
all operations (:mod:`weigh.compare.reference_shift`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from weigh.compare import reasons as join_reasons
from weigh.compare.model import Joined, Joining
from weigh.compare.reference_shift import reference_shift
from weigh.experiment.results.analysis import observed
from weigh.experiment.results.preclusions import preclusions
from weigh.model.metrics.run_metrics import HEADLINE, RUN_METRICS
from weigh.model.rules import FULL_STARTS, MIN_STARTS
from weigh.model.verdict import VerdictName
from weigh.statistics.welch import welch
from weigh.verdict import reasons, refusals, totals
from weigh.verdict.comparison import compare
from weigh.verdict.decide import decide, starts_needed
from weigh.verdict.question import Question
from weigh.verdict.refusals import soundness
from weigh.verdict.refusals.preclusions import Ruling
from weigh.verdict.timings import plain_ratio

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from weigh.compare.model import Key, Side
    from weigh.model.rules import Rules
    from weigh.model.verdict import Reason, Total
    from weigh.statistics.arrays import Bools, Floats, Ints
    from weigh.statistics.effects import Effects
    from weigh.verdict.comparison import Comparisons
    from weigh.verdict.decide import Decisions
    from weigh.verdict.table import Table


_ALARM = 0.001
_CLAIMS = {VerdictName.SLOWER, VerdictName.FASTER, VerdictName.SMALL}


def join(
    first: Side,
    second: Side,
    pairs: Sequence[tuple[str, str]],
    operations: Sequence[str],
    rules: Rules,
    *,
    unlike: Mapping[str, Reason],
    doubted: Mapping[Key, Reason] | None = None,
    metric: str = HEADLINE,
) -> Joining:
    """Judges contenders of the second session against contenders of the first.

    Args:
        first: the session of the baselines.
        second: the session of the candidates.
        pairs: (candidate of the second, baseline of the first); neither is the reference.
        operations: names, in the order of the verdicts.
        rules: margin and error rates.
        unlike: operations that are not the same in both sessions, with the reason why they are refused.
        doubted: comparisons that another clock decides otherwise, with the reason why they are refused.
        metric: field of the samples to judge.
    """
    sides = tuple(_Half(side, observed(side.samples, metric, side.contenders).under(rules)) for side in (first, second))
    if metric != HEADLINE and not all((half.table.value > 0).any() for half in sides):
        return Joining()
    return _Join(sides[0], sides[1], rules, metric, unlike, doubted or {}).joining(pairs, operations)


def decided(
    effects: tuple[Effects, Effects],
    starts: tuple[Ints, Ints],
    rules: Rules,
    refused: Bools | None = None,
    share: float | Floats = 1.0,
) -> tuple[Effects, Decisions]:
    """The joined effects with what is decided about them.

    Args:
        effects: of the first and the second session.
        starts: blocks of each; the smaller number must suffice for a verdict.
        rules: margin and error rates.
        refused: comparisons that are refused whatever they show, because of what the machine did in a session.
        share: part of the error rates that the figures of a comparison have: the smaller one of the two sessions.
    """
    joined, fewer = welch(*effects), np.minimum(*starts)
    decisions = decide(joined, fewer, rules, refused, share)
    # As if both sessions had the smaller number of starts, so that the plan is a number of starts for each of them.
    variance = sum(effect.error**2 * count for effect, count in zip(effects, starts, strict=True))
    size, margin = np.abs(joined.effect), float(np.log1p(rules.margin))
    level = np.where(size > margin, decisions.level_fcr, 1 - 2 * rules.equivalence)
    with np.errstate(invalid="ignore", divide="ignore"):
        error = np.sqrt(variance / fewer)
    needed = starts_needed(error, fewer, np.abs(size - margin), level)
    open_ = decisions.names == VerdictName.UNRESOLVED.value
    return joined, replace(decisions, needed=np.where(open_, needed, np.nan))


class _Half:
    """A session with its table."""

    def __init__(self, side: Side, table: Table) -> None:
        self.side, self.table = side, table
        self.preclusions = preclusions(side.samples, side.gate, side.doubts)
        # Sessions are joined on hot times only.
        self.operation = {one.operation: number for number, one in enumerate(table.questions)}
        self.contender = {name: number for number, name in enumerate(table.contenders)}
        self.unusable, self.executions = table.unusable(), table.executions()

    def count(self, operation: str, contender: str) -> tuple[int, int]:
        """Executions of the contender and the reference: those without a ratio, and all; zero if either has none."""
        number = self.operation.get(operation)
        both = [self.contender[contender], self.contender[self.side.reference]]
        if number is None or not self.executions[number, both].all():
            return 0, 0
        return int(self.unusable[number, both].sum()), int(self.executions[number, both].sum())

    @property
    def of_reference(self) -> tuple[Table, int]:
        """The table, and the number of the reference in it."""
        return self.table, self.contender[self.side.reference]

    def displays(self, operation: str) -> bool:
        """Whether times of the reference may be shown."""
        return self.preclusions.allows(operation, self.side.reference) and self.side.reference not in self.side.out

    def compared(self, pairs: Sequence[tuple[str, str]]) -> Comparisons:
        """(operation, contender) pairs against the reference."""
        numbers = [(self.operation[operation], self.contender[contender]) for operation, contender in pairs]
        return soundness.with_rounding(compare(self.table, numbers, self.contender[self.side.reference]))


class _Join:
    """One call of :func:`join`."""

    def __init__(
        self,
        first: _Half,
        second: _Half,
        rules: Rules,
        metric: str,
        unlike: Mapping[str, Reason],
        doubted: Mapping[Key, Reason],
    ) -> None:
        self.first, self.second = first, second
        self.rules, self.metric, self.unlike, self.doubted = rules, metric, unlike, doubted

    def joining(self, pairs: Sequence[tuple[str, str]], operations: Sequence[str]) -> Joining:
        """Join every pair of contenders on every operation, of this metric."""
        rows = {
            (operation, *pair): self._ruling(operation, *pair)
            for operation in operations
            for pair in pairs
            if self._applicable(operation, *pair)
        }
        open_ = [key for key, ruling in rows.items() if ruling is None]
        ones = self.first.compared([(operation, baseline) for operation, _, baseline in open_])
        others = self.second.compared([(operation, candidate) for operation, candidate, _ in open_])
        refused = np.array([any(self._refused(key)) for key in open_], dtype=np.bool_)
        clock = RUN_METRICS[self.metric].unit.clock
        for half, of in ((self.first, ones), (self.second, others)):
            refused |= soundness.unfit(of, half.table.attempts, self.rules, clock=clock)
        starts = ones.starts, others.starts
        halved = totals.halved(self.rules) if self.metric == HEADLINE else self.rules
        share = np.array(
            [min(side.side.share(operation) for side in (self.first, self.second)) for operation, *_ in open_]
        )
        effects, decisions = decided((ones.effects, others.effects), starts, halved, refused, share)
        whole, found = decided((ones.totals, others.totals), starts, totals.for_totals(halved), refused, share)
        found = totals.never_met(found, np.minimum(ones.executions, others.executions))
        figures = _Figures(ones, others, effects, decisions, whole, found)
        place = {key: at for at, key in enumerate(open_)}
        like = [name for name in operations if name not in self.unlike and self._displays(name)]
        return Joining(
            verdicts=tuple(
                self._decided(key, place[key], figures)
                if ruling is None
                else self._verdict(key, ruling.name, (ruling.reason,))
                for key, ruling in rows.items()
            ),
            movement=reference_shift(self.first.of_reference, self.second.of_reference, like),
            family=decisions.family,
            selected=decisions.selected,
        )

    @property
    def _both(self) -> tuple[_Half, _Half]:
        return self.first, self.second

    def _sides(self, candidate: str, baseline: str) -> tuple[tuple[_Half, str], tuple[_Half, str]]:
        return (self.first, baseline), (self.second, candidate)

    def _displays(self, operation: str) -> bool:
        return all(side.displays(operation) for side in self._both)

    def _applicable(self, operation: str, candidate: str, baseline: str) -> bool:
        """Whether there is a row: not where the metric is zero or missing throughout."""
        counts = [side.count(operation, name) for side, name in self._sides(candidate, baseline)]
        return all(executions == 0 or unusable < executions for unusable, executions in counts)

    def _ruling(self, operation: str, candidate: str, baseline: str) -> Ruling | None:
        """A verdict that needs no arithmetic, if there is one: wrong answers first, then failures."""
        sides = self._sides(candidate, baseline)
        for half in self._both:
            if (reason := half.preclusions.diverged.get(operation)) is not None:
                return Ruling(VerdictName.DIVERGED, join_reasons.reason_of(half.side.name, reason))
        for half in self._both:
            if (reason := half.preclusions.left_open.get(operation)) is not None:
                return Ruling(VerdictName.REFUSED, join_reasons.reason_of(half.side.name, reason))
        for half, contender in sides:
            for name in (contender, half.side.reference):
                if (reason := half.preclusions.failed.get((operation, name))) is not None:
                    return Ruling(VerdictName.ERROR, join_reasons.reason_of(half.side.name, reason))
        for half, contender in sides:
            for name in (contender, half.side.reference):
                if name in half.side.out:
                    return Ruling(VerdictName.REFUSED, join_reasons.reason_of(half.side.name, half.side.out[name]))
        if operation in self.unlike:
            return Ruling(VerdictName.REFUSED, self.unlike[operation])
        for half, contender in sides:
            unusable, executions = half.count(operation, contender)
            if executions == 0:
                return Ruling(VerdictName.REFUSED, join_reasons.few_starts(half.side.name, 0))
            if unusable:
                reason = reasons.no_ratio(RUN_METRICS[self.metric], unusable, executions)
                return Ruling(VerdictName.UNRESOLVED, join_reasons.reason_of(half.side.name, reason))
        return None

    def _refused(self, key: Key) -> Iterator[Reason]:
        """Why the machine forbids a verdict, in either session, or another clock."""
        operation, candidate, baseline = key
        for half, contender in self._sides(candidate, baseline):
            side = half.side
            for reason in refusals.reasons(side.refused, Question(operation), contender, side.reference, "reference"):
                yield join_reasons.reason_of(side.name, reason)
        if key in self.doubted:
            yield self.doubted[key]

    def _decided(self, key: Key, at: int, figures: _Figures) -> Joined:
        """The verdict of the comparison at position ``at``."""
        ones, others, decisions = figures.ones, figures.others, figures.decisions
        name = VerdictName(str(decisions.names[at]))
        found_reasons = (*self._refused(key), *self._reasons(name, at, figures))
        first, second = int(ones.starts[at]), int(others.starts[at])
        counted = {
            "starts": min(first, second),
            "starts_first": first,
            "starts_second": second,
            "runs": int(min(ones.runs[at], others.runs[at])),
        }
        effect = float(figures.effects.effect[at])
        if min(first, second) < MIN_STARTS or not np.isfinite(effect):
            plain = plain_ratio(float(figures.median(at))) if name is VerdictName.REFUSED else None
            return self._verdict(key, name, found_reasons, plain_ratio=plain, **counted)
        half, half_fcr = float(decisions.half[at]), float(decisions.half_fcr[at])
        in_family = name is not VerdictName.REFUSED
        floor = figures.floor(at)
        return self._verdict(
            key,
            name,
            found_reasons,
            ratio=float(np.exp(effect)),
            ratio_first=float(np.exp(ones.effects.effect[at])),
            ratio_second=float(np.exp(others.effects.effect[at])),
            low=float(np.exp(effect - half)),
            high=float(np.exp(effect + half)),
            low_fcr=float(np.exp(effect - half_fcr)) if in_family else None,
            high_fcr=float(np.exp(effect + half_fcr)) if in_family else None,
            median_ratio=float(np.exp(figures.median(at))),
            noise_floor=abs(float(np.expm1(floor))) if np.isfinite(floor) else None,
            detectable=float(decisions.detectable[at]),
            starts_needed=figures.needed(at),
            total=figures.total(at) if self.metric == HEADLINE else None,
            **counted,
        )

    def _reasons(self, name: VerdictName, at: int, figures: _Figures) -> Iterator[Reason]:
        """Why the verdict is what it is, then warnings about assumptions."""
        ones, others, decisions, rules = figures.ones, figures.others, figures.decisions, self.rules
        both = ((self.first.side.name, ones), (self.second.side.name, others))
        few = [(session, int(of.starts[at])) for session, of in both if of.starts[at] < MIN_STARTS]
        if few:
            yield join_reasons.few_starts(*few[0])
            return
        for session, of in both:
            if not np.isfinite(of.effects.effect[at]):
                yield join_reasons.apart(session)
                return
        clock = RUN_METRICS[self.metric].unit.clock
        for side, of in ((self.first, ones), (self.second, others)):
            for reason in soundness.why(of, at, side.table.attempts, rules, clock=clock):
                yield join_reasons.reason_of(side.side.name, reason)
        effect, error = float(figures.effects.effect[at]), float(figures.effects.error[at])
        if decisions.unstable[at]:
            stands = name is not VerdictName.REFUSED
            yield join_reasons.unstable(float(decisions.detectable[at]), rules.unstable, beyond=stands)
        if name is VerdictName.UNRESOLVED:
            half = float(decisions.half[at])
            yield join_reasons.unresolved(float(np.expm1(half)), abs(effect) > half, figures.needed(at))
        some = [(session, int(of.starts[at])) for session, of in both if of.starts[at] < FULL_STARTS]
        if some:
            yield join_reasons.some_starts(some)
        if name in _CLAIMS and figures.median(at) * effect < 0:
            yield reasons.medians(float(np.exp(figures.median(at))))
        if name in _CLAIMS and abs(effect) <= abs(figures.floor(at)):
            yield join_reasons.within_floor(abs(float(np.expm1(figures.floor(at)))))
        if error == 0 and RUN_METRICS[self.metric].unit.clock:
            yield reasons.constant()
        for session, of in both:
            if of.effects.error[at] > 0 and of.p_trend[at] < _ALARM:
                yield join_reasons.reason_of(session, reasons.trend())

    def _verdict(self, key: Key, name: VerdictName, found_reasons: tuple[Reason, ...], **figures: object) -> Joined:
        """A verdict with what all verdicts of the join share."""
        operation, candidate, baseline = key
        failed = name in (VerdictName.DIVERGED, VerdictName.ERROR)
        marks = [] if failed else list(self._marks(operation, candidate, baseline))
        return Joined(
            operation=operation,
            contender=candidate,
            baseline=baseline,
            reference=self.first.side.reference,
            verdict=name,
            metric=self.metric,
            confidence=self.rules.confidence,
            share=min(side.side.share(operation) for side in (self.first, self.second)),
            margin=self.rules.margin,
            reasons=(*found_reasons, *marks),
            **figures,  # type: ignore[arg-type]
        )

    def _marks(self, operation: str, candidate: str, baseline: str) -> Iterator[Reason]:
        """What is to be known about the contenders of a verdict, whatever it is."""
        for half, contender in self._sides(candidate, baseline):
            side = half.side
            for name in (contender, side.reference):
                if (doubt := side.doubts.get(name)) is not None:
                    for reason in reasons.doubted(name, doubt, operation):
                        yield join_reasons.reason_of(side.name, reason)
            if any((operation, name) in half.preclusions.unverified for name in (contender, side.reference)):
                yield join_reasons.reason_of(side.name, reasons.unverified())


@dataclass(frozen=True, slots=True)
class _Figures:
    """What was computed: of the first session, of the second, and of both."""

    ones: Comparisons
    others: Comparisons
    effects: Effects
    decisions: Decisions
    totals: Effects
    decided_totals: Decisions

    def total(self, at: int) -> Total | None:
        """What one waits in all."""
        return totals.total(float(self.totals.effect[at]), at, self.decided_totals)

    def median(self, at: int) -> float:
        """Logarithm of the joined ratio of the medians."""
        return float(self.others.median[at] - self.ones.median[at])

    def floor(self, at: int) -> float:
        """Logarithm of the reference's second arm over its first, joined; NaN where it has one arm somewhere."""
        return float(self.others.floor[at] - self.ones.floor[at])

    def needed(self, at: int) -> int | None:
        """Starts in each session that would settle it."""
        needed = float(self.decisions.needed[at])
        return int(needed) if np.isfinite(needed) else None
