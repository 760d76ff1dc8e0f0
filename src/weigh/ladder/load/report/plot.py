"""The plot of a ladder of loads: percentiles of the response time against data over memory, with intervals."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from markupsafe import Markup

from weigh.render.svg import draw
from weigh.render.svg.scale import Scale, ticks
from weigh.render.svg.time_axis import tick_label

if TYPE_CHECKING:
    from collections.abc import Sequence

WIDTH, HEIGHT = 696, 230
_LEFT, _RIGHT = 76, 664
_TOP, _BOTTOM = 14, 194
_GAP = 22.0
_PAD = 1.35
"""Room beyond the first and the last rung, and above and below the values: a factor."""
_HALF = 3.0
"""Half of the bar at the end of an interval."""


@dataclass(frozen=True, slots=True)
class RungPoint:
    """A percentile at one rung.

    Attributes:
        ratio: data over memory, above zero.
        value, low, high: seconds; no ends where there is no interval.
    """

    ratio: float
    value: float
    low: float | None
    high: float | None


def plot(curves: Sequence[Sequence[RungPoint]], rungs: Sequence[tuple[float, str]], label: str) -> Markup:
    """The drawing; nothing where no curve has a point.

    Args:
        curves: one a percentile, each by ascending ratio.
        rungs: ratio of each, and what is written below it.
        label: what it shows, for those who do not see it.
    """
    heights = [height for curve in curves for one in curve for height in (one.value, one.low, one.high) if height]
    if not heights:
        return Markup()
    down = Scale(min(heights) / _PAD, max(heights) * _PAD, _BOTTOM, _TOP, log=True)
    places = [place for place, _ in rungs] + [1.0]
    across = Scale(min(places) / _PAD, max(places) * _PAD, _LEFT, _RIGHT, log=True)
    parts = [_grid(down), _axis(across, rungs)]
    full = across.at(1.0)
    parts.append(draw.path(draw.line(full, _TOP, full, _BOTTOM), "fits"))
    parts.append(draw.group("te", draw.text(full - 5, _TOP + 10, "data = memory")))
    for number, curve in enumerate(curves):
        points = [(across.at(one.ratio), one) for one in curve]
        joined = "".join(draw.line(x, down.at(a.value), y, down.at(b.value)) for (x, a), (y, b) in pairwise(points))
        parts += [draw.path(joined, f"t{number}"), draw.path(_intervals(points, down), f"t{number}")]
        dots = "".join(f"M{draw.number(x)} {draw.number(down.at(one.value))}h0" for x, one in points)
        parts.append(draw.path(dots, f"t{number} dot"))
    return draw.image(WIDTH, HEIGHT, "plot", label, *parts)


def _intervals(points: Sequence[tuple[float, RungPoint]], down: Scale) -> str:
    data = ""
    for x, one in points:
        if one.low and one.high:
            low, high = down.at(one.low), down.at(one.high)
            ends = "".join(f"M{draw.number(x - _HALF)} {draw.number(y)}h{draw.number(2 * _HALF)}" for y in (low, high))
            data += draw.line(x, low, x, high) + ends
    return data


def _grid(down: Scale) -> Markup:
    places = {tick: round(down.at(tick)) for tick in ticks(down, _GAP)}
    lines = draw.path("".join(draw.line(_LEFT, y, _RIGHT, y) for y in places.values()), "g")
    return lines + draw.group("te", *(draw.text(_LEFT - 6, y + 4, tick_label(tick)) for tick, y in places.items()))


def _axis(across: Scale, rungs: Sequence[tuple[float, str]]) -> Markup:
    marks = draw.path("".join(f"M{draw.number(across.at(place))} {_BOTTOM}v5" for place, _ in rungs), "s")
    return marks + draw.group("tm", *(draw.text(across.at(place), _BOTTOM + 18, text) for place, text in rungs))
