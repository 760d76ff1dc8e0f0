"""``ssb``: the five tables of the Star Schema Benchmark, drawn from a seed, with answers known while they are drawn.

Columns and distributions are those of ssb-dbgen (O'Neil, O'Neil, Chen: Star Schema Benchmark, revision 3, 2009): cities
of 25 nations, brands in categories of makers, seven years of days, orders of one to seven lines. The rows are others:
its random numbers are not ours.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.data.parallel import ordered
from weigh.data.ssb import dimensions, lines
from weigh.data.ssb.truth import Sums

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from concurrent.futures import Executor

    import pyarrow as pa

    from weigh.data.generator import Source, Table, Unit, Workshop
    from weigh.data.ground_truth import Truth
    from weigh.model.units import Rows, Scale

_RUN = 1 << 16


class Dimension:
    """A table that lines refer to.

    Args:
        rows: how many.
        make: rows from one place to another.
    """

    def __init__(self, rows: Rows, make: Callable[[int, int], pa.RecordBatch]) -> None:
        self.rows, self._make = rows, make
        self.schema = make(0, 0).schema

    def batches(self, executor: Executor) -> Iterator[pa.RecordBatch]:
        """Every row, in order of its key."""
        ends = ((first, min(first + _RUN, self.rows)) for first in range(0, self.rows, _RUN))
        yield from ordered(executor, self._make, ends)


class Lineorder:
    """The lines of all orders."""

    def __init__(self, scale: Scale, seed: int) -> None:
        self.scale, self.seed = scale, seed
        self.orders = round(lines.ORDERS * scale)
        self.rows: Rows = sum(
            int(lines.counts(seed, first, min(first + _RUN, self.orders)).sum())
            for first in range(0, self.orders, _RUN)
        )
        self.schema = lines.rows(seed, scale, 0, 0)[0].schema
        self.sums = Sums()

    def batches(self, executor: Executor) -> Iterator[pa.RecordBatch]:
        """Every row; summed on the way."""
        self.sums = Sums()
        step = _RUN // 4
        arguments = (
            (self.seed, self.scale, first, min(first + step, self.orders)) for first in range(0, self.orders, step)
        )
        for batch, found in ordered(executor, lines.rows, arguments):
            self.sums.add(found)
            yield batch


class Recording:
    """A dataset about to be made."""

    def __init__(self, scale: Scale, seed: int) -> None:
        self.lineorder = Lineorder(scale, seed)
        self.tables: dict[str, Table] = {
            "dates": Dimension(dimensions.DAYS, dimensions.dates),
            "customer": Dimension(
                dimensions.customers(scale), lambda first, end: dimensions.people(seed, "customer", first, end)
            ),
            "supplier": Dimension(
                dimensions.suppliers(scale), lambda first, end: dimensions.people(seed, "supplier", first, end)
            ),
            "part": Dimension(dimensions.parts(scale), lambda first, end: dimensions.goods(seed, first, end)),
            "lineorder": self.lineorder,
        }

    def truth(self) -> Truth:
        """The answers to the 13 queries, from every line drawn so far."""
        return self.lineorder.sums.truth()


class Ssb:
    """The generator."""

    name = "ssb"
    version = 1
    base = "times the base, which is 6 million lines of 1.5 million orders"
    unit: Unit = "scale factor"
    scale: Scale = 1.0
    least: Scale = 0.01
    seeded = True
    requirements: tuple[str, ...] = ()
    unit_bytes = 200e6

    def open(self, scale: Scale, seed: int | None, workshop: Workshop | None = None) -> Source:
        """A dataset; how many lines it has is counted here."""
        return Recording(float(scale), seed or 0)


ssb = Ssb()
