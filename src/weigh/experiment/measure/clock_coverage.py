"""CPU seconds of a life's whole family, turn by turn: what its worker reports is its own process alone."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from weigh.model.clock_coverage import TurnCpu
from weigh.model.units import whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.engines.process import WorkerProcess
    from weigh.experiment.measure.execution import Execution, Position
    from weigh.model.units import Seconds


class FamilyAccount:
    """What the family of one life uses, in its turns and between them.

    Args:
        worker: that has its tables.
        block: that it belongs to.
        start: number of the life.
        arm: its arm.
        contender: whose it is.
    """

    def __init__(self, worker: WorkerProcess, block: int, start: int, arm: str, contender: str) -> None:
        self._worker = worker
        self._whose: dict[str, Any] = {"block": block, "start": start, "arm": arm, "contender": contender}
        self._first = True
        self._last, self._last_at = self._seconds, time.monotonic()
        self._before, self._before_s = 0.0, 0.0
        self._inside = 0.0

    @property
    def _seconds(self) -> Seconds:
        return self._worker.family.seconds() if self._worker.family else 0.0

    def begin(self) -> None:
        """A turn begins: what was used since the last one was used while others had theirs."""
        used, now = self._seconds, time.monotonic()
        self._before, self._before_s = used - self._last, now - self._last_at
        self._last, self._last_at, self._inside = used, now, self._worker.inside_cpu_s

    def end(self, position: Position, executions: Sequence[Execution]) -> TurnCpu:
        """The turn that began has ended.

        Args:
            position: where in the experiment it is.
            executions: of the turn.
        """
        used, now = self._seconds, time.monotonic()
        firsts = [one.first for one in executions if one.first]
        inside = [one.cost.cpu_s for one in executions] + [first.cpu_s for first in firsts]
        # A query is handed over once for several executions.
        queries = {id(one.prepared): one.prepared for one in executions}
        asides = [] if firsts else [*queries.values(), *(one.handing for one in executions)]
        found = TurnCpu(
            **self._whose,
            turn=position.turn,
            operation=position.operation,
            case=position.case,
            executions=len(executions),
            used=whole(used - self._last),
            inside=whole(self._worker.inside_cpu_s - self._inside),
            reported_inside=None if None in inside else whole(sum(whole(seconds or 0.0) for seconds in inside)),
            asides=whole(sum(whole(cost.cpu_s or 0.0) for cost in asides) + sum(first.asides_s for first in firsts)),
            before=whole(self._before),
            before_s=whole(self._before_s),
            first=self._first,
            exact=self._exact,
        )
        self._first = False
        self._last, self._last_at = used, now
        return found

    def rest(self) -> TurnCpu:
        """What was used since the last turn, at the end of the life."""
        self.begin()
        return TurnCpu(
            **self._whose, before=self._before, before_s=self._before_s, first=self._first, exact=self._exact
        )

    @property
    def _exact(self) -> bool:
        return self._worker.family is not None and self._worker.family.exact
