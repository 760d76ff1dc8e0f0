"""Parquet files for engines whose moments are microseconds: instants in INT96 as far as these go."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

_BATCH_ROWS = 16_384
_NANOSECONDS = 1_000


def opened(path: str) -> Any:
    """A file whose instants in INT96 come in microseconds, and in nanoseconds where one has digits below these.

    Nanoseconds of 64 bits wrap around beyond the years 1677 and 2262.
    """
    file = pq.ParquetFile(path)
    leaves = [file.schema.column(place) for place in range(len(file.schema.names))]
    old = [one.path for one in leaves if one.physical_type == "INT96" and "." not in one.path]
    if not old:
        return file
    coarse = pq.ParquetFile(path, coerce_int96_timestamp_unit="us")
    with pq.ParquetFile(path) as fine, pq.ParquetFile(path, coerce_int96_timestamp_unit="us") as rough:
        batches = zip(
            fine.iter_batches(_BATCH_ROWS, columns=old), rough.iter_batches(_BATCH_ROWS, columns=old), strict=True
        )
        whole = all(_same(*pair) for one, other in batches for pair in zip(one.columns, other.columns, strict=True))
    dropped = file if whole else coarse
    dropped.close()
    return coarse if whole else file


def in_microseconds(column: Any) -> Any:
    """Instants in microseconds.

    Raises:
        pa.ArrowInvalid: one has digits below these.
    """
    try:
        return column.cast(pa.timestamp("us", column.type.tz))
    except pa.ArrowInvalid as error:
        raise pa.ArrowInvalid("a moment has digits below the microsecond, which would be lost") from error


def _same(nanoseconds: Any, microseconds: Any) -> bool:
    """Whether nanoseconds, which wrap around, are the same instants as microseconds."""
    fine, rough = (one.cast(pa.int64()) for one in (nanoseconds, microseconds))
    return pc.all(pc.equal(pc.multiply(rough, _NANOSECONDS), fine)).as_py() is not False
