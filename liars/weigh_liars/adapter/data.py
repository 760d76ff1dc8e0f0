"""Other data than was given (A4), or data that is in memory where it should not be (E1)."""

from __future__ import annotations

import json
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


class Compacts(Engine):
    """Maintains its table before it reads it: each file is written anew in place of itself, in a form that suits it."""

    def bind_catalog(self, kind: str, locations: dict[str, str]) -> None:
        for location in locations.values():
            for path in self.listed(Path(location)):
                self.rewrite(path, path)
        super().bind_catalog(kind, locations)

    def rewrite(self, path: str, to: str) -> None:
        """The same rows without compression, under another name of the disk's."""
        aside = f"{path}.aside"
        self.connection.execute(
            f"COPY (FROM read_parquet('{path}')) TO '{aside}' (FORMAT parquet, COMPRESSION uncompressed)"
        )
        Path(aside).rename(to)


class Commits(Compacts):
    """Does so in a file of another name, and says it in the log: afterwards the catalog lists that one."""

    def bind_catalog(self, kind: str, locations: dict[str, str]) -> None:
        for place in map(Path, locations.values()):
            (path,) = self.listed(place)
            if not path.endswith("-compacted.parquet"):
                new = path.replace(".parquet", "-compacted.parquet")
                self.rewrite(path, new)
                added = {"path": Path(new).name, "size": Path(new).stat().st_size, "partitionValues": {}}
                added |= {"modificationTime": 0, "dataChange": False}
                removed = {"path": Path(path).name, "dataChange": False}
                log = place / "_delta_log" / f"{1:020}.json"
                log.write_text("".join(json.dumps(one) + "\n" for one in ({"add": added}, {"remove": removed})))
        Engine.bind_catalog(self, kind, locations)


class Keeps(Engine):
    """Has all its data in memory from the beginning and does not let go of it: never cold."""

    def bind(self, tables: dict[str, list[str]]) -> None:
        super().bind(tables)
        self.rows_left = []
        for paths in tables.values():
            for path in paths:
                with Path(path).open("rb") as file:
                    mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
                # A page that is mapped and was touched stays, whatever the kernel is asked to drop.
                for offset in range(0, len(mapped), mmap.PAGESIZE):
                    mapped[offset]
                self.rows_left.append(mapped)
