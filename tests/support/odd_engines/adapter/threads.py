"""Habits with threads."""

from __future__ import annotations

import gc
import itertools
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from .base import Engine


class Pool(Engine):
    """Executes in a pool of threads."""

    def __init__(self, settings: dict[str, Any], scratch: str) -> None:
        super().__init__(settings, scratch)
        self.pool = ThreadPoolExecutor(4)

    def run(self) -> int:
        self.table = self.pool.submit(self.execute, self.connection).result()
        return int(self.table.num_rows)

    def close(self) -> None:
        self.pool.shutdown()
        super().close()


class Connections(Engine):
    """Takes the next of its connections for every execution."""

    def bind(self, tables: dict[str, list[str]]) -> None:
        super().bind(tables)
        self.turn = itertools.cycle([self.connection.cursor() for _ in range(3)])

    def run(self) -> int:
        self.table = self.execute(next(self.turn))
        return int(self.table.num_rows)


class Collects(Engine):
    """Has a thread that looks for garbage twice a second."""

    def __init__(self, settings: dict[str, Any], scratch: str) -> None:
        super().__init__(settings, scratch)
        self.over = threading.Event()
        threading.Thread(target=self.collect, daemon=True).start()

    def collect(self) -> None:
        while not self.over.wait(0.5):
            gc.collect(0)

    def close(self) -> None:
        self.over.set()
        super().close()


class Joins(Engine):
    """Waits for its threads when it ends."""

    def __init__(self, settings: dict[str, Any], scratch: str) -> None:
        super().__init__(settings, scratch)
        self.over = threading.Event()
        self.threads = [threading.Thread(target=self.over.wait) for _ in range(3)]
        for thread in self.threads:
            thread.start()

    def close(self) -> None:
        super().close()
        time.sleep(0.2)
        self.over.set()
        for thread in self.threads:
            thread.join()
