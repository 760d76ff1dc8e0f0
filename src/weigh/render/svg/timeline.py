"""The timeline: what the machine did under the turns, one lane a resource."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from weigh.model import units
from weigh.render.svg import draw

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from markupsafe import Markup

    from weigh.machine.timeline_bins import TimelineBins
    from weigh.statistics.arrays import Floats


_LEFT, _STEP = 70, 11
_TOP, LANE, GAP = 24, 30, 9
_NUMBER_GAP = 26.0


def plot(found: TimelineBins, contended: Mapping[int, Iterable[float]], label: str) -> Markup:
    """The drawing: a lane for each resource, above them the turns in which others used too much.

    Args:
        found: what the machine did.
        contended: by the mark of the contender, where its contended turns lie, in stretches from the left.
        label: what it shows, for those who do not see it.
    """
    lanes = ("cpu", "memory", "disk", "network")
    bottom = _TOP + len(lanes) * (LANE + GAP) - GAP
    right = _LEFT + len(found.tracked) * _STEP
    parts = [_starts(found.starts, right, bottom)]
    moved = found.moved
    most = float(moved.max()) if len(moved) else 0.0
    for at, name in enumerate(lanes):
        base = _TOP + at * (LANE + GAP) + LANE
        if name == "cpu":
            members, everybody = area(found.tracked, base), area(found.tracked + found.foreign, base)
            parts.append(draw.path(everybody if everybody != members else "", "fg"))
            parts.append(draw.path(members, "ow"))
        else:
            share = found.resources[name].utilisation if name != "network" else moved / most if most else moved
            parts.append(draw.path(area(share, base), "mg"))
        parts.append(draw.path(over(found.resources[name].saturated, base - LANE - 2), "fail"))
        parts.append(draw.path(draw.line(_LEFT, base, right, base), "g"))
        amount = f"{units.size(most)}/s" if name == "network" and most else ""
        parts.append(draw.group("te", draw.text(_LEFT - 8, base - 12, NAMES[name]), *_sentence(amount, base)))
    for mark, places in contended.items():
        points = [(_LEFT + place * _STEP, 9.0) for place in places]
        parts.append(draw.path(draw.dots(points), f"m{mark}"))
    return draw.image(right + 8, bottom + 30, "plot", label, *parts)


NAMES = {"cpu": "CPU", "memory": "memory", "disk": "disk", "network": "network"}


def _sentence(words: str, base: float) -> tuple[Markup, ...]:
    return (draw.text(_LEFT - 8, base - 1, words),) if words else ()


def area(share: Floats, base: int, left: int = _LEFT, step: int = _STEP) -> str:
    """Path data of steps above a line; stretches of one height are one step.

    Args:
        share: the height of each stretch, a share of that of a lane.
        base: where the line lies.
        left: where the first stretch begins.
        step: how wide each is.
    """
    heights = np.rint(np.nan_to_num(np.clip(share, 0.0, 1.0)) * LANE).astype(int)
    if not heights.any():
        return ""
    text, last, run = f"M{left} {base}", 0, 0
    for height in heights:
        if height != last:
            text += (f"h{run * step}" if run else "") + f"v{last - height}"
            last, run = int(height), 0
        run += 1
    return text + f"h{run * step}V{base}z"


def over(saturated: Floats, y: int, left: int = _LEFT, step: int = _STEP) -> str:
    """Path data of lines over the stretches in which work waited."""
    text, run, begun = "", 0, 0
    for at, waited in enumerate([*(value == 1 for value in saturated), False]):
        if waited:
            begun = begun if run else at
            run += 1
        elif run:
            text += f"M{left + begun * step} {y}h{run * step}"
            run = 0
    return text


def _starts(starts: Sequence[float], right: int, bottom: int) -> Markup:
    """Vertical lines where fresh starts begin, with their numbers where there is room."""
    places = [_LEFT + round(start * _STEP) for start in starts]
    lines = "".join(f"M{x} {_TOP - 4}V{bottom}" for x in places[1:])
    labels, last = [], -_NUMBER_GAP
    for number, (x, after) in enumerate(zip(places, [*places[1:], right], strict=True), 1):
        middle = (x + after) // 2
        if middle - last >= _NUMBER_GAP:
            labels.append(draw.text(middle, bottom + 13, str(number)))
            last = middle
    labels.append(draw.text((_LEFT + right) / 2, bottom + 26, "fresh start; time as it passed"))
    return draw.path(lines, "s") + draw.group("tm", *labels)
