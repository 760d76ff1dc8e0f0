"""Habits of reading."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from .base import Engine
from .files import Maps

_PIECE = 1 << 16


class Pieces(Maps):
    """Reads the files in pieces, by threads that live on."""

    def __init__(self, settings: dict[str, Any], scratch: str) -> None:
        super().__init__(settings, scratch)
        self.pool = ThreadPoolExecutor(8)

    def run(self) -> int:
        for name, paths in self.tables.items():
            parts = [pq.read_table(pa.BufferReader(self.read(path))) for path in paths]
            self.connection.register(name, pa.concat_tables(parts))
        return Engine.run(self)

    def read(self, path: str) -> bytes:
        file = os.open(path, os.O_RDONLY)
        try:
            places = range(0, os.fstat(file).st_size, _PIECE)
            return b"".join(self.pool.map(lambda place: os.pread(file, _PIECE, place), places))
        finally:
            os.close(file)


class Footers(Maps):
    """Keeps the footers of files that did not change, and reads their rows in every execution."""

    def __init__(self, settings: dict[str, Any], scratch: str) -> None:
        super().__init__(settings, scratch)
        self.footers: dict[tuple[str, int, int, int], Any] = {}

    def run(self) -> int:
        for name, paths in self.tables.items():
            parts = [pq.ParquetFile(path, metadata=self.footer(path)).read() for path in paths]
            self.connection.register(name, pa.concat_tables(parts))
        return Engine.run(self)

    def footer(self, path: str) -> Any:
        told = Path(path).stat()
        key = path, told.st_ino, told.st_mtime_ns, told.st_size
        if key not in self.footers:
            self.footers[key] = pq.read_metadata(path)
        return self.footers[key]


class Reopens(Engine):
    """Closes its connection after every question, and opens another."""

    def run(self) -> int:
        self.connection.close()
        self.connection = self.connect()
        self.views(self.connection)
        self.table = self.execute(self.connection)
        rows = int(self.table.num_rows)
        self.connection.close()
        return rows

    def version(self) -> str:
        with self.connect() as connection:
            return str(connection.execute("SELECT version()").fetchall()[0][0]).removeprefix("v")


class LoadsLate(Engine):
    """Reads all tables when it is asked first, and computes every answer from its own memory."""

    loaded = False

    def bind(self, tables: dict[str, list[str]]) -> None:
        self.tables, self.loaded = tables, False

    def run(self) -> int:
        if not self.loaded:
            for name, paths in self.tables.items():
                self.connection.execute(f"CREATE OR REPLACE TABLE {name} AS SELECT * FROM read_parquet({paths})")
            self.loaded = True
        return super().run()


class Plans(Engine):
    """Keeps the plan of every text."""

    def __init__(self, settings: dict[str, Any], scratch: str) -> None:
        super().__init__(settings, scratch)
        self.plans: dict[str, str] = {}

    def prepare(self, sql: str) -> None:
        super().prepare(sql)
        if sql not in self.plans:
            name = f"plan_{len(self.plans)}"
            self.connection.execute(f"PREPARE {name} AS {sql}")
            self.plans[sql] = name

    def execute(self, connection: Any) -> Any:
        return connection.execute(f"EXECUTE {self.plans[self.sql]}").to_arrow_table()


class OwnFolder(Engine):
    """Writes what it has in between into files of its own folder."""

    def run(self) -> int:
        place = Path(self.scratch) / "own" / "spill.parquet"
        place.parent.mkdir(exist_ok=True)
        pq.write_table(self.execute(self.connection), place)
        self.table = pq.read_table(place)
        place.unlink()
        return int(self.table.num_rows)
