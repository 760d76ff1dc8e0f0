"""Agents in a report: a row of each, and on a page a small drawing of each, all on the same axes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.model import units
from weigh.model.text import one_line
from weigh.render.blocks import Cell, Column, Content, Lines, Plot, Row, Section, Table
from weigh.render.blocks import Group as Rows
from weigh.render.svg import draw
from weigh.render.svg.scale import Scale
from weigh.render.svg.time_axis import tick_label

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from markupsafe import Markup

    from weigh.load.analysis.agents import AgentFigures, AgentMoment
    from weigh.render.blocks import Block

TITLE = "Agents"
_ROWS = 40
"""Agents that have a row in a terminal, the worst first where there are more."""
_DRAWN = 60
_ACROSS, _WIDTH, _HEIGHT = 3, 232.0, 96.0
_LEFT, _TOP, _BOTTOM = 44.0, 22.0, 82.0
_LINES: tuple[tuple[int, Callable[[AgentMoment], float | None]], ...] = (
    (0, lambda one: one.p50),
    (1, lambda one: one.p99),
    (2, lambda one: one.late),
)
"""Strokes of the page's style, and of what."""


def sections(found: Sequence[AgentFigures], run: int, *, page: bool) -> Iterator[Section]:
    """What there is to see of each agent of a run; nothing without any.

    Args:
        found: their figures.
        run: its number.
        page: whether for a page.
    """
    if found:
        yield Section(TITLE, list(_blocks(found, page=page)), f"agents-{run}" if page else "")


def _blocks(found: Sequence[AgentFigures], *, page: bool) -> Iterator[Block]:
    yield Lines([_summary(found)])
    rows = sorted(found, key=lambda one: (not one.reasons, one.agent))[: None if page else _ROWS]
    rows = sorted(rows, key=lambda one: one.agent)
    columns = [
        Column("agent"),
        *(Column(name, right=True) for name in ("answers/s", "p50", "p99", "late p90", "CPU", "clock")),
        Column(""),
    ]
    yield Table(columns, [Rows("", [_row(one) for one in rows])], ("clock", "CPU", "p99"), label=None)
    if len(rows) < len(found):
        yield Lines([f"{len(found) - len(rows)} more, none of which is refused, are on the page."])
    if page and (drawing := multiples(found)):
        caption = (
            "Each agent over time, all on the same axes: p50 and p99 of the response time, p99 of its own lateness"
        )
        yield Plot(caption, drawing)


def _summary(found: Sequence[AgentFigures]) -> str:
    bad = [one for one in found if one.reasons]
    whole = f"{units.count(len(found), 'agent')} offered one load together; each is judged by itself."
    if bad:
        whole += f" The run is refused for {', '.join(one.name for one in bad[:3])}"
        whole += f" and {len(bad) - 3} more." if len(bad) > 3 else "."
    with_server = sum(one.with_server for one in found)
    if with_server:
        whole += f" {units.count(with_server, 'agent')} ran on the machine of the server."
    return whole


def _row(one: AgentFigures) -> Row:
    clock = "" if one.bound_s is None else f"± {units.seconds(one.bound_s)}"
    why = ", ".join(dict.fromkeys(str(reason.code) for reason in one.reasons))
    cells: list[Content] = [
        f"{one.agent} {one_line(one.host, 30)}",
        "" if one.rate is None else f"{units.quantity(one.rate)}",
        *("" if value is None else units.seconds(value) for value in (one.p50, one.p99, one.late_p90)),
        "" if one.cpu is None else units.percent(one.cpu, 0),
        clock,
        Cell(
            f"refused ({why})" if why else "on the server's host" if one.with_server else "", "refusal" if why else ""
        ),
    ]
    return Row(cells, css="refused" if why else "")


def multiples(found: Sequence[AgentFigures]) -> Markup | None:
    """A small drawing of each agent; None where none has anything to draw.

    Args:
        found: their figures; of very many the first, and those that are refused.
    """
    rows = sorted(found, key=lambda one: (not one.reasons, one.agent))[:_DRAWN]
    rows = sorted((one for one in rows if one.moments), key=lambda one: one.agent)
    values = [value for one in rows for moment in one.moments for _, of in _LINES if (value := of(moment)) is not None]
    values = [value for value in values if value > 0]
    if not values:
        return None
    end = max(one.moments[-1].until for one in rows)
    down = Scale(min(values) / 1.25, max(values) * 1.25, _BOTTOM, _TOP, log=True)
    across = Scale(0.0, end, _LEFT, _WIDTH - 8, log=False)
    parts = [
        _one(one, (place % _ACROSS) * _WIDTH, (place // _ACROSS) * _HEIGHT, across, down)
        for place, one in enumerate(rows)
    ]
    high = -(-len(rows) // _ACROSS) * _HEIGHT
    label = f"response time and lateness of {units.count(len(rows), 'agent')} over time"
    return draw.image(_ACROSS * _WIDTH, high, "plot", label, *parts)


def _one(one: AgentFigures, x: float, y: float, across: Scale, down: Scale) -> Markup:
    frame = draw.path(
        draw.line(x + _LEFT, y + _BOTTOM, x + across.end, y + _BOTTOM)
        + draw.line(x + _LEFT, y + _TOP, x + _LEFT, y + _BOTTOM),
        "g",
    )
    name = f"{draw.shortened(one.name, 26)}{' refused' if one.reasons else ''}"
    labels = draw.group(
        "te",
        draw.text(x + _LEFT - 4, y + _TOP + 6, tick_label(down.high)),
        draw.text(x + _LEFT - 4, y + _BOTTOM + 2, tick_label(down.low)),
    )
    lines = [draw.path(_joined(one, of, x, y, across, down), f"t{style}") for style, of in _LINES]
    return frame + draw.text(x + _LEFT, y + _TOP - 8, name, "tb") + labels + lines[0] + lines[1] + lines[2]


def _joined(
    one: AgentFigures,
    of: Callable[[AgentMoment], float | None],
    x: float,
    y: float,
    across: Scale,
    down: Scale,
) -> str:
    text, pen = "", False
    for moment in one.moments:
        value = of(moment)
        if value is None or value <= 0:
            pen = False
            continue
        place = across.at((moment.at + moment.until) / 2)
        text += f"{'L' if pen else 'M'}{draw.number(x + place)} {draw.number(y + down.at(value))}"
        pen = True
    return text
