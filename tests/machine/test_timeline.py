"""The timeline as the journal keeps it and as Parquet shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pyarrow.parquet as pq
import pytest

from weigh.evidence import timeline
from weigh.experiment.derived import watched_turns
from weigh.experiment.record import Record
from weigh.model.contender import Contender
from weigh.model.errors import EvidenceFault
from weigh.model.machine.timeline import Disk, ForeignProcess, Moment, Network, Watch
from weigh.model.sample import Outcome, Sample
from weigh.model.spec import Spec

if TYPE_CHECKING:
    from pathlib import Path

NOTHING = [None, None, None]


def drained(**changes: Any) -> dict[str, Any]:
    """Three moments of 50 ms as the native sampler hands them out."""
    quiet = ("sent", "retransmits", "drops", "errors", "overflows", "cached", "dirty", "swap_used", "swapped")
    slow: dict[str, Any] = {name: [0, 0] for name in quiet}
    slow |= {"when": [0, 2], "received": [5, 7], "memory_free": [4, 4], "major_faults": [0, 3], "oom_kills": [0, 0]}
    slow |= {"throttled": [0, 25], "group_memory": [None, None], "cpus": [[100, 3], None], "mhz": [None, None]}
    slow |= {"disk_errors": [None, {"vda": 2}], "link": [None, 125], "memory_errors": [None, 1]}
    slow |= {"cpu_throttles": [None, None]}
    vda = {"read": [0, 4096, 0], "written": [0, 0, 0], "queue": [0, 150, 0], "wait": [None, 40, None]}
    made = {
        "at": 10_000, "span": [500, 500, 501], "busy": [9, 10, 8], "own": [4983, 5000, 4000], "foreign": [0, 0, 1],
        "steal": [0, 0, 0], "pressure_cpu": [0, 0, 0], "pressure_memory": NOTHING, "pressure_io": [0, 500, 0],
        "queue": [2, 2, 3], "context_switches": [7, 8, 9], "disk": {"vda": {**vda, "utilisation": [0, 800, 0]}},
        "slow": slow, "culprits": [(7, "stress", 120)], "cost": 1500, "unreadable": {"cpufreq": "hidden"},
    }  # fmt: skip
    return {**made, **changes}


def written(**changes: Any) -> Watch:
    """The moments after they were written to a journal and read again."""
    line = msgspec.json.encode(timeline.pack(drained(**changes)))
    return timeline.unpack(msgspec.json.decode(line, type=timeline.Columns))


def test_what_was_drained_comes_back_from_the_journal() -> None:
    watch = written()
    idle = Disk(read=0, written=0, queue=0.0, utilisation=0.0)
    network = {"sent": 0, "retransmits": 0, "drops": 0, "errors": 0, "overflows": 0}
    common = {"steal": 0.0, "pressure_cpu": 0.0, "pressure_memory": None}
    slow = {"memory_free": 4096, "cached": 0, "dirty": 0, "swap_used": 0, "swapped": 0, "oom_kills": 0}
    assert watch.moments == (
        Moment(
            at=1.0, span=0.05, busy=0.09, tracked=0.04983, foreign=0.0, pressure_io=0.0, queue=2, context_switches=7,
            disk={"vda": idle}, cpus=(1.0, 0.03), network=Network(received=5, **network), major_faults=0,
            throttled=0.0, **slow, **common,
        ),
        Moment(
            at=1.05, span=0.05, busy=0.1, tracked=0.05, foreign=0.0, pressure_io=0.5, queue=2, context_switches=8,
            disk={"vda": Disk(read=4096, written=0, queue=1.5, await_s=0.0004, utilisation=0.8)}, **common,
        ),
        Moment(
            at=1.1, span=0.0501, busy=0.08, tracked=0.04, foreign=1e-5, pressure_io=0.0, queue=3, context_switches=9,
            disk={"vda": idle}, network=Network(received=7, link=0.125, **network), major_faults=3, throttled=0.0025,
            memory_errors=1,
            disk_errors={"vda": 2}, **slow, **common,
        ),
    )  # fmt: skip
    assert (watch.culprits, watch.cost_s) == ((ForeignProcess(pid=7, name="stress", cpu_s=0.0012),), 0.0015)
    assert watch.unreadable == {"cpufreq": "hidden"}


@pytest.mark.promise(
    "A source that cannot be read is named (`machine.sampler.unreadable` of the "
    "[JSON](../reference/json/run.md#machine)) and is never 0."
)
def test_what_cannot_be_read_is_none_and_never_zero() -> None:
    watch = written(busy=NOTHING, own=NOTHING, disk=None, steal=[None, 0, None])
    assert [moment.busy for moment in watch.moments] == NOTHING
    assert [moment.tracked for moment in watch.moments] == NOTHING
    assert [moment.disk for moment in watch.moments] == NOTHING
    assert [moment.steal for moment in watch.moments] == [None, 0.0, None]
    assert watch.moments[0].mhz is None
    assert watch.moments[1].memory_free is None


def test_a_quiet_machine_takes_little_room() -> None:
    quiet = {name: [0] * 3 for name in ("busy", "own", "foreign", "context_switches", "pressure_io")}
    body = msgspec.to_builtins(timeline.pack(drained(**quiet, queue=[0, 0, 0])))
    assert "foreign" not in body
    assert body["span"] == [500, 500, 501]
    assert body["pressure_memory"] is None
    assert body["disk"]["vda"]["when"] == (1,)


def test_an_event_without_moments() -> None:
    empty: dict[str, Any] = {name: [] for name in drained() if name not in ("at", "disk", "slow", "cost", "unreadable")}
    slow = {name: [] for name in drained()["slow"]}
    watch = written(**empty, at=None, disk=None, slow=slow)
    assert (watch.moments, watch.cost_s) == ((), 0.0015)


@pytest.mark.parametrize(
    "body",
    [
        {"at": 0, "span": [500, 500], "busy": [1]},
        {"at": 0, "span": [500], "slow": {"when": [1]}},
        {"at": 0, "span": [500], "slow": {"when": [0], "cpus": []}, "busy": "much"},
        {"at": 0, "span": [500], "slow": {"when": [0], "cpus": [[1], [1]]}},
        {"at": 0, "span": [500], "disk": {"vda": {"when": [-1], "read": 5}}},
    ],
)
def test_columns_that_do_not_fit_are_refused(body: dict[str, Any]) -> None:
    with pytest.raises(msgspec.ValidationError):
        timeline.unpack(msgspec.convert(body, timeline.Columns))


def sample(turn: int, run: int, at: float, wall: float | None = 0.02) -> Sample:
    return Sample(
        block=0, start=1, turn=turn, run=run, arm="a", contender="a", operation=f"q{turn}", case="x",
        outcome=Outcome.OK if wall else Outcome.TIMEOUT, wall_s=wall, answer_s=0.001, at=at,
    )  # fmt: skip


def record(*samples: Sample) -> Record:
    spec = Spec(contenders=(Contender(name="a", engine="duckdb"),), baseline="a", workload="netflow", scale=1000)
    return Record(attempt=3, spec=spec, samples=samples, watches=(written(),))


def test_moments_are_laid_beside_the_turns() -> None:
    rows = timeline.table(
        watched_turns(record(sample(0, 0, 1.01), sample(0, 1, 1.04), sample(1, 0, 1.12, wall=None)))
    ).to_pylist()
    assert [row["operation"] for row in rows] == ["q0", None, None]
    assert [row["turn"] for row in rows] == [0, None, None]
    assert [row["attempt"] for row in rows] == [3, 3, 3]
    assert [row["foreign_s"] for row in rows] == [0.0, 0.0, 1e-5]
    assert rows[1]["disk"][0]["read"] == 4096
    assert rows[2]["disk"][0]["errors"] == 2
    assert [row["received"] for row in rows] == [5, None, 7]


def test_the_file_must_be_what_the_journal_says(tmp_path: Path) -> None:
    said = record(sample(0, 0, 1.01))
    with pytest.raises(EvidenceFault, match=r"timeline\.parquet cannot be read"):
        timeline.same(tmp_path, watched_turns(said))
    timeline.write(tmp_path, watched_turns(said))
    assert timeline.same(tmp_path, watched_turns(said))
    assert not timeline.same(
        tmp_path, watched_turns(msgspec.structs.replace(said, watches=(written(foreign=[0, 0, 2]),)))
    )
    unwatched = msgspec.structs.replace(said, watches=())
    assert not timeline.same(tmp_path, watched_turns(unwatched))
    path = tmp_path / timeline.TIMELINE
    assert pq.read_table(path).num_rows == 3
    path.unlink()
    timeline.write(tmp_path, watched_turns(unwatched))
    assert not path.exists()
    assert timeline.same(tmp_path, watched_turns(unwatched))
