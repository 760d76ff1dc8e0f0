"""Sessions made up for tests of what may be joined: records, and evidence directories written from them."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import msgspec

from weigh.compare.results import Session
from weigh.evidence import attempts, turns
from weigh.evidence.journal import Journal
from weigh.evidence.timeline import Columns
from weigh.experiment.record import BlockBegun, EnvironmentRead, Opened, Record
from weigh.experiment.results.results import experiment_results
from weigh.model.answer import GateStatus, ResultSchema
from weigh.model.contender import Contender, ContenderRead
from weigh.model.dataset import DatasetName, FileFacts, Manifest
from weigh.model.gate import Gate, OperationGate
from weigh.model.operation import Case, Operation, Workload
from weigh.model.sample import Outcome, Sample
from weigh.model.spec import LayoutSpec, Spec

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from weigh.model.finding import Finding
    from weigh.model.machine.timeline import Watch

HOST = {
    "cpu": "a processor", "cores": 4, "cores_allowed": 4, "memory_bytes": 16 << 30, "kernel": "6.1", "cpu_limit": None,
    "memory_limit": None, "governor": "performance", "system": "Debian",
}  # fmt: skip
READ = ContenderRead(
    name="ref", engine="duckdb", lineage="duckdb", version="2.0.0", settings={"threads": 2}, environment="e1",
    in_force={"threads": {"value": "2", "default": "4"}, "memory_limit": {"value": "8 GiB", "default": "8 GiB"}},
    lock="duckdb==2.0.0\nnanoarrow==0.9.0\n",
)  # fmt: skip
FILE = FileFacts(path="events-0.parquet", table="events", bytes=9, blake3="b1", rows=3, digest="d1")
MANIFEST = Manifest(
    dataset=DatasetName(generator="netflow/1", scale=3, seed=42),
    layout=LayoutSpec(),
    writer="duckdb 2.0.0",
    files=(FILE,),
    digests={"events": "d1"},
)
QUESTION = Operation(
    name="q1",
    sql="SELECT count(*) FROM events WHERE user = {user}",
    schema=ResultSchema(columns=()),
    cases=(Case(name="one", literals={"user": "ada"}, timed=True), Case(name="two", literals={"user": "bob"})),
)
WORKLOAD = Workload(name="netflow", dataset="netflow", operations=(QUESTION,))


def changed(struct: Any, **fields: Any) -> Any:
    return msgspec.structs.replace(struct, **fields)


def record(
    *reads: ContenderRead,
    attempt: int = 1,
    host: dict[str, Any] | None = None,
    manifest: Manifest = MANIFEST,
    workload: Workload | None = WORKLOAD,
    measured: bool = True,
    findings: tuple[Finding, ...] = (),
    weigh: str = "1",
    runs: int = 1,
    blocks: int = 2,
    **spec: Any,
) -> Record:
    reads = reads or (READ, changed(READ, name="new", version="2.1.0"))
    named = tuple(Contender(name=one.name, engine=one.engine) for one in reads)
    status = {one.name: GateStatus.AGREED for one in reads}
    operations = tuple(one.name for one in workload.operations) if workload else ()
    samples = tuple(
        Sample(
            attempt=attempt, block=block, start=0, turn=0, run=1, arm=one.name, contender=one.name, operation=name,
            case="one", outcome=Outcome.OK, wall_s=0.01 * attempt, cpu_s=0.01, rows=1, answer_cpu_s=0.0, at=block,
        )
        for block in range(blocks)
        for one in reads
        for name in operations
    )  # fmt: skip
    cases = tuple((name, "one") for name in operations)
    arms = tuple(one.name for one in reads)
    return Record(
        attempt=attempt,
        spec=Spec(workload="netflow", contenders=named, baseline=reads[0].name, **spec),
        environment=EnvironmentRead(weigh=weigh, command="", host=host or HOST, contenders=reads),
        workload=workload,
        manifest=manifest,
        gate=Gate(
            operations=tuple(
                OperationGate(operation=name, status=GateStatus.AGREED, contenders=status) for name in operations
            ),
            checks=(),
            truth=True,
        ),
        blocks=tuple(
            BlockBegun(block=n, cases=cases, arms=arms, rounds=dict.fromkeys(operations, 1), runs=runs)
            for n in range(blocks)
        )
        if measured
        else (),
        samples=samples if measured else (),
        findings=findings,
    )


def session(*records: Record, name: str = "the first session") -> Session:
    return Session(name=name, evidence="e", records=records, results=experiment_results(records))


def two(one: Record, other: Record) -> tuple[Session, Session]:
    return session(one), session(other, name="the second session")


def packed(watch: Watch) -> Columns:
    """The event that says what is needed of it for contention."""
    moments = watch.moments
    ends = [round(1e4 * moments[0].at), *(round(1e4 * one.end) for one in moments)]
    # Nothing else was read.
    unread: dict[str, Any] = dict.fromkeys(
        ("busy", "tracked", "pressure_cpu", "pressure_memory", "pressure_io", "queue", "context_switches")
    )
    return Columns(
        **unread,
        at=ends[0],
        span=[end - begin for begin, end in pairwise(ends)],
        foreign=[round(1e5 * (one.foreign or 0)) for one in moments],
        steal=[round(1e2 * (one.steal or 0)) for one in moments],
        culprits=[(one.pid, one.name, round(1e5 * one.cpu_s)) for one in watch.culprits],
    )


def written(root: Path, one: Record) -> Path:
    """An evidence directory that says what the record says; without a seal, as after a kill."""
    folder, number = attempts.begin(root, one.spec.id)
    written_in(folder, number, one)
    return folder


def written_in(folder: Path, number: int, one: Record) -> None:
    """The journal of a record as an attempt of that number."""
    journal = Journal(folder)
    journal.append("opened", Opened(attempt=number, spec=one.spec))
    named = (
        ("environment", one.environment), ("workload", one.workload), ("manifest", one.manifest), ("gate", one.gate),
        ("plan", one.plan),
    )  # fmt: skip
    for event, part in named:
        if part is not None:
            journal.append(event, part)
    many: tuple[tuple[str, Iterable[Any]], ...] = (
        ("finding", one.findings), ("watch", map(packed, one.watches)), ("calibration", one.calibrations),
        ("drive", one.drives), ("cache_state", one.cache_states), ("life", one.workers),
    )  # fmt: skip
    for event, parts in many:
        for part in parts:
            journal.append(event, part)
    for block in one.blocks:
        journal.append("block", block)
        for sample in one.samples:
            if sample.block == block.block:
                turn = turns.Turn(samples=(changed(sample, attempt=number),))
                journal.append("turn", turns.pack(turn, number, turns.established(one.gate)))
        for look in one.looks:
            if look.block == block.block:
                journal.append("look", look)
    if one.end is not None:
        journal.append("end", one.end)
    journal.close()
