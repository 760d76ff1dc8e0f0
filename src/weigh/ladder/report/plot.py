"""The plots of a ladder: one figure of every contender against what its rungs are, both axes logarithmic."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from markupsafe import Markup

from weigh.model import units
from weigh.render.svg import draw
from weigh.render.svg.scale import Scale, ticks
from weigh.render.svg.time_axis import tick_label

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from weigh.ladder.analysis import Series, Step
    from weigh.ladder.results import LadderResults

WIDTH, HEIGHT = 460, 230
_LEFT, _RIGHT, _TOP, _BOTTOM = 54, 452, 14, 190
_GAP = 22.0
_PAD = 1.35
"""Room beyond the first and the last rung, and above and below the values: a factor."""


@dataclass(frozen=True, slots=True)
class Line:
    """One contender.

    Attributes:
        mark: number of its mark.
        points: place of the rung and value above zero, by ascending rung.
    """

    mark: int
    points: tuple[tuple[float, float], ...]


def percent(value: float) -> str:
    """A round fraction as the axis labels it: ``0.5 %``."""
    return f"{100 * value:g} %"


def plot(
    lines: Sequence[Line],
    rungs: Sequence[tuple[float, str]],
    label: str,
    level: float | None = None,
    *,
    form: Callable[[float], str] = percent,
) -> Markup:
    """The drawing; nothing where no line has a point.

    Args:
        lines: one a contender.
        rungs: place of every rung, above zero, and what is written below it.
        label: what it shows, for those who do not see it.
        level: a value drawn across, the margin.
        form: a value as the axis labels it.
    """
    values = [value for line in lines for _, value in line.points]
    if not values:
        return Markup()
    values += [level] if level else []
    down = Scale(min(values) / _PAD, max(values) * _PAD, _BOTTOM, _TOP, log=True)
    places = [place for place, _ in rungs]
    across = Scale(min(places) / _PAD, max(places) * _PAD, _LEFT, _RIGHT, log=True)
    parts = [_grid(down, form), _below(across, rungs)]
    if level:
        y = down.at(level)
        parts.append(draw.path(draw.line(_LEFT, y, _RIGHT, y), "one"))
        parts.append(draw.group("te", draw.text(_RIGHT, y - 5, "margin")))
    for line in lines:
        vertices = [(across.at(place), down.at(value)) for place, value in line.points]
        joined = "".join(draw.line(*one, *other) for one, other in pairwise(vertices))
        parts.append(draw.path(joined, f"l{line.mark}"))
        parts.append(draw.path(draw.dots(vertices), f"m{line.mark}"))
    return draw.image(WIDTH, HEIGHT, "plot", label, *parts)


def _grid(down: Scale, form: Callable[[float], str]) -> Markup:
    places = {tick: round(down.at(tick)) for tick in ticks(down, _GAP)}
    lines = draw.path("".join(draw.line(_LEFT, y, _RIGHT, y) for y in places.values()), "g")
    return lines + draw.group("te", *(draw.text(_LEFT - 6, y + 4, form(tick)) for tick, y in places.items()))


def _below(across: Scale, rungs: Sequence[tuple[float, str]]) -> Markup:
    marks = draw.path("".join(f"M{draw.number(across.at(place))} {_BOTTOM}v5" for place, _ in rungs), "s")
    return marks + draw.group("tm", *(draw.text(across.at(place), _BOTTOM + 18, text) for place, text in rungs))


def plots(summary: LadderResults, series: tuple[Series, ...], cast: dict[str, int]) -> Iterator[tuple[str, Markup]]:
    """Titles and drawings of one operation."""
    if len(summary.rungs) > 1:
        found, margin = "Smallest effect that would be found, against scale", summary.rules.margin
        yield "CV of all executions against scale", _plot(summary, series, cast, "CV", lambda step: step.cv)
        yield found, _plot(summary, series, cast, "smallest effect found", lambda step: step.detectable, margin)
    else:
        spread = "CV of all executions against the setting"
        yield "Median time against the setting", _widths(summary, series, cast, "median", lambda step: step.median)
        yield spread, _widths(summary, series, cast, "CV", lambda step: step.cv)


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
    label = f"{what} of {series[0].operation} against scale: {_spoken(cast, lines, _share)}"
    return plot(lines, rungs, label, level)


def _share(value: float) -> str:
    return f"{100 * value:.3g} %"


def _spoken(cast: dict[str, int], lines: Sequence[Line], form: Callable[[float], str]) -> str:
    """Where each line begins and ends, for those who do not see it."""
    names = {number: name for name, number in cast.items()}
    return ", ".join(
        f"{names.get(one.mark, '')} {form(one.points[0][1])} to {form(one.points[-1][1])}"
        for one in lines
        if one.points
    )


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
    label_of = tick_label if what == "median" else percent
    spoken = _spoken(cast, lines, units.seconds if what == "median" else _share)
    label = f"{what} of {series[0].operation} against the setting: {spoken}"
    return plot(lines, [(place, f"{place:g}") for place in sorted(places)], label, form=label_of)
