"""Records of query streams from made times, and their evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.evidence.journal import Journal
from weigh.evidence.sealing import End, sealed
from weigh.model.contender import Contender
from weigh.model.spec import Spec
from weigh.streams import files
from weigh.streams import record as records
from weigh.streams.record import Life, Step, StreamTest
from weigh.streams.spec import MAINTENANCE, REFRESH, RF1, RF2, StreamsSpec, TestName
from weigh.workloads import tpcds
from weigh.workloads.tpcds.order import order
from weigh.workloads.tpch import NOTICE, qgen

if TYPE_CHECKING:
    from pathlib import Path

NAMES = ("one", "other")
SPEC = StreamsSpec(
    experiment=Spec(
        workload="tpch",
        scale=0.1,
        contenders=tuple(Contender(name=name, engine="duckdb") for name in NAMES),
        baseline=NAMES[0],
    ),
    streams=2,
    repetitions=5,
)


TPCDS = msgspec.structs.replace(SPEC, experiment=msgspec.structs.replace(SPEC.experiment, workload="tpcds"))


def power(seconds: float, *, status: records.StepStatus = "agreed") -> StreamTest:
    """A power test whose steps all take so long."""
    names = [RF1, *(f"0.q{number}" for number in qgen.order(0)), RF2]
    steps = [
        Step(
            stream="0",
            name=name,
            began=at * seconds,
            ended=(at + 1) * seconds,
            status="done" if "rf" in name else status,
        )
        for at, name in enumerate(names)
    ]
    return StreamTest(name="power", request_s=25 * seconds, steps=tuple(steps))


def throughput(seconds: float, *, after: float = 0.0) -> StreamTest:
    """Two streams, the second of which may wait before it answers its first query."""
    steps = []
    for stream in (1, 2):
        at = 0.0
        for number in qgen.order(stream):
            wait = after if stream == 2 and not at else 0.0
            steps.append(
                Step(
                    stream=str(stream), name=f"{stream}.q{number}", began=at, ended=at + wait + seconds, status="agreed"
                )
            )
            at += wait + seconds
    steps += [
        Step(stream=REFRESH, name=name, began=at * seconds, ended=(at + 1) * seconds)
        for at, name in enumerate((RF1, RF2, RF1, RF2))
    ]
    return StreamTest(name="throughput", request_s=100.0, steps=tuple(steps))


def life(name: str, repetition: int, *tests: StreamTest) -> Life:
    return Life(repetition=repetition, contender=name, load_s=1.0, tests=tests)


def maintained(name: str, repetition: int, seconds: float) -> Life:
    """A life of TPC-DS in which every query and refresh function takes so long, and the load a hundred times."""

    def test(kind: TestName, streams: dict[str, list[str]]) -> StreamTest:
        steps = [
            Step(
                stream=stream,
                name=step,
                began=at * seconds,
                ended=(at + 1) * seconds,
                status="agreed" if ".q" in step else "done",
            )
            for stream, names in streams.items()
            for at, step in enumerate(names)
        ]
        return StreamTest(name=kind, request_s=1.0, steps=tuple(steps))

    def queries(*streams: int) -> dict[str, list[str]]:
        return {str(stream): [f"{stream}.q{number}" for number in order(stream)] for stream in streams}

    tests = (
        test("power", queries(0)),
        test("throughput", queries(1, 2)),
        test("maintenance", {"maintenance": list(MAINTENANCE)}),
        test("throughput 2", queries(3, 4)),
        test("maintenance 2", {"maintenance": list(MAINTENANCE)}),
    )
    return Life(repetition=repetition, contender=name, load_s=100 * seconds, tests=tests)


def record(*lives: Life, spec: StreamsSpec = SPEC) -> records.StreamsRecord:
    notice = tpcds.NOTICE if spec.maintains else NOTICE
    environment = records.Environment(
        weigh="0.1.0", command="weigh run", host={}, knobs=(), contenders=(), read_only=(), witnesses=("datafusion",),
        data={}, notice=notice,
    )  # fmt: skip
    return records.StreamsRecord(attempt=1, spec=spec, environment=environment, lives=lives, end=End(how="complete"))


def honest(name: str, seconds: float) -> list[Life]:
    return [
        life(name, number, power(seconds * (1 + number / 1000)), throughput(seconds * (1 + number / 1000)))
        for number in range(6)
    ]


def written(folder: Path, made: records.StreamsRecord | None = None) -> Path:
    """Sealed evidence; of two honest contenders of TPC-H unless a record is given."""
    folder.mkdir(parents=True)
    journal = Journal(folder)
    made = made or record(*honest("one", 0.1), *honest("other", 0.2))
    journal.append(records.OPENED, records.Opened(attempt=1, spec=made.spec))
    journal.append("environment", made.environment)
    for one in made.lives:
        journal.append("life", one)
    with sealed(folder, journal, End(how="complete")):
        files.write(folder)
    return folder


def written_streams(root: Path) -> Path:
    """The same in a folder of evidence."""
    return written(root / f"20261127-{SPEC.id}-1")
