"""The plots of a load run: figures over time, and the spectrum of its latencies."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from markupsafe import Markup

from weigh.model import units
from weigh.render.blocks import Plot
from weigh.render.svg import draw
from weigh.render.svg.scale import Scale, ticks
from weigh.render.svg.time_axis import tick_label

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from weigh.load.analysis.figures import RunFigures
    from weigh.load.analysis.percentiles import Spectrum
    from weigh.load.spec import LoadSpec

WIDTH, HEIGHT = 696, 180
LEFT, RIGHT = 76, 664
"""Alongside the axis there is room for its widest label, and for half of the last one below it."""
_TOP, _BOTTOM = 14, 148
_GAP = 22.0
_PAD = 1.25
_POINTS = 300
"""Intervals that are drawn apart; more than that share a place, where the highest is drawn."""

_LINES = {"p50": "p50", "p99": "p99", "max": "max", "service_p99": "p99 of service"}
"""Lines of the response time, as moments and as readers call them; the uppermost first."""

_LIMIT = 4
"""Number of the stroke of a limit."""
STYLE = "\n".join(
    f".t{at}{{fill:none;stroke:{one};stroke-width:1.4}}.b{at}{{color:{one}}}"
    for at, one in enumerate(("var(--k2)", "var(--k1)", "var(--k3)", "var(--k4)"))
)
"""Rules for the strokes, and for their names in a key."""
LIMIT_STYLE = f".t{_LIMIT}{{fill:none;stroke:var(--bad);stroke-dasharray:6 3}}.b{_LIMIT}{{color:var(--bad)}}"
"""The same of a limit, where there is one."""


@dataclass(frozen=True, slots=True)
class Curve:
    """One line.

    Attributes:
        name: as the key says it.
        style: number of its stroke, as the page's style defines it.
        points: place and height; None is a gap.
    """

    name: str
    style: int
    points: tuple[tuple[float, float | None], ...]


def of_run(run: RunFigures, spec: LoadSpec, *, over_time: bool) -> Iterator[Plot]:
    """The plots of a run; what its users felt over time where the timeline of the machine does not show it."""
    made = _over_time(run, spec) if over_time else []
    spectra = [_spectrum_curve("response", run.whole.response, 1), _spectrum_curve("service", run.whole.service, 3)]
    rarest = min((place for one in spectra for place, _ in one.points), default=1.0)
    spectra += limits(spec, 1.0, rarest)
    made.append(("Spectrum: how many are slower", spectrum(spectra, f"spectrum of the {run.loop} loop"), spectra))
    for title, drawing, curves in made:
        entries = [part for one in drawn(curves) for part in (", ", *key(*one))]
        if drawing:
            yield Plot((f"{title}: ", *entries[1:]), drawing)


def _over_time(run: RunFigures, spec: LoadSpec) -> list[tuple[str, Markup, list[Curve]]]:
    end = max([spec.duration_s, *(one.at for one in run.moments)])
    cut = run.settled.cut_s if run.settled else 0.0
    rate = [Curve("answers a second", 0, tuple((one.at, one.rate) for one in run.moments))]
    times = [*response_times(run), *limits(spec, 0.0, end)]
    errors = [Curve("failed in the interval", 1, tuple((one.at, float(one.failed)) for one in run.moments))]
    of = f"of the {run.loop} loop"
    drawing = over_time(rate, f"throughput {of}", end, cut, log=False, label_of=lambda one: f"{one:,.6g}/s")
    made = [("Throughput over time", drawing, rate)]
    drawing = over_time(times, f"response time {of}", end, cut, log=True, label_of=tick_label)
    made.append(("Response time over time, in each interval", drawing, times))
    if any(one.failed for one in run.moments):
        drawing = over_time(errors, f"failures {of}", end, cut, log=False, label_of=lambda one: f"{one:g}")
        made.append(("Failed requests over time", drawing, errors))
    return made


def response_times(run: RunFigures) -> list[Curve]:
    """The lines of the response time in each interval, the uppermost first."""
    return [
        Curve(name, style, tuple((one.at, getattr(one, of)) for one in run.moments))
        for style, (of, name) in enumerate(_LINES.items())
    ]


def limits(spec: LoadSpec, *ends: float) -> list[Curve]:
    """Lines of how long what is required may take, from one place to another."""
    required = [one for one in spec.require or () if one.limit_s is not None]
    return [Curve(str(one), _LIMIT, tuple((place, one.limit_s) for place in ends)) for one in required]


def spoken(curves: Sequence[Curve], form: Callable[[float], str]) -> str:
    """How far the curves reach, for those who do not see them: ``p50 0.2 ms to 3 ms, p99 1 ms to 40 ms``.

    Args:
        curves: that are drawn; limits are left out.
        form: a height in words.
    """
    parts = []
    for one in curves:
        heights = [height for _, height in one.points if height is not None]
        if heights and one.style != _LIMIT:
            low, high = form(min(heights)), form(max(heights))
            parts.append(f"{one.name} {low}" + (f" to {high}" if high != low else ""))
    return ", ".join(parts)


def _spectrum_curve(name: str, one: Spectrum, style: int) -> Curve:
    """The resolved percentiles, and the maximum at the rank of one in all."""
    points = [(1 - each.q, each.value) for each in one.percentiles if each.resolved]
    if one.count > 1 and one.max is not None:
        points.append((1 / one.count, one.max))
    return Curve(name, style, tuple(sorted(points, reverse=True)))


def over_time(
    curves: Sequence[Curve], label: str, end: float, cut: float, *, log: bool, label_of: Callable[[float], str]
) -> Markup:
    """Figures over the seconds of a run; nothing where no curve has a point.

    Args:
        curves: heights above zero where the scale is logarithmic.
        label: what it shows, for those who do not see it.
        end: seconds of the run.
        cut: seconds at the beginning that are in no figure: drawn on a shaded ground.
        log: whether heights differ by powers of ten.
        label_of: a height as the axis labels it.
    """
    heights = [
        height for curve in curves for _, height in curve.points if height is not None and (height > 0 or not log)
    ]
    if not heights or end <= 0:
        return Markup()
    if log:
        down = Scale(min(heights) / _PAD, max(heights) * _PAD, _BOTTOM, _TOP, log=True)
    else:
        down = Scale(0.0, max(heights) * _PAD or 1.0, _BOTTOM, _TOP, log=False)
    across = Scale(0.0, end, LEFT, RIGHT, log=False)
    parts = []
    if cut > 0:
        wide = across.at(min(cut, end)) - LEFT
        parts.append(draw.path(f"M{LEFT} {_TOP}h{draw.number(wide)}V{_BOTTOM}h-{draw.number(wide)}z", "mg"))
    parts += [grid(down, label_of), seconds(across)]
    parts += [draw.path(joined(curve, across, down), f"t{curve.style}") for curve in reversed(curves)]
    return draw.image(WIDTH, HEIGHT, "plot", f"{label}: {spoken(curves, label_of)}", *parts)


def spectrum(curves: Sequence[Curve], label: str) -> Markup:
    """Latencies against how rare they are: places are fractions of the requests that are slower, heights seconds."""
    heights = [height for curve in curves for _, height in curve.points if height]
    rarest = min((place for curve in curves for place, _ in curve.points), default=1.0)
    # One point is no line.
    if not heights or rarest >= 1 or all(len(curve.points) < 2 for curve in curves):
        return Markup()
    down = Scale(min(heights) / _PAD, max(heights) * _PAD, _BOTTOM, _TOP, log=True)
    across = Scale(math.log10(rarest), 0.0, RIGHT, LEFT, log=False)
    steps = [10.0**-power for power in range(0, 1 - math.floor(math.log10(rarest))) if 10.0**-power >= rarest]
    places = [(across.at(math.log10(step)), step) for step in steps]
    marks = draw.path("".join(f"M{draw.number(x)} {_BOTTOM}v5" for x, _ in places), "s")
    names = draw.group("tm", *(draw.text(x, _BOTTOM + 18, _rank(step)) for x, step in places))
    parts = [grid(down, tick_label), marks + names]
    for curve in curves:
        flat = tuple((across.at(math.log10(place)), down.at(height)) for place, height in curve.points if height)
        parts.append(draw.path(_steps(flat), f"t{curve.style}"))
    return draw.image(WIDTH, HEIGHT, "plot", f"{label}: {spoken(curves, units.seconds)}", *parts)


def _steps(points: Sequence[tuple[float, float]]) -> str:
    """Path data of what is known: a percentile holds until the next one, and a dot marks where each was read.

    A line straight from one to the next would show percentiles that nobody resolved.
    """
    text = ""
    for at, (x, y) in enumerate(points):
        across, height = draw.number(round(x, 1)), draw.number(round(y, 1))
        text += f"H{across}V{height}" if at else f"M{across} {height}"
    dots = (f"M{draw.number(round(x, 1) - 2.5)} {draw.number(round(y, 1))}h5m-2.5 -2.5v5" for x, y in points)
    return text + "".join(dots) if len(points) != 2 or points[0][1] != points[1][1] else text


def _rank(slower: float) -> str:
    return "all" if slower == 1 else f"p{100 * (1 - slower):.6g}"


def joined(curve: Curve, across: Scale, down: Scale) -> str:
    """Path data in whole steps, the highest of all points that share a place.

    Args:
        curve: the line.
        across: of the places.
        down: of the heights.
    """
    wide = max((RIGHT - LEFT) / _POINTS, 1.0)
    text, pen = "", False
    for slot, some in groupby(curve.points, key=lambda point: round(across.at(point[0]) / wide)):
        known = [height for _, height in some if height is not None and (height > 0 or not down.log)]
        if not known:
            pen = False
            continue
        y = draw.number(round(down.at(max(known)), 1))
        text += f"{'L' if pen else 'M'}{draw.number(slot * wide)} {y}"
        pen = True
    return text


def drawn(curves: Sequence[Curve]) -> tuple[tuple[str, int], ...]:
    """Name and stroke of the lines that can be observed; one that lies below another throughout shares its entry.

    Args:
        curves: the uppermost first.
    """
    names: dict[tuple[tuple[float, float | None], ...], list[Curve]] = {}
    for curve in curves:
        if any(height is not None for _, height in curve.points):
            names.setdefault(curve.points, []).append(curve)
    return tuple((" and ".join(one.name for one in same), same[0].style) for same in names.values())


def key(name: str, style: int) -> tuple[Markup, str]:
    """An entry of the key of a plot."""
    return Markup('<span class="b{}"><b>&mdash;</b></span> ').format(style), name


def grid(down: Scale, label_of: Callable[[float], str]) -> Markup:
    """Lines at round heights, with their labels.

    Args:
        down: of the heights.
        label_of: a height as the axis labels it.
    """
    places = {tick: round(down.at(tick)) for tick in ticks(down, _GAP)}
    lines = draw.path("".join(draw.line(LEFT, y, RIGHT, y) for y in places.values()), "g")
    return lines + draw.group("te", *(draw.text(LEFT - 6, y + 4, label_of(tick)) for tick, y in places.items()))


def seconds(across: Scale, bottom: int = _BOTTOM) -> Markup:
    """The axis of time, below what ends at a height."""
    places = ticks(across, 60.0)
    marks = draw.path("".join(f"M{draw.number(across.at(tick))} {bottom}v5" for tick in places), "s")
    return marks + draw.group("tm", *(draw.text(across.at(tick), bottom + 18, f"{tick:g} s") for tick in places))
