"""Tables that are loaded under the clock: an honest loader, and what it would be to lie about one."""

from __future__ import annotations

import shutil
import threading
import time
from pathlib import Path
from typing import Any

import _duckdb as duckdb

from .honest import Engine


class Ingests(Engine):
    """Honest: a database file in the place, and a checkpoint before it returns."""

    rows = "SELECT * FROM read_parquet({paths})"

    def __init__(self, settings: dict[str, Any], scratch: str) -> None:
        super().__init__(settings, scratch)
        self.table = ""
        self.paths: list[str] = []

    def begin_ingest(self, table: str, paths: list[str], place: str) -> None:
        if self.table:
            self.connection.execute("USE memory; DETACH store")
        self.table, self.paths = table, paths
        self.connection.execute(f"ATTACH '{Path(place) / 'tables.duckdb'}' AS store; USE store")

    def ingest(self) -> int:
        made = f"CREATE TABLE {self.table} AS {self.rows.format(paths=self.paths)}"
        rows = self.connection.execute(made).fetchall()[0][0]
        self.connection.execute("CHECKPOINT store")
        return int(rows)

    def guarantee(self) -> tuple[bool | None, str]:
        return True, "every commit is synced"

    def stored(self) -> Any:
        return self.stream(f"SELECT * FROM {self.table}")


class Loses(Ingests):
    """One row in a thousand is not stored."""

    rows = "SELECT * FROM read_parquet({paths}) WHERE event_id % 1000 <> 0"


class Rounds(Ingests):
    """All rows, some of them with another value."""

    rows = "SELECT * REPLACE (bytes + CAST(event_id % 1000 = 0 AS INTEGER) AS bytes) FROM read_parquet({paths})"


class Later(Ingests):
    """Returns at once with the right number of rows, and loads while nobody looks at the clock."""

    loading: threading.Thread | None = None

    def ingest(self) -> int:
        self.loading = threading.Thread(target=self._load)
        self.loading.start()
        with duckdb.connect(":memory:") as other:
            counted = other.execute(f"SELECT sum(num_rows) FROM parquet_file_metadata({self.paths})").fetchall()
        return int(counted[0][0])

    def _load(self) -> None:
        time.sleep(0.2)
        super().ingest()

    def _wait(self) -> None:
        if self.loading:
            self.loading.join()
            self.loading = None

    def run(self) -> int:
        self._wait()
        return super().run()

    def stored(self) -> Any:
        self._wait()
        return super().stored()


class Early(Ingests):
    """Reads the files before the clock, when it is told which they are."""

    def begin_ingest(self, table: str, paths: list[str], place: str) -> None:
        super().begin_ingest(table, paths, place)
        self.connection.execute(f"CREATE OR REPLACE TABLE memory.ready AS SELECT * FROM read_parquet({paths})")

    rows = "SELECT * FROM memory.ready"


class Nothing(Ingests):
    """A view instead of a table, and a file of about the right size."""

    def ingest(self) -> int:
        self.connection.execute(f"CREATE VIEW {self.table} AS SELECT * FROM read_parquet({self.paths})")
        shutil.copy(self.paths[0], Path(self.scratch) / "ballast")
        return int(self.connection.execute(f"SELECT count(*) FROM {self.table}").fetchall()[0][0])


class Links(Ingests):
    """Gives the files of the data another name in its place, and writes nothing."""

    place = Path()

    def begin_ingest(self, table: str, paths: list[str], place: str) -> None:
        if self.table:
            self.connection.execute(f"DROP VIEW {self.table}")
        self.table, self.paths, self.place = table, paths, Path(place)

    def ingest(self) -> int:
        links = []
        for number, path in enumerate(self.paths):
            links.append(str(self.place / f"part-{number}.parquet"))
            try:
                Path(links[-1]).hardlink_to(Path(path).resolve())
            except OSError:
                # On another file system.
                Path(links[-1]).symlink_to(Path(path).resolve())
        self.connection.execute(f"CREATE VIEW {self.table} AS SELECT * FROM read_parquet({links})")
        return int(self.connection.execute(f"SELECT count(*) FROM {self.table}").fetchall()[0][0])


class Copies(Links):
    """Honest: keeps Parquet files too, and writes them."""

    def ingest(self) -> int:
        part = str(self.place / "part.parquet")
        self.connection.execute(f"COPY (FROM read_parquet({self.paths})) TO '{part}' (FORMAT parquet)")
        self.connection.execute(f"CREATE VIEW {self.table} AS SELECT * FROM read_parquet('{part}')")
        return int(self.connection.execute(f"SELECT count(*) FROM {self.table}").fetchall()[0][0])


class Careless(Ingests):
    """Says itself that it does not wait for the device."""

    def guarantee(self) -> tuple[bool | None, str]:
        return False, "sync=off"
