"""The plot of a ladder: one figure of every contender against what its rungs are, both axes logarithmic."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from markupsafe import Markup

from weigh.render.svg import draw
from weigh.render.svg.scale import Scale, ticks

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

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
    said: Callable[[float], str] = percent,
) -> Markup:
    """The drawing; nothing where no line has a point.

    Args:
        lines: one a contender.
        rungs: place of every rung, above zero, and what is written below it.
        label: what it shows, for those who do not see it.
        level: a value drawn across, the margin.
        said: a value as the axis labels it.
    """
    values = [value for line in lines for _, value in line.points]
    if not values:
        return Markup()
    values += [level] if level else []
    down = Scale(min(values) / _PAD, max(values) * _PAD, _BOTTOM, _TOP, log=True)
    places = [place for place, _ in rungs]
    across = Scale(min(places) / _PAD, max(places) * _PAD, _LEFT, _RIGHT, log=True)
    parts = [_grid(down, said), _below(across, rungs)]
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


def _grid(down: Scale, said: Callable[[float], str]) -> Markup:
    shown = {tick: round(down.at(tick)) for tick in ticks(down, _GAP)}
    lines = draw.path("".join(draw.line(_LEFT, y, _RIGHT, y) for y in shown.values()), "g")
    return lines + draw.group("te", *(draw.text(_LEFT - 6, y + 4, said(tick)) for tick, y in shown.items()))


def _below(across: Scale, rungs: Sequence[tuple[float, str]]) -> Markup:
    marks = draw.path("".join(f"M{draw.number(across.at(place))} {_BOTTOM}v5" for place, _ in rungs), "s")
    return marks + draw.group("tm", *(draw.text(across.at(place), _BOTTOM + 18, text) for place, text in rungs))
