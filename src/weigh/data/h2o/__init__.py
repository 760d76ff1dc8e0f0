"""``h2o-g1``: the table of db-benchmark's ``groupby``, drawn from a seed, with sums that are known while it is drawn.

Columns and distributions are those of its ``groupby-datagen.R`` with K = 100, no missing values and no order: uniform
identifiers of 100 and of N / 100 values, two small integers, and a number below 100 with six decimals. The rows are
others: R's generator is not ours.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from weigh.data import counter_random
from weigh.data.generator import RowGenerator
from weigh.data.h2o.truth import Sums
from weigh.data.parallel import ordered

if TYPE_CHECKING:
    from collections.abc import Iterator
    from concurrent.futures import Executor

    from numpy.typing import NDArray

    from weigh.data.generator import Source, Table, Workshop
    from weigh.data.ground_truth import Truth
    from weigh.model.units import Rows, Scale

K = 100
"""Groups of the small identifiers."""
MILLIONTHS = 1_000_000
_RUN = 1 << 17
_SCHEMA = pa.schema(
    [
        *((f"id{number}", pa.string()) for number in (1, 2, 3)),
        *((f"id{number}", pa.int32()) for number in (4, 5, 6)),
        ("v1", pa.int32()),
        ("v2", pa.int32()),
        ("v3", pa.float64()),
    ]
)
Drawn = dict[str, "NDArray[np.int64]"]
"""Columns of a run as integers: identifiers from 0, ``v3`` in millionths."""


def groups(scale: Rows) -> int:
    """How many values the large identifiers have."""
    return max(1, scale // K)


def drawn(seed: int, scale: Rows, first: Rows) -> Drawn:
    """At most 2^17 rows from ``first`` on."""
    many = groups(scale)
    sizes = {
        "id1": K,
        "id2": K,
        "id3": many,
        "id4": K,
        "id5": K,
        "id6": many,
        "v1": 5,
        "v2": 15,
        "v3": 100 * MILLIONTHS,
    }
    count = min(_RUN, scale - first)
    return {
        name: (counter_random.words(counter_random.key(seed, f"h2o-g1 {name}"), first, count) % np.uint64(size)).astype(
            np.int64
        )
        for name, size in sizes.items()
    }


def run(seed: int, scale: Rows, first: Rows) -> tuple[pa.RecordBatch, Drawn]:
    """The rows, and what they were made of. Pure: it may run in any thread or process."""
    made = drawn(seed, scale, first)
    small, large = pa.array([f"id{one:03}" for one in range(1, K + 1)]), made["id3"] + 1
    columns = [
        small.take(pa.array(made["id1"])),
        small.take(pa.array(made["id2"])),
        pa.array([f"id{one:010}" for one in large.tolist()], pa.string()),
        *(pa.array((made[name] + 1).astype(np.int32)) for name in ("id4", "id5", "id6", "v1", "v2")),
        pa.array(made["v3"] / MILLIONTHS),
    ]
    return pa.record_batch(columns, schema=_SCHEMA), made


class X:
    """The one table, which db-benchmark calls x."""

    schema = _SCHEMA

    def __init__(self, scale: Rows, seed: int) -> None:
        self.rows = scale
        self.seed = seed
        self.sums = Sums(groups(scale))

    def batches(self, executor: Executor) -> Iterator[pa.RecordBatch]:
        """Every row; summed on the way."""
        self.sums = Sums(groups(self.rows))
        arguments = ((self.seed, self.rows, first) for first in range(0, self.rows, _RUN))
        for batch, made in ordered(executor, run, arguments):
            self.sums.add(made)
            yield batch


class Recording:
    """A dataset about to be made."""

    def __init__(self, scale: Rows, seed: int) -> None:
        self.x = X(scale, seed)
        self.tables: dict[str, Table] = {"x": self.x}

    def truth(self) -> Truth:
        """The sums of every row drawn so far."""
        return self.x.sums.truth()


class G1(RowGenerator):
    """The generator."""

    name = "h2o-g1"
    base = "rows of x"
    scale: Scale = 10_000_000
    least: Scale = 100
    unit_bytes = 30.0

    def open(self, scale: Scale, seed: int | None, workshop: Workshop | None = None) -> Source:
        """A dataset of ``scale`` rows; nothing is computed yet."""
        return Recording(int(scale), seed or 0)


g1 = G1()
