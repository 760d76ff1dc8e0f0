"""What a server's sessions wait for, sampled beside the runs of a load and kept in the journal.

A sampler that fails is said once and not asked again: it must never end a run.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeVar

from weigh.host.sampling import rate
from weigh.load.waits.model import RunWaits
from weigh.model import codes

if TYPE_CHECKING:
    from collections.abc import Callable

    from weigh.evidence.journal import Journal
    from weigh.load.waits.model import Waits, WaitSampler
    from weigh.model.units import Seconds

_EACH = 1.0
"""Seconds between two events."""
T = TypeVar("T")


class LoadWaits:
    """The sampler, if there is one, run by run.

    Args:
        sampler: of the target; WEIGH_SAMPLER=no switches it off.
        journal: gets an event about once a second.
        now: seconds since the attempt began, on the clock of the machine's moments.
    """

    def __init__(self, sampler: WaitSampler | None, journal: Journal, now: Callable[[], Seconds]) -> None:
        self._sampler = sampler if rate() else None
        self._journal = journal
        self._now = now
        self._at: Seconds | None = None
        self._run = 0
        self._kept = 0.0

    def begin(self, run: int) -> None:
        """A run has begun.

        Raises:
            DiskFull: the journal cannot be written.
        """
        self._run, self._kept = run, time.monotonic()
        if self._sampler:
            self._try(self._sampler.begin)
            self._at = self._now()

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

    def _write(self, seen: Waits | None) -> None:
        if seen is None:
            return
        self._journal.append("waits", RunWaits(run=self._run, at=self._at, waits=seen))
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
            codes.X_WAITS.finding(
                text=f"in run {self._run} the sampling of what the server's sessions wait for failed: {why}. From "
                "there on nobody looked",
                remedy="the figures of the load stand; let the user of the load open one connection more, and read "
                "pg_stat_activity and pg_locks",
            ),
        )
