"""DataFusion's frames: a table is a lazy ``DataFrame``, and so is an answer."""

from __future__ import annotations

from typing import Any

from datafusion import DataFrame, col, lit
from datafusion import functions as f

from weigh_worker.frames import FrameAdapter

from . import Engine as SqlEngine


class Engine(FrameAdapter, SqlEngine):
    """One session over listing tables of Parquet files. Settings are those of SQL."""

    def bind(self, tables: dict[str, list[str]]) -> None:
        """A frame of each listing table."""
        SqlEngine.bind(self, tables)
        self.tables.update({name: self.context.table(name) for name in tables if name not in self.unreadable})

    def open_table(self, name: str, paths: list[str]) -> Any:
        """The frame of a table that is bound."""
        return self.tables[name]

    def collect(self, answer: Any) -> Any:
        """Optimise, execute, and hold every batch."""
        if not isinstance(answer, DataFrame):
            raise TypeError(f"a function must return a DataFrame, not {type(answer).__name__}")
        self.batches = answer.collect()
        self.schema = answer.schema()
        return self.batches

    def height(self) -> int:
        """Of all batches."""
        return sum(batch.num_rows for batch in self.batches)

    def row_count(self, table: Any) -> Any:
        """An aggregate."""
        return table.aggregate([], [f.count_star().alias("n")])

    def drawn_rows(self, table: Any, column: str, modulus: int, remainder: int) -> Any:
        """By a filter."""
        number = col(f'"{column}"')
        return table.filter((number >= lit(0)) & (number % lit(modulus) == lit(remainder)))

    def with_constant(self, answer: Any, column: str, number: int) -> Any:
        """A literal."""
        return answer.with_column(column, lit(number))

    def release(self) -> None:
        """Drop the batches."""
        super().release()
        self.batches = []

    def profile(self) -> dict[str, Any]:
        """Nothing yet: what a function builds need not be one plan."""
        return {"lacks": "a plan: a function may execute several"}

    def answer(self) -> Any:
        """The batches as an Arrow IPC stream."""
        return SqlEngine.answer(self)

    def classify(self, error: BaseException) -> str:
        """As of every data frame, and what DataFusion says of itself."""
        if "This feature is not implemented" in str(error):
            return "unsupported"
        kind = SqlEngine.classify(self, error)
        return kind if kind == "out_of_memory" else FrameAdapter.classify(self, error)
