"""Rows in the order of some columns: the same order whatever writes them afterwards."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from weigh.model.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_BATCH = 1 << 16


def ordered(
    batches: Iterable[pa.RecordBatch], columns: Sequence[str], schema: pa.Schema, folder: Path
) -> Iterator[pa.RecordBatch]:
    """The same rows, ascending by the columns, NULLs last; rows that tie stay in the order in which they came.

    The columns to sort by and a number for each row are held in memory; the rest waits in a file.

    Args:
        batches: all rows of a table.
        columns: of the table, the first one first.
        schema: the table's plain types.
        folder: on a disk with space for the table, uncompressed.

    Raises:
        UsageError: a column's type has no order.
    """
    with tempfile.TemporaryDirectory(prefix="sorting-", dir=folder) as aside:
        waiting = Path(aside) / "rows.arrow"
        keys = []
        with pa.ipc.new_file(waiting, schema) as file:
            for batch in batches:
                # Plain: a file of Arrow's holds one dictionary for all batches.
                rows = batch.cast(schema)
                file.write_batch(rows)
                keys.append(rows.select(columns))
        found = pa.Table.from_batches(keys, pa.schema([schema.field(name) for name in columns]))
        try:
            # Stable, as Arrow documents it.
            order = pc.sort_indices(found, sort_keys=[(name, "ascending", "at_end") for name in columns])
        except pa.ArrowNotImplementedError as error:
            raise UsageError(
                f"rows cannot be sorted by {', '.join(columns)}: {error}", remedy="sort by numbers, texts or times"
            ) from error
        del keys, found
        with pa.memory_map(str(waiting)) as mapped, pa.ipc.open_file(mapped) as file:
            rows_of_all = file.read_all()
            for first in range(0, len(order), _BATCH):
                yield from rows_of_all.take(order.slice(first, _BATCH)).combine_chunks().to_batches()
            del rows_of_all
