"""The first screen as data; a terminal, a page and Markdown only give it a form."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from weigh.experiment.report.cold import question
from weigh.experiment.report.first_screen import agreement, by_template, context, headline, overall
from weigh.experiment.report.first_screen.outlook import Outlook, outlooks, why
from weigh.experiment.report.first_screen.pair import (
    ALIKE,
    DIFFERENT,
    FAILED,
    OPEN,
    UNSUPPORTED,
    loss,
    not_compared,
    pairs,
)
from weigh.experiment.report.no_verdicts import disturbed
from weigh.model import codes, units
from weigh.model.text import begun, one_line
from weigh.model.verdict import TierName, VerdictName
from weigh.render import words
from weigh.verdict.refusals.disqualified import disqualified

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from weigh.experiment.report.first_screen.pair import Pair
    from weigh.experiment.results.results import ExperimentResults
    from weigh.model.units import Seconds
    from weigh.model.verdict import Timing, Verdict


@dataclass(frozen=True, slots=True)
class Line:
    """One operation at one temperature.

    Attributes:
        question: as a table names it.
        baseline_s: the baseline's median; None where it may not be shown.
        seconds: medians of the other contenders, in the order of the screen.
        verdicts: of the same; None where there is none.
        alone: the baseline's times, where it has them.
        noise: how far the baseline's two arms are apart, a fraction.
        undecided: whether answers differ and nothing tells who is right.
        template: whether it is a template, which stands for operations that differ like it.
    """

    question: str
    baseline_s: Seconds | None
    seconds: tuple[Seconds | None, ...]
    verdicts: tuple[Verdict | None, ...]
    alone: Timing | None
    noise: float | None
    undecided: bool = False
    template: bool = False

    @property
    def matters(self) -> bool:
        """Whether anything on it differs."""
        return any(one and one.verdict in DIFFERENT for one in self.verdicts)

    @property
    def fails(self) -> bool:
        """Whether somebody is SLOWER on it: with a baseline that was declared it fails the run."""
        return any(one and one.verdict is VerdictName.SLOWER for one in self.verdicts)

    @property
    def size(self) -> float:
        """The largest difference on it, as a logarithm."""
        differing = [one for one in self.verdicts if one and one.verdict in DIFFERENT and one.ratio]
        return max((abs(math.log(one.ratio or 1)) for one in differing), default=0.0)


@dataclass(frozen=True, slots=True)
class Group:
    """Operations of which the same is reported.

    Attributes:
        questions: as a table names them.
        sign: name of their verdicts.
        meaning: what is reported.
        rows: of what is open, the row of the table that each may have.
    """

    questions: tuple[str, ...]
    sign: str
    meaning: str
    rows: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Mean:
    """The geometric mean over all operations, with the spread that it hides.

    Attributes:
        contender, temperature: whose, and when.
        operations: how many.
        mean, low, high: of the ratios: geometric mean, smallest, largest.
        interval: of the mean, where it is judged; None where it is not.
    """

    contender: str
    temperature: str
    operations: int
    mean: float
    low: float
    high: float
    interval: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class FirstScreen:
    """Everything on it.

    Attributes:
        wrong: who gave wrong answers, with the first cell.
        warning: what disturbed most of it, a heading and what to do.
        says: the sentences.
        tier: what the evidence is good for; None where nothing was timed.
        why: the first reason why it is not good for more.
        took_s: seconds of measuring; None where nobody was timed.
        confidence: of the intervals, per cent.
        baseline, others: names of the contenders.
        lines: templates that differ, then operations that differ otherwise than their template, the largest difference
            first, after those on which somebody is SLOWER than a baseline that was declared; then, where all operations
            are judged together, the others that have a ratio, what is open first; where nothing is compared, all.
        groups: templates that do not, then operations, the same first, then what is open.
        means: over all operations.
        builds: which were measured; empty where all versions are of the index.
        context: what data is read, totals and CPU time.
        machine: whether it was quiet.
        notes: how many findings there are.
        notice: what every report of this workload must say; empty where it is nothing.
        to_do: what to do next.
        evidence: the directory, as the reader is to write it.
        page: whether the page is in it.
        again: the command that does it again; empty where it is not recorded.
    """

    wrong: tuple[str, ...]
    warning: tuple[str, ...]
    says: tuple[str, ...]
    tier: TierName | None
    why: str
    took_s: Seconds | None
    confidence: str
    baseline: str
    others: tuple[str, ...]
    lines: tuple[Line, ...]
    groups: tuple[Group, ...]
    means: tuple[Mean, ...]
    builds: str
    context: tuple[str, ...]
    machine: str
    notes: str
    notice: str
    to_do: tuple[str, ...]
    evidence: str
    page: bool
    again: str

    @property
    def compared(self) -> bool:
        """Whether there is anything to compare."""
        return bool(self.others)


def first_screen(results: ExperimentResults, evidence: str, room: int | None = None) -> FirstScreen:
    """What a person sees without asking for more.

    Args:
        results: what is to be reported.
        evidence: the directory, as the reader is to write it.
        room: characters of a ranking; None where it may have any number.
    """
    record, compared = results.record, pairs(results)
    timed = bool(results.headline.timings)
    others = tuple(dict.fromkeys(pair.contender for pair in compared))
    out = disqualified(results.findings)
    fit = tuple(one for one in results.headline.verdicts if one.contender not in out)
    open_groups = tuple(outlooks(fit, results.pace)) if timed else ()
    left = {"not compared": [one for one in results.headline.verdicts if one.contender in out and one.verdict in OPEN]}
    for one in filter(not_compared, fit):
        left.setdefault(f"not compared: {why(one)}", []).append(one)
    every = tuple(_lines(results, others)) if timed else ()
    warning, order = disturbed(results), _failing_first if record.spec.baseline_declared else _by_size
    differing = tuple(sorted((*_templates(results, others), *_apart(results, every, others)), key=order))
    return FirstScreen(
        wrong=headline.wrong(results),
        warning=(warning[0], warning[-1]) if warning else (),
        says=headline.headline(
            results,
            compared,
            tuple(overall.ranking(results, room)),
            tuple(overall.sentences(results)),
            overall.outcomes(results),
            tuple(by_template.sentences(results, compared)),
        ),
        tier=results.tier.name if results.tier else None,
        why=_why(results),
        took_s=results.measured_s if timed else None,
        confidence=f"{100 * record.spec.rules.confidence:g} %",
        baseline=record.spec.baseline,
        others=others,
        lines=(*differing, *_calm(results, every, differing)),
        groups=(
            *(Group(*one) for one in by_template.alike(results, others)),
            *_groups(every, open_groups, left if timed else {}, len(others)),
        ),
        means=tuple(_means(results, compared)),
        builds=context.builds(results),
        context=tuple(
            filter(
                None,
                (
                    *context.data(results),
                    *context.totals(results),
                    context.cpu(results),
                    context.money(results),
                    context.rebuilt(results),
                ),
            )
        )
        if timed
        else (),
        machine=context.machine(results),
        notes=context.notes(results),
        notice=record.notice,
        to_do=tuple(_to_do(results, open_groups)),
        evidence=evidence,
        page=record.end is not None,
        again=record.environment.command if record.environment else "",
    )


def _by_size(one: Line) -> tuple[bool, float]:
    return (not one.template, -one.size)


def _failing_first(one: Line) -> tuple[bool, bool, float]:
    return (not one.fails, *_by_size(one))


def _why(results: ExperimentResults) -> str:
    """The first reason for the tier, in words; a warning says it at more length."""
    if not results.tier or not results.tier.reasons or disturbed(results):
        return ""
    text, rest = words.first_reason(results.tier.reasons)
    if results.tier.reasons[0].code == codes.A8.code and agreement.unverified(results):
        # The headline has said of which.
        text = "those answers are not confirmed"
    return f"{str(results.tier.name).capitalize()}: {text}{rest}."


def _lines(results: ExperimentResults, others: Sequence[str]) -> Iterator[Line]:
    """Every operation at every temperature, in the order of the gate."""
    baseline = results.record.spec.baseline
    # Thousands of operations: what is looked up for each is made once.
    undecided = results.gate.undecided if results.gate else {}
    refuted = {name for names in (results.gate.refuted.values() if results.gate else ()) for name in names}
    for temperature in results.record.spec.temperatures:
        analysis = results.headline.at(temperature)
        verdicts = {(one.operation, one.contender): one for one in analysis.verdicts}
        timings = {(one.operation, one.contender): one for one in analysis.timings}
        floors = {one.operation: one.size for one in analysis.floors}
        known = {name for name, _ in (*verdicts, *timings)}
        for one in results.gate.operations if results.gate else ():
            name = one.operation
            if name not in known:
                continue
            alone = timings.get((name, baseline))
            yield Line(
                question=question(name, temperature),
                baseline_s=alone.median if alone else None,
                seconds=tuple(timing.median if (timing := timings.get((name, other))) else None for other in others),
                verdicts=tuple(verdicts.get((name, other)) for other in others),
                alone=alone,
                noise=floors.get(name),
                undecided=name in undecided and name not in refuted,
            )


def _templates(results: ExperimentResults, others: Sequence[str]) -> Iterator[Line]:
    """Templates that differ."""
    for name, of_it in by_template.differing(results, others):
        some = next(one for one in of_it if one)
        yield Line(
            question=name,
            baseline_s=by_template.seconds(results, some, some.verdict.baseline),
            seconds=tuple(by_template.seconds(results, some, other) for other in others),
            verdicts=tuple(one.verdict if one else None for one in of_it),
            alone=None,
            noise=None,
            template=True,
        )


def _apart(results: ExperimentResults, every: Sequence[Line], others: Sequence[str]) -> Iterator[Line]:
    """Operations that differ, and not only as their template does; where nothing is compared, all."""
    follows = by_template.follows(results)
    for one in every:
        differ = [verdict for verdict in one.verdicts if verdict and verdict.verdict in DIFFERENT]
        covered = ((verdict.operation, verdict.temperature, verdict.contender) in follows for verdict in differ)
        if not others or (differ and not all(covered)):
            yield one


def _calm(results: ExperimentResults, every: Sequence[Line], before: Sequence[Line]) -> Iterator[Line]:
    """Operations with a ratio on which nothing differs, those that are open first; of a suite's templates none."""
    # One operation has no overall ratio, and its own in the place of that.
    if results.templates or not (results.overall.verdicts or len(every) == 1):
        return
    rest = [
        one for one in every if one not in before and not one.undecided and any(v and v.ratio for v in one.verdicts)
    ]
    yield from sorted(rest, key=lambda one: _all(one, ALIKE))


def _groups(
    every: Sequence[Line], still_open: Sequence[Outlook], left: Mapping[str, Sequence[Verdict]], others: int
) -> Iterator[Group]:
    """What does not differ: the same, small, lost; then what is open and what it would take, and what is left out."""
    several = others > 1
    calm = [one for one in every if others and not one.matters]
    # With several contenders an operation is only the same where it is for all of them.
    for names, meaning in (((VerdictName.SAME,), "same within {}"), (ALIKE, "differ by less than {}")):
        same = [one for one in calm if _all(one, names) and not (names == ALIKE and _all(one, (VerdictName.SAME,)))]
        if same:
            margin = units.percent(max(v.margin for one in same for v in one.verdicts if v), 0)
            yield Group(tuple(one.question for one in same), str(names[-1]), meaning.format(margin))
    diverged = [one for one in every if _any(one, VerdictName.DIVERGED)]
    for name, lost, meaning in (
        (VerdictName.DIVERGED, [one for one in diverged if not one.undecided], "WRONG answer: not timed"),
        (VerdictName.DIVERGED, [one for one in diverged if one.undecided], "answers DIFFER: not timed"),
        (VerdictName.ERROR, [one for one in every if UNSUPPORTED in _losses(one)], UNSUPPORTED),
        (VerdictName.ERROR, [one for one in every if FAILED in _losses(one)], FAILED),
    ):
        if lost:
            yield Group(tuple(one.question for one in lost), str(name), meaning)
    for one in still_open:
        sign = str(one.verdicts[0].verdict)
        rows = tuple(question(each.operation, each.temperature) for each in one.verdicts)
        yield Group(one.places(several=several), sign, f"open: {one.needs}{words.plain_ratios(one.verdicts)}", rows)
    for clauses, verdicts in left.items():
        if verdicts:
            places = Outlook(tuple(verdicts), "").places(several=several)
            yield Group(places, str(VerdictName.REFUSED), clauses)


def _all(one: Line, names: Sequence[VerdictName]) -> bool:
    return all(verdict and verdict.verdict in names for verdict in one.verdicts)


def _any(one: Line, name: VerdictName) -> bool:
    return any(verdict and verdict.verdict is name for verdict in one.verdicts)


def _losses(one: Line) -> set[str]:
    return {loss(verdict) for verdict in one.verdicts if verdict and verdict.verdict is VerdictName.ERROR}


def _means(results: ExperimentResults, compared: Sequence[Pair]) -> Iterator[Mean]:
    judged = {(one.verdict.contender, one.verdict.temperature): one for one in overall.against_baseline(results)}
    for pair in compared:
        if found := judged.get((pair.contender, pair.temperature)):
            one = found.verdict
            ratios = [part.ratio for part in pair.verdicts if part.ratio and part.operation in found.operations]
            assert one.ratio and one.low and one.high
            spread = one.ratio, min(ratios), max(ratios)
            yield Mean(pair.contender, pair.temperature, len(ratios), *spread, interval=(one.low, one.high))
            continue
        mean = headline.geometric_mean(results, pair)
        if mean is not None:
            ratios = [one.ratio for one in pair.verdicts if one.ratio]
            yield Mean(pair.contender, pair.temperature, len(ratios), mean, min(ratios), max(ratios))


def _to_do(results: ExperimentResults, still_open: Sequence[Outlook]) -> Iterator[str]:
    """What would make more of it."""
    if results.record.end is None:
        yield "Go on where it ended: the same command with --resume."
    if results.gate and results.gate.contradicted:
        which = "wrong answers" if results.gate.refuted else "answers that differ"
        yield f"Look at the {which} below: an operation with one is timed for nobody."
    for one in still_open:
        places = one.places(several=len(results.record.spec.contenders) > 2)
        again = ". The same command again adds its starts to these" if one.timely else ""
        yield f"{agreement.named(places, 6)} {'is' if len(places) == 1 else 'are'} open: {one.needs}{again}."
    for remedy in context.remedies(results):
        yield f"{one_line(begun(remedy), 300).rstrip('.')}."
