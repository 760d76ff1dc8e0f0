"""E6: engines that take more of the machine than the others, and say nothing of it beforehand."""

from __future__ import annotations

import os

from .honest import Engine


class ExtraThread(Engine):
    """Has one thread more as soon as there is data to query; asked before, it has as many as the others."""

    def bind(self, tables: dict[str, list[str]]) -> None:
        super().bind(tables)
        (threads,) = self.connection.execute("SELECT current_setting('threads')").fetchall()[0]
        self.connection.execute(f"SET threads = {int(threads) + 1}")


class ExtraCpu(Engine):
    """Gives itself every CPU that there is."""

    def bind(self, tables: dict[str, list[str]]) -> None:
        os.sched_setaffinity(0, range(os.cpu_count() or 1))
        super().bind(tables)


class SpillElsewhere(Engine):
    """Spills to memory where the others spill to a disk."""

    def bind(self, tables: dict[str, list[str]]) -> None:
        super().bind(tables)
        self.connection.execute(f"SET temp_directory = '/dev/shm/weigh-liar-{os.getpid()}'")
