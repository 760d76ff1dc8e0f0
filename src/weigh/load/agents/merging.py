"""The journals of agents merged."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.evidence import journal
from weigh.load.agents.model import FOLDER, PARTS, AgentPart
from weigh.load.generator_errors import call

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from weigh.model.units import Seconds


def intervals_of_a_part(duration: Seconds, interval: Seconds) -> int:
    """How many intervals the figures of an agent are taken over, so that a run has :data:`PARTS` of them at most."""
    return max(1, -(-round(duration / interval) // PARTS))


def of_journals(
    folder: Path,
    agents: list[int],
    run: int,
    each: int,
    take: Callable[[list[str]], object] = lambda _: None,
) -> dict[int, tuple[AgentPart, ...]]:
    """The parts of each agent in a run, by the agents' own journals.

    Args:
        folder: of the attempt.
        agents: numbers of those whose journals are there.
        run: its number.
        each: intervals of a part.
        take: gets the merged intervals, in JSON.

    Raises:
        EngineFault: a journal is damaged.
    """
    from weigh._native import merge_journals

    if not agents:
        return {}
    paths = [path_of(folder, number) for number in agents]
    found = msgspec.json.decode(call(merge_journals, paths, run, each, take), type=list[tuple[AgentPart, ...]])
    return dict(zip(agents, found, strict=True))


def path_of(folder: Path, agent: int) -> Path:
    """The journal of an agent."""
    return folder / FOLDER / str(agent) / journal.NAME
