"""Drawings of a series: small, whole, and a stretch of it near a candidate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup

from weigh.history.report import words
from weigh.model import units
from weigh.model.text import one_line
from weigh.render.svg import draw
from weigh.render.svg.marks import COLOURS
from weigh.render.svg.scale import Scale, around, ticks

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from weigh.history.results import Candidate
    from weigh.history.series import Place, Series

SMALL = 260, 92
LARGE = 1040, 260
_LEFT, _RIGHT = 84.0, 1028.0
_TOP, _BOTTOM = 14.0, 222.0
_LABELS = 8
"""Versions that are named below a drawing, about."""
_DRAWN = 2_000
"""Points of a series that are drawn, the last ones."""
_WINDOW = 12
"""Points on either side of a candidate, where it is drawn by itself."""


def colour(part: int) -> str:
    """The class of a part: its colour."""
    return f"p{part % COLOURS}"


def small(one: Series, candidates: Sequence[Candidate]) -> Markup:
    """The whole series without labels."""
    width, height = SMALL
    drawn = range(max(len(one.places) - _DRAWN, 0), len(one.places))
    across = Scale(drawn.start, max(drawn.stop - 1, drawn.start + 1), 6, width - 6, log=False)
    down = around([one.places[at].value for at in drawn], height - 8, 8)
    parts = [*_edges(one, across, 4, height - 4), *_marked(candidates, across, 4, height - 4)]
    parts += [_line(places, across, down) for places in _stretches(one, drawn)]
    label = f"{one.key}: {len(one.places)} points, {len(candidates)} candidates, {_ends(one, drawn)}"
    return draw.image(width, height, "small", label, *parts)


def _ends(one: Series, drawn: range) -> str:
    """The first and the last value that are drawn."""
    first, last = (units.quantity(one.places[at].value, 3) for at in (drawn.start, drawn.stop - 1))
    return f"from {first} to {last}"


def large(one: Series, candidates: Sequence[Candidate], anchor: str, around_at: int | None = None) -> Markup:
    """The whole series, or the points near one place, with axes; each point leads to its row.

    Args:
        one: the series.
        candidates: of it.
        anchor: of the series: rows of its points are called ``ANCHOR-NUMBER``.
        around_at: place in the middle; None for the whole.
    """
    width, height = LARGE
    count = len(one.places)
    first, last = (
        (max(count - _DRAWN, 0), count - 1)
        if around_at is None
        else (max(around_at - _WINDOW, 0), min(around_at + _WINDOW, count - 1))
    )
    drawn = range(first, last + 1)
    across = Scale(first, max(last, first + 1), _LEFT + 8, _RIGHT - 8, log=False)
    ends = [end for at in drawn for end in (one.places[at].low, one.places[at].high) if end]
    down = around([*(one.places[at].value for at in drawn), *ends], _BOTTOM, _TOP)
    parts = [_grid(one, down)]
    parts += [*_edges(one, across, _TOP, _BOTTOM), *_marked(candidates, across, _TOP, _BOTTOM)]
    for places in _stretches(one, drawn):
        parts.append(_line(places, across, down))
        parts.append(_intervals(places, across, down))
    parts += [_point(one, at, across, down, anchor) for at in drawn]
    parts.append(_versions(one, drawn, across))
    near = "" if around_at is None else f", near {words.at(one.places[around_at])}"
    return draw.image(width, height, "plot", f"{one.key}{near}: {_ends(one, drawn)}", *parts)


def _stretches(one: Series, drawn: Iterable[int]) -> Iterable[list[tuple[int, Place]]]:
    """Points of each part that are joined by a line; never across parts."""
    stretches_of: dict[int, list[tuple[int, Place]]] = {}
    for at in drawn:
        stretches_of.setdefault(one.places[at].part, []).append((at, one.places[at]))
    return stretches_of.values()


def _line(places: list[tuple[int, Place]], across: Scale, down: Scale) -> Markup:
    steps = [f"{draw.number(across.at(at))} {draw.number(down.at(place.value))}" for at, place in places]
    # One point alone would not be drawn: a line of no length has round ends.
    alone = "" if len(steps) > 1 else "h.01"
    return draw.path("M" + "L".join(steps) + alone, f"hl{' one' if alone else ''} {colour(places[0][1].part)}")


def _intervals(places: list[tuple[int, Place]], across: Scale, down: Scale) -> Markup:
    data = "".join(
        draw.line(across.at(at), down.at(place.low), across.at(at), down.at(place.high))
        for at, place in places
        if place.low and place.high
    )
    return draw.path(data, f"hi {colour(places[0][1].part)}")


def _edges(one: Series, across: Scale, top: float, bottom: float) -> Iterable[Markup]:
    """Where the series is split."""
    for at in range(1, len(one.places)):
        if one.places[at].part != one.places[at - 1].part and across.holds(at - 0.5):
            yield draw.path(draw.line(across.at(at - 0.5), top, across.at(at - 0.5), bottom), "hs")


def _marked(candidates: Sequence[Candidate], across: Scale, top: float, bottom: float) -> Iterable[Markup]:
    for one in candidates:
        if across.holds(one.at - 0.5):
            place = across.at(one.at - 0.5)
            yield draw.path(draw.line(place, top, place, bottom), f"hc {one.state.replace(' ', '-')}")


def _point(one: Series, at: int, across: Scale, down: Scale, anchor: str) -> Markup:
    place = one.places[at]
    story = one_line(f"{words.at(place)}: {words.value(one, place.value)}, {place.entry.evidence}", 300)
    return Markup(
        '<a href="#{}-{}"><circle class="hp {}" cx="{}" cy="{}" r="3.4"><title>{}</title></circle></a>'
    ).format(anchor, at, colour(place.part), draw.number(across.at(at)), draw.number(down.at(place.value)), story)


def _grid(one: Series, down: Scale) -> Markup:
    found = ticks(down, 34.0)
    lines = "".join(draw.line(_LEFT, down.at(value), _RIGHT, down.at(value)) for value in found)
    labels = [draw.text(_LEFT - 8, down.at(value) + 4, words.value(one, value), "te") for value in found]
    return Markup().join([draw.path(lines, "gr"), *labels])


def _versions(one: Series, drawn: range, across: Scale) -> Markup:
    """Versions below the axis, as many as have room; where they are long, the end of each."""
    step = max(1, -(-len(drawn) // _LABELS))
    labels = []
    for at in drawn[::step]:
        name = draw.shortened(one_line(one.places[at].version or one.places[at].at[:10]), 14)
        labels.append(draw.text(across.at(at), _BOTTOM + 20, name, "tm"))
    return Markup().join(labels)
