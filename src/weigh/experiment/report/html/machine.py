"""The machine under the measurement: its part of the page, with the contended turns."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from weigh.experiment.report import machine as use
from weigh.model.units import percent
from weigh.render.blocks import Column, Fold, Group, Lines, Part, Plot, Row, Table
from weigh.render.svg import timeline

if TYPE_CHECKING:
    from markupsafe import Markup

    from weigh.experiment.report.html.contenders import Contenders
    from weigh.experiment.results.machine import Machine
    from weigh.render.blocks import Block

_TURNS = 10
"""Contended turns of one pair that the page names; the JSON has them all."""
_CAPTION = (
    "Share in use; of the CPU ", Part("by contenders", "ow"), ", ", Part("by others", "fg"),
    ". A line above a lane: work waited. A mark on top: a contended turn.",
)  # fmt: skip


def part(machine: Machine, contenders: Contenders) -> Fold:
    """What is to be said, the drawing, and pairs with contended turns, the worst first."""
    parts: list[Block] = [Lines(list(use.lines(machine)), css="say", listed=True, most=1000)]
    plot, rows = _plot(machine, contenders), _contended(machine, contenders)
    if plot is not None:
        parts.append(Plot(_CAPTION, plot, below=True))
    if rows:
        columns = [Column(one) for one in ("operation", "contender", "others", "by whom", "block.turn, share")]
        table = Table(columns, [Group("", rows)], label=None, scoped=None)
        parts.append(Fold("Contended turns", [table], tag="", css=""))
    return Fold("The machine meanwhile", parts, "h2", anchor="machine", short="Machine")


def _plot(machine: Machine, contenders: Contenders) -> Markup | None:
    found = machine.bins
    if found is None:
        return None
    marks = {who.name: who.mark for who in contenders.everybody}
    places: dict[int, list[float]] = defaultdict(list)
    for pair in machine.contention.pairs:
        for turn in pair.contended:
            places[marks[pair.contender]].append(found.place(turn.attempt, (turn.began + turn.ended) / 2))
    label = "CPU, memory, disk and network while the turns were taken"
    return timeline.plot(found, {mark: sorted(those) for mark, those in sorted(places.items())}, label)


def _contended(machine: Machine, contenders: Contenders) -> list[Row]:
    everybody = {who.name: who for who in contenders.everybody}
    pairs = [pair for pair in machine.contention.pairs if pair.contended or pair.refused or pair.stolen]
    return [
        Row([
            pair.operation + ("" if pair.temperature == "hot" else f", {pair.temperature}"),
            everybody[pair.contender].phrase,
            percent(pair.foreign + pair.steal) + (", refused" if pair.refused or pair.stolen else ""),
            use.other_processes(pair),
            use.turns(pair, _TURNS),
        ])
        for pair in sorted(pairs, key=lambda one: -(one.foreign + one.steal))
    ]  # fmt: skip
