"""The plot of samples: every execution of an operation in the order in which it was measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from weigh.model import units
from weigh.render.svg import draw
from weigh.render.svg.scale import Scale, around, ticks
from weigh.render.svg.time_axis import tick_label

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markupsafe import Markup

WIDTH, HEIGHT = 660, 216
_LEFT, _RIGHT, _TOP, _BOTTOM = 54, 652, 16, 186
_LABEL_GAP = 20.0
_NUMBER_GAP = 26.0


@dataclass(frozen=True, slots=True)
class Dot:
    """One execution.

    Attributes:
        arm: number of the arm's mark.
        start: which start it belongs to, in order, from 1; starts are the blocks of all attempts.
        seconds: how long it took; None of one that failed, or whose time is not shown.
        timed: whether it is a measurement.
        failed: whether it did not end well.
    """

    arm: int
    start: int
    seconds: float | None
    timed: bool
    failed: bool = False


def plot(dots: Sequence[Dot], label: str, shared: draw.Shared) -> Markup:
    """The drawing: x is the order, y the seconds; filled marks are timed, hollow ones not, crosses failures.

    Args:
        dots: in the order in which they were measured; at least one has a time above zero.
        label: what it shows, for those who do not see it.
        shared: keeps what plots have in common: most operations have the same starts.
    """
    known = [dot.seconds for dot in dots if dot.seconds]
    scale = around(known, _BOTTOM, _TOP)
    wide = (_RIGHT - _LEFT) / len(dots)
    across = [_LEFT + (at + 0.5) * wide for at in range(len(dots))]
    parts = [shared.use(_starts(dots, wide)), _lines(scale)]
    for css, timed in (("h", False), ("m", True)):
        for arm in sorted({dot.arm for dot in dots}):
            points = [
                (x, scale.at(dot.seconds))
                for x, dot in zip(across, dots, strict=True)
                if dot.arm == arm and dot.timed is timed and dot.seconds
            ]
            parts.append(draw.path(draw.dots(points), f"{css}{arm}"))
    failures = "".join(
        f"M{draw.number(x - 4)} 2l8 8m0-8l-8 8" for x, dot in zip(across, dots, strict=True) if dot.failed
    )
    parts.append(draw.path(failures, "fail"))
    ends = f", {units.seconds(min(known))} to {units.seconds(max(known))}" if known else ""
    return draw.image(WIDTH, HEIGHT, "plot", f"{label}{ends}", *parts)


def _lines(scale: Scale) -> Markup:
    """Horizontal lines with their labels."""
    places = {tick: round(scale.at(tick)) for tick in ticks(scale, _LABEL_GAP)}
    lines = draw.path("".join(draw.line(_LEFT, y, _RIGHT, y) for y in places.values()), "g")
    return lines + draw.group("te", *(draw.text(_LEFT - 6, y + 4, tick_label(tick)) for tick, y in places.items()))


def _starts(dots: Sequence[Dot], wide: float) -> Markup:
    """Vertical lines between the starts, with their numbers where there is room."""
    first: dict[int, int] = {}
    for at, dot in enumerate(dots):
        first.setdefault(dot.start, at)
    begins = list(first.items())
    lines, labels, last = "", [], -_NUMBER_GAP
    for place, (start, at) in enumerate(begins):
        x = round(_LEFT + at * wide)
        end = begins[place + 1][1] if place + 1 < len(begins) else len(dots)
        middle = round((x + _LEFT + end * wide) / 2)
        if place:
            lines += draw.line(x, _TOP - 4, x, _BOTTOM)
        if middle - last >= _NUMBER_GAP:
            labels.append(draw.text(middle, _BOTTOM + 13, str(start)))
            last = middle
    labels.append(draw.text((_LEFT + _RIGHT) / 2, _BOTTOM + 27, "fresh start; executions in the order measured"))
    return draw.path(lines, "s") + draw.group("tm", *labels)
