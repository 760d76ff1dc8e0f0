"""Other data than was given (A4), or data that is in memory where it should not be (E1)."""

from __future__ import annotations

import mmap
from pathlib import Path

from .honest import Engine


class FewerRows(Engine):
    """One row in a thousand never reaches it."""

    rows = "SELECT * FROM given WHERE event_id % 1000 <> 0"

    def bind(self, tables: dict[str, list[str]]) -> None:
        super().bind({f"given_{name}": paths for name, paths in tables.items()})
        for name in tables:
            self.take(name, self.rows.replace("given", f"given_{name}"))

    def take(self, name: str, rows: str) -> None:
        """Make a table of these rows."""
        self.connection.execute(f"CREATE VIEW {name} AS {rows}")


class Copy(FewerRows):
    """Reads a file of its own with the same rows, written anew: honest."""

    rows = "SELECT * FROM given"

    def take(self, name: str, rows: str) -> None:
        path = f"{self.scratch}/{name}.parquet"
        self.connection.execute(f"COPY ({rows}) TO '{path}' (FORMAT parquet)")
        super().take(name, f"SELECT * FROM read_parquet('{path}')")


class StaleCopy(Copy):
    """Reads a copy from before the last correction: as many rows, some of them old."""

    rows = "SELECT * REPLACE (bytes + CAST(event_id % 1000 = 0 AS INTEGER) AS bytes) FROM given"


class Keeps(Engine):
    """Has all its data in memory from the beginning and does not let go of it: never cold."""

    def bind(self, tables: dict[str, list[str]]) -> None:
        super().bind(tables)
        self.kept = []
        for paths in tables.values():
            for path in paths:
                with Path(path).open("rb") as file:
                    mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
                # A page that is mapped and was touched stays, whatever the kernel is asked to drop.
                for offset in range(0, len(mapped), mmap.PAGESIZE):
                    mapped[offset]
                self.kept.append(mapped)
