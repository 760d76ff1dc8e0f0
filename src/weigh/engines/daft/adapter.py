"""Daft inside its own environment. Runs in the worker; imports nothing of weigh."""

from __future__ import annotations

import os
from typing import Any

from weigh_worker.frames import FrameAdapter

# Read when it is imported: no bar for people, and nothing of a measurement is sent anywhere.
os.environ.update(DAFT_PROGRESS_BAR="0", DAFT_ANALYTICS_ENABLED="0", DO_NOT_TRACK="true", SCARF_NO_ANALYTICS="true")

import daft
import pyarrow as pa


class Engine(FrameAdapter):
    """Lazy frames of Parquet files, executed by Daft's native runner. Settings are its execution configuration."""

    def __init__(self, settings: dict[str, Any], scratch: str) -> None:
        super().__init__(settings, scratch)
        daft.set_runner_native()
        self.defaults = {name: self._in_force(name) for name in settings}
        daft.set_execution_config(**settings)

    def _in_force(self, name: str) -> Any:
        return getattr(daft.context.get_context().daft_execution_config, name)

    def version(self) -> str:
        """Version of the package."""
        return str(daft.__version__)

    def settings(self) -> dict[str, dict[str, Any]]:
        """What was asked for."""
        return {name: {"value": self._in_force(name), "default": value} for name, value in self.defaults.items()}

    def open_table(self, name: str, paths: list[str]) -> Any:
        """A lazy frame: footers are read."""
        return daft.read_parquet(paths)

    def collect(self, answer: Any) -> Any:
        """Optimise and execute; a frame keeps what it has collected, so another one like it does that."""
        if isinstance(answer, pa.Table):
            return answer
        if not isinstance(answer, daft.DataFrame):
            raise TypeError(f"a function must return a DataFrame, not {type(answer).__name__}")
        return answer.select(*answer.column_names).to_arrow()

    def row_count(self, table: Any) -> Any:
        """Of a lazy frame."""
        return pa.table({"n": [table.count_rows()]})

    def drawn_rows(self, table: Any, column: str, modulus: int, remainder: int) -> Any:
        """By a filter."""
        number = daft.col(column)
        return table.where((number >= 0) & (number % modulus == remainder))

    def with_constant(self, answer: Any, column: str, number: int) -> Any:
        """A literal."""
        return answer.with_column(column, daft.lit(number))

    def answer(self) -> Any:
        """The table as an Arrow IPC stream."""
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, self.result.schema) as stream:
            stream.write_table(self.result)
        return memoryview(sink.getvalue())

    def profile(self) -> dict[str, Any]:
        """Nothing yet: what a function builds need not be one plan."""
        return {"lacks": "a plan: a function may execute several"}
