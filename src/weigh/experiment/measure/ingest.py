"""Loading one table under the clock: load, first question, what lies on the disk then, and every row read back.

Only the loading is in the clock of an execution. The first question has a clock of its own, and what it answers is
compared at once. Reading every row back comes last, and belongs to no time.
"""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from weigh.experiment.gate.ingest import wrong_answer
from weigh.experiment.measure.execution import Execution, FirstQuery
from weigh.host import processes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.engines.process import WorkerProcess
    from weigh.experiment.data.ingest import Loading
    from weigh.model.units import Seconds


def execute(worker: WorkerProcess, load: Loading, run: int, at: Seconds, timeout: Seconds) -> Execution:
    """Load the table into a fresh place, ask the first question, and read every row back.

    Raises:
        WorkerEnded: the engine refused, timed out, crashed or ran out of memory.
    """
    asides = _Asides(worker)
    with asides.one():
        _, taken = worker.begin_ingest(load.table, load.paths, load.under, timeout)
    cost = worker.run(timeout)
    stored = processes.allocated_bytes(map(Path, worker.files()))
    prepared = worker.prepare(load.question, timeout)
    first = worker.run(timeout)
    with asides.one():
        answer, fetched = worker.answer(timeout)
    wrong = wrong_answer(answer, load)
    with asides.one():
        rows, handing = worker.stored(timeout)
    settled = processes.allocated_bytes(map(Path, worker.files()))
    times = (taken, prepared, fetched, handing)
    return Execution(
        run=run,
        at=at,
        prepared=taken,
        cost=cost,
        handing=handing,
        answer=rows,
        stored_bytes=stored,
        settled_bytes=settled,
        first=FirstQuery(
            seconds=cost.wall_s + first.wall_s,
            cpu_s=first.cpu_s,
            wrong=wrong,
            # Where others do its work, what it asks them for is theirs.
            asides_s=asides.seconds if cost.cpu_s is None else sum(one.cpu_s or 0.0 for one in times),
        ),
    )


class _Asides:
    """CPU seconds of a whole family in requests that no clock contains."""

    def __init__(self, worker: WorkerProcess) -> None:
        self._family = worker.family
        self.seconds = 0.0

    @contextmanager
    def one(self) -> Iterator[None]:
        """While this lasts, one is carried out."""
        before = self._family.seconds() if self._family else 0.0
        yield
        self.seconds += (self._family.seconds() if self._family else 0.0) - before
