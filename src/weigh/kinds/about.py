"""What a list says of evidence without reading all of it, and how a run is recognised."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path


class About(NamedTuple):
    """What a list says of an evidence directory.

    Attributes:
        workload: its name.
        about: whose evidence it is: contenders, a target, rungs.
        end: how it ended, ``complete`` or ``stopped``; None where it was killed or is still going on.
    """

    workload: str
    about: str
    end: str | None


def is_run(folder: Path) -> bool:
    """Whether a directory that no other kind recognises is a run. One whose journal was removed fails as evidence."""
    return any((folder / name).exists() for name in ("journal.jsonl", "seal.json"))


def run(folder: Path) -> About:
    """Of a run: its contenders and its scale."""
    from weigh.experiment.record import read_spec
    from weigh.model import units

    spec = read_spec(folder)
    scale = f", {units.scale(spec.scale)}" if spec.scale is not None else ""
    return About(spec.title, ", ".join(one.name for one in spec.contenders) + scale, _end(folder))


def load(folder: Path) -> About:
    """Of a load: its target."""
    from weigh.load.record import read_spec

    spec = read_spec(folder)
    return About(spec.title, spec.target, _end(folder))


def load_comparison(folder: Path) -> About:
    """Of a load with several contenders: their names."""
    from weigh.load.comparison.record import read_spec

    spec = read_spec(folder)
    return About(spec.load.title, ", ".join(one.name for one in spec.contenders), _end(folder))


def streams(folder: Path) -> About:
    """Of query streams: their contenders, and how many."""
    from weigh.model import units
    from weigh.streams.record import read_spec

    spec = read_spec(folder)
    names = ", ".join(one.name for one in spec.experiment.contenders)
    return About(spec.experiment.workload, f"{names}, {units.count(spec.streams, 'stream')}", _end(folder))


def ladder(folder: Path) -> About:
    """Of a ladder: its scales so far."""
    from weigh.ladder.record import read
    from weigh.model import units

    record = read(folder)
    reached = {rung.scale for rung in record.rungs}
    named = [units.scale(scale) for scale in record.plan.scales if scale in reached and scale is not None]
    at = f": {', '.join(named)}" if named else ""
    about = f"{len(reached)} of {units.count(len(record.plan.scales), 'rung')}{at}"
    return About(record.ladder.workload, about, "complete" if len(reached) == len(record.plan.scales) else None)


def load_ladder(folder: Path) -> About:
    """Of a ladder of loads: its target, and data over memory of its rungs so far."""
    from weigh.ladder.load.record import read
    from weigh.model import units

    record = read(folder)
    reached, planned = len(record.rungs), len(record.plan.steps)
    at = ", ".join(f"{one.ratio:g}x" for one in record.plan.steps[:reached])
    about = f"{record.plan.target}: {reached} of {units.count(planned, 'rung')}: {at}"
    return About(record.plan.workload, about, "complete" if reached == planned else None)


def reproduction(folder: Path) -> About:
    """Of a reproduction: the evidence that it is of."""
    from weigh.experiment.record import read_spec
    from weigh.load import record as loads
    from weigh.reproduce.record import read

    record = read(folder)
    here = folder / record.here.evidence
    title = loads.read_spec(here).title if loads.is_load(here) else read_spec(here).title
    return About(title, f"of {record.original.evidence}", _end(here))


def _end(folder: Path) -> str | None:
    """How an attempt ended, as its journal says."""
    from weigh.evidence import files, journal
    from weigh.evidence.sealing import End
    from weigh.model.errors import EvidenceFault

    event = journal.last(folder)
    try:
        return files.converted(event.body, End).how if event and event.event == "end" else None
    except EvidenceFault:
        return None
