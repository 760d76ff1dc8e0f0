"""Habits of answers: the same values in other forms, made when they are handed out."""

from __future__ import annotations

import random
from abc import abstractmethod
from typing import Any

import pyarrow as pa

from .base import Engine, stream


class Form(Engine):
    """Casts every column whose type is one."""

    @abstractmethod
    def of(self, kind: pa.DataType) -> pa.DataType | None:
        """The type that stands for one; None where it stays."""

    def shaped(self, table: Any) -> Any:
        columns = [
            column if (kind := self.of(column.type)) is None else column.cast(kind, safe=False)
            for column in table.columns
        ]
        return pa.Table.from_arrays(columns, names=table.column_names)


class WideIntegers(Form):
    """Has one type of integers."""

    def of(self, kind: pa.DataType) -> pa.DataType | None:
        return pa.int64() if pa.types.is_integer(kind) and not pa.types.is_uint64(kind) else None


class Dictionaries(Form):
    """Encodes text."""

    def of(self, kind: pa.DataType) -> pa.DataType | None:
        return pa.dictionary(pa.int32(), pa.string()) if pa.types.is_string(kind) else None

    def shaped(self, table: Any) -> Any:
        columns = [one.dictionary_encode() if self.of(one.type) else one for one in table.columns]
        return pa.Table.from_arrays([one.combine_chunks() for one in columns], names=table.column_names)


class LargeText(Form):
    """Has text with offsets of 64 bits."""

    def of(self, kind: pa.DataType) -> pa.DataType | None:
        return pa.large_string() if pa.types.is_string(kind) else None


class Views(Form):
    """Has text in views."""

    def of(self, kind: pa.DataType) -> pa.DataType | None:
        return pa.string_view() if pa.types.is_string(kind) else None


class DecimalText(Form):
    """Writes decimals as text."""

    def of(self, kind: pa.DataType) -> pa.DataType | None:
        return pa.string() if pa.types.is_decimal(kind) else None


class DecimalDouble(Form):
    """Has no decimals: answers are doubles; the rows of a table are handed out as they are."""

    def of(self, kind: pa.DataType) -> pa.DataType | None:
        return pa.float64() if pa.types.is_decimal(kind) and not self.sql.startswith("SELECT * FROM") else None

    def shaped(self, table: Any) -> Any:
        columns = [
            column.cast(pa.string()).cast(pa.float64()) if self.of(column.type) else column for column in table.columns
        ]
        return pa.Table.from_arrays(columns, names=table.column_names)


class Nanoseconds(Form):
    """Counts instants in nanoseconds."""

    def of(self, kind: pa.DataType) -> pa.DataType | None:
        return pa.timestamp("ns", kind.tz) if pa.types.is_timestamp(kind) else None


class Zoned(Form):
    """Has instants in UTC alone."""

    def of(self, kind: pa.DataType) -> pa.DataType | None:
        return pa.timestamp(kind.unit, "UTC") if pa.types.is_timestamp(kind) else None


class Months(Form):
    """Hands durations out as intervals of months, days and nanoseconds."""

    def of(self, kind: pa.DataType) -> pa.DataType | None:
        return pa.month_day_nano_interval() if pa.types.is_duration(kind) else None

    def shaped(self, table: Any) -> Any:
        columns = []
        for column in table.columns:
            if self.of(column.type):
                counted = [
                    None if one is None else (0, 0, one)
                    for one in column.cast("duration[ns]").cast("int64").to_pylist()
                ]
                columns.append(pa.array(counted, pa.month_day_nano_interval()))
            else:
                columns.append(column)
        return pa.Table.from_arrays(columns, names=table.column_names)


class UuidBytes(Engine):
    """Hands UUIDs out as their sixteen bytes."""

    def shaped(self, table: Any) -> Any:
        columns = []
        for column in table.columns:
            if isinstance(column.type, pa.BaseExtensionType):
                chunks = [chunk.storage for chunk in column.chunks]
                columns.append(pa.chunked_array(chunks, column.type.storage_type))
            else:
                columns.append(column)
        return pa.Table.from_arrays(columns, names=table.column_names)


class OneRowBatches(Engine):
    """Hands out a batch for every row of the first ones."""

    def answer(self) -> Any:
        return stream(self.table, 1 if self.table.num_rows < 1_000 else None)


class EmptyBatches(Engine):
    """Hands out empty batches between the others."""

    def answer(self) -> Any:
        sink = pa.BufferOutputStream()
        empty = pa.RecordBatch.from_arrays([pa.array([], f.type) for f in self.table.schema], schema=self.table.schema)
        with pa.ipc.new_stream(sink, self.table.schema) as out:
            for batch in self.table.to_batches():
                out.write_batch(empty)
                out.write_batch(batch)
            out.write_batch(empty)
        return memoryview(sink.getvalue())


class NoBatches(Engine):
    """Hands out a schema and no batch where there is no row."""

    def answer(self) -> Any:
        return stream(self.table if self.table.num_rows else self.table.schema.empty_table())


class Shuffled(Engine):
    """Hands rows out in another order each time, unless it was asked for one."""

    def shaped(self, table: Any) -> Any:
        if "ORDER BY" in self.sql.upper():
            return table
        order = list(range(table.num_rows))
        random.shuffle(order)
        return table.take(pa.array(order, pa.int64()))


class OneName(Engine):
    """Calls every expression without a name the same, so that names are not unique."""

    def shaped(self, table: Any) -> Any:
        return table.rename_columns(["?column?" if "(" in one else one for one in table.column_names])


class Nullable(Engine):
    """Promises that no column without NULL can have one, and adds metadata of its own."""

    def shaped(self, table: Any) -> Any:
        fields = [
            pa.field(field.name, field.type, nullable=bool(table.column(at).null_count), metadata={"odd": "yes"})
            for at, field in enumerate(table.schema)
        ]
        return table.cast(pa.schema(fields, metadata={"odd": "schema"}))
