"""E6: engines that take more of the machine than the others, and say nothing of it beforehand."""

from __future__ import annotations

import os
import threading

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


class ExtraCpuThread(Engine):
    """Has one thread on every CPU that there is; the process itself stays where it was put."""

    def bind(self, tables: dict[str, list[str]]) -> None:
        super().bind(tables)
        threading.Thread(target=self.elsewhere_for_good, daemon=True).start()

    @staticmethod
    def elsewhere_for_good() -> None:
        """What only the thread does."""
        os.sched_setaffinity(0, range(os.cpu_count() or 1))
        threading.Event().wait()


class ExtraNice(Engine):
    """Has the kernel prefer it to everybody else."""

    def bind(self, tables: dict[str, list[str]]) -> None:
        super().bind(tables)
        os.setpriority(os.PRIO_PROCESS, 0, os.getpriority(os.PRIO_PROCESS, 0) - 5)


class ExtraRealTime(Engine):
    """Executes in a thread that the kernel lets no usual one interrupt."""

    def bind(self, tables: dict[str, list[str]]) -> None:
        super().bind(tables)
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))


class SpillElsewhere(Engine):
    """Spills to memory where the others spill to a disk."""

    def bind(self, tables: dict[str, list[str]]) -> None:
        super().bind(tables)
        self.connection.execute(f"SET temp_directory = '/dev/shm/weigh-liar-{os.getpid()}'")
