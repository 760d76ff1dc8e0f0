"""The ladder as one self-contained HTML page."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup

from weigh.ladder.report import words
from weigh.ladder.report.plot import Line, percent, plot
from weigh.ladder.results import contenders
from weigh.model import units
from weigh.render.html import ExplainedCodes, templates
from weigh.render.svg import marks
from weigh.render.svg.time_axis import tick_label
from weigh.render.words import CLAIM

if TYPE_CHECKING:
    from collections.abc import Callable

    from weigh.ladder.analysis import Series, Step
    from weigh.ladder.results import LadderResults


@dataclass(frozen=True, slots=True)
class Part:
    """One operation.

    Attributes:
        name: of the operation.
        series: of every contender, the baseline first.
        outcomes: a sentence for each.
        plots: titles and drawings.
    """

    name: str
    series: tuple[Series, ...]
    outcomes: tuple[str, ...]
    plots: tuple[tuple[str, Markup], ...]


def page(summary: LadderResults) -> str:
    """The whole page. A pure function of the evidence of the rungs."""
    spec = summary.spec
    # Mark 1 is that of the baseline's second arm.
    cast = {name: 0 if at == 0 else at + 1 for at, name in enumerate(contenders(spec))}
    operations = list(dict.fromkeys(one.operation for one in summary.ladder.series))
    return (
        templates(Path(__file__).parent)
        .get_template("ladder.html")
        .render(
            summary=summary,
            explained=ExplainedCodes(),
            spec=spec,
            rules=summary.rules,
            environment=summary.rungs[-1].results.record.environment,
            notice=summary.rungs[-1].results.record.notice,
            headline=words.headline(summary),
            unfinished=words.unfinished(summary),
            costs=[(one, words.cost_width(one)) for one in summary.costs],
            cost_lines=words.costs(summary.costs),
            claim=CLAIM,
            parts=[_part(summary, name, cast) for name in operations],
            cast=cast,
            arms=len(cast) + 1,
            strokes=strokes(len(cast) + 1),
        )
    )


def strokes(arms: int) -> Markup:
    """Rules of style for the lines between the marks."""
    return Markup("\n".join(f".l{arm}{{fill:none;stroke:var(--k{marks.colour(arm)})}}" for arm in range(arms)))


def _part(summary: LadderResults, operation: str, cast: dict[str, int]) -> Part:
    series = tuple(one for one in summary.ladder.series if one.operation == operation)
    outcomes = tuple(words.outcome(one, len(summary.rungs)) for one in series)
    if len(summary.rungs) > 1:
        margin = summary.rules.margin
        plots = (
            ("CV of all executions against scale", _plot(summary, series, cast, "CV", lambda step: step.cv)),
            (
                "Smallest effect that would be found, against scale",
                _plot(summary, series, cast, "smallest effect found", lambda step: step.detectable, margin),
            ),
        )
    else:
        plots = (
            ("Median time against the setting", _widths(summary, series, cast, "median", lambda step: step.median)),
            ("CV of all executions against the setting", _widths(summary, series, cast, "CV", lambda step: step.cv)),
        )
    return Part(operation, series, outcomes, tuple((title, drawing) for title, drawing in plots if drawing))


def _plot(
    summary: LadderResults,
    series: tuple[Series, ...],
    cast: dict[str, int],
    what: str,
    value: Callable[[Step], float | None],
    level: float | None = None,
) -> Markup:
    rungs = [(float(rung.scale or 1), units.scale(rung.scale)) for rung in summary.rungs]
    lines = [
        Line(
            cast[one.contender], tuple((float(step.scale or 1), found) for step in one.steps if (found := value(step)))
        )
        for one in series
    ]
    return plot(lines, rungs, f"{what} of {series[0].operation} against scale", level)


def _widths(
    summary: LadderResults,
    series: tuple[Series, ...],
    cast: dict[str, int],
    what: str,
    value: Callable[[Step], float | None],
) -> Markup:
    """The plot of one rung: a line for every contender in several widths, where these are numbers above zero."""
    found = {one.contender: value(one.steps[0]) for one in series}
    lines, places = [], set()
    for variation in summary.plan.variations:
        members = {name: width for name, width in variation.members.items() if isinstance(width, int | float)}
        if len(members) < len(variation.members) or any(float(width) <= 0 for width in members.values()):
            continue
        points = sorted((float(width), height) for name, width in members.items() if (height := found.get(name)))
        places |= {place for place, _ in points}
        lines.append(Line(cast[next(iter(members))], tuple(points)))
    said = tick_label if what == "median" else percent
    label = f"{what} of {series[0].operation} against the setting"
    return plot(lines, [(place, f"{place:g}") for place in sorted(places)], label, said=said)
