"""Values of the data that engines take differently: NaN, -0.0, moments of a time zone, lists and structs that are NULL.

Read from the files of a layout on this machine, whatever a contender reads them through; members of lists and structs
are looked at too.
"""

from __future__ import annotations

from contextlib import ExitStack, suppress
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weigh.data.layout import parquet_reading, vortex
from weigh.model.errors import WeighError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    Environment = Callable[[list[str]], Path]
    """Gives the interpreter of an environment with some packages."""


class Values(NamedTuple):
    """What a column has.

    Attributes:
        nan: whether a number in it is none.
        negative_zero: whether one is -0.0.
        negative: whether one is below zero.
    """

    nan: bool = False
    negative_zero: bool = False
    negative: bool = False


class DataValues:
    """The tables of a layout, looked at where a query needs it.

    Args:
        tables: files by table; nothing is known of those that are not on this machine.
        environment: for files that need a package to be read.
    """

    def __init__(self, tables: Mapping[str, Sequence[str]], environment: Environment | None = None) -> None:
        self._environment = environment
        # Other files come under the same links later.
        here = {
            name: tuple(str(Path(path).resolve()) for path in paths if Path(path).is_file())
            for name, paths in tables.items()
        }
        self._files = {name: paths for name, paths in here.items() if paths}

    @cache  # noqa: B019
    def _python(self) -> Path | None:
        return self._environment(vortex.REQUIREMENTS) if self._environment else None

    def fields(self) -> Iterator[tuple[str, pa.Field]]:
        """Every column with its table."""
        for table, paths in self._files.items():
            needs = paths[0].endswith(vortex.SUFFIX)
            with suppress(pa.ArrowException, OSError, WeighError):
                yield from ((table, one) for one in _schema(paths[0], self._python() if needs else None))

    def values(self, table: str, field: pa.Field) -> Values:
        """What the numbers of a column and of its members are."""
        if not any(pa.types.is_floating(one) for one in _types(field.type)):
            return Values()
        paths = self._files[table]
        needs = paths[0].endswith(vortex.SUFFIX)
        return _values(paths, field.name, self._python() if needs else None)

    def size(self, table: str, field: pa.Field) -> tuple[int, float] | None:
        """How many numbers a column has, and the largest magnitude; None of no numbers, or where it cannot be read."""
        if not (pa.types.is_floating(field.type) or pa.types.is_integer(field.type)):
            return None
        paths = self._files[table]
        needs = paths[0].endswith(vortex.SUFFIX)
        return _size(paths, field.name, self._python() if needs else None)

    def ends(self, table: str, field: pa.Field) -> tuple[int, int, int] | None:
        """How many integers a column has, the least and the greatest; None of none, or where it cannot be read."""
        paths = self._files[table]
        needs = paths[0].endswith(vortex.SUFFIX)
        return _ends(paths, field.name, self._python() if needs else None)

    def null(self, table: str, field: pa.Field) -> bool:
        """Whether a column has NULL."""
        paths = self._files[table]
        needs = paths[0].endswith(vortex.SUFFIX)
        return bool(_null(paths, field.name, self._python() if needs else None))

    def beyond(self, table: str, field: pa.Field, first: int, last: int) -> bool:
        """Whether a column of dates or moments has one before or after some years; False where it cannot be read."""
        if not (pa.types.is_date(field.type) or pa.types.is_timestamp(field.type)):
            return False
        paths = self._files[table]
        needs = paths[0].endswith(vortex.SUFFIX)
        years = _years(paths, field.name, self._python() if needs else None)
        return years is not None and not first <= min(years) <= max(years) <= last

    def memberless(self, table: str, field: pa.Field) -> bool:
        """Whether a column of lists has NULL or a list without a member; False where it cannot be read."""
        paths = self._files[table]
        needs = paths[0].endswith(vortex.SUFFIX)
        kind = field.type
        lists = pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)
        return lists and _memberless(paths, field.name, self._python() if needs else None)

    def complete(self, table: str, field: pa.Field) -> bool:
        """Whether a column was read and has no NULL."""
        paths = self._files[table]
        needs = paths[0].endswith(vortex.SUFFIX)
        return _null(paths, field.name, self._python() if needs else None) is False


def names(field: pa.Field) -> set[str]:
    """Of a column and its members, as a query may name them, in small letters."""
    return {field.name.lower(), *(one.name.lower() for one in _members(field.type))}


def _members(kind: pa.DataType) -> Iterator[pa.Field]:
    inside = [kind.field(at) for at in range(kind.num_fields)] if pa.types.is_nested(kind) else []
    for one in inside:
        yield one
        yield from _members(one.type)


def zoned(kind: pa.DataType) -> bool:
    """Whether a column, or a member of one, has moments of a time zone."""
    return any(pa.types.is_timestamp(one) and one.tz is not None for one in _types(kind))


def _types(kind: pa.DataType) -> Iterator[pa.DataType]:
    yield kind.value_type if pa.types.is_dictionary(kind) else kind
    yield from (one.type for one in _members(kind))


@lru_cache(maxsize=1_000)
def _schema(path: str, python: Path | None) -> pa.Schema:
    if python is not None:
        return vortex.schema(path, python)
    with parquet_reading.opened(Path(path)) as file:
        return file.schema_arrow


def _arrays(paths: Sequence[str], column: str, python: Path | None) -> Iterator[pa.Array]:
    with ExitStack() as stack:
        if python is not None:
            for rows in stack.enter_context(vortex.opened(list(paths), python)):
                yield from (batch.column(column) for batch in rows)
            return
        for path in paths:
            file = stack.enter_context(parquet_reading.opened(Path(path)))
            yield from (batch.column(0) for batch in file.iter_batches(columns=[column]))


@lru_cache(maxsize=1_000)
def _values(paths: tuple[str, ...], column: str, python: Path | None) -> Values:
    found = Values()
    with suppress(pa.ArrowException, OSError, WeighError):
        for array in _arrays(paths, column, python):
            for leaf in _leaves(array):
                numbers = leaf.cast(pa.float64()).drop_null().to_numpy(zero_copy_only=False)
                found = Values(
                    found.nan or bool(np.isnan(numbers).any()),
                    found.negative_zero or bool(((numbers == 0) & np.signbit(numbers)).any()),
                    found.negative or bool((numbers < 0).any()),
                )
            if all(found):
                break
    return found


@lru_cache(maxsize=1_000)
def _size(paths: tuple[str, ...], column: str, python: Path | None) -> tuple[int, float] | None:
    rows, largest = 0, 0.0
    with suppress(pa.ArrowException, OSError, WeighError):
        for array in _arrays(paths, column, python):
            numbers = array.cast(pa.float64(), safe=False).drop_null().to_numpy(zero_copy_only=False)
            numbers = numbers[np.isfinite(numbers)]
            rows += len(numbers)
            largest = max(largest, float(np.abs(numbers).max(initial=0.0)))
        return rows, largest
    return None


@lru_cache(maxsize=1_000)
def _ends(paths: tuple[str, ...], column: str, python: Path | None) -> tuple[int, int, int] | None:
    rows = 0
    ends: list[int] = []
    with suppress(pa.ArrowException, OSError, WeighError):
        for low, high, number in _statistics(paths, column) or _scanned(paths, column, python):
            rows += number
            each = [one for one in (*ends, low, high) if one is not None]
            ends = [min(each), max(each)] if each else []
        return (rows, ends[0], ends[1]) if ends else None
    return None


def _scanned(paths: Sequence[str], column: str, python: Path | None) -> Iterator[tuple[int | None, int | None, int]]:
    """Least and greatest of each batch, and how many numbers it has."""
    for array in _arrays(paths, column, python):
        found = pc.min_max(array).as_py()
        yield found["min"], found["max"], len(array) - array.null_count


def _statistics(paths: Sequence[str], column: str) -> list[tuple[int, int, int]]:
    """The same of each row group from the footers; none where one does not say it."""
    found: list[tuple[int, int, int]] = []
    for path in paths:
        if path.endswith(vortex.SUFFIX):
            return []
        with parquet_reading.opened(Path(path)) as file:
            places = {file.metadata.schema.column(each).path: each for each in range(len(file.metadata.schema))}
            if (at := places.get(column)) is None:
                return []
            for group in range(file.metadata.num_row_groups):
                chunk = file.metadata.row_group(group).column(at)
                statistics = chunk.statistics if chunk.is_stats_set else None
                if statistics is None or not statistics.has_min_max:
                    return []
                found.append((int(statistics.min), int(statistics.max), chunk.num_values))
    return found


@lru_cache(maxsize=1_000)
def _null(paths: tuple[str, ...], column: str, python: Path | None) -> bool | None:
    with suppress(pa.ArrowException, OSError, WeighError):
        return any(array.null_count > 0 for array in _arrays(paths, column, python))
    return None


@lru_cache(maxsize=1_000)
def _years(paths: tuple[str, ...], column: str, python: Path | None) -> tuple[int, ...] | None:
    """The least and the greatest year of each batch; None of none, or where they cannot be read."""
    with suppress(pa.ArrowException, OSError, WeighError):
        ends = [pc.min_max(pc.year(array)).as_py() for array in _arrays(paths, column, python)]
        return tuple(end for each in ends for end in each.values() if end is not None) or None
    return None


@lru_cache(maxsize=1_000)
def _memberless(paths: tuple[str, ...], column: str, python: Path | None) -> bool:
    with suppress(pa.ArrowException, OSError, WeighError):
        for array in _arrays(paths, column, python):
            shortest = pc.min(pc.list_value_length(array)).as_py()
            if array.null_count or shortest == 0:
                return True
    return False


def _leaves(array: pa.Array) -> Iterable[pa.Array]:
    """The numbers with fractions in an array and in its members."""
    if isinstance(array, pa.ExtensionArray):
        array = array.storage
    if isinstance(array, pa.DictionaryArray):
        array = array.dictionary_decode()
    kind = array.type
    if pa.types.is_floating(kind):
        yield array
    elif pa.types.is_map(kind):
        yield from (leaf for part in (array.keys, array.items) for leaf in _leaves(part))
    elif pa.types.is_struct(kind):
        yield from (leaf for part in array.flatten() for leaf in _leaves(part))
    elif pa.types.is_nested(kind) and hasattr(array, "flatten"):
        yield from _leaves(array.flatten())
