"""An engine that loads: a database of its own with an index, made from temporary files, and no ``bind``."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from weigh_worker import Adapter


class Engine(Adapter):
    """DuckDB on a database that was loaded before."""

    def __init__(self, settings: dict[str, Any], scratch: str) -> None:
        super().__init__(settings, scratch)
        self.connection = duckdb.connect(":memory:", config={"temp_directory": scratch})
        self.sql = ""
        self.table: Any = None

    def version(self) -> str:
        return duckdb.__version__

    def settings(self) -> dict[str, dict[str, Any]]:
        return {"threads": {"value": self.connection.execute("SELECT current_setting('threads')").fetchall()[0][0]}}

    def load(self, tables: dict[str, list[str]], copy: str) -> None:
        with tempfile.TemporaryDirectory(dir=self.scratch) as place, duckdb.connect(f"{copy}/all.duckdb") as made:
            for name, paths in tables.items():
                for number, path in enumerate(paths):
                    shutil.copy(path, f"{place}/{name}-{number}.parquet")
                made.execute(f"CREATE TABLE {name} AS SELECT * FROM read_parquet('{place}/{name}-*.parquet')")
                first = made.execute(f"SELECT column_name FROM (DESCRIBE {name})").fetchall()[0][0]
                made.execute(f'CREATE INDEX "{name}_index" ON {name} ("{first}")')

    def attach(self, copy: str, tables: list[str]) -> None:
        (file,) = Path(copy).glob("*.duckdb")
        self.connection.execute(f"ATTACH '{file}' AS loaded (READ_ONLY)")
        self.connection.execute("USE loaded")

    def prepare(self, sql: str) -> None:
        self.sql = sql

    def run(self) -> int:
        self.table = self.connection.execute(self.sql).to_arrow_table()
        return self.table.num_rows

    def answer(self) -> memoryview:
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, self.table.schema) as stream:
            stream.write_table(self.table)
        return memoryview(sink.getvalue())

    def release(self) -> None:
        self.table = None

    def close(self) -> None:
        self.connection.close()
