"""By which columns the rows of a table are in order, as they lie in its files."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

_MOST = 4
"""Columns of an order."""


def ascending(paths: Sequence[Path]) -> tuple[str, ...]:
    """Columns by which all rows are sorted, ascending, NULLs last; each later one orders what ties in those before.

    A column of one value is none of them. A column is read until its order breaks, so that one without any costs next
    to nothing.

    Args:
        paths: files of one table, in order.

    Raises:
        pa.ArrowException, OSError: a file cannot be read.
    """
    schema = pq.read_schema(paths[0])
    named = Counter(schema.names)
    comparable = [field.name for field in schema if _comparable(field.type) and named[field.name] == 1]
    keys: list[str] = []
    while len(keys) < _MOST:
        scan = _Scan(keys, [name for name in comparable if name not in keys and "." not in name])
        for path in paths:
            with pq.ParquetFile(path) as file:
                for group in range(file.num_row_groups):
                    if scan.left:
                        scan.take(file.read_row_group(group, columns=[*keys, *scan.left]))
        rising = [name for name in scan.left if scan.rising[name]]
        if not rising:
            break
        # Of several the finest: who sorts by days has the years in order too.
        found = max(rising, key=lambda name: scan.rising[name])
        keys.append(found)
        if found not in scan.tied:
            break
    return tuple(keys)


class _Scan:
    """One reading of all rows.

    Attributes:
        left: candidates that were in order so far, within rows that tie in the keys.
        rising: how often each candidate has a larger value after a smaller one.
        tied: candidates of which two rows that tie in the keys have the same value.
    """

    def __init__(self, keys: Sequence[str], candidates: Sequence[str]) -> None:
        self._keys = keys
        self.left = list(candidates)
        self.rising: Counter[str] = Counter()
        self.tied: set[str] = set()
        self._last: pa.Table | None = None

    def take(self, rows: pa.Table) -> None:
        """The next rows."""
        if self._last is not None:
            rows = pa.concat_tables([self._last.select(rows.column_names), rows], promote_options="permissive")
        if not rows.num_rows:
            return
        ties = np.ones(rows.num_rows - 1, bool)
        for name in self._keys:
            less, greater = _compared(rows[name])
            ties &= ~(less | greater)
        for name in list(self.left):
            less, greater = _compared(rows[name])
            if (greater & ties).any():
                self.left.remove(name)
                continue
            self.rising[name] += int((less & ties).sum())
            if (ties & ~less).any():
                self.tied.add(name)
        self._last = rows.slice(rows.num_rows - 1)


def _compared(column: pa.ChunkedArray) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Whether each value is less, and whether it is greater than the next one; NULL is greater than all."""
    values = column.combine_chunks()
    if pa.types.is_float16(values.type):
        # Arrow compares no halves.
        values = values.cast(pa.float32())
    one, next_one = values.slice(0, len(values) - 1), values.slice(1)
    missing = np.asarray(values.is_null())
    here, then = missing[:-1], missing[1:]
    less = np.asarray(pc.less(one, next_one).fill_null(False))
    greater = np.asarray(pc.greater(one, next_one).fill_null(False))
    if pa.types.is_floating(values.type):
        # NaN has no place in an order.
        greater = greater | (np.asarray(pc.is_nan(values).fill_null(False))[:-1])
    return less | (~here & then), greater | (here & ~then)


def _comparable(kind: pa.DataType) -> bool:
    types = pa.types
    return (
        types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind) or types.is_temporal(kind)
        or types.is_string(kind) or types.is_large_string(kind)
    ) and not types.is_interval(kind)  # fmt: skip
