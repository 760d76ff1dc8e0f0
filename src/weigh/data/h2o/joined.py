"""``h2o-j1``: the four tables of db-benchmark's ``join``, drawn from a seed, with sums known while they are drawn.

As in its ``join-datagen.R`` ``x`` has N rows; ``small``, ``medium`` and ``big`` have N / 1e6, N / 1e3 and N rows, at
least ten. Keys are integers and the same as text; a tenth of the keys of each side has no counterpart. The rows are
others: R's generator is not ours.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from weigh.data import counter_random
from weigh.data.generator import RowGenerator
from weigh.data.ground_truth import Truth
from weigh.data.parallel import ordered

if TYPE_CHECKING:
    from collections.abc import Iterator
    from concurrent.futures import Executor

    from numpy.typing import NDArray

    from weigh.data.generator import Source, Table, Workshop
    from weigh.model.units import Rows, Scale

    Integers = NDArray[np.int64]

MILLIONTHS = 1_000_000
SIDES = ("small", "medium", "big")
"""What ``x`` is joined with, by ``id1``, ``id2`` and ``id3``."""
_RUN = 1 << 17
_LEAST = 10


def keys(scale: Rows) -> dict[str, int]:
    """How many rows the other tables have, and so how many keys."""
    return {"small": max(_LEAST, scale // MILLIONTHS), "medium": max(_LEAST, scale // 1000), "big": max(_LEAST, scale)}


def value(seed: int, table: str, first: Rows, count: int) -> Integers:
    """The values of rows, in millionths below 100."""
    word = counter_random.words(counter_random.key(seed, f"h2o-j1 {table} v"), first, count)
    return (word % np.uint64(100 * MILLIONTHS)).astype(np.int64)


def shift(size: int) -> int:
    """The keys of ``x`` begin that much later than those of the other table: a tenth of each has no counterpart."""
    return size // 10


def x_keys(seed: int, scale: Rows, side: str, first: Rows, count: int) -> Integers:
    """Keys of ``x`` towards one table, uniform."""
    size = keys(scale)[side]
    word = counter_random.words(counter_random.key(seed, f"h2o-j1 x {side}"), first, count)
    return (word % np.uint64(size)).astype(np.int64) + shift(size) + 1


def x_rows(seed: int, scale: Rows, first: Rows) -> tuple[pa.RecordBatch, dict[str, list[int]]]:
    """At most 2^17 rows of ``x``, and what they add to the sums of each join."""
    count = min(_RUN, scale - first)
    v1 = value(seed, "x", first, count)
    columns, sums = {}, {}
    for side in SIDES:
        key = columns[side] = x_keys(seed, scale, side, first, count)
        found = key <= keys(scale)[side]
        # The other side's value is a function of its row, so that nothing need be looked up.
        other = _values_at(seed, side, key[found] - 1)
        sums[side] = [int(found.sum()), int(v1[found].sum()), int(other.sum()), int(v1.sum())]
    arrays = [*map(_integers, columns.values()), *map(_texts, columns.values()), pa.array(v1 / MILLIONTHS)]
    return pa.record_batch(arrays, names=[*(f"id{n}" for n in range(1, 7)), "v1"]), sums


def _values_at(seed: int, side: str, rows: Integers) -> Integers:
    """Values of single rows: words of the stream at those places."""
    start = counter_random.key(seed, f"h2o-j1 {side} v")
    word = counter_random.words_at(start, rows.astype(np.uint64))
    return (word % np.uint64(100 * MILLIONTHS)).astype(np.int64)


def side_rows(seed: int, scale: Rows, side: str, first: Rows) -> pa.RecordBatch:
    """At most 2^17 rows of another table: a key, the same as text, a value."""
    count = min(_RUN, keys(scale)[side] - first)
    key = np.arange(first + 1, first + count + 1)
    number = SIDES.index(side) + 1
    arrays = [_integers(key), _texts(key), pa.array(value(seed, side, first, count) / MILLIONTHS)]
    return pa.record_batch(arrays, names=[f"id{number}", f"id{number + 3}", "v2"])


def _integers(key: Integers) -> pa.Array:
    return pa.array(key.astype(np.int32))


def _texts(key: Integers) -> pa.Array:
    return pa.array([f"id{one}" for one in key.tolist()], pa.string())


class X:
    """The left table of every join."""

    def __init__(self, scale: Rows, seed: int) -> None:
        self.rows, self.seed = scale, seed
        self.schema = x_rows(seed, scale, scale)[0].schema
        self.sums: dict[str, list[int]] = {}

    def batches(self, executor: Executor) -> Iterator[pa.RecordBatch]:
        """Every row; summed on the way."""
        self.sums = {side: [0, 0, 0, 0] for side in SIDES}
        arguments = ((self.seed, self.rows, first) for first in range(0, self.rows, _RUN))
        for batch, sums in ordered(executor, x_rows, arguments):
            for side, more in sums.items():
                self.sums[side] = [a + b for a, b in zip(self.sums[side], more, strict=True)]
            yield batch


class Side:
    """One of the tables that x is joined with."""

    def __init__(self, scale: Rows, seed: int, side: str) -> None:
        self.rows = keys(scale)[side]
        self.scale, self.seed, self.side = scale, seed, side
        self.schema = side_rows(seed, scale, side, self.rows).schema

    def batches(self, executor: Executor) -> Iterator[pa.RecordBatch]:
        """Every row, in order of its key."""
        arguments = ((self.seed, self.scale, self.side, first) for first in range(0, self.rows, _RUN))
        yield from ordered(executor, side_rows, arguments)


class Recording:
    """A dataset about to be made."""

    def __init__(self, scale: Rows, seed: int) -> None:
        self.x = X(scale, seed)
        self.tables: dict[str, Table] = {"x": self.x, **{side: Side(scale, seed, side) for side in SIDES}}

    def truth(self) -> Truth:
        """By table: rows that are joined, and sums of both values over them, in millionths; of all of ``x`` its own."""
        columns = {
            name: np.array([self.x.sums[side][at] for side in SIDES], np.int64)
            for at, name in enumerate(("rows", "v1", "v2", "all_v1"))
        }
        return Truth({"joined": {"side": list(SIDES), "all_rows": np.full(3, self.x.rows), **columns}})


class J1(RowGenerator):
    """The generator."""

    name = "h2o-j1"
    base = "rows of x"
    scale: Scale = 10_000_000
    least: Scale = 100
    unit_bytes = 60.0

    def open(self, scale: Scale, seed: int | None, workshop: Workshop | None = None) -> Source:
        """A dataset with ``scale`` rows in ``x``; nothing is computed yet."""
        return Recording(int(scale), seed or 0)


j1 = J1()
