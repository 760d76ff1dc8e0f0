"""Drawing: the few pieces of SVG that the plots are made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup

from weigh.model.text import one_line
from weigh.render.markup import filled

if TYPE_CHECKING:
    from collections.abc import Iterable


def number(value: float) -> str:
    """A coordinate: one decimal at most, and none of a whole number."""
    return f"{round(value, 1) + 0.0:g}"


def dots(points: Iterable[tuple[float, float]]) -> str:
    """Path data with a vertex at every point, for a path that draws nothing but its markers.

    Steps are relative and whole: about five bytes a point.
    """
    text = ""
    last = (0, 0)
    for place in dict.fromkeys((round(x), round(y)) for x, y in points):
        text += _joined(place[0] - last[0], place[1] - last[1], first=not text)
        last = place
    # One vertex alone would not be drawn.
    return text + "h0" if text else ""


def _joined(x: int, y: int, *, first: bool) -> str:
    """Two numbers after what is there, with as few separators as the grammar of paths allows."""
    lead = "m" if first else ("" if x < 0 else " ")
    return f"{lead}{x}{y}" if y < 0 else f"{lead}{x} {y}"


def path(data: str, css: str) -> Markup:
    """A path, nothing for no data."""
    return filled('<path class="{}" d="{}"/>', css, data) if data else Markup()


def line(x1: float, y1: float, x2: float, y2: float) -> str:
    """Path data of a straight line."""
    if y1 == y2:
        return f"M{number(x1)} {number(y1)}H{number(x2)}"
    if x1 == x2:
        return f"M{number(x1)} {number(y1)}V{number(y2)}"
    return f"M{number(x1)} {number(y1)}L{number(x2)} {number(y2)}"


def text(x: float, y: float, words: str, css: str = "") -> Markup:
    """A label; ``css`` is a class of the page: ``tm`` with its middle at x, ``te`` with its end, ``tb`` in ink."""
    named = filled(' class="{}"', css) if css else Markup()
    return filled('<text x="{}" y="{}"{}>{}</text>', number(x), number(y), named, one_line(words))


def group(css: str, *parts: Markup) -> Markup:
    """Parts that share a class, nothing for no parts."""
    inner = Markup().join(parts)
    return filled('<g class="{}">{}</g>', css, inner) if inner else inner


def image(width: float, height: float, css: str, label: str, *parts: Markup) -> Markup:
    """The whole drawing, with what it says for those who do not see it."""
    return Markup('<svg class="{}" viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>').format(
        css, number(width), number(height), one_line(label), Markup().join(parts)
    )


def shortened(words: str, limit: int) -> str:
    """A label that fits: the middle is left out, because names differ at both ends."""
    if len(words) <= limit:
        return words
    keep = limit - 1
    return words[: keep - keep // 2] + "…" + words[len(words) - keep // 2 :]


class Shared:
    """Pieces that many drawings have in common, kept once and referred to."""

    def __init__(self) -> None:
        self._ids: dict[Markup, str] = {}

    def use(self, piece: Markup) -> Markup:
        """A reference to the piece."""
        return filled('<use href="#{}"/>', self._ids.setdefault(piece, f"g{len(self._ids)}"))

    def definitions(self) -> Markup:
        """Every piece that was asked for."""
        pieces = Markup("\n").join(
            filled('<g id="{}" class="sh">{}</g>', name, piece) for piece, name in self._ids.items()
        )
        return filled('<svg class="defs" aria-hidden="true" focusable="false"><defs>{}</defs></svg>', pieces)
