"""The verdicts: every operation and contender in one table, on one axis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from weigh.experiment.report import summary
from weigh.experiment.report.cold import question
from weigh.model import units
from weigh.model.verdict import VerdictName
from weigh.render import words
from weigh.render.svg.interval import Axis

if TYPE_CHECKING:
    from markupsafe import Markup

    from weigh.experiment.report.contenders import Contenders, Mark
    from weigh.experiment.results.analysis import MetricAnalysis
    from weigh.experiment.results.results import ExperimentResults
    from weigh.model.verdict import Reason, Suite, Timing, Verdict

_CLAIMS_NOTHING = (VerdictName.REFUSED, VerdictName.DIVERGED, VerdictName.ERROR)


@dataclass(frozen=True, slots=True)
class Row:
    """One contender on one operation; what has no figure is empty.

    Attributes:
        who: the contender.
        median, cv, ratio, interval, fcr: printed.
        plot: the interval on the table's axis.
        sign: class and sign of the verdict; ``baseline`` for it.
        verdict: in words.
        reasons: why, and warnings.
        temperature: of the executions.
    """

    who: Mark
    median: str
    cv: str
    ratio: str
    interval: str
    fcr: str
    plot: Markup
    sign: str
    verdict: str
    reasons: tuple[Reason, ...]
    temperature: str


@dataclass(frozen=True, slots=True)
class Group:
    """One operation at one temperature.

    Attributes:
        name: of the operation.
        title: what the table calls it.
        anchor: of its part of the page.
        rows: of its contenders.
    """

    name: str
    title: str
    anchor: str
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class SuiteRow:
    """One contender over the whole workload.

    Attributes:
        who: the contender.
        suite: the mean and its spread, or who is missing.
        plot: every ratio that claims something, on the table's axis.
        counts: verdicts by name.
    """

    who: Mark
    suite: Suite
    plot: Markup
    counts: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Verdicts:
    """The whole part.

    Attributes:
        groups: by operation, in the order of the gate.
        suites: by contender.
        missing: sentences on members of the suite without a ratio.
        axis: of all plots.
        head: labels of the axis.
        ground: what lies behind every plot, defined once.
        level: of the interval, per cent.
        family, selected: comparisons over which false discoveries are controlled, and how many matter.
    """

    groups: tuple[Group, ...]
    suites: tuple[SuiteRow, ...]
    missing: tuple[str, ...]
    axis: Axis
    head: Markup
    ground: Markup
    level: str
    family: int
    selected: int


def verdicts(results: ExperimentResults, contenders: Contenders, anchors: dict[str, str]) -> Verdicts | None:
    """The part on wall time, None where nothing is reported of it."""
    analysis = results.headline
    if not analysis.verdicts and not analysis.timings:
        return None
    rules = results.record.spec.rules
    all_ratios = (*analysis.verdicts, *(one.verdict for one in results.templates))
    axis = Axis(all_ratios, analysis.floors, rules.margin)
    groups = []
    for temperature in results.record.spec.temperatures:
        table = _Table(analysis.at(temperature), contenders, axis, temperature)
        for operation, anchor in anchors.items():
            if rows := table.rows(operation):
                groups.append(Group(operation, question(operation, temperature), anchor, rows))
    return Verdicts(
        groups=tuple(groups),
        suites=tuple(_suite(one, analysis, contenders, axis) for one in results.suites),
        missing=_missing(results),
        axis=axis,
        head=axis.head(),
        ground=axis.ground(),
        level=f"{100 * rules.confidence:g} %",
        family=analysis.family,
        selected=analysis.selected,
    )


class _Table:
    """The rows of one metric at one temperature."""

    def __init__(self, analysis: MetricAnalysis, contenders: Contenders, axis: Axis, temperature: str) -> None:
        self._cast, self._axis, self._temperature = contenders, axis, temperature
        self._verdicts = {(one.operation, one.contender): one for one in analysis.verdicts}
        self._timings = {(one.operation, one.contender): one for one in analysis.timings}
        self._floors = {one.operation: one for one in analysis.floors}

    def rows(self, operation: str) -> tuple[Row, ...]:
        """Those of one operation."""
        found = []
        for who in self._cast.everybody:
            verdict, timing = self._verdicts.get((operation, who.name)), self._timings.get((operation, who.name))
            if verdict:
                median, cv = (units.seconds(timing.median), units.percent(timing.cv)) if timing else ("", "")
                found.append(compared(who, verdict, self._axis, median, cv))
            elif timing:
                found.append(self._alone(who, timing, operation))
        return tuple(found)

    def _alone(self, who: Mark, timing: Timing, operation: str) -> Row:
        """The baseline, or a contender without a comparison."""
        floor = self._floors.get(operation) if who.baseline else None
        return Row(
            who=who,
            median=units.seconds(timing.median),
            cv=units.percent(timing.cv),
            ratio=f"{floor.ratio:.3f}" if floor else "",
            interval=_interval(floor.low, floor.high) if floor else "",
            fcr="",
            plot=self._axis.floor(floor) if floor else self._axis.nothing(),
            sign="baseline",
            verdict=f"baseline, noise floor {units.percent(floor.size)}" if floor else "not compared",
            reasons=(),
            temperature=self._temperature,
        )


def compared(who: Mark, verdict: Verdict, axis: Axis, median: str, cv: str = "") -> Row:
    """The row of a verdict; median and coefficient of variation as they are printed."""
    return Row(
        who=who,
        median=median,
        cv=cv,
        ratio=words.ratio(verdict),
        interval=_interval(verdict.low, verdict.high),
        fcr=_interval(verdict.low_fcr, verdict.high_fcr),
        plot=axis.row(verdict),
        sign=str(verdict.verdict),
        verdict=words.verdict(verdict),
        reasons=verdict.reasons,
        temperature=verdict.temperature,
    )


def _interval(low: float | None, high: float | None) -> str:
    return words.interval(low, high, "–")


def _missing(results: ExperimentResults) -> tuple[str, ...]:
    if not any(one.missing for one in results.suites):
        return ()
    return tuple(summary.suites(results))


def _suite(suite: Suite, analysis: MetricAnalysis, contenders: Contenders, axis: Axis) -> SuiteRow:
    members = [one for one in analysis.at(suite.temperature).verdicts if one.contender == suite.contender]
    counts: dict[str, int] = {}
    for one in members:
        counts[str(one.verdict)] = counts.get(str(one.verdict), 0) + 1
    return SuiteRow(
        who=next(who for who in contenders.everybody if who.name == suite.contender),
        suite=suite,
        plot=axis.strip([one for one in members if one.verdict not in _CLAIMS_NOTHING], suite.mean),
        counts=tuple(counts.items()),
    )
