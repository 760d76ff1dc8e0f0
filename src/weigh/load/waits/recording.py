"""What a server's sessions wait for, sampled alongside the runs of a load and kept in the journal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.load.waits.model import RunWaits, Waits, WaitSampler
from weigh.load.waits.run_sampling import RunSampling
from weigh.model import codes

if TYPE_CHECKING:
    from weigh.model.finding import Finding
    from weigh.model.units import Seconds


class LoadWaits(RunSampling[WaitSampler, Waits]):
    """The sampler of waits."""

    each = 1.0
    _at: Seconds | None = None

    def _start(self, sampler: WaitSampler) -> None:
        sampler.begin()
        self._at = self._now()

    def _keep(self, waits: Waits) -> None:
        self._journal.append("waits", RunWaits(run=self._run, at=self._at, waits=waits))

    def _failure(self, why: str) -> Finding:
        return codes.X_WAITS.finding(
            text=f"in run {self._run} the sampling of what the server's sessions wait for failed: {why}. From "
            "there on nobody looked",
            remedy="the figures of the load stand; let the user of the load open one connection more, and read "
            "pg_stat_activity and pg_locks (MySQL, MariaDB: GRANT PROCESS)",
        )
