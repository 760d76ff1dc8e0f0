"""The end of an experiment with agents: their journals, and what each of them did in each run."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import msgspec

from weigh.load.agents.merging import intervals_of_a_part, of_journals

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from weigh.evidence.journal import Journal
    from weigh.load.fleet.fleet import Fleet
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
        parts = of_journals(folder, there, run, intervals_of_a_part(spec.duration_s, spec.interval_s))
        for one in fleet.runs:
            if one.run == run:
                how = one.lost or lost.get(one.agent, "")
                journal.append("agent", msgspec.structs.replace(one, lost=how, parts=parts.get(one.agent, ())))
