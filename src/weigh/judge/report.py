"""What `weigh judge` found as a report: for a terminal and as one self-contained HTML page."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from weigh.model import units
from weigh.model.text import one_line
from weigh.render import comparison, page
from weigh.render.blocks import (
    Cell,
    Column,
    Commands,
    Findings,
    Grade,
    Group,
    Lines,
    Page,
    Part,
    Row,
    Section,
    Table,
    titled,
)  # fmt: skip
from weigh.render.svg.interval import Axis
from weigh.render.terminal import report
from weigh.verdict import assumptions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from weigh.judge.results import JudgeResults
    from weigh.judge.series import SeriesFigure
    from weigh.model.verdict import Timing, Verdict

_FILES = 4
"""Files that are named; the JSON has them all."""
_SERIES = 4
"""Series that a terminal has alongside a comparison, which is what was asked for."""
_NAME = 60
_UNITS = (("s", 1.0), ("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9))
_DIGITS = 9
_NAMES = "operation, contender"
_HOW = "The numbers stand as they were measured. To have a verdict, measure in turn:"


def text(results: JudgeResults) -> RenderableType:
    """The report for a terminal."""
    subject, *files = _about(results)
    alone = results.baseline is None and not all(one.operation == "" for one in results.timings)
    many = bool(results.verdicts) and len(results.series) > _SERIES
    series = bool(results.series) and not many
    return report(
        Lines([Part(_headline(results), "bold")]),
        Lines([(Part("weigh judge", "bold"), f"  {subject}"), *(Part(line, "dim") for line in files)]),
        Grade(results.tier),
        _verdicts(results, _axis(results)) if results.verdicts else None,
        comparison.notes(list(_notes(results))) if results.verdicts else None,
        _times(results) if alone and not results.verdicts else None,
        Lines([f"{len(results.series)} series, one a log: --json has them all"], style="dim") if many else None,
        Section("Series", [_series(results)]) if series else None,
        _percentiles(results) if series else None,
        Lines(list(_of_series(results)), style="dim") if series else None,
        Findings(results.findings),
        Section(_HOW, [Commands(results.how)]) if results.how else None,
    )


def html(results: JudgeResults) -> bytes:
    """The report as a page."""
    axis = _axis(results)
    tables = [
        *([Section("Times", [_times(results)], "table-1")] if results.timings else []),
        *([Section("Series", [_series(results)], f"table-{1 + bool(results.timings)}")] if results.series else []),
    ]
    notes = comparison.notes(list(_notes(results)))
    heading = _headline(results)
    return page.page(
        Page(
            command="weigh judge",
            title=titled(results.tool, heading),
            heading=heading,
            head=[Lines(list(_about(results)), css="meta", most=400)],
            blocks=[
                *([Section("Verdicts", [_verdicts(results, axis)], "verdicts")] if results.verdicts else []),
                Grade(results.tier),
                *tables,
                Findings(results.findings),
                *([Section("Notes", [notes], "notes")] if results.verdicts else []),
                *([Section("What to do next", [Commands(results.how)], "next", listed=False)] if results.how else []),
            ],
            style=comparison.style("judge", "median", "CV"),
            ground=f"{axis.ground()}\n",
        )
    )


def _axis(results: JudgeResults) -> Axis:
    return Axis(results.verdicts, (), results.rules.margin)


def _about(results: JudgeResults) -> Iterator[str]:
    """What was read."""
    yield f"{results.tool}, {units.count(len(results.files), 'file')}"
    for one in results.files[:_FILES]:
        whose = ", ".join(map(_short, one.contenders))
        yield f"{one_line(one.path, 80)}: {whose}, {one.values:,} {results.events}"
    if len(results.files) > _FILES:
        yield f"and {len(results.files) - _FILES} more"


def _short(name: str) -> str:
    return one_line(name, _NAME)


def _named(name: str) -> Cell:
    return Cell(_short(name), page=name)


def _place(one: Verdict) -> tuple[str, ...]:
    """Contender and operation, those that have names."""
    return tuple(filter(None, (one.contender, one.operation)))


def _verdicts(results: JudgeResults, axis: Axis) -> Table:
    level = f"{100 * results.rules.confidence:g} %"
    verdicts = {(one.operation, one.contender): one for one in results.verdicts}
    timings = {(one.operation, one.contender): one for one in results.timings}
    contenders = list(dict.fromkeys([str(results.baseline), *(one.contender for one in results.verdicts)]))
    groups: dict[str, list[Row]] = {}
    for operation in dict.fromkeys([*(one.operation for one in results.verdicts), *(pair[0] for pair in timings)]):
        for name in contenders:
            timing, verdict = timings.get((operation, name)), verdicts.get((operation, name))
            if verdict is not None:
                row = comparison.row(verdict, _named(name), _figures(timing), axis)
            elif timing is not None:
                row = comparison.base(_named(name), _figures(timing), axis)
            else:
                continue
            groups.setdefault(operation, []).append(row)
    figures = [
        Column("starts", right=True, form="terminal"),
        Column(results.events, right=True, form="terminal"),
        Column("median", right=True),
        Column("CV", right=True),
    ]
    optional = ("FCR", results.events, "CV", "starts", "median", level, "ratio")
    return comparison.table(groups, figures, axis, level, command="judge", optional=optional)


def _figures(timing: Timing | None) -> tuple[str, ...]:
    if timing is None:
        return ("",) * 4
    runs = f"{timing.starts * timing.runs:,}"
    return str(timing.starts), runs, units.seconds(timing.median), units.percent(timing.cv)


def _times(results: JudgeResults) -> Table:
    rows = [
        Row([
            Cell(
                _short(one.operation or one.contender), page=", ".join(filter(None, (one.operation, one.contender)))
            ),
            str(one.starts), *(units.seconds(value) for value in (one.median, one.min, one.max)), units.percent(one.cv),
        ])
        for one in results.timings
    ]  # fmt: skip
    headings = ("starts", "median", "min", "max", "CV")
    columns = [Column(Cell(_NAMES, page="contender")), *(Column(one, right=True) for one in headings)]
    return Table(columns, [Group("", rows)], ("min", "max", "CV", "starts"))


def _notes(results: JudgeResults) -> Iterator[str]:
    """How to read the figures, and the reasons of verdicts."""
    rules = results.rules
    family = sum(one.low_fcr is not None for one in results.verdicts)
    yield f"In files of {results.tool}: {results.starts}."
    if family:
        yield (
            f"ratio: contender / {_short(str(results.baseline))}, above 1 is slower; one number for each round in "
            "which all took a turn. FCR: the interval that decides whether a difference matters."
        )
        yield (
            f"Rules: margin {units.percent(rules.margin)}, {100 * rules.confidence:g} % intervals, false discoveries "
            f"{units.percent(rules.fdr, 0)} over {units.count(family, 'comparison')}, equivalence at "
            f"{units.percent(rules.equivalence, 0)}. A margin means something if it was chosen before the runs."
        )
        yield assumptions.named(assumptions.VERDICTS)
    yield from comparison.reasons(results.verdicts, lambda one: ", ".join(map(_short, reversed(_place(one)))))
    for one in results.verdicts:
        if (opinion := one.second_opinion) is not None:
            yield f"{_short(one.operation or one.contender)}: {opinion.rule}'s rule says {opinion.name}"


def _series(results: JudgeResults) -> Table:
    level = f"{100 * results.series[0].mean.confidence:g} % interval"
    columns = [
        Column(Cell(_NAMES, page="series")),
        Column(results.events, right=True),
        Column("mean", right=True),
        Column(level, right=True),
        Column("naive", right=True, form="terminal"),
        Column("effective", right=True, form="terminal"),
        Column("percentiles", form="page"),
        Column(Cell("series", page="steady state")),
    ]
    rows = [
        Row([
            _series_name(one),
            f"{one.mean.count:,}",
            units.seconds(one.mean.mean),
            _between(one.mean.low, one.mean.high),
            _between(one.naive.low, one.naive.high),
            f"{one.mean.effective:,.0f}" if one.mean.effective is not None else "",
            ", ".join(f"{name} {value}" for name, value, _ in _resolved(one)),
            f"refused ({one.mean.refused.code})" if one.mean.refused else str(one.steady.shape),
        ])
        for one in results.series
    ]  # fmt: skip
    return Table(columns, [Group("", rows)], ("naive", "effective", results.events, "series"))


def _percentiles(results: JudgeResults) -> Table:
    level = f"{100 * results.series[0].mean.confidence:g} % interval"
    rows = [
        Row([_series_name(one) if at == 0 else "", *cells])
        for one in results.series
        for at, cells in enumerate(_resolved(one))
    ]
    headings = ("percentile", "value", level)
    return Table([Column(_NAMES), *(Column(one, right=True) for one in headings)], [Group("", rows)])


def _resolved(one: SeriesFigure) -> list[tuple[str, str, str]]:
    """Percentiles with their intervals; of a log whose order is lost, values alone."""
    return [
        (
            f"p{100 * part.q:g}",
            units.seconds(part.value) if part.resolved else "not resolved",
            _between(part.low, part.high),
        )
        for part in one.percentiles
    ] or [(f"p{100 * part.q:g}", units.seconds(part.value), "order lost") for part in one.quantiles]


def _of_series(results: JudgeResults) -> Iterator[str]:
    """How to read the series, and what is refused."""
    yield "naive: the interval that takes the values for independent, as many tools print it; no result of weigh."
    yield assumptions.named(assumptions.SERIES)
    yield from sorted(
        {
            f"{reason.code}: {_series_name(one)}: {one_line(reason.text)}"
            for one in results.series
            for reason in (one.mean.refused, one.steady.refused)
            if reason is not None
        }
    )


def _series_name(one: SeriesFigure) -> str:
    return ", ".join(_short(part) for part in (one.operation, one.contender) if part)


def _between(low: float | None, high: float | None) -> str:
    """An interval with the digits that its width deserves: three would make many of them look empty."""
    if low is None or high is None:
        return "refused"
    largest = max(abs(low), abs(high))
    unit, size = next(((unit, size) for unit, size in _UNITS if largest >= size), _UNITS[-1])
    width = (high - low) / size
    digits = min(max(1 - math.floor(math.log10(width)), 0), _DIGITS) if width > 0 else 2
    return f"{low / size:.{digits}f} to {high / size:.{digits}f} {unit}"


def _of_mean(one: SeriesFigure) -> str:
    """The mean of the only series, with its interval."""
    name, mean = _series_name(one) or "the series", one.mean
    if mean.refused is not None:
        return f"{name}: no mean can be given ({mean.refused.code}: {one_line(mean.refused.text, 160).rstrip('.')})."
    level = f"{100 * mean.confidence:g} % interval"
    return (
        f"{name}: mean {units.seconds(mean.mean)} ({level} {_between(mean.low, mean.high)}); nothing to compare with."
    )


def _headline(results: JudgeResults) -> str:
    """What it comes to."""
    if results.verdicts:
        return comparison.sentence(results.verdicts, lambda one: _short(one.baseline))
    if len(results.series) == 1:
        return _of_mean(results.series[0])
    refused = sum(one.mean.refused is not None for one in results.series)
    given = len(results.series) - refused
    return f"{units.count(given, 'mean')} given, {refused} refused; nothing to compare with."
