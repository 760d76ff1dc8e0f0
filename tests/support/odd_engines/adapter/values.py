"""Habits of answers: more forms of the same values."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from .base import Engine
from .forms import Form


class DecimalIntegers(Form):
    """Has one type of numbers without a fraction."""

    def of(self, kind: pa.DataType) -> pa.DataType | None:
        return pa.decimal128(38, 0) if pa.types.is_integer(kind) else None


class WideDecimals(Form):
    """Has decimals of 256 bits, with more places."""

    def of(self, kind: pa.DataType) -> pa.DataType | None:
        return pa.decimal256(60, kind.scale + 4) if pa.types.is_decimal(kind) else None


class BinaryText(Form):
    """Has bytes for text."""

    def of(self, kind: pa.DataType) -> pa.DataType | None:
        return pa.binary() if pa.types.is_string(kind) else None


class Dates(Form):
    """Has instants for days."""

    def of(self, kind: pa.DataType) -> pa.DataType | None:
        return pa.timestamp("us") if pa.types.is_date(kind) else None


class WideDates(Form):
    """Counts days in milliseconds."""

    def of(self, kind: pa.DataType) -> pa.DataType | None:
        return pa.date64() if pa.types.is_date(kind) else None


class TextNumbers(Form):
    """Hands everything out as text, as clients of a shell do."""

    def of(self, kind: pa.DataType) -> pa.DataType | None:
        simple = pa.types.is_integer(kind) or pa.types.is_decimal(kind) or pa.types.is_date(kind)
        return pa.string() if simple else None


class OtherZone(Form):
    """Says the same instants in another zone."""

    def of(self, kind: pa.DataType) -> pa.DataType | None:
        return pa.timestamp(kind.unit, "America/St_Johns") if pa.types.is_timestamp(kind) and kind.tz else None


class LargeLists(Form):
    """Has lists with offsets of 64 bits."""

    def of(self, kind: pa.DataType) -> pa.DataType | None:
        return pa.large_list(kind.value_field) if pa.types.is_list(kind) else None


class Upper(Engine):
    """Writes names in capitals."""

    def shaped(self, table: Any) -> Any:
        return table.rename_columns([one.upper() for one in table.column_names])


class NoType(Engine):
    """Has no type for a column that is NULL throughout."""

    def shaped(self, table: Any) -> Any:
        columns = [
            pa.nulls(len(column)) if column.null_count == len(column) else column.combine_chunks()
            for column in table.columns
        ]
        return pa.Table.from_arrays(columns, names=table.column_names)


class NegativeZero(Engine):
    """Has the other zero, and another NaN."""

    def shaped(self, table: Any) -> Any:
        columns = []
        for column in table.columns:
            if pa.types.is_float64(column.type):
                finite = pc.if_else(pc.equal(column, 0.0), pa.scalar(-0.0), column)
                columns.append(pc.if_else(pc.is_nan(column), _NAN, finite))
            else:
                columns.append(column)
        return pa.Table.from_arrays(columns, names=table.column_names)


class RunEnds(Engine):
    """Says how often a value repeats itself."""

    def shaped(self, table: Any) -> Any:
        columns = [
            pc.run_end_encode(column.combine_chunks()) if pa.types.is_integer(column.type) else column.combine_chunks()
            for column in table.columns
        ]
        return pa.Table.from_arrays(columns, names=table.column_names)


class Pandas(Engine):
    """Hands out what pandas makes of it: an index in the metadata, and text as objects."""

    def shaped(self, table: Any) -> Any:
        meta = b'{"index_columns": [{"kind": "range", "start": 0, "stop": 0, "step": 1}], "columns": []}'
        return table.replace_schema_metadata({b"pandas": meta})


_NAN = pa.scalar(memoryview(b"\x01\x00\x00\x00\x00\x00\xf8\xff").cast("d")[0])
