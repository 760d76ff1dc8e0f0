"""The sampler as the protocol uses it: the native thread, and what it saw as the journal keeps it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from weigh.evidence import timeline

if TYPE_CHECKING:
    from weigh.evidence.timeline import Columns
    from weigh.model.units import Seconds

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
        """What was seen since the last call.

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
