"""The end of an experiment with agents: their journals, and what each of them did in each run."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import msgspec

from weigh.evidence import journal as journals
from weigh.load.agents.model import FOLDER, AgentPart
from weigh.load.agents.shares import intervals_of_a_part
from weigh.load.generator_errors import call

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from weigh.evidence.journal import Journal
    from weigh.load.agents.fleet import Fleet
    from weigh.load.spec import LoadSpec


@contextmanager
def collected(fleet: Fleet, folder: Path, spec: LoadSpec, journal: Journal) -> Iterator[None]:
    """Whatever becomes of the body: agents send their journals, and what they did is written down.

    Args:
        fleet: the agents.
        folder: of the attempt.
        spec: of the load.
        journal: of the attempt.
    """
    try:
        yield
    except BaseException:
        # What went wrong is what is told, whatever else does.
        with suppress(Exception):
            _collect(fleet, folder, spec, journal)
        raise
    _collect(fleet, folder, spec, journal)


def _collect(fleet: Fleet, folder: Path, spec: LoadSpec, journal: Journal) -> None:
    fleet.collect(folder)
    lost = {one.read.number: one.lost for one in fleet.agents if one.lost}
    there = [one.read.number for one in fleet.agents if not one.lost]
    for run in dict.fromkeys(one.run for one in fleet.runs):
        parts = of_journals(folder, there, run, spec)
        for one in fleet.runs:
            if one.run == run:
                how = one.lost or lost.get(one.agent, "")
                journal.append("agent", msgspec.structs.replace(one, lost=how, parts=parts.get(one.agent, ())))


def of_journals(
    folder: Path, agents: list[int], run: int, spec: LoadSpec, take: Callable[[list[str]], object] = lambda _: None
) -> dict[int, tuple[AgentPart, ...]]:
    """The parts of each agent in a run, by the agents' own journals.

    Args:
        folder: of the attempt.
        agents: numbers of those whose journals are there.
        run: its number.
        spec: of the load.
        take: gets the merged intervals, in JSON.

    Raises:
        EngineFault: a journal is damaged.
    """
    from weigh._native import merge_journals

    if not agents:
        return {}
    each = intervals_of_a_part(spec.duration_s, spec.interval_s)
    paths = [path_of(folder, number) for number in agents]
    found = msgspec.json.decode(call(merge_journals, paths, run, each, take), type=list[tuple[AgentPart, ...]])
    return dict(zip(agents, found, strict=True))


def path_of(folder: Path, agent: int) -> Path:
    """The journal of an agent."""
    return folder / FOLDER / str(agent) / journals.NAME
