"""What a start costs until its tables are there, and what loading them costs: no clock of an execution contains it."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal

from weigh.host import processes
from weigh.model.clock_coverage import StartCost

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from weigh.host.processes.family_cpu import FamilyCpu
    from weigh.model.units import Bytes, Seconds


class StartClock:
    """Runs from the first moment of a worker until it has its tables."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._open_s: Seconds = 0.0
        self._how: Literal["bind", "attach", "load"] = "bind"
        self._tables_s: Seconds = 0.0
        self._cpu_s: Seconds = 0.0
        self._memory: Bytes | None = None
        self._written: Bytes = 0

    def opened(self) -> None:
        """The engine is there."""
        self._open_s = time.monotonic() - self._began

    @contextmanager
    def tables(self, how: Literal["bind", "attach", "load"], family: FamilyCpu | None) -> Iterator[None]:
        """While this lasts it gets its tables.

        Args:
            how: it gets them.
            family: its processes.
        """
        before, began = _memory(family), time.monotonic()
        written = _written(family)
        yield
        if how == "load" and (now := _written(family)) is not None:
            # What a server of its own wrote may lie anywhere.
            self._written = now - (written or 0)
        self._how, self._tables_s = how, time.monotonic() - began
        after = _memory(family)
        self._memory = None if before is None or after is None else max(0, after - before)
        self._cpu_s = family.seconds() if family else 0.0

    def cost(self, folder: Path, contender: str, block: int | None, start: int | None) -> StartCost:
        """What it came to.

        Args:
            folder: in which it writes what is its own.
            contender: whose start it was.
            block: number of the block, in one.
            start: number of the life, in one.
        """
        return StartCost(
            how=self._how,
            block=block,
            start=start,
            contender=contender,
            open_s=self._open_s,
            tables_s=self._tables_s,
            cpu_s=self._cpu_s,
            memory=self._memory,
            disk=max(self._written, processes.disk_bytes(folder)),
        )


def _memory(family: FamilyCpu | None) -> Bytes | None:
    return processes.private_bytes(family.pids()) if family else None


def _written(family: FamilyCpu | None) -> Bytes | None:
    return processes.bytes_written(family.pids()) if family else None
