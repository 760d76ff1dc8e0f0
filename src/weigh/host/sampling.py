"""Watching: the sampler alongside the blocks or the runs of a load, and what it saw in the journal.

Nothing is drawn, written or judged while a turn is going on. A sampler that fails is said once and not asked again: it
must never end a measurement.
"""

from __future__ import annotations

import os
import time
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from weigh.evidence import timeline
from weigh.model import codes
from weigh.model.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from weigh.evidence.journal import Journal
    from weigh.evidence.timeline import Columns
    from weigh.model.units import Seconds


_MOST = 1000.0
T = TypeVar("T")


def rate() -> float:
    """Readings a second: WEIGH_SAMPLER, where it names a number or ``no``, which is none.

    Raises:
        UsageError: it names something else.
    """
    named = os.environ.get("WEIGH_SAMPLER", "")
    if named in ("", "yes"):
        return HZ
    if named == "no":
        return 0.0
    try:
        hz = float(named)
    except ValueError:
        hz = -1.0
    if not 0.1 <= hz <= _MOST:
        raise UsageError(
            f"WEIGH_SAMPLER is '{named}', which is no rate", remedy=f"readings a second from 0.1 to {_MOST:g}, or no"
        )
    return hz


class Sampling:
    """What the sampler is told. Until it is started, and after it failed, nothing happens.

    Args:
        journal: gets an event about once a second under a load, and at the end.
    """

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._sampler: Sampler | None = None
        self._began = time.monotonic()

    @contextmanager
    def started(self, began: Seconds) -> Iterator[None]:
        """Watch while the body goes on.

        Args:
            began: what ``time.monotonic()`` said when the attempt began.
        """
        self._began = began
        hz = rate()
        if hz:
            self._try(lambda: self._start(began, hz))
        try:
            yield
            self.keep(thorough=True)
        finally:
            sampler, self._sampler = self._sampler, None
            if sampler is not None:
                sampler.stop()

    def _start(self, began: Seconds, hz: float) -> None:
        self._sampler = Sampler(began, hz)

    @property
    def active(self) -> bool:
        """Whether somebody watches."""
        return self._sampler is not None

    def track(self, pids: Iterable[int]) -> None:
        """Processes that weigh did not start and that work for what is measured: who descends from weigh is known."""
        for pid in pids:
            self._try(partial(self._track, pid))

    def _track(self, pid: int) -> None:
        if self._sampler:
            self._sampler.track(pid)

    def now(self) -> Seconds:
        """Seconds since the attempt began, on the clock of the moments."""
        return time.monotonic() - self._began

    def mark(self) -> None:
        """A turn begins or ends here."""
        self._try(lambda: self._sampler.mark() if self._sampler else None)

    def keep(self, *, thorough: bool = False) -> None:
        """Write what was observed since the last time.

        Args:
            thorough: look for new processes first, even where that has just been done.

        Raises:
            DiskFull: the journal cannot be written.
        """
        if (watch := self.columns(thorough=thorough)) is not None:
            self._journal.append("watch", watch)

    def columns(self, *, thorough: bool = False) -> Columns | None:
        """What was observed since the last time, for whoever writes it himself; None where nobody watches."""
        return self._try(lambda: self._sampler.drain(thorough=thorough) if self._sampler else None)

    def _try(self, work: Callable[[], T]) -> T | None:
        try:
            return work()
        except Exception as error:
            self._sampler = None
            self._journal.append(
                "finding",
                codes.X_SAMPLER.finding(
                    text=f"the sampler failed: {error}; from here on nobody watched the machine",
                    remedy="run it again; what was measured stands, but others may have disturbed it unseen",
                ),
            )
            return None


HZ = 20.0
"""Readings a second (statistics of a turn of a tenth of a second still rest on two)."""


class Sampler:
    """Reads the machine until it is stopped.

    Args:
        began: what ``time.monotonic()`` said when the attempt began.
        hz: readings a second; fewer where so many would cost more than 1 % of one core.

    Raises:
        OSError: it cannot be started.
    """

    def __init__(self, began: Seconds, hz: float = HZ) -> None:
        # Not at the top: the command line imports this module long before somebody measures.
        from weigh._native import Sampler as Native

        self._native = Native(hz, max(0.0, min(began, time.monotonic())))

    def track(self, pid: int) -> None:
        """Count a process and its descendants as weigh's own. Those that weigh started are without being tracked."""
        self._native.track(pid)

    def mark(self) -> None:
        """End the current moment here, so that what follows lies in another."""
        self._native.mark()

    def drain(self, *, thorough: bool = False) -> Columns:
        """What was observed since the last call.

        Args:
            thorough: look for new processes first, even where that has just been done; without it, what they used until
                they are found may come with the next call.

        Raises:
            OSError: the sampler has failed by a mistake of its own.
            msgspec.ValidationError: the native module is not of this version.
        """
        return timeline.pack(self._native.drain(thorough))

    def stop(self) -> None:
        """End the thread."""
        self._native.stop()
