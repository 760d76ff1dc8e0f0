"""``netflow``: connection events as a firewall logs them, with their ground truth.

Skewed users, hosts, services and actions; NULL users and scores; values that occur in a handful of rows, and
values of the pools that occur in none; empty, quoted, non-ASCII and very long names; nothing sequential but
the time, which is only nearly so. Rows are ``netflow_rows``, values ``netflow_pools``, the truth
``netflow_tally``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.data.netflow.rows import SCHEMA, rows
from weigh.data.netflow.truth import RUN, Tally, tally, truth
from weigh.data.parallel import ordered

if TYPE_CHECKING:
    from collections.abc import Iterator
    from concurrent.futures import Executor

    import pyarrow as pa

    from weigh.data.generator import Source, Table, Unit, Workshop
    from weigh.data.ground_truth import Truth
    from weigh.model.units import Rows, Scale


def run(seed: int, scale: Rows, first: Rows) -> tuple[pa.RecordBatch, Tally]:
    """At most 2^17 events from ``first`` on, and their tally. Pure: it may run in any thread or process."""
    made = rows(seed, scale, first, min(RUN, scale - first))
    return made.batch(), tally(made)


class Events:
    """The one table of netflow."""

    schema = SCHEMA

    def __init__(self, scale: Rows, seed: int) -> None:
        self.rows = scale
        self.seed = seed
        self.counted = Tally.empty()

    def batches(self, executor: Executor) -> Iterator[pa.RecordBatch]:
        """Every event, nearly in order of time; tallied on the way."""
        self.counted = Tally.empty()
        arguments = ((self.seed, self.rows, first) for first in range(0, self.rows, RUN))
        for batch, counted in ordered(executor, run, arguments):
            self.counted.add(counted)
            yield batch


class Recording:
    """A netflow dataset about to be made."""

    def __init__(self, scale: Rows, seed: int) -> None:
        self.events = Events(scale, seed)
        self.tables: dict[str, Table] = {"events": self.events}

    def truth(self) -> Truth:
        """The cubes of every event drawn so far."""
        return truth(self.events.counted)


class Netflow:
    """The generator."""

    name = "netflow"
    version = 1
    base = "rows of events"
    unit: Unit = "rows"
    scale: Scale = 1_000_000
    least: Scale = 0
    seeded = True
    requirements: tuple[str, ...] = ()
    unit_bytes = 34.0

    def open(self, scale: Scale, seed: int | None, workshop: Workshop | None = None) -> Source:
        """A dataset of ``scale`` events; nothing is computed yet."""
        return Recording(int(scale), seed or 0)


generator = Netflow()
