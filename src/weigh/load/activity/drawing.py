"""What a server did on the axis of a run: a row of marks for each kind, named alongside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup

from weigh.load.activity.words import short
from weigh.render.svg import draw

if TYPE_CHECKING:
    from weigh.load.activity.kinds import RunActive
    from weigh.render.svg.scale import Scale

_ROW, _GAP = 9, 6
_NARROW = 2.0
"""An event of a moment is drawn as wide as can be observed."""
_MOST = 2_000
"""Events of a kind that are drawn; those that share a place are drawn once."""


def rows(one: RunActive, across: Scale, left: int, right: int, top: int) -> tuple[Markup, int]:
    """The rows, and where the last one ends.

    Args:
        one: what the server did.
        across: the axis of time.
        left: where it begins.
        right: where it ends.
        top: where the first row begins.
    """
    parts, base = [], top
    for at, kind in enumerate(one.kinds):
        y = top + at * (_ROW + _GAP)
        base = y + _ROW
        places: dict[tuple[str, str], None] = {}
        for event in (each for each in one.places if each.kind == kind.kind):
            begin = min(max(across.at(max(event.from_s, 0.0)), left), right)
            wide = max(min(across.at(max(event.to_s, 0.0)), right) - begin, _NARROW)
            places[draw.number(round(begin, 1)), draw.number(round(wide, 1))] = None
        marks = "".join(f"M{x} {y}h{wide}v{_ROW}h-{wide}z" for x, wide in list(places)[:_MOST])
        parts.append(draw.path(draw.line(left, base, right, base), "g"))
        parts.append(draw.path(marks, "bl" if kind.blamed else "ev"))
        parts.append(draw.group("te", draw.text(left - 6, base - 1, short(kind.kind))))
    return Markup().join(parts), base
