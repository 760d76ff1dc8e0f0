"""A cycle of transactions as a picture: who comes before whom, and why."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from weigh.load.isolation.words import letter
from weigh.render.svg import draw

if TYPE_CHECKING:
    from markupsafe import Markup

    from weigh.load.isolation.record import Example, Step

_WIDTH, _HEIGHT = 420, 260
_ROUND = (140, 90)
"""Half axes of the ellipse on which they stand."""
_NODE = 17
_HEAD = 7
_MOST = 12
"""Transactions of a cycle that is drawn."""
STYLE = (
    "svg.plot.cy{min-width:0;max-width:420px}"
    ".cy .nd{fill:var(--bg);stroke:currentColor}.cy text{font-size:12px;text-anchor:middle}"
    ".cy .ar,.cy .rt{fill:none;stroke:currentColor;stroke-width:1.5}"
    ".cy .rt{stroke-dasharray:4 3}.cy .hd{fill:currentColor}"
)


def cycle(one: Example) -> Markup | None:
    """The picture; None of what is no cycle, or of one that is too long."""
    many = len(one.transactions)
    if not one.steps or not 2 <= many <= _MOST:
        return None
    places = [_place(at, many) for at in range(many)]
    parts = [_arrow(step, places, bent=many == 2) for step in one.steps]
    for at, (x, y) in enumerate(places):
        around = f"M{x - _NODE:.1f} {y:.1f}a{_NODE} {_NODE} 0 1 0 {2 * _NODE} 0a{_NODE} {_NODE} 0 1 0 -{2 * _NODE} 0z"
        parts.append(draw.path(around, "nd"))
        parts.append(draw.text(round(x, 1), round(y + 4, 1), letter(at)))
    sentence = "; ".join(f"{letter(step.from_)} before {letter(step.to)}: {_label(step)}" for step in one.steps)
    return draw.image(_WIDTH, _HEIGHT, "plot cy", f"A cycle of {many} transactions. {sentence}", *parts)


def _place(at: int, many: int) -> tuple[float, float]:
    turn = 2 * math.pi * at / many - math.pi
    return _WIDTH / 2 + _ROUND[0] * math.cos(turn), _HEIGHT / 2 + _ROUND[1] * math.sin(turn)


def _label(step: Step) -> str:
    if step.kind == "rt":
        return "ended before it began"
    return f"{step.kind} on {step.key}"


def _arrow(step: Step, places: list[tuple[float, float]], *, bent: bool) -> Markup:
    """A line from one to the next; of two transactions each way has its own bow."""
    (x, y), (to_x, to_y) = places[step.from_], places[step.to]
    across = (to_y - y, x - to_x)
    far = math.hypot(*across) or 1.0
    bow = 0.35 if bent else 0.0
    middle = ((x + to_x) / 2 + bow * across[0], (y + to_y) / 2 + bow * across[1])
    begin, end = _towards((x, y), middle, _NODE), _towards((to_x, to_y), middle, _NODE + 2)
    side = _towards(end, middle, _HEAD)
    wide = ((middle[1] - end[1]) / far * 10, (end[0] - middle[0]) / far * 10)
    line = f"M{begin[0]:.1f} {begin[1]:.1f}Q{middle[0]:.1f} {middle[1]:.1f} {end[0]:.1f} {end[1]:.1f}"
    head = (
        f"M{end[0]:.1f} {end[1]:.1f}L{side[0] + wide[0]:.1f} {side[1] + wide[1]:.1f}"
        f"L{side[0] - wide[0]:.1f} {side[1] - wide[1]:.1f}z"
    )
    at = ((begin[0] + 2 * middle[0] + end[0]) / 4, (begin[1] + 2 * middle[1] + end[1]) / 4)
    return draw.group(
        "",
        draw.path(line, "rt" if step.kind == "rt" else "ar"),
        draw.path(head, "hd"),
        draw.text(round(at[0], 1), round(at[1] - 6, 1), _label(step)),
    )


def _towards(one: tuple[float, float], other: tuple[float, float], by: float) -> tuple[float, float]:
    far = math.hypot(other[0] - one[0], other[1] - one[1]) or 1.0
    return one[0] + (other[0] - one[0]) / far * by, one[1] + (other[1] - one[1]) / far * by
