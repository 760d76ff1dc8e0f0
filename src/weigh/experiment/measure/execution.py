"""One execution: where in the experiment it is, what it measured, and the sample that is made of both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from weigh.model.sample import Outcome, Sample, Temperature
from weigh.model.units import whole

if TYPE_CHECKING:
    from pathlib import Path

    from weigh.engines.exchange import RequestCost, WorkerEnded
    from weigh.engines.process import WorkerProcess
    from weigh.engines.run_cost import RunCost
    from weigh.model.units import Bytes, Seconds

_DETAIL = 2000
"""Characters of an engine's words that a sample keeps."""


class Position(msgspec.Struct, frozen=True, kw_only=True):
    """Where in the experiment the executions of a turn are; its fields are those of :class:`Sample`."""

    attempt: int
    block: int
    start: int
    turn: int
    round: int
    arm: str
    contender: str
    operation: str
    case: str
    salt: int = 0
    solo: bool = False
    temperature: Temperature = "hot"
    build: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstQuery:
    """The first query after a table was loaded.

    Attributes:
        seconds: of loading and of the query, together.
        cpu_s: CPU seconds of the query; None where it is executed elsewhere.
        asides_s: CPU seconds of everything around both that weigh asked for: making an empty place, taking the query,
            handing out its answer and every stored row.
        wrong: what is wrong with its answer; empty where it is right.
    """

    seconds: Seconds
    cpu_s: Seconds | None
    asides_s: Seconds
    wrong: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """One execution whose result was handed out.

    Attributes:
        run: its position in its turn; 0 is the untimed one.
        at: seconds since the beginning of the attempt at which it began.
        prepared: what taking the query cost; the same for all executions of a turn.
        cost: what it cost itself.
        handing: what handing out the answer cost.
        answer: file with the answer, gone when its worker is; of a load with every row that was stored.
        stored_bytes: bytes that the files of a loaded table take on the disk.
        settled_bytes: the same when every row was read back.
        first: the first query after a load; None of a query.
    """

    run: int
    at: Seconds
    prepared: RequestCost
    cost: RunCost
    handing: RequestCost
    answer: Path
    stored_bytes: Bytes | None = None
    settled_bytes: Bytes | None = None
    first: FirstQuery | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerCheck:
    """What came of comparing an answer with the one that the gate saw.

    Attributes:
        outcome: ``ok``, also of an answer that could not be compared any more; ``wrong``; ``error`` of one that cannot
            be read.
        digest: of the exact columns; empty where it was not taken.
        detail: what is wrong.
    """

    outcome: Outcome = Outcome.OK
    digest: str = ""
    detail: str = ""


def execute(worker: WorkerProcess, prepared: RequestCost, run: int, at: Seconds, timeout: Seconds) -> Execution:
    """Execute the query that was handed over last, and fetch its answer.

    Raises:
        WorkerEnded: the engine refused, timed out, crashed or ran out of memory.
    """
    cost = worker.run(timeout)
    answer, handing = worker.answer(timeout)
    return Execution(run=run, at=at, prepared=prepared, cost=cost, handing=handing, answer=answer)


def sample(position: Position, one: Execution, check: AnswerCheck) -> Sample:
    """The sample of an execution that returned. Its times are whole nanoseconds, as the journal keeps them."""
    cost = one.cost
    reported = cost.reported.message() if cost.reported else {}
    return Sample(
        **msgspec.structs.asdict(position),
        run=one.run,
        at=whole(one.at),
        outcome=check.outcome,
        digest=check.digest,
        detail=check.detail,
        prepare_s=whole(one.prepared.seconds),
        prepare_cpu_s=whole(one.prepared.cpu_s),
        release_s=whole(cost.release.seconds),
        release_cpu_s=whole(cost.release.cpu_s),
        round_trip_s=whole(cost.round_trip.seconds),
        round_trip_cpu_s=whole(cost.round_trip.cpu_s),
        answer_s=whole(one.handing.seconds),
        answer_cpu_s=whole(one.handing.cpu_s),
        wall_s=whole(cost.wall_s),
        cpu_s=whole(cost.cpu_s),
        rows=cost.rows,
        peak_memory=cost.peak_memory,
        bytes_read=cost.bytes_read,
        bytes_written=cost.bytes_written,
        major_faults=cost.major_faults,
        reported_s=whole(reported.pop("server_s", None)),
        queue_s=whole(reported.pop("queue_s", None)),
        **reported,
        stored_bytes=one.stored_bytes,
        settled_bytes=one.settled_bytes,
        first_query_s=whole(one.first.seconds) if one.first else None,
    )


def failed(position: Position, run: int, at: Seconds, ended: WorkerEnded) -> Sample:
    """The sample of an execution that did not."""
    return Sample(
        **msgspec.structs.asdict(position), run=run, at=whole(at), outcome=ended.outcome, detail=ended.detail[:_DETAIL]
    )
