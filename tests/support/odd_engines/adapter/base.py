"""The engine without a habit."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from weigh_worker import Adapter


class Engine(Adapter):
    """DuckDB over views on Parquet files, answers as a table of PyArrow."""

    def __init__(self, settings: dict[str, Any], scratch: str) -> None:
        super().__init__(settings, scratch)
        self.sql = ""
        self.table: Any = None
        self.tables: dict[str, list[str]] = {}
        self.connection = self.connect()

    def connect(self) -> Any:
        import duckdb

        return duckdb.connect(":memory:", config={"temp_directory": self.scratch, "threads": 2})

    def version(self) -> str:
        return str(self.connection.execute("SELECT version()").fetchall()[0][0]).removeprefix("v")

    def settings(self) -> dict[str, dict[str, Any]]:
        read = self.connection.execute("SELECT current_setting('threads')").fetchall()[0][0]
        return {"odd": {"value": self.wanted.get("odd"), "default": "plain"}, "threads": {"value": read}}

    def bind(self, tables: dict[str, list[str]]) -> None:
        self.tables = tables
        self.views(self.connection)

    def views(self, connection: Any) -> None:
        for name, paths in self.tables.items():
            files = ", ".join("'" + path.replace("'", "''") + "'" for path in paths)
            connection.execute(f"CREATE OR REPLACE VIEW {name} AS SELECT * FROM read_parquet([{files}])")

    def prepare(self, sql: str) -> None:
        self.sql = sql

    def run(self) -> int:
        self.table = self.execute(self.connection)
        return self.table.num_rows

    def execute(self, connection: Any) -> Any:
        return connection.execute(self.sql).to_arrow_table()

    def answer(self) -> Any:
        return stream(self.shaped(self.table))

    def shaped(self, table: Any) -> Any:
        return table

    def release(self) -> None:
        self.table = None

    def close(self) -> None:
        self.connection.close()


def stream(table: Any, rows: int | None = None) -> memoryview:
    """The bytes of an IPC stream."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as out:
        out.write_table(table, max_chunksize=rows)
    return memoryview(sink.getvalue())
