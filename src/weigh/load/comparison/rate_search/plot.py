"""The curves of several servers in one plot: a percentile against the rate, and the rate at which each breaks."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from markupsafe import Markup

from weigh.load.rate_search.findings import rate
from weigh.load.rate_search.plot import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, axis, dots, grid, intervals
from weigh.render.svg import draw
from weigh.render.svg.scale import around

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from weigh.load.budgets import Budget
    from weigh.load.comparison.rate_search.results import ContenderRate, RatesFound
    from weigh.load.rate_search.probes import BudgetOutcome, ProbeFigures
    from weigh.render.svg.scale import Scale

_COLOURS = 8
_NAME, _LINE = 24, 13
_RING = 3.0
_LABEL = 170
"""Room for the name of a knee, right of its line."""


class _Curve(NamedTuple):
    """A contender: its place among the colours, its rate, and its probes with what they say of the budget."""

    number: int
    rate: ContenderRate
    points: Sequence[tuple[ProbeFigures, BudgetOutcome]]


def curves(found: RatesFound, budget: Budget) -> Markup:
    """A percentile against the rate for every contender; nothing where no probe has it.

    Args:
        found: what the searches found.
        budget: of a percentile.
    """
    drawn = [one for one in _curves(found, budget) if one.points]
    if not drawn:
        return Markup()
    limit = budget.limit_s or 0.0
    heights = [limit]
    heights += [
        height
        for one in drawn
        for _, outcome in one.points
        for height in (outcome.low, outcome.value, outcome.high)
        if height
    ]
    rates = [probe.rate for one in drawn for probe, _ in one.points]
    # The names of the knees stand above the curves.
    top = TOP + _LINE * len(drawn)
    height = HEIGHT + _LINE * len(drawn)
    down, across = around(heights, BOTTOM + height - HEIGHT, top), around(rates, LEFT, RIGHT)
    bottom = BOTTOM + height - HEIGHT
    parts = [grid(down), axis(across, bottom), draw.path(draw.line(LEFT, down.at(limit), RIGHT, down.at(limit)), "rl")]
    for at, one in enumerate(drawn):
        parts += _drawn(one, down, across, (TOP + _LINE * at, bottom))
    knees = [f"{one.rate.contender} breaks at {one.rate.threshold.rate:,.4g}/s" for one in drawn if one.rate.threshold]
    label = f"p{100 * (budget.q or 0):.6g} of {len(drawn)} servers against the rate"
    label += f": {', '.join(knees) or 'no rate was found'}"
    return draw.image(WIDTH, height, "plot", label, *parts)


def _curves(found: RatesFound, budget: Budget) -> Iterator[_Curve]:
    for number, one in enumerate(found.rates):
        search = found.searches.get(one.contender)
        points = [
            (probe, outcome)
            for probe in (search.counted if search else ())
            for outcome in probe.budgets
            if outcome.budget == budget and outcome.value
        ]
        yield _Curve(number % _COLOURS, one, points)


def _drawn(one: _Curve, down: Scale, across: Scale, ends: tuple[float, float]) -> Iterator[Markup]:
    """A knee on the band of its interval, its name, and the probes."""
    top, bottom = ends
    limit = one.rate.threshold
    if limit is not None:
        left, knee, right = (min(max(across.at(at), LEFT), RIGHT) for at in (limit.low, limit.rate, limit.high))
        wide = draw.number(right - left)
        yield draw.path(f"M{draw.number(left)} {top}h{wide}V{bottom}h-{wide}z", f"kb k{one.number}")
        yield draw.path(draw.line(knee, top, knee, bottom), f"kn o{one.number}")
        words = f"{draw.shortened(one.rate.contender, _NAME)}: {rate(limit.rate)}"
        fits = knee + _LABEL < WIDTH
        yield draw.group("tb", draw.text(knee + (4 if fits else -4), top + 10, words, "" if fits else "te"))
    for verdict, drawn, css in (("kept", dots, "kk"), ("broken", _rings, "kn")):
        own = [(across.at(probe.rate), outcome) for probe, outcome in one.points if probe.verdict == verdict]
        yield draw.path(intervals(own, down), f"kn o{one.number}")
        yield draw.path(drawn(own, down), f"{css} o{one.number}")


def _rings(points: Sequence[tuple[float, BudgetOutcome]], down: Scale) -> str:
    """Path data of a ring for each probe."""
    return "".join(
        f"M{draw.number(x - _RING)} {draw.number(down.at(outcome.value))}"
        + "".join(f"a{_RING:g} {_RING:g} 0 1 0 {way:g} 0" for way in (2 * _RING, -2 * _RING))
        for x, outcome in points
        if outcome.value is not None
    )
