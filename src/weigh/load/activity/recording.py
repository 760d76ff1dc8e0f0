"""What a server does, sampled alongside the runs of a load and kept in the journal."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from weigh.load.activity.model import Activity, ActivitySampler, RunActivity
from weigh.load.waits.run_sampling import RunSampling
from weigh.model import codes

if TYPE_CHECKING:
    from weigh.model.finding import Finding


class LoadActivity(RunSampling[ActivitySampler, Activity]):
    """The sampler of what a server does."""

    each = 2.0

    def _start(self, sampler: ActivitySampler) -> None:
        sampler.begin(time.monotonic() - self._now())

    def _keep(self, activity: Activity) -> None:
        self._journal.append("activity", RunActivity(run=self._run, activity=activity))

    def _failure(self, why: str) -> Finding:
        return codes.X_ACTIVITY.finding(
            text=f"in run {self._run} the sampling of what the server did meanwhile failed: {why}. From there on "
            "nobody looked",
            remedy="the figures of the load stand; no spike is linked to what the server did",
        )
