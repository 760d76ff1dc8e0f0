"""One execution, from the worker's replies to a row of samples.parquet."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pyarrow as pa

from weigh.engines.exchange import RequestCost, WorkerEnded
from weigh.engines.run_cost import RunCost
from weigh.experiment import derived
from weigh.experiment.measure.execution import AnswerCheck, Execution, FirstQuery, Position, failed, sample
from weigh.model.sample import OF_SOME, Outcome, Sample
from weigh_worker.protocol import StatisticsReply

POSITION = Position(
    attempt=2,
    block=3,
    start=4,
    turn=5,
    round=1,
    arm="a#2",
    contender="a",
    operation="q",
    case="c",
    salt=23,
    solo=True,
    temperature="first",
    build=7,
)
EXECUTION = Execution(
    run=6,
    at=7.5,
    prepared=RequestCost(seconds=8.5, cpu_s=9.5),
    cost=RunCost(
        wall_s=10.5,
        rows=11,
        cpu_s=12.5,
        peak_memory=13,
        bytes_read=14,
        bytes_written=15,
        major_faults=16,
        reported=StatisticsReply(
            server_s=26.5, queue_s=28.5, scanned_bytes=29, billed_bytes=30, credits=31.5, cached=False
        ),
        round_trip=RequestCost(seconds=19.5, cpu_s=20.5),
        release=RequestCost(seconds=21.5, cpu_s=22.5),
    ),
    handing=RequestCost(seconds=17.5, cpu_s=18.5),
    answer=Path("/nowhere"),
    stored_bytes=23,
    settled_bytes=24,
    first=FirstQuery(seconds=25.5, cpu_s=26.5, asides_s=27.5, wrong=""),
)
PLACED = {
    "attempt": 2, "block": 3, "start": 4, "turn": 5, "round": 1, "arm": "a#2", "contender": "a", "operation": "q",
    "case": "c", "salt": 23, "solo": True, "temperature": "first", "build": 7, "run": 6, "at": 7.5,
}  # fmt: skip
MEASURED = {
    "wall_s": 10.5, "rows": 11, "cpu_s": 12.5, "peak_memory": 13, "bytes_read": 14, "bytes_written": 15,
    "major_faults": 16, "said_s": 26.5, "queue_s": 28.5, "scanned_bytes": 29, "billed_bytes": 30, "credits": 31.5,
    "cached": False, "prepare_s": 8.5, "prepare_cpu_s": 9.5, "answer_s": 17.5, "answer_cpu_s": 18.5,
    "round_trip_s": 19.5, "round_trip_cpu_s": 20.5, "release_s": 21.5, "release_cpu_s": 22.5,
    "stored_bytes": 23, "settled_bytes": 24, "first_query_s": 25.5,
}  # fmt: skip
COLUMNS = [
    ("attempt", pa.int32()), ("block", pa.int32()), ("start", pa.int32()), ("turn", pa.int32()),
    ("round", pa.int32()), ("run", pa.int32()),
    ("arm", pa.string()), ("contender", pa.string()), ("operation", pa.string()), ("case", pa.string()),
    ("salt", pa.int32()),
    ("outcome", pa.string()), ("wall_s", pa.float64()), ("cpu_s", pa.float64()),
    ("round_trip_s", pa.float64()), ("round_trip_cpu_s", pa.float64()),
    ("prepare_s", pa.float64()), ("prepare_cpu_s", pa.float64()),
    ("release_s", pa.float64()), ("release_cpu_s", pa.float64()),
    ("answer_s", pa.float64()), ("answer_cpu_s", pa.float64()), ("rows", pa.int64()), ("digest", pa.string()),
    ("peak_memory", pa.int64()), ("bytes_read", pa.int64()), ("bytes_written", pa.int64()),
    ("major_faults", pa.int64()), ("said_s", pa.float64()), ("queue_s", pa.float64()),
    ("scanned_bytes", pa.int64()), ("billed_bytes", pa.int64()), ("credits", pa.float64()), ("cached", pa.bool_()),
    ("stored_bytes", pa.int64()), ("settled_bytes", pa.int64()), ("first_query_s", pa.float64()),
    ("at", pa.float64()), ("detail", pa.string()), ("solo", pa.bool_()),
    ("temperature", pa.string()), ("build", pa.int64()),
]  # fmt: skip
"""What scripts read (docs/evidence.md): a change here is a change for them."""


def test_everything_that_was_measured_is_in_the_sample() -> None:
    made = sample(POSITION, EXECUTION, AnswerCheck(outcome=Outcome.WRONG, digest="d", detail="differs"))
    expected = {**PLACED, **MEASURED, "outcome": "wrong", "digest": "d", "detail": "differs"}
    assert msgspec.to_builtins(made) == expected


def test_an_execution_that_failed_has_a_place_and_a_reason_and_no_figure() -> None:
    made = failed(POSITION, 6, 7.5, WorkerEnded(Outcome.CRASH, "x" * 3000, alive=False))
    nothing = dict.fromkeys(MEASURED)
    assert msgspec.to_builtins(made) == {
        **PLACED, **nothing, "outcome": "crash", "digest": "", "detail": "x" * 2000
    }  # fmt: skip


def test_the_columns_of_samples_parquet() -> None:
    made = sample(POSITION, EXECUTION, AnswerCheck())
    table = derived.sample_table([made])
    assert [(field.name, field.type) for field in table.schema] == COLUMNS
    assert table.to_pylist() == [msgspec.to_builtins(made)]
    query = msgspec.structs.replace(
        made, **dict.fromkeys(field.name for field in msgspec.structs.fields(Sample) if field.encode_name in OF_SOME)
    )
    assert derived.sample_table([query]).schema == derived.sample_table([]).schema
    assert derived.sample_table([query]).column_names == [name for name, _ in COLUMNS if name not in OF_SOME]
