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
    from weigh.load.rate_search.probes import BudgetOutcome
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
    points = [
        (probe, outcome)
        for probe in one.counted
        for outcome in probe.budgets
        if outcome.budget == budget and outcome.value
    ]
    limit = budget.limit_s or 0.0
    if not points:
        return Markup()
    closed = (
        [outcome for outcome in one.pilot.probe.budgets if outcome.budget == budget and outcome.value]
        if one.pilot
        else []
    )
    heights = [
        limit,
        *(height for _, outcome in points for height in (outcome.low, outcome.value, outcome.high) if height),
    ]
    heights += [outcome.value for outcome in closed if outcome.value]
    rates = [probe.rate for probe, _ in points] + [one.pilot.rate for _ in closed if one.pilot]
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
        own = [(across.at(probe.rate), outcome) for probe, outcome in points if probe.verdict == verdict]
        parts += [draw.path(intervals(own, down), "ri"), draw.path(dots(own, down), css)]
    if one.pilot:
        parts.append(draw.path(dots([(across.at(one.pilot.rate), outcome) for outcome in closed], down), "rc"))
    label = f"p{100 * (budget.q or 0):.6g} at {len(points)} rates"
    ends = (("kept up to", one.sustained), ("broken from", one.broken), ("the highest rate", found and found.rate))
    label += "".join(f"; {what} {place:,.4g}/s" for what, place in ends if place)
    return draw.image(WIDTH, HEIGHT, "plot", label, *parts)


def grid(down: Scale) -> Markup:
    """Lines across at round values, with their labels."""
    heights = {tick: round(down.at(tick)) for tick in ticks(down, _UP_GAP)}
    lines = draw.path("".join(draw.line(LEFT, y, RIGHT, y) for y in heights.values()), "g")
    return lines + draw.group("te", *(draw.text(LEFT - 6, y + 4, tick_label(tick)) for tick, y in heights.items()))


def axis(across: Scale, bottom: float) -> Markup:
    """Marks of round rates, with their labels.

    Args:
        across: of the rates.
        bottom: where the axis lies.
    """
    tick_places = ticks(across, _GAP)
    marks = draw.path("".join(f"M{draw.number(across.at(tick))} {draw.number(bottom)}v5" for tick in tick_places), "s")
    return marks + draw.group(
        "tm", *(draw.text(across.at(tick), bottom + 18, f"{tick:,.6g}/s") for tick in tick_places)
    )


def dots(points: Sequence[tuple[float, BudgetOutcome]], down: Scale) -> str:
    """Path data of a dot for each probe: its place across, and what it says of a budget."""
    return "".join(
        f"M{draw.number(x)} {draw.number(down.at(outcome.value))}h0"
        for x, outcome in points
        if outcome.value is not None
    )


def intervals(points: Sequence[tuple[float, BudgetOutcome]], down: Scale) -> str:
    """Path data of the interval of each probe that has one; arguments as of :func:`dots`."""
    data = ""
    for x, outcome in points:
        if outcome.low is not None and outcome.high is not None:
            low, high = down.at(outcome.low), down.at(outcome.high)
            ends = "".join(f"M{draw.number(x - _HALF)} {draw.number(y)}h{draw.number(2 * _HALF)}" for y in (low, high))
            data += draw.line(x, low, x, high) + ends
    return data
