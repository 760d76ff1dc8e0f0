"""The plot of starts: one dot for each fresh start of an arm, which is what the analysis counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from markupsafe import Markup

from weigh.model import units
from weigh.render.svg import draw
from weigh.render.svg.scale import around, ticks
from weigh.render.svg.time_axis import tick_label

if TYPE_CHECKING:
    from collections.abc import Sequence

WIDTH = 330
_LEFT, _RIGHT = 8, 322
_ROW, _TOP, _BOTTOM = 42.0, 18.0, 36.0
_LABEL_GAP = 56.0
_LETTERS = 40


@dataclass(frozen=True, slots=True)
class Strip:
    """One arm.

    Attributes:
        arm: number of its mark.
        name: of the arm.
        seconds: of each start, in order; the mean of its timed executions.
        mean: over the starts.
    """

    arm: int
    name: str
    seconds: Sequence[float]
    mean: float


def plot(strips: Sequence[Strip], label: str, shared: draw.Shared) -> Markup:
    """The drawing: one strip an arm on a common axis, the starts from top to bottom in order, their mean a line.

    Args:
        strips: at least one, with at least one value each.
        label: what it shows, for those who do not see it.
        shared: keeps what plots have in common: most operations have the same arms.
    """
    scale = around([value for strip in strips for value in strip.seconds], _LEFT + 4, _RIGHT - 4)
    bottom = _ROW * len(strips)
    places = {tick: round(scale.at(tick)) for tick in ticks(scale, _LABEL_GAP)}
    parts = [draw.path("".join(draw.line(x, 0, x, bottom) for x in places.values()), "g")]
    means: list[Markup] = []
    lines = ""
    for row, strip in enumerate(strips):
        top = row * _ROW
        step = (_BOTTOM - _TOP) / max(1, len(strip.seconds) - 1)
        points = [(scale.at(value), top + _TOP + at * step) for at, value in enumerate(strip.seconds)]
        mean = scale.at(strip.mean)
        means.append(draw.text(_RIGHT, top + 10, units.seconds(strip.mean)))
        lines += draw.line(mean, top + _TOP - 4, mean, top + _BOTTOM + 4)
        parts.append(draw.path(draw.dots(points), f"m{strip.arm}"))
    parts += [draw.path(lines, "mean"), shared.use(_names(strips)), draw.group("te tb", *means)]
    for tick, x in places.items():
        # A label in the middle of a tick at the edge would be cut.
        anchor = "" if x < _LEFT + 20 else "te" if x > _RIGHT - 20 else "tm"
        parts.append(draw.text(x, bottom + 13, tick_label(tick), anchor))
    return draw.image(WIDTH, bottom + 18, "plot", label, *parts)


def _names(strips: Sequence[Strip]) -> Markup:
    """The arms' marks and names."""
    marks = (
        Markup('<use href="#s{}" x="{}" y="{}"/>').format(strip.arm, _LEFT - 4, draw.number(row * _ROW))
        for row, strip in enumerate(strips)
    )
    labels = (
        draw.text(_LEFT + 11, row * _ROW + 10, draw.shortened(strip.name, _LETTERS)) for row, strip in enumerate(strips)
    )
    return draw.group("tb", *marks, *labels)
