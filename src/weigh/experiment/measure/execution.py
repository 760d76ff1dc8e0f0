"""One execution: where in the experiment it is, what it measured, and the sample that is made of both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from weigh.model.sample import Outcome, Sample, Temperature

if TYPE_CHECKING:
    from pathlib import Path

    from weigh.engines.process import RequestCost, RunCost, WorkerEnded, WorkerProcess
    from weigh.model.units import Seconds

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """One execution whose result was handed out.

    Attributes:
        run: its position in its turn; 0 is the untimed one.
        at: seconds since the beginning of the attempt at which it began.
        prepared: what taking the query cost; the same for all executions of a turn.
        cost: what it cost itself.
        handing: what handing out the answer cost.
        answer: file with the answer, gone when its worker is.
    """

    run: int
    at: Seconds
    prepared: RequestCost
    cost: RunCost
    handing: RequestCost
    answer: Path


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
    """The sample of an execution that returned."""
    return Sample(
        **msgspec.structs.asdict(position),
        run=one.run,
        at=one.at,
        outcome=check.outcome,
        digest=check.digest,
        detail=check.detail,
        prepare_s=one.prepared.seconds,
        prepare_cpu_s=one.prepared.cpu_s,
        release_s=one.cost.release.seconds,
        release_cpu_s=one.cost.release.cpu_s,
        round_trip_s=one.cost.round_trip.seconds,
        round_trip_cpu_s=one.cost.round_trip.cpu_s,
        answer_s=one.handing.seconds,
        answer_cpu_s=one.handing.cpu_s,
        wall_s=one.cost.wall_s,
        cpu_s=one.cost.cpu_s,
        rows=one.cost.rows,
        peak_memory=one.cost.peak_memory,
        bytes_read=one.cost.bytes_read,
        bytes_written=one.cost.bytes_written,
        major_faults=one.cost.major_faults,
    )


def failed(position: Position, run: int, at: Seconds, ended: WorkerEnded) -> Sample:
    """The sample of an execution that did not."""
    return Sample(
        **msgspec.structs.asdict(position), run=run, at=at, outcome=ended.outcome, detail=ended.detail[:_DETAIL]
    )
