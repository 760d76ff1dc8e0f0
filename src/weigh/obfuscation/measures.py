"""What of a table was kept, measured on its first rows before and after."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kinds

from weigh.obfuscation import arrays
from weigh.obfuscation.results import ColumnMeasured, PairMeasured

if TYPE_CHECKING:
    from collections.abc import Iterator

ROWS = 100_000
"""That are measured of a table."""
_COLUMNS = 16
"""Of which every pair is measured."""
_CLASSES = 8


def columns(before: pa.Table, after: pa.Table) -> Iterator[ColumnMeasured]:
    """Of each column."""
    for old, new, field in zip(before.columns, after.columns, after.schema, strict=True):
        first, second = _Facts(old), _Facts(new)
        yield ColumnMeasured(
            name=field.name,
            type=(arrays.described(old.type, new.type), arrays.described(new.type, new.type)),
            nulls=(first.nulls, second.nulls),
            distinct=(first.distinct, second.distinct),
            top=(first.top, second.top),
            length=_pair(first.length, second.length),
            longest=_pair(first.longest, second.longest),
            order=_order(old, new),
            unchanged=_unchanged(old, new),
        )


def pairs(before: pa.Table, after: pa.Table) -> Iterator[PairMeasured]:
    """Of every two of the first columns."""
    taken = [
        place
        for place, field in enumerate(before.schema)
        if not kinds.is_nested(field.type) and before.column(place).null_count < len(before)
    ][:_COLUMNS]
    classes = {place: (_classes(before.column(place)), _classes(after.column(place))) for place in taken}
    numbers = {place: (_numbers(before.column(place)), _numbers(after.column(place))) for place in taken}
    for one, two in combinations(taken, 2):
        found = [_cramer(classes[one][side], classes[two][side]) for side in (0, 1)]
        correlation = None
        ((a, b), (c, d)) = numbers[one], numbers[two]
        if a is not None and b is not None and c is not None and d is not None:
            there = ~(np.isnan(a) | np.isnan(c))
            if there.sum() > 2 and np.ptp(a[there]) > 0 and np.ptp(c[there]) > 0:
                old = _pearson(a[there], c[there])
                correlation = (old, _pearson(b[there], d[there]))
        names = (after.schema.names[one], after.schema.names[two])
        yield PairMeasured(names=names, association=(found[0], found[1]), correlation=correlation)


class _Facts:
    """Of one column."""

    def __init__(self, values: pa.ChunkedArray) -> None:
        self.nulls = values.null_count / len(values) if len(values) else 0.0
        self.length: float | None = None
        self.longest: int | None = None
        self.distinct, self.top = 0, 0.0
        present = values.drop_null()
        if kinds.is_nested(values.type) or not len(present):
            return
        counted = pc.value_counts(present)
        self.distinct = len(counted)
        self.top = pc.max(counted.field("counts")).as_py() / len(values)
        if _is_text(values.type):
            lengths = pc.utf8_length(present)
            self.length, self.longest = pc.mean(lengths).as_py(), pc.max(lengths).as_py()


def _pair(one: Any, two: Any) -> Any:
    return None if one is None or two is None else (one, two)


def _is_text(kind: pa.DataType) -> bool:
    return bool(kinds.is_string(kind) or kinds.is_large_string(kind) or kinds.is_string_view(kind))


def _numbers(values: pa.ChunkedArray) -> np.ndarray | None:
    """Numbers and moments as doubles, NaN for NULL; None of others."""
    kind = values.type
    if kinds.is_date(kind) or kinds.is_timestamp(kind):
        values = values.cast(pa.int32() if kinds.is_date32(kind) else pa.int64())
    elif not (kinds.is_integer(kind) or kinds.is_floating(kind) or kinds.is_decimal(kind)):
        return None
    return np.asarray(values.cast(pa.float64(), safe=False).to_numpy(), np.float64)


def _pearson(one: np.ndarray, two: np.ndarray) -> float:
    return float(np.corrcoef(one, two)[0, 1])


def _ranks(values: pa.ChunkedArray) -> np.ndarray:
    return np.asarray(pc.rank(values, tiebreaker="dense").to_numpy(), np.float64)


def _order(old: pa.ChunkedArray, new: pa.ChunkedArray) -> float | None:
    if kinds.is_nested(old.type) or kinds.is_null(old.type) or kinds.is_dictionary(old.type):
        return None
    one, two = _ranks(old.drop_null()), _ranks(new.drop_null())
    if not len(one) or np.ptp(one) == 0 or np.ptp(two) == 0:
        return None
    if np.array_equal(one, two):
        return 1.0
    return float(np.corrcoef(one, two)[0, 1])


def _unchanged(old: pa.ChunkedArray, new: pa.ChunkedArray) -> float:
    if kinds.is_nested(old.type) or not len(old):
        return 0.0
    alike = old.type == new.type and not kinds.is_dictionary(old.type) and not kinds.is_null(old.type)
    same = pc.equal(old, new) if alike else pc.equal(old.cast(pa.string()), new.cast(pa.string()))
    return (pc.sum(same.cast(pa.int64())).as_py() or 0) / len(old)


def _classes(values: pa.ChunkedArray) -> np.ndarray:
    """Each row's class, from 0; NULL is one."""
    numbers = _numbers(values)
    if numbers is not None:
        there = ~np.isnan(numbers)
        edges = np.unique(np.quantile(numbers[there], np.linspace(0, 1, _CLASSES + 1)[1:-1], method="lower"))
        found = np.searchsorted(edges, numbers, side="right") + 1
        return np.where(there, found, 0)
    coded = values.combine_chunks().dictionary_encode()
    codes = np.asarray(pc.fill_null(coded.indices, -1).to_numpy(), np.int64)
    counts = np.bincount(codes[codes >= 0], minlength=1)
    frequent = np.argsort(-counts, kind="stable")[: _CLASSES - 1]
    place = np.full(len(counts) + 1, _CLASSES)
    place[frequent] = np.arange(len(frequent)) + 1
    place[-1] = 0
    return place[codes]


def _cramer(one: np.ndarray, two: np.ndarray) -> float:
    """Cramér's V of two classifications."""
    table = np.zeros((int(one.max()) + 1, int(two.max()) + 1))
    np.add.at(table, (one, two), 1)
    table = table[table.sum(1) > 0][:, table.sum(0) > 0]
    least = min(table.shape) - 1
    if least < 1:
        return 0.0
    expected = np.outer(table.sum(1), table.sum(0)) / table.sum()
    return float(np.sqrt(((table - expected) ** 2 / expected).sum() / table.sum() / least))
