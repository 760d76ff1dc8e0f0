"""The curve of a search: what a percentile was at each rate, the budget, and the rate at which it breaks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup

from weigh.render.svg import draw
from weigh.render.svg.scale import around, ticks
from weigh.render.svg.time_axis import tick_label

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.load.budgets import Budget
    from weigh.load.rate_search.probes import Kept
    from weigh.load.rate_search.results import RateSearchResults
    from weigh.render.svg.scale import Scale

WIDTH, HEIGHT = 696, 180
LEFT, RIGHT = 76, 664
TOP, BOTTOM = 14, 148
_GAP, _UP_GAP = 70.0, 22.0
_HALF = 3.0
"""Half of the bar at the end of an interval."""


def curve(one: RateSearchResults, budget: Budget) -> Markup:
    """A percentile against the rate, with intervals; nothing where no probe has it.

    Args:
        one: the search.
        budget: of a percentile.
    """
    seen = [(probe, kept) for probe in one.counted for kept in probe.budgets if kept.budget == budget and kept.value]
    limit = budget.limit_s or 0.0
    if not seen:
        return Markup()
    closed = [kept for kept in one.pilot.probe.budgets if kept.budget == budget and kept.value] if one.pilot else []
    heights = [limit, *(height for _, kept in seen for height in (kept.low, kept.value, kept.high) if height)]
    heights += [kept.value for kept in closed if kept.value]
    rates = [probe.rate for probe, _ in seen] + [one.pilot.rate for _ in closed if one.pilot]
    down, across = around(heights, BOTTOM, TOP), around(rates, LEFT, RIGHT)
    parts = [Markup()]
    if found := one.threshold:
        left, right = (min(max(across.at(place), LEFT), RIGHT) for place in (found.low, found.high))
        parts.append(draw.path(f"M{draw.number(left)} {TOP}H{draw.number(right)}V{BOTTOM}H{draw.number(left)}z", "mg"))
    parts += [grid(down), axis(across, BOTTOM)]
    parts.append(draw.path(draw.line(LEFT, down.at(limit), RIGHT, down.at(limit)), "rl"))
    if found and across.holds(found.rate):
        parts.append(draw.path(draw.line(across.at(found.rate), TOP, across.at(found.rate), BOTTOM), "mean"))
    for verdict, css in (("kept", "rk"), ("broken", "rb")):
        own = [(across.at(probe.rate), kept) for probe, kept in seen if probe.verdict == verdict]
        parts += [draw.path(intervals(own, down), "ri"), draw.path(dots(own, down), css)]
    if one.pilot:
        parts.append(draw.path(dots([(across.at(one.pilot.rate), kept) for kept in closed], down), "rc"))
    label = f"p{100 * (budget.q or 0):.6g} at {len(seen)} rates"
    return draw.image(WIDTH, HEIGHT, "plot", label, *parts)


def grid(down: Scale) -> Markup:
    """Lines across at round values, with their labels."""
    shown = {tick: round(down.at(tick)) for tick in ticks(down, _UP_GAP)}
    lines = draw.path("".join(draw.line(LEFT, y, RIGHT, y) for y in shown.values()), "g")
    return lines + draw.group("te", *(draw.text(LEFT - 6, y + 4, tick_label(tick)) for tick, y in shown.items()))


def axis(across: Scale, bottom: float) -> Markup:
    """Marks of round rates, with their labels.

    Args:
        across: of the rates.
        bottom: where the axis lies.
    """
    shown = ticks(across, _GAP)
    marks = draw.path("".join(f"M{draw.number(across.at(tick))} {draw.number(bottom)}v5" for tick in shown), "s")
    return marks + draw.group("tm", *(draw.text(across.at(tick), bottom + 18, f"{tick:,.6g}/s") for tick in shown))


def dots(points: Sequence[tuple[float, Kept]], down: Scale) -> str:
    """Path data of a dot for each probe: its place across, and what it says of a budget."""
    return "".join(
        f"M{draw.number(x)} {draw.number(down.at(kept.value))}h0" for x, kept in points if kept.value is not None
    )


def intervals(points: Sequence[tuple[float, Kept]], down: Scale) -> str:
    """Path data of the interval of each probe that has one; arguments as of :func:`dots`."""
    data = ""
    for x, kept in points:
        if kept.low is not None and kept.high is not None:
            low, high = down.at(kept.low), down.at(kept.high)
            ends = "".join(f"M{draw.number(x - _HALF)} {draw.number(y)}h{draw.number(2 * _HALF)}" for y in (low, high))
            data += draw.line(x, low, x, high) + ends
    return data
