"""Watching: the machine under the turns, as a part of the page."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from weigh.experiment.report import machine as use
from weigh.model.units import percent
from weigh.render.machine import bound
from weigh.render.svg import timeline

if TYPE_CHECKING:
    from markupsafe import Markup

    from weigh.experiment.report.html.contenders import Contenders, Mark
    from weigh.experiment.results.machine import Machine
    from weigh.experiment.results.results import ExperimentResults

MOST_NAMED = 10
"""Contended turns of one pair that the page names; the JSON has them all."""


@dataclass(frozen=True, slots=True)
class Disturbed:
    """A pair with contended turns.

    Attributes:
        operation: its name.
        who: the contender.
        share: that others used of the CPU of its turns.
        refused: whether it has no verdict for it.
        turns: the contended ones in words.
        other_processes: who it was, in words.
    """

    operation: str
    who: Mark
    share: str
    refused: bool
    turns: str
    other_processes: str


@dataclass(frozen=True, slots=True)
class MachineSection:
    """The part.

    Attributes:
        lines: what is to be said.
        plot: the drawing; None where nothing was measured.
        disturbed: pairs with contended turns, the worst first.
        bound: that was declared, in words.
    """

    lines: tuple[str, ...]
    plot: Markup | None
    disturbed: tuple[Disturbed, ...]
    bound: str


def machine_section(results: ExperimentResults, contenders: Contenders) -> MachineSection | None:
    """The part; None where nobody watched the machine."""
    machine = results.machine
    if machine is None:
        return None
    return MachineSection(
        lines=tuple(use.lines(machine)),
        plot=_plot(machine, contenders),
        disturbed=_disturbed(machine, contenders),
        bound=bound(machine.contention.bound),
    )


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


def _disturbed(machine: Machine, contenders: Contenders) -> tuple[Disturbed, ...]:
    everybody = {who.name: who for who in contenders.everybody}
    pairs = [pair for pair in machine.contention.pairs if pair.contended or pair.refused or pair.stolen]
    return tuple(
        Disturbed(
            operation=pair.operation + ("" if pair.temperature == "hot" else f", {pair.temperature}"),
            who=everybody[pair.contender],
            share=percent(pair.foreign + pair.steal),
            refused=pair.refused or pair.stolen,
            turns=use.turns(pair, MOST_NAMED),
            other_processes=use.other_processes(pair),
        )
        for pair in sorted(pairs, key=lambda one: -(one.foreign + one.steal))
    )
