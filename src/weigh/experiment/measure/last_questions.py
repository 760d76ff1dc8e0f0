"""The last questions to a life: over other rows, when all its turns are over and nothing of it is measured any more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.experiment.gate import layouts, stale

if TYPE_CHECKING:
    from weigh.engines.prepared import PreparedContender
    from weigh.engines.process import WorkerProcess
    from weigh.evidence.journal import Journal
    from weigh.experiment.data.data_link import DataLink
    from weigh.experiment.gate.gate import GateResult
    from weigh.model.operation import Workload
    from weigh.model.units import Seconds


class LastQuestions:
    """Asks lives that were timed what the gate asked the first one: who begins to keep answers later shows it here.

    Args:
        workload: of the experiment.
        answers: of the gate.
        link: where the data is.
        timeout: seconds for one question.
        journal: gets what follows.
    """

    def __init__(
        self, workload: Workload, answers: GateResult, link: DataLink, timeout: Seconds, journal: Journal
    ) -> None:
        self._workload, self._link, self._timeout, self._journal = workload, link, timeout, journal
        self._before, self._fresh = answers.answers, answers.fresh
        self._copies = {name for name, source in (answers.gate.layouts or {}).items() if source == layouts.COPY}
        self._over: set[str] = set()
        """Of whom nothing more is to be found."""

    def ask(self, ready: PreparedContender, worker: WorkerProcess) -> None:
        """Ask a life, which is of no use afterwards; and say once what follows."""
        names = sorted({operation for name, operation, _ in self._fresh if name == ready.name})
        if not names or ready.name in self._over or not stale.able(ready):
            return
        timed = [name for name in names if self._workload.operation(name).timed()]
        continued = stale.ask(ready, worker, self._workload, self._link, self._timeout, timed)
        copies = ready.name in self._copies
        for finding in stale.findings(ready.name, continued, self._workload, self._before, self._fresh, copies=copies):
            self._over.add(ready.name)
            self._journal.append("finding", finding)
