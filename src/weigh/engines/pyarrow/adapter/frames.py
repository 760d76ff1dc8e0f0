"""PyArrow's functions: a table is a ``Dataset``, an answer a ``Table``."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from weigh_worker.frames import FrameAdapter

from .tables import PLAN, Settings

_ALWAYS = {"threads", "io_threads"}


class Engine(FrameAdapter):
    """Datasets of Parquet files. Settings are the thread pools and options of the Parquet reader."""

    def __init__(self, settings: dict[str, Any], scratch: str) -> None:
        super().__init__(settings, scratch)
        if unknown := PLAN.keys() & settings.keys():
            raise ValueError(f"{', '.join(sorted(unknown))}: a function says itself how it executes")
        self.ours = Settings(settings)

    def version(self) -> str:
        """Version of the library in C++."""
        return str(pa.cpp_version)

    def settings(self) -> dict[str, dict[str, Any]]:
        """Sizes of the thread pools, and options of the Parquet reader."""
        return {
            name: {"value": value, "default": self.ours.defaults[name]}
            for name, value in self.ours.values().items()
            if name not in PLAN and (value != self.ours.defaults[name] or name in self.wanted or name in _ALWAYS)
        }

    def reach(self, store: dict[str, str]) -> None:
        """A file system of objects."""
        self.ours.reach(store)

    def open_table(self, name: str, paths: list[str]) -> Any:
        """A dataset: footers are read."""
        return self.ours.opened(name, paths).dataset

    def collect(self, answer: Any) -> Any:
        """Read what is a reader or a dataset."""
        if isinstance(answer, pa.RecordBatchReader):
            return answer.read_all()
        if isinstance(answer, ds.Dataset):
            return answer.to_table()
        if isinstance(answer, pa.Table):
            return answer
        raise TypeError(f"a function must return a Table, not {type(answer).__name__}")

    def row_count(self, table: Any) -> Any:
        """Of a dataset."""
        return pa.table({"n": [table.count_rows()]})

    def drawn_rows(self, table: Any, column: str, modulus: int, remainder: int) -> Any:
        """By a mask: Arrow before 26 has no remainder."""
        rows = table.to_table()
        number = rows[column].cast(pa.int64())
        rest = pc.subtract(number, pc.multiply(pc.divide(number, modulus), modulus))
        return rows.filter(pc.and_(pc.greater_equal(number, 0), pc.equal(rest, remainder)))

    def with_constant(self, answer: Any, column: str, number: int) -> Any:
        """A column more."""
        rows = self.collect(answer)
        return rows.append_column(column, pa.repeat(pa.scalar(number, pa.int64()), rows.num_rows))

    def answer(self) -> Any:
        """The table as an Arrow IPC stream."""
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, self.result.schema) as stream:
            stream.write_table(self.result)
        return memoryview(sink.getvalue())

    def profile(self) -> dict[str, Any]:
        """Nothing: Acero tells no times."""
        return {"lacks": "operators and counters: PyArrow has no profiler of its own"}

    def classify(self, error: BaseException) -> str:
        """A kernel that Arrow does not have for a type is what it cannot do."""
        return "unsupported" if isinstance(error, pa.ArrowNotImplementedError) else super().classify(error)
