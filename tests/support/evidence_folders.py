"""Sealed evidence of each kind, of experiments that were never run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from support import experiment_records, load_comparison_records, load_records, sessions
from weigh.evidence import attempts, sealing
from weigh.evidence.journal import Journal
from weigh.evidence.sealing import End
from weigh.experiment import derived
from weigh.experiment.report import files
from weigh.ladder.plan import LadderPlan
from weigh.ladder.report import files as ladder_files
from weigh.load import record as load_record
from weigh.load.activity.model import Activity, Event, RunActivity
from weigh.load.comparison.report import files as comparison_files
from weigh.load.report import files as load_files
from weigh.load.waits import model
from weigh.load.waits.model import Waits, WaitSample

if TYPE_CHECKING:
    from pathlib import Path

LOAD_INTERVALS = 60


def written_run(root: Path, scale: float | None = None) -> Path:
    """An experiment, complete."""
    whole = sessions.changed(experiment_records.record(), end=End(how="complete"))
    if scale is not None:
        whole = sessions.changed(whole, spec=sessions.changed(whole.spec, scale=scale))
    folder = sessions.written(root, whole)
    derived.derive(folder)
    files.write(folder)
    sealing.seal(folder, "0")
    return folder


def written_ladder(root: Path) -> Path:
    """A ladder of three scales, of which two were reached."""
    scales = (0.1, 1.0)
    rungs = [(scale, written_run(root, scale)) for scale in scales]
    ids = tuple(folder.name.split("-")[1] for _, folder in rungs)
    plan = LadderPlan(scales=(*scales, 10.0), experiments=(*ids, "f" * 12), command="weigh ladder")
    return ladder_files.write(root, plan, rungs)


def written_load(root: Path) -> Path:
    """A load of one run, of which every session waited for a lock."""
    asked = load_records.spec(LOAD_INTERVALS)
    folder, attempt = attempts.begin(root, asked.id)
    journal = Journal(folder)
    steady = load_records.steady_times(LOAD_INTERVALS)
    made = load_records.run([load_records.interval(at, own) for at, own in enumerate(steady)])
    assert made.summary
    journal.append("load", load_record.LoadOpened(attempt=attempt, spec=asked))
    environment = load_record.LoadEnvironment(weigh="0", command="weigh load", host={}, target=load_records.target())
    journal.append("environment", environment)
    journal.append("loaded", load_record.Loaded(rows=1_000, seconds=0.5))
    journal.append("run", load_record.RunBegun(number=1, loop="open", connections=16, repeat=1, at=2.0))
    for one in made.intervals:
        journal.append("interval", load_record.RunInterval(run=1, interval=one))
    looks = tuple(
        WaitSample(at=0.1 * at, took_s=0.001, connections=16, active={"Lock:tuple": 3}) for at in range(LOAD_INTERVALS)
    )
    journal.append("waits", model.RunWaits(run=1, waits=Waits(looks=looks)))
    snapshots = tuple(Event(kind="snapshot", at=2.0 + at, until=2.2 + at, told="looks") for at in (1.0, 2.5, 4.1))
    journal.append("activity", RunActivity(run=1, activity=Activity(events=snapshots, counted=("snapshot",))))
    journal.append("summary", load_record.RunEnded(run=1, summary=made.summary))
    journal.append("end", End(how="complete"))
    journal.close()
    load_files.write(folder)
    sealing.seal(folder, "0")
    return folder


def written_servers(root: Path) -> Path:
    """Two servers under one load: blocks enough for a verdict, of a moment each."""
    record = load_comparison_records.comparison(load_comparison_records.spec(5, length=4))
    folder, _ = attempts.begin(root, record.spec.id)
    load_comparison_records.written(folder, record)
    comparison_files.write(folder)
    sealing.seal(folder, "0")
    return folder
