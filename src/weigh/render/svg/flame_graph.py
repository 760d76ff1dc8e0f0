"""The differential flame graph: where the time of one side goes, and which functions themselves took longer.

The outermost function is at the bottom; a box is as wide as the time in which its function was on the stack. Its colour
is the change of the function alone, without those that it calls (Brendan Gregg, "Differential Flame Graphs", 2014), and
wherever it is called: a new name further out would else colour all that is above it.

No library draws it: what those that there are (FlameGraph, inferno) have beyond this is zoom and search, by a script,
which a page of weigh may not run; and they colour the change stack by stack.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from markupsafe import Markup

from weigh.model import units
from weigh.model.text import one_line
from weigh.render.svg.draw import number, shortened

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

WIDTH = 1120
_ROW = 17
_DEEPEST = 64
_THINNEST = 2.0
"""Thinner boxes are thousands, and nobody can point at one; the folded stacks have them."""
_CHARACTER = 6.3
"""Units that a character of a label takes, about."""
_MORE, _LESS, _ALIKE = (240, 110, 75), (105, 165, 235), (238, 232, 220)


@dataclass
class _Box:
    name: str
    before: float = 0.0
    after: float = 0.0
    below: dict[str, _Box] = field(default_factory=dict)


def flame_graph(
    before: Mapping[str, float], after: Mapping[str, float], label: str, nameless: str = "[unknown]"
) -> Markup:
    """The drawing: widths are those of ``after``; red itself took longer than ``before``, blue less long.

    Args:
        before: seconds of one execution by stack, ``;`` between its functions, the outermost first.
        after: the same of the side that is drawn.
        label: what it shows, for those who do not see it.
        nameless: how frames begin that are no function, but all those that have no name: they have no colour.
    """
    root = _Box("all")
    for stacks, side in ((before, "before"), (after, "after")):
        for stack, seconds in stacks.items():
            box = root
            _add(box, side, seconds)
            for name in stack.split(";")[:_DEEPEST]:
                box = box.below.setdefault(name, _Box(name))
                _add(box, side, seconds)
    if not root.after:
        return Markup()
    boxes = list(_boxes(root, 0.0, 0, WIDTH / root.after))
    rows = 1 + max(row for _, _, row, _ in boxes)
    times = _self_time(before, nameless), _self_time(after, nameless)
    changes = [abs(times[1].get(name, 0.0) - times[0].get(name, 0.0)) for name in {**times[0], **times[1]}]
    largest = max(changes, default=0.0) or 1.0
    height = rows * _ROW
    drawn = Markup().join(
        _drawn(
            box,
            x,
            height - (row + 1) * _ROW,
            width,
            times[0].get(box.name, 0.0),
            times[1].get(box.name, 0.0),
            largest,
        )
        for box, x, row, width in boxes
    )
    style = 'font-family="monospace" font-size="10.5"'
    return Markup(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="100%" role="img" {style} '
        'aria-label="{}">{}</svg>'
    ).format(one_line(label), drawn)


def _self_time(stacks: Mapping[str, float], nameless: str) -> dict[str, float]:
    """Seconds of each function itself."""
    found: dict[str, float] = {}
    for stack, seconds in stacks.items():
        name = stack.rpartition(";")[2]
        if not name.startswith(nameless):
            found[name] = found.get(name, 0.0) + seconds
    return found


def _add(box: _Box, side: str, seconds: float) -> None:
    setattr(box, side, getattr(box, side) + seconds)


def _boxes(box: _Box, x: float, row: int, scale: float) -> Iterator[tuple[_Box, float, int, float]]:
    """Boxes that can be observed, with their place, row and width."""
    width = box.after * scale
    if width < _THINNEST:
        return
    yield box, x, row, width
    for name in sorted(box.below):
        below = box.below[name]
        yield from _boxes(below, x, row + 1, scale)
        x += below.after * scale


def _drawn(
    box: _Box, x: float, y: float, width: float, self_before: float, self_after: float, largest: float
) -> Markup:
    room = int((width - 4) / _CHARACTER)
    label = Markup()
    if room >= 3:
        label = Markup('<text x="{}" y="{}" fill="#1a2028">{}</text>').format(
            number(x + 2), number(y + 12), one_line(shortened(box.name, room))
        )
    change = f"{units.seconds(box.before)} -> {units.seconds(box.after)}"
    times = f"{units.seconds(self_before)} -> {units.seconds(self_after)}"
    return Markup('<g><title>{}</title><rect x="{}" y="{}" width="{}" height="{}" fill="{}" rx="1"/>{}</g>').format(
        one_line(f"{box.name}: {change} of one execution; itself, everywhere: {times}"),
        number(x),
        number(y),
        number(max(width - 0.4, 0.3)),
        _ROW - 1,
        _colour((self_after - self_before) / largest),
        label,
    )


def _colour(share: float) -> str:
    """From like before to the most that any function changed by."""
    end = _MORE if share > 0 else _LESS
    strength = abs(share)
    mixed = (round(calm + (loud - calm) * strength) for calm, loud in zip(_ALIKE, end, strict=True))
    return "#" + "".join(f"{part:02x}" for part in mixed)
