"""Sealed evidence of each kind, of experiments that were never run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from golden import made
from support import experiment_records, load_comparison_records, load_records, sessions
from weigh.evidence import attempts, bundle, sealing
from weigh.evidence import files as files_of
from weigh.evidence.journal import Journal
from weigh.evidence.seal import SEAL
from weigh.evidence.sealing import End
from weigh.experiment import derived
from weigh.experiment.report import files
from weigh.ladder.load.plan import LoadLadderPlan, LoadStep
from weigh.ladder.load.report import files as load_ladder_files
from weigh.ladder.plan import LadderPlan
from weigh.ladder.report import files as ladder_files
from weigh.load import record as load_record
from weigh.load.activity.model import Activity, Event, RunActivity
from weigh.load.comparison.report import files as comparison_files
from weigh.load.report import files as load_files
from weigh.load.runs import Prepared, Ready
from weigh.load.waits import model
from weigh.load.waits.model import Waits, WaitSample
from weigh.reproduce import files as reproduction_files
from weigh.reproduce import record as reproduction_record

if TYPE_CHECKING:
    from pathlib import Path

    from weigh.experiment.record import Record
    from weigh.load.comparison.record import LoadComparisonRecord
    from weigh.load.spec import LoadSpec

LOAD_INTERVALS = 60


def written_run(root: Path, scale: float | None = None) -> Path:
    """An experiment, complete."""
    whole = experiment_records.record()
    if scale is not None:
        whole = sessions.changed(whole, spec=sessions.changed(whole.spec, scale=scale))
    return sealed_run(root, whole)


def sealed_run(root: Path, record: Record) -> Path:
    """The evidence of a record, complete."""
    folder = sessions.written(root, sessions.changed(record, end=End(how="complete")))
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


def written_load(root: Path, asked: LoadSpec | None = None, data_bytes: int | None = None) -> Path:
    """A load of one run, of which every session waited for a lock.

    Args:
        root: folder of all evidence.
        asked: its spec; a usual one by default.
        data_bytes: how large the server said that its data is; None where it did not.
    """
    asked = asked or load_records.spec(LOAD_INTERVALS)
    folder, attempt = attempts.begin(root, asked.id)
    journal = Journal(folder)
    steady = load_records.steady_times(LOAD_INTERVALS)
    load = load_records.run([load_records.interval(at, own) for at, own in enumerate(steady)])
    assert load.summary
    journal.append("load", load_record.LoadOpened(attempt=attempt, spec=asked))
    environment = load_record.LoadEnvironment(weigh="0", command="weigh load", host={}, target=load_records.target())
    journal.append("environment", environment)
    journal.append("loaded", load_record.Loaded(rows=1_000, seconds=0.5))
    if data_bytes is not None:
        if asked.server_memory is not msgspec.UNSET:
            journal.append("server memory", load_record.MemoryLimit(bytes=asked.server_memory))
        journal.append("prepared", Prepared(run=1, ready=Ready(data_bytes=data_bytes), foreign=0.0, dirty=0))
    journal.append("run", load_record.RunBegun(number=1, loop="open", connections=16, repeat=1, at=2.0))
    for one in load.intervals:
        journal.append("interval", load_record.RunInterval(run=1, interval=one))
    looks = tuple(
        WaitSample(at=0.1 * at, took_s=0.001, connections=16, active={"Lock:tuple": 3}) for at in range(LOAD_INTERVALS)
    )
    journal.append("waits", model.RunWaits(run=1, waits=Waits(looks=looks)))
    snapshots = tuple(Event(kind="snapshot", at=2.0 + at, until=2.2 + at, source="looks") for at in (1.0, 2.5, 4.1))
    journal.append("activity", RunActivity(run=1, activity=Activity(events=snapshots, counted=("snapshot",))))
    journal.append("summary", load_record.RunEnded(run=1, summary=load.summary))
    journal.append("end", End(how="complete"))
    journal.close()
    load_files.write(folder)
    sealing.seal(folder, "0")
    return folder


def written_load_ladder(root: Path, sizes: tuple[float, ...] = (0.5, 2.0), asked: float = 10.0) -> Path:
    """A ladder of loads.

    Args:
        root: folder of all evidence.
        sizes: of the rungs that were reached: data over memory.
        asked: the rung that was not.
    """
    memory = 64 << 20
    loads = [
        sessions.changed(load_records.spec(LOAD_INTERVALS), records=round(size * 1000), server_memory=memory)
        for size in (*sizes, asked)
    ]
    rungs = [
        written_load(root, load, round(size * memory)) for size, load in zip(sizes, loads[: len(sizes)], strict=True)
    ]
    plan = LoadLadderPlan(
        workload=loads[0].workload,
        target=loads[0].target,
        memory=memory,
        memory_is="control group",
        record_bytes=memory // 1000,
        steps=tuple(
            LoadStep(ratio=size, records=load.records, experiment=load.id)
            for size, load in zip((*sizes, asked), loads, strict=True)
        ),
        command="weigh ladder --load",
    )
    return load_ladder_files.write(root, plan, rungs)


def written_servers(root: Path) -> Path:
    """Two servers under one load: blocks enough for a verdict, of a moment each."""
    return sealed_servers(root, load_comparison_records.comparison(load_comparison_records.spec(5, length=4)))


def sealed_servers(root: Path, record: LoadComparisonRecord) -> Path:
    """The evidence of a record."""
    folder, _ = attempts.begin(root, record.spec.id)
    load_comparison_records.written(folder, record)
    comparison_files.write(folder)
    sealing.seal(folder, "0")
    return folder


def written_reproduction(root: Path, evidence: Path | None = None) -> Path:
    """A reproduction whose new evidence says the same as the original.

    Args:
        root: folder of all evidence.
        evidence: the original; one alongside it by default.
    """
    evidence = evidence or sealed_run(root / "original", made.agreed())
    folder = root / f"reproduction-{evidence.name}"
    here = sealed_run(folder, made.agreed())
    (folder / reproduction_record.BUNDLE).write_bytes(bundle.packed(evidence, "run"))
    reproduction_files.write(
        folder,
        reproduction_record.ReproductionRecord(
            schema=reproduction_record.SCHEMA,
            original=reproduction_record.Place(evidence=evidence.name, seal=files_of.hashed(evidence / SEAL)),
            here=reproduction_record.Place(evidence=here.name, seal=files_of.hashed(here / SEAL)),
            names={one.name: one.name for one in made.agreed().spec.contenders},
        ),
    )
    return folder
