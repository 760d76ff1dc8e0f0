"""PyArrow's Acero inside its own environment. Runs in the worker; imports nothing of weigh.

PyArrow has no SQL: ``select`` and ``where`` translate a plain SELECT over one table, and refuse everything else.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from weigh_worker import Adapter

from .select import Select, parsed
from .tables import Settings, Table

_ALWAYS = {"threads", "io_threads", "use_threads"}


class Engine(Adapter):
    """Datasets of Parquet files, and plans over one of them."""

    def __init__(self, settings: dict[str, Any], scratch: str) -> None:
        super().__init__(settings, scratch)
        self.ours = Settings(settings)
        self.tables: dict[str, Table] = {}
        self.sql = ""
        self.result: Any = None

    def version(self) -> str:
        """Version of the library in C++."""
        return str(pa.cpp_version)

    def settings(self) -> dict[str, dict[str, Any]]:
        """Sizes of the thread pools, options of the Parquet reader and of the plan."""
        return {
            name: {"value": value, "default": self.ours.defaults[name]}
            for name, value in self.ours.values().items()
            if value != self.ours.defaults[name] or name in self.wanted or name in _ALWAYS
        }

    def reach(self, store: dict[str, str]) -> None:
        """A file system of objects."""
        self.ours.reach(store)

    def bind(self, tables: dict[str, list[str]]) -> None:
        """A dataset each. Footers are read, as the first query would."""
        self.tables = {}

        def opened(name: str) -> None:
            self.tables[name] = self.ours.opened(name, tables[name])

        self.bind_each(tables, opened)

    def prepare(self, sql: str) -> None:
        """Keep the text: parsing and planning belong to the timed region, as for every contender."""
        self.sql = sql

    def run(self) -> int:
        """Translate, execute, and hold the complete result as a table."""
        self.result = Select(parsed(self.sql), self.tables, self.ours.plan).run()
        return int(self.result.num_rows)

    def answer(self) -> Any:
        """The table as an Arrow IPC stream."""
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, self.result.schema) as stream:
            stream.write_table(self.result)
        return memoryview(sink.getvalue())

    def release(self) -> None:
        """Drop the table."""
        self.result = None

    def profile(self) -> dict[str, Any]:
        """Nothing: Acero tells no times."""
        return {"lacks": "operators and counters: PyArrow has no profiler of its own"}

    def close(self) -> None:
        """Nothing is left open: the process ends."""
        self.release()

    def classify(self, error: BaseException) -> str:
        """A kernel that Arrow does not have for a type is as good as SQL that cannot be reported."""
        return "unsupported" if isinstance(error, pa.ArrowNotImplementedError) else super().classify(error)
