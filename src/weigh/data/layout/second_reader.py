"""A second reader of Parquet, PyArrow: on what it and weigh's own (the parquet crate) do not agree, nobody is accused.

Each has its limits: INT96 beyond 64 bits of nanoseconds, types that were specified later. Of
another lineage is what neither shares code nor authors with the other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from weigh.data.layout import views
from weigh.model.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

FILES = ds.ParquetFileFormat(read_options=ds.ParquetReadOptions(coerce_int96_timestamp_unit="us"))
"""How PyArrow reads Parquet of which not all rows are held: nanoseconds of 64 bits end in 2262."""
_INTERVAL_BYTES = 12
DISAGREE = "weigh's two readers of Parquet (the parquet crate and PyArrow) read other values of it"


def table(paths: Sequence[str]) -> pa.Table:
    """The rows of the files of one table as PyArrow reads them; instants in INT96 as far as 64 bits go.

    Raises:
        pa.ArrowException: it cannot read them.
    """
    return ranged(paths, pq.read_table(list(paths), partitioning=None))


def ranged(paths: Sequence[str], rows: pa.Table) -> pa.Table:
    """Rows with instants of INT96 in microseconds where 64 bits of nanoseconds wrap around (before 1677, after 2262).

    Args:
        paths: the files that they were read from.
        rows: all of them, as PyArrow reads them by default.

    Raises:
        pa.ArrowException: they cannot be read.
    """
    old = [at for at in sorted(_int96(paths[0])) if at < rows.num_columns]
    if not old:
        return rows
    coarse = pq.read_table(list(paths), partitioning=None, coerce_int96_timestamp_unit="us")
    for at in old:
        field = coarse.schema.field(at)
        if not _wraps_nowhere(rows.column(at), coarse.column(at)):
            rows = rows.set_column(at, field, coarse.column(at))
    return rows


def _int96(path: str) -> set[int]:
    """Numbers of the top-level columns in which there are instants in INT96."""
    with pq.ParquetFile(path) as file:
        leaves = (file.schema.column(number) for number in range(len(file.schema)))
        roots = [leaf.path.partition(".")[0] for leaf in leaves if leaf.physical_type == "INT96"]
        return {number for number, field in enumerate(file.schema_arrow) if field.name.partition(".")[0] in roots}


def _wraps_nowhere(fine: pa.ChunkedArray, coarse: pa.ChunkedArray) -> bool:
    import numpy as np

    if not pa.types.is_timestamp(fine.type):
        return False
    ours, theirs = (one.cast(pa.int64()).fill_null(0).to_numpy() for one in (fine, coarse))
    return bool((np.abs(ours // 1_000 - theirs) <= 1).all())


def unlike(paths: Sequence[str], rows: pa.Table) -> dict[int, str]:
    """Columns that weigh's own reader reads otherwise than PyArrow: why each may accuse nobody.

    Args:
        paths: files of a table.
        rows: all of their rows, from :func:`table`.

    Returns:
        Reasons by the number of the column.
    """

    def read(at: int) -> Iterator[pa.RecordBatch]:
        return iter(pa.table([rows.column(at)], names=["v"]).to_batches())

    return _unlike(paths, rows.column_names, read)


def unlike_in_files(paths: Sequence[str], names: Sequence[str]) -> dict[int, str]:
    """As :func:`unlike`, of tables that are too large to be held: instants in INT96 are read in microseconds.

    Args:
        paths: files of a table.
        names: of all its columns.
    """
    files = ds.dataset(list(paths), format=FILES)
    return _unlike(paths, names, lambda at: files.to_batches(columns=[names[at]]))


def _unlike(
    paths: Sequence[str], names: Sequence[str], read: Callable[[int], Iterator[pa.RecordBatch]]
) -> dict[int, str]:
    found = {at: _why_unlike(paths, at, name, read) for at, name in enumerate(names)}
    return {at: why for at, why in found.items() if why}


def _why_unlike(paths: Sequence[str], at: int, name: str, read: Callable[[int], Iterator[pa.RecordBatch]]) -> str:
    from weigh._native import DigestError, digest_arrow, digest_parquet, merge_digests

    try:
        digest = digest_parquet(list(paths), [name])
        for form in (_as_it_is, _stored(paths[0], at)):
            parts = (pa.record_batch([form(batch.column(0))], names=["v"]) for batch in read(at))
            if merge_digests([digest_arrow(pa.Table.from_batches([part])) for part in parts]) == digest:
                return ""
    except (DigestError, pa.ArrowException, OSError, ValueError) as error:
        return f"one of weigh's two readers of Parquet cannot read it: {one_line(str(error), 160)}"
    return DISAGREE


def _as_it_is(column: pa.Array) -> pa.Array:
    return column


def _stored(path: str, at: int) -> Callable[[pa.Array], pa.Array]:
    """Brings a column to the type that Parquet has for it: weigh's own reader leaves out a writer's Arrow schema."""
    interval = _is_interval(path, at)

    def stored(column: pa.Array) -> pa.Array:
        if pa.types.is_duration(column.type):
            return column.cast(pa.int64())
        return intervals(column) if interval and pa.types.is_fixed_size_binary(column.type) else column

    return stored


def _is_interval(path: str, at: int) -> bool:
    with pq.ParquetFile(path) as file:
        name = file.schema_arrow.field(at).name
        leaves = [file.schema.column(number) for number in range(len(file.schema))]
        return any(leaf.path == name and leaf.converted_type == "INTERVAL" for leaf in leaves)


def intervals(column: pa.Array) -> pa.Array:
    """Parquet's intervals: months, days and milliseconds, each of 32 bits."""
    import numpy as np

    raw = column.fill_null(bytes(_INTERVAL_BYTES))
    words = np.frombuffer(raw.buffers()[1], "<i4", 3 * len(raw), _INTERVAL_BYTES * raw.offset).reshape(-1, 3)
    values = [(months, days, milliseconds * 10**6) for months, days, milliseconds in words.tolist()]
    given = [value if valid else None for valid, value in zip(column.is_valid().to_pylist(), values, strict=True)]
    return pa.array(given, pa.month_day_nano_interval())


def plain(rows: pa.Table) -> pa.Table:
    """Rows whose texts can be counted, and whose schema does not promise, as that of the first file may, no NULL."""
    kinds = views.plain(rows.schema).types
    columns = [one if one.type == kind else one.cast(kind) for one, kind in zip(rows.columns, kinds, strict=True)]
    return pa.Table.from_arrays(columns, names=rows.column_names)
