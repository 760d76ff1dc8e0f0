"""Frames whose answers are frames of pandas: what libraries on top of pandas have in common."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from weigh_worker.frames import FrameAdapter


class PandasAdapter(FrameAdapter):
    """One life of a library whose complete answers are frames of pandas."""

    def with_constant(self, answer: Any, column: str, number: int) -> Any:
        """A column more."""
        return answer.assign(**{column: number})

    def answer(self) -> Any:
        """The columns as an Arrow IPC stream; the index is no column. What is missing (NaN, NA, NaT) is NULL."""
        table = pa.Table.from_pandas(self.result, preserve_index=False)
        schema = pa.schema([_marked(field) for field in table.schema])
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, schema) as stream:
            stream.write_table(table.cast(schema))
        return memoryview(sink.getvalue())


def _marked(field: Any) -> Any:
    """A column of doubles whose NULL may have been NaN says so: to pandas they are one value."""
    return field.with_metadata({"weigh.shown": "nan"}) if pa.types.is_floating(field.type) else field
