"""Duets: two contenders that execute at the same moment, each on its half of the CPUs.

Whatever else the machine does meets both at once, and most of it cancels in their ratio (L. Bulej, V. Horky, P. Tuma,
F. Farquet, A. Prokopec, "Duet benchmarking: improving measurement accuracy in the cloud", ICPE 2020). The price is
another question: how long it takes while the other one runs. What shares the memory's bandwidth disturbs its partner,
which single turns at the end of every block show.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from weigh.engines.exchange import WorkerEnded
from weigh.engines.simultaneous import run_at_once
from weigh.experiment.measure.execution import Execution
from weigh.host.affinity import keep_on

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from weigh.engines.exchange import RequestCost
    from weigh.engines.process import WorkerProcess
    from weigh.engines.run_cost import RunCost
    from weigh.model.units import Seconds


@dataclass(slots=True, kw_only=True)
class Side:
    """One of the two in a turn.

    Attributes:
        worker: its process.
        sql: the query as it gets it.
        executions: what it executed so far.
        ended: why it went no further; None where nothing was in the way.
    """

    worker: WorkerProcess
    sql: str
    executions: list[Execution] = field(default_factory=list)
    ended: WorkerEnded | None = None
    prepared: RequestCost | None = None

    @property
    def whole(self) -> RequestCost:
        """The query as it was taken, before the first execution."""
        assert self.prepared is not None
        return self.prepared


def turn(
    sides: Sequence[Side],
    runs: int,
    places: Sequence[Sequence[int]],
    timeout: Seconds,
    now: Callable[[], Seconds],
) -> None:
    """One untimed and ``runs`` timed executions, each begun by both at the same moment; where one fails, both stop.

    In the middle of the timed ones they change their CPUs: what somebody else does on one of them falls on both.

    Args:
        sides: the two; what they executed is put into them.
        runs: timed executions; with one there is no middle.
        places: the CPUs on which the first begins, and the second.
        timeout: seconds that each step may take.
        now: seconds since the beginning of the attempt.
    """
    for side, cpus in zip(sides, places, strict=True):
        keep_on(side.worker.pid, cpus)
        with _noted(side):
            side.prepared = side.worker.prepare(side.sql, timeout)
    for run in range(runs + 1):
        if any(side.ended for side in sides):
            return
        if run > 1 and run == runs // 2 + 1:
            for side, cpus in zip(sides, reversed(places), strict=True):
                keep_on(side.worker.pid, cpus)
        at = now()
        # Both replies are taken before anything else is asked of either: one that is still executing is not disturbed.
        costs: list[tuple[Side, RunCost]] = []
        for side, found in zip(sides, run_at_once([side.worker for side in sides], timeout), strict=True):
            if isinstance(found, WorkerEnded):
                side.ended = side.ended or found
            else:
                costs.append((side, found))
        for side, cost in costs:
            with _noted(side):
                answer, handing = side.worker.answer(timeout)
                side.executions.append(
                    Execution(run=run, at=at, prepared=side.whole, cost=cost, handing=handing, answer=answer)
                )


@contextmanager
def _noted(side: Side) -> Iterator[None]:
    """Keeps why a side ended, so that the other one is still heard."""
    try:
        yield
    except WorkerEnded as ended:
        side.ended = side.ended or ended
