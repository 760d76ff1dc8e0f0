"""Calibrating: fixed pieces of work before, between and after the blocks, while no contender is alive."""

from __future__ import annotations

import os
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from weigh.model.errors import UsageError
from weigh.model.machine.calibration import Calibration, Kernel, Place

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from weigh.evidence.journal import Journal
    from weigh.model.units import Seconds


class _Work(NamedTuple):
    """One kernel.

    Attributes:
        execute: does it once, and gives the seconds.
        most: executions in a row.
        limit: seconds after which no further one begins: a slow machine is calibrated less often, not longer.
    """

    execute: Callable[[], float]
    most: int
    limit: Seconds


def wanted() -> bool:
    """Whether to calibrate; not where WEIGH_CALIBRATION is ``no``.

    Raises:
        UsageError: it is something else than ``yes`` or ``no``.
    """
    named = os.environ.get("WEIGH_CALIBRATION", "yes")
    if named not in ("", "yes", "no"):
        raise UsageError(f"WEIGH_CALIBRATION is '{named}'", remedy="yes or no")
    return named != "no"


class Calibrating:
    """Writes what fixed work takes now, 0.3 s a round. Until it is started nothing happens.

    A kernel that cannot be executed has no calibration: that is reported by its absence.

    Args:
        journal: gets an event for each kernel.
        folder: on the device whose speed matters.
    """

    def __init__(self, journal: Journal, folder: Path) -> None:
        self._journal = journal
        self._folder = folder
        self._began: Seconds | None = None
        self._block: int | None = None

    @contextmanager
    def started(self, began: Seconds) -> Iterator[None]:
        """Calibrate while the blocks go on, and once more after the last one, where nothing stopped them.

        Args:
            began: what ``time.monotonic()`` said when the attempt began.

        Raises:
            DiskFull: the journal cannot be written.
        """
        self._began = began if wanted() else None
        yield
        if self._block is not None:
            self._round(self._block, "after")

    def next(self, block: int) -> None:
        """Calibrate before a block; no contender is alive.

        Raises:
            DiskFull: the journal cannot be written.
        """
        self._round(block, "before" if self._block is None else "between")
        self._block = block

    def _round(self, block: int, place: Place) -> None:
        if self._began is None:
            return
        for kernel, work in self._works().items():
            at = time.monotonic()
            seconds = _executed(work, at + work.limit)
            if seconds:
                made = Calibration(at=at - self._began, block=block, place=place, kernel=kernel, seconds=seconds)
                self._journal.append("calibration", made)

    def _works(self) -> dict[Kernel, _Work]:
        from weigh._native import calibrate_disk, calibrate_integer, calibrate_memory

        return {
            # Together longer than the period of a limit of CPU time, 100 ms, which would not show in one of them.
            "integer": _Work(calibrate_integer, 5, 0.12),
            "memory": _Work(calibrate_memory, 3, 0.09),
            "disk": _Work(lambda: calibrate_disk(self._folder), 3, 0.04),
        }


def _executed(work: _Work, until: Seconds) -> tuple[Seconds, ...]:
    seconds: list[float] = []
    while len(seconds) < work.most and (not seconds or time.monotonic() < until):
        try:
            seconds.append(work.execute())
        except OSError:
            break
    return tuple(seconds)
