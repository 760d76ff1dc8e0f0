"""Polars' expressions: a table is a ``LazyFrame``, an answer one as well or a ``DataFrame``."""

from __future__ import annotations

from typing import Any

from weigh_worker.frames import FrameAdapter

from . import Engine as SqlEngine


class Engine(FrameAdapter, SqlEngine):
    """Lazy scans of Parquet files. Settings are those of SQL."""

    def open_table(self, name: str, paths: list[str]) -> Any:
        """A lazy scan: nothing is read but footers."""
        return self.scanned(paths)

    def collect(self, answer: Any) -> Any:
        """Optimise and execute what is lazy."""
        if isinstance(answer, self.polars.LazyFrame):
            return answer.collect(optimizations=self.flags)
        if isinstance(answer, self.polars.DataFrame):
            return answer
        raise TypeError(f"a function must return a LazyFrame or a DataFrame, not {type(answer).__name__}")

    def row_count(self, table: Any) -> Any:
        """Of a lazy frame."""
        return table.select(self.polars.len())

    def drawn_rows(self, table: Any, column: str, modulus: int, remainder: int) -> Any:
        """By a filter."""
        number = self.polars.col(column)
        return table.filter((number >= 0) & (number % modulus == remainder))

    def with_constant(self, answer: Any, column: str, number: int) -> Any:
        """A literal."""
        return answer.with_columns(self.polars.lit(number).alias(column))

    def answer(self) -> Any:
        """The frame as an Arrow IPC stream."""
        return self.stream(self.result)

    def profile(self) -> dict[str, Any]:
        """Nothing yet: what a function builds need not be one plan."""
        return {"lacks": "a plan: a function may execute several, or none that is lazy"}
