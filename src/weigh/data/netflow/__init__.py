"""``netflow``: connection events as a firewall logs them, with their ground truth.

Skewed users, hosts, services and actions; NULL users and scores; values that occur in a handful of rows, and
values of the pools that occur in none; empty, quoted, non-ASCII and very long names; nothing sequential but
the time, which is only nearly so. Rows are ``netflow_rows``, values ``netflow_pools``, the truth
``netflow_tally``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.data.generator import RowGenerator, usual_parts
from weigh.data.netflow.rows import SCHEMA, rows
from weigh.data.netflow.truth import RUN, Tally, tally, truth
from weigh.data.parallel import ordered
from weigh.model.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from concurrent.futures import Executor

    import pyarrow as pa

    from weigh.data.generator import PartSource, Source, Table, Workshop
    from weigh.data.ground_truth import Truth
    from weigh.model.units import Rows, Scale


MOST: Rows = 232_000_000_000
"""Rows above which the busiest hour would have more events than microseconds, and their instants would be one."""
_SMALL, _USUAL = 1 << 20, 1 << 23
"""Rows of a part: 36 and 285 MB as DuckDB writes them."""


def run(seed: int, scale: Rows, first: Rows, count: Rows) -> tuple[pa.RecordBatch, Tally]:
    """At most 2^17 events from ``first`` on, and their tally. Pure: it may run in any thread or process."""
    made = rows(seed, scale, first, count)
    return made.batch(), tally(made)


class Events:
    """The one table of netflow.

    Args:
        scale: events of the dataset.
        seed: of the dataset.
        first, rows: position of the first event here, and how many there are from it on.
    """

    schema = SCHEMA

    def __init__(self, scale: Rows, seed: int, first: Rows, rows: Rows) -> None:
        self.rows = rows
        self._scale = scale
        self._first = first
        self.seed = seed
        self.counted = Tally.empty()

    def batches(self, executor: Executor) -> Iterator[pa.RecordBatch]:
        """Every event, nearly in order of time; tallied on the way."""
        self.counted = Tally.empty()
        end = self._first + self.rows
        arguments = ((self.seed, self._scale, first, min(RUN, end - first)) for first in range(self._first, end, RUN))
        for batch, counted in ordered(executor, run, arguments):
            self.counted.add(counted)
            yield batch


class Recording:
    """A netflow dataset about to be made, or a part of one."""

    def __init__(self, events: Events) -> None:
        self.events = events
        self.tables: dict[str, Table] = {"events": self.events}

    def truth(self) -> Truth:
        """The cubes of every event drawn so far."""
        return truth(self.events.counted)

    def counted(self) -> bytes:
        """The tally of every event drawn so far."""
        return self.events.counted.packed()


class Netflow(RowGenerator):
    """The generator."""

    name = "netflow"
    base = "rows of events"
    scale: Scale = 1_000_000
    least: Scale = 0
    unit_bytes = 34.0

    def open(self, scale: Scale, seed: int | None, workshop: Workshop | None = None) -> Source:
        """A dataset of ``scale`` events; nothing is computed yet."""
        return Recording(Events(_possible(scale), seed or 0, 0, int(scale)))

    def parts(self, scale: Scale) -> int:
        """Of how many parts a dataset is made where nobody says it."""
        return usual_parts(_possible(scale), _SMALL, _USUAL)

    def part(self, scale: Scale, seed: int | None, number: int, parts: int, workshop: Workshop) -> PartSource:
        """Consecutive events: those of one file of a layout of so many files."""
        each, more = divmod(_possible(scale), parts)
        first = number * each + min(number, more)
        return Recording(Events(int(scale), seed or 0, first, each + (number < more)))

    def add(self, counted: Sequence[bytes]) -> bytes:
        """The tally of the events of several parts together."""
        found = Tally.empty()
        for one in counted:
            found.add(Tally.unpacked(one))
        return found.packed()

    def known(self, counted: bytes) -> Truth:
        """The cubes of a tally of all events."""
        return truth(Tally.unpacked(counted))


def _possible(scale: Scale) -> Rows:
    if scale > MOST:
        raise UsageError(
            f"netflow has at most {MOST:,} rows: of more, the busiest hour has more events than microseconds",
            remedy="make less, or several datasets of different seeds",
        )
    return int(scale)


generator = Netflow()
