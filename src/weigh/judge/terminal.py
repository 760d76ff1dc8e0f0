"""What `weigh judge` found, for a terminal."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rich import box
from rich.console import Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from weigh.model import units
from weigh.model.text import one_line
from weigh.render import words
from weigh.render.terminal import VERDICT_STYLE, FittedTable, interval, show_findings, show_tier
from weigh.verdict import assumptions

if TYPE_CHECKING:
    from rich.console import RenderableType

    from weigh.judge.results import JudgeResults
    from weigh.judge.series import SeriesFigure
    from weigh.model.verdict import Verdict

_FILES = 4
"""Files that are named; the JSON has them all."""
_SERIES = 4
"""Series that are printed beside a comparison, which is what was asked for."""
_NAME = 60
_UNITS = (("s", 1.0), ("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9))
_DIGITS = 9


def report(results: JudgeResults) -> RenderableType:
    """The whole report."""
    parts: list[RenderableType] = [heading(results), Text(), show_tier(results.tier), Text()]
    if results.verdicts:
        parts += [_comparison(results), Text(), notes(results), Text()]
    elif results.baseline is None and not all(one.operation == "" for one in results.timings):
        parts += [_alone(results), Text()]
    if results.verdicts and len(results.series) > _SERIES:
        parts += [Text(f"{len(results.series)} series, one a log: --json has them all", style="dim"), Text()]
    elif results.series:
        parts += [*_series(results), Text()]
    if results.findings:
        parts += [Text("Findings", style="bold"), show_findings(results.findings), Text()]
    if results.how:
        parts += [*_how(results), Text()]
    parts.append(closing(results))
    return Group(*parts)


def heading(results: JudgeResults) -> Text:
    """What was read."""
    text = Text()
    text.append("weigh judge", style="bold")
    text.append(f"  {results.tool}, {units.count(len(results.files), 'file')}")
    for one in results.files[:_FILES]:
        whose = ", ".join(_name(name) for name in one.contenders)
        text.append(f"\n{one_line(one.path, 80)}: {whose}, {one.values:,} {results.events}", style="dim")
    if len(results.files) > _FILES:
        text.append(f"\nand {len(results.files) - _FILES} more", style="dim")
    return text


def _name(name: str) -> str:
    return one_line(name, _NAME)


def _table(headings: tuple[str, ...], last: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    table.add_column("operation, contender", overflow="fold")
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    if last:
        table.add_column(last, overflow="fold")
    return table


def _comparison(results: JudgeResults) -> RenderableType:
    confidence = f"{100 * results.rules.confidence:g} %"
    table = _table(("starts", results.events, "median", "CV", "ratio", confidence, "FCR"), "verdict")
    verdicts = {(one.operation, one.contender): one for one in results.verdicts}
    timings = {(one.operation, one.contender): one for one in results.timings}
    contenders = list(dict.fromkeys([str(results.baseline), *(one.contender for one in results.verdicts)]))
    for operation in dict.fromkeys([*(one.operation for one in results.verdicts), *(pair[0] for pair in timings)]):
        if operation:
            table.add_row(Text(_name(operation), style="bold"))
        for name in contenders:
            timing, verdict = timings.get((operation, name)), verdicts.get((operation, name))
            if timing is None and verdict is None:
                continue
            table.add_row(
                Text(f"  {_name(name)}" if operation else _name(name)),
                str(timing.starts) if timing else "",
                f"{timing.starts * timing.runs:,}" if timing else "",
                units.seconds(timing.median) if timing else "",
                units.percent(timing.cv) if timing else "",
                *_figures(verdict),
                Text(words.verdict(verdict), style=VERDICT_STYLE[verdict.verdict]) if verdict else "baseline",
            )
    return FittedTable(table, "FCR", results.events, "CV", "starts", "median", confidence, "ratio")


def _figures(verdict: Verdict | None) -> tuple[str, str, str]:
    if verdict is None:
        return "", "", ""
    return (
        words.ratio(verdict),
        interval(verdict.low, verdict.high),
        interval(verdict.low_fcr, verdict.high_fcr),
    )


def _alone(results: JudgeResults) -> RenderableType:
    table = _table(("starts", "median", "min", "max", "CV"), "")
    for one in results.timings:
        table.add_row(
            Text(_name(one.operation or one.contender)),
            str(one.starts),
            *(units.seconds(value) for value in (one.median, one.min, one.max)),
            units.percent(one.cv),
        )
    return FittedTable(table, "min", "max", "CV", "starts")


def notes(results: JudgeResults) -> Text:
    """How to read the figures, and the reasons of verdicts."""
    rules = results.rules
    family = sum(one.low_fcr is not None for one in results.verdicts)
    lines = [f"In files of {results.tool}: {results.starts}."]
    if family:
        lines += [
            f"ratio: contender / {_name(str(results.baseline))}, above 1 is slower; one number for each round in which "
            "all took a turn. FCR: the interval that decides whether a difference matters.",
            f"Rules: margin {units.percent(rules.margin)}, {100 * rules.confidence:g} % intervals, false discoveries "
            f"{units.percent(rules.fdr, 0)} over {units.count(family, 'comparison')}, equivalence at "
            f"{units.percent(rules.equivalence, 0)}. A margin means something if it was chosen before the runs.",
            assumptions.named(assumptions.VERDICTS),
        ]
    groups: dict[str, list[str]] = {}
    for verdict in results.verdicts:
        for reason in verdict.reasons:
            place = ", ".join(_name(part) for part in (verdict.operation, verdict.contender) if part)
            groups.setdefault(reason.code, []).append(f"{place}: {one_line(reason.text)}")
    lines += [
        f"{code}: {texts[0]}" + (f" (and {units.count(len(texts) - 1, 'more row')})" if len(texts) > 1 else "")
        for code, texts in groups.items()
    ]
    for one in results.verdicts:
        if (opinion := one.second_opinion) is not None:
            lines.append(f"{_name(one.operation or one.contender)}: {opinion.rule}'s rule says {opinion.name}")
    return Text("\n".join(lines), style="dim")


def _series(results: JudgeResults) -> list[RenderableType]:
    level = f"{100 * results.series[0].mean.confidence:g} %"
    table = _table((results.events, "mean", f"{level} interval", "naive", "effective"), "series")
    percentiles = _table(("percentile", "value", f"{level} interval"), "")
    for one in results.series:
        name = Text(series_name(one))
        table.add_row(
            name,
            f"{one.mean.count:,}",
            units.seconds(one.mean.mean),
            between(one.mean.low, one.mean.high),
            between(one.naive.low, one.naive.high),
            f"{one.mean.effective:,.0f}" if one.mean.effective is not None else "",
            Text(f"refused ({one.mean.refused.code})" if one.mean.refused else str(one.steady.shape)),
        )
        rows = [
            (part.q, units.seconds(part.value) if part.resolved else "not resolved", between(part.low, part.high))
            for part in one.percentiles
        ] or [(part.q, units.seconds(part.value), "order lost") for part in one.quantiles]
        for q, value, interval_ in rows:
            percentiles.add_row(name, f"p{100 * q:g}", value, interval_)
            name = Text()
    fitted = FittedTable(table, "naive", "effective", results.events, "series")
    parts: list[RenderableType] = [Text("Series", style="bold"), fitted, Text(), percentiles]
    said = {
        f"{reason.code}: {series_name(one)}: {one_line(reason.text)}"
        for one in results.series
        for reason in (one.mean.refused, one.steady.refused)
        if reason is not None
    }
    lines = [
        "naive: the interval that takes the values for independent, as many tools print it; no result of weigh.",
        assumptions.named(assumptions.SERIES),
        *sorted(said),
    ]
    return [*parts, Text(), Text("\n".join(lines), style="dim")]


def series_name(one: SeriesFigure) -> str:
    """Operation and contender of a series."""
    return ", ".join(_name(part) for part in (one.operation, one.contender) if part)


def between(low: float | None, high: float | None) -> str:
    """An interval with the digits that its width deserves: three would make many of them look empty."""
    if low is None or high is None:
        return "refused"
    largest = max(abs(low), abs(high))
    unit, size = next(((unit, size) for unit, size in _UNITS if largest >= size), _UNITS[-1])
    width = (high - low) / size
    digits = min(max(1 - math.floor(math.log10(width)), 0), _DIGITS) if width > 0 else 2
    return f"{low / size:.{digits}f} to {high / size:.{digits}f} {unit}"


def _how(results: JudgeResults) -> list[RenderableType]:
    heading = Text("The numbers stand as they were measured. To have a verdict, measure in turn:", style="bold")
    return [heading, Padding(Text(results.how), (0, 0, 0, 2))]


def closing(results: JudgeResults) -> Text:
    """What it comes to."""
    counts: dict[str, int] = {}
    for one in results.verdicts:
        counts[str(one.verdict)] = counts.get(str(one.verdict), 0) + 1
    if counts:
        return Text(", ".join(f"{count} {name}" for name, count in counts.items()) + ".", style="bold")
    refused = sum(one.mean.refused is not None for one in results.series)
    given = len(results.series) - refused
    return Text(f"{units.count(given, 'mean')} given, {refused} refused; nothing to compare with.", style="bold")
