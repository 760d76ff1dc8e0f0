"""Unsigned integers in Parquet files: formats without such types make signed ones of them, which hold half as much."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.data.catalog.registrar import UnsupportedTable
from weigh.model.errors import DataFault

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

_LOST = {"iceberg": (32, 64), "delta": (8, 16, 32, 64)}
"""Bits of the unsigned integers that become signed ones of the same width: PyIceberg 0.12.0, deltalake 1.6.6."""


def refuse(kind: str, path: Path, table: str) -> None:
    """Refuse a file with unsigned integers that the format does not have.

    Registering makes signed columns of them without an error, and readers that go by the format's types then hand out
    128 as -128: that is not their mistake.

    Raises:
        NotHeld: it has such a column.
        DataFault: it cannot be read.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    bits = _LOST.get(kind, ())
    if not bits:
        return
    try:
        schema = pq.read_schema(path)
    except (OSError, pa.ArrowException) as error:
        raise DataFault(str(error), where=str(path), remedy="give readable, undamaged Parquet files") from error
    for field in schema:
        found = _unsigned(field.type, bits)
        if found is not None:
            title = kind.capitalize()
            raise UnsupportedTable(
                table,
                f"column {field.name} holds {found}, and {title} has no such type: its readers would take large values "
                "for negative ones",
                where=f"table {table}, {path}",
                remedy=f"write the file with a signed type that holds them, or leave out ?catalog={kind}",
            )


def _unsigned(kind: pa.DataType, bits: tuple[int, ...]) -> pa.DataType | None:
    """The first such type in a type."""
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        return _unsigned(kind.value_type, bits)
    if pa.types.is_unsigned_integer(kind):
        return kind if kind.bit_width in bits else None
    inner = (_unsigned(kind.field(n).type, bits) for n in range(kind.num_fields))
    return next((one for one in inner if one is not None), None)
