"""The scatter plot of two sides: a dot for each block, what lies above the line took longer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup

from weigh.model.text import one_line
from weigh.render.svg.draw import line, number, shortened
from weigh.render.svg.scale import around, ticks
from weigh.render.svg.time_axis import tick_label

if TYPE_CHECKING:
    from collections.abc import Sequence

SIZE = 340
_LEFT, _RIGHT, _TOP, _BOTTOM = 62, 328, 12, 286
_GAP = 44.0


def scatter(pairs: Sequence[tuple[float, float]], before: str, after: str, label: str) -> Markup:
    """The drawing: both axes are the same, so that the diagonal is "no change".

    Args:
        pairs: seconds of the side across, and of the side up, above zero; at least one.
        before: name of the side across.
        after: name of the side up.
        label: what it shows, for those who do not see it.
    """
    values = [value for pair in pairs for value in pair]
    across, up = around(values, _LEFT, _RIGHT), around(values, _BOTTOM, _TOP)
    marks = ticks(across, _GAP)
    grid = "".join(line(across.at(tick), _TOP, across.at(tick), _BOTTOM) for tick in marks)
    grid += "".join(line(_LEFT, up.at(tick), _RIGHT, up.at(tick)) for tick in marks)
    words = [
        *(_text(across.at(tick), _BOTTOM + 15, "middle", tick_label(tick)) for tick in marks),
        *(_text(_LEFT - 5, up.at(tick) + 4, "end", tick_label(tick)) for tick in marks),
        _text((_LEFT + _RIGHT) / 2, _BOTTOM + 38, "middle", shortened(before, 40)),
        Markup('<g transform="translate(12 {}) rotate(-90)">{}</g>').format(
            number((_TOP + _BOTTOM) / 2), _text(0, 0, "middle", shortened(after, 40))
        ),
    ]
    dots = (
        Markup('<circle cx="{}" cy="{}" r="3.4" fill="#c4500a" fill-opacity="0.75"/>').format(
            number(across.at(one)), number(up.at(other))
        )
        for one, other in pairs
    )
    return Markup(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIZE} {SIZE}" width="{SIZE}" role="img" '
        'font-family="sans-serif" font-size="11" aria-label="{}">'
        '<path d="{}" stroke="#8a93a0" stroke-opacity="0.35" fill="none"/>'
        '<path d="{}" stroke="#5b6572" stroke-dasharray="5 3" fill="none"/>{}{}</svg>'
    ).format(
        one_line(label),
        grid,
        line(_LEFT, _BOTTOM, _RIGHT, _TOP),
        Markup().join(dots),
        Markup().join(words),
    )


def _text(x: float, y: float, anchor: str, words: str) -> Markup:
    return Markup('<text x="{}" y="{}" text-anchor="{}" fill="#7d8895">{}</text>').format(
        number(x), number(y), anchor, one_line(words)
    )
