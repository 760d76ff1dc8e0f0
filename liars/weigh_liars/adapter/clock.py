"""Work that the clock does not cover: done after it (A5) or before it (A6)."""

from __future__ import annotations

import threading
import time
from typing import Any

from .honest import Engine

# A5: computing after the clock.


class Lazy(Engine):
    """Hands back a handle at once, says there will be one row, and computes when the answer is fetched."""

    def run(self) -> int:
        return 1

    def answer(self) -> Any:
        self.consume(self.sql)
        return super().answer()


class LazyInMemory(Lazy):
    """The same over a copy in memory: withdrawing the files does not betray it."""

    def bind(self, tables: dict[str, list[str]]) -> None:
        super().bind({f"given_{name}": paths for name, paths in tables.items()})
        for name in tables:
            self.connection.execute(f"CREATE TABLE {name} AS SELECT * FROM given_{name}")


class Background(LazyInMemory):
    """Computes in a thread of its own while the clock already stands."""

    thread: threading.Thread | None = None

    def run(self) -> int:
        self.thread = threading.Thread(target=self.consume, args=(self.sql,))
        self.thread.start()
        return 1

    def answer(self) -> Any:
        self.finish()
        return Engine.answer(self)

    def release(self) -> None:
        self.finish()
        super().release()

    def finish(self) -> None:
        """Wait for it: by then nobody looks at the clock."""
        if self.thread is not None:
            self.thread.join()


class SlowConversion(Engine):
    """Honest: the answer is complete, but turning it into Arrow takes 4 ms of CPU, as some clients do."""

    def answer(self) -> Any:
        until = time.process_time() + 0.004
        while time.process_time() < until:
            pass
        return super().answer()


# A6: computing before the clock.


class Early(Engine):
    """Executes the query when it is told of it, and hands back what it has when the clock runs."""

    early = 0

    def prepare(self, sql: str) -> None:
        super().prepare(sql)
        self.early = self.consume(sql)
        self.chunks_left = self.chunks

    def run(self) -> int:
        self.chunks = self.chunks_left
        return self.early


class Planner(Engine):
    """Honest: really parses and plans when it is told of the query, and executes under the clock."""

    def prepare(self, sql: str) -> None:
        super().prepare(sql)
        self.connection.execute(f"EXPLAIN {sql}").fetchall()
