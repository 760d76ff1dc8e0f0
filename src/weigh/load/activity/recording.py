"""What a server does, sampled beside the runs of a load and kept in the journal.

A sampler that fails is said once and not asked again: it must never end a run.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeVar

from weigh.host.sampling import rate
from weigh.load.activity.model import RunActivity
from weigh.model import codes

if TYPE_CHECKING:
    from collections.abc import Callable

    from weigh.evidence.journal import Journal
    from weigh.load.activity.model import Activity, ActivitySampler
    from weigh.model.units import Seconds

_EACH = 2.0
"""Seconds between two events of the journal."""
T = TypeVar("T")


class LoadActivity:
    """The sampler, if there is one, run by run.

    Args:
        sampler: of the target; WEIGH_SAMPLER=no switches it off.
        journal: gets an event every two seconds.
        now: seconds since the attempt began, on the clock of the machine's moments.
    """

    def __init__(self, sampler: ActivitySampler | None, journal: Journal, now: Callable[[], Seconds]) -> None:
        self._sampler = sampler if rate() else None
        self._journal = journal
        self._now = now
        self._run = 0
        self._kept = 0.0

    def begin(self, run: int) -> None:
        """A run has begun.

        Raises:
            DiskFull: the journal cannot be written.
        """
        self._run, self._kept = run, time.monotonic()
        if self._sampler:
            sampler, origin = self._sampler, time.monotonic() - self._now()
            self._try(lambda: sampler.begin(origin))

    def keep(self) -> None:
        """Write what was seen, if the last time is a while ago.

        Raises:
            DiskFull: the journal cannot be written.
        """
        if self._sampler and time.monotonic() - self._kept >= _EACH:
            self._kept = time.monotonic()
            self._write(self._try(self._sampler.drain))

    def end(self) -> None:
        """The run is over.

        Raises:
            DiskFull: the journal cannot be written.
        """
        if self._sampler:
            self._write(self._try(self._sampler.end))

    def _write(self, seen: Activity | None) -> None:
        if seen is None:
            return
        self._journal.append("activity", RunActivity(run=self._run, activity=seen))
        if seen.error:
            self._failed(seen.error)

    def _try(self, work: Callable[[], T]) -> T | None:
        try:
            return work()
        except Exception as error:
            self._failed(str(error) or type(error).__name__)
            return None

    def _failed(self, why: str) -> None:
        self._sampler = None
        self._journal.append(
            "finding",
            codes.X_ACTIVITY.finding(
                text=f"in run {self._run} the sampling of what the server did meanwhile failed: {why}. From there on "
                "nobody looked",
                remedy="the figures of the load stand; no spike is linked to what the server did",
            ),
        )
