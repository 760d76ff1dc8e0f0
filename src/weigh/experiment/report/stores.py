"""What executions asked of stores, for people and programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.experiment.report.costs import Costs
from weigh.experiment.results.data import stores
from weigh.experiment.results.data.stores import RequestFigures
from weigh.model import units
from weigh.model.data.store import StoreRead

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.experiment.record import Record
    from weigh.experiment.results.results import ExperimentResults

_HEADINGS = ("operation", "contender", "requests", "first", "bytes", "at once", "waiting", "CPU / wall")
_NOTE = (
    "Of one execution, medians; GET and HEAD together. First: the first execution in a process, which asks for more "
    "where something is kept. At once: requests under way on average, and at most. Waiting: while at least one was."
)


class StoresDocument(msgspec.Struct, frozen=True, kw_only=True):
    """The part of the JSON document of a run about stores.

    Attributes:
        stores: that contenders read from.
        requests: what their timed executions asked for.
    """

    stores: tuple[StoreRead, ...]
    requests: tuple[RequestFigures, ...]


def lines(record: Record) -> Iterator[str]:
    """A line for each store."""
    for one in stores.read(record):
        where = f"loopback store, {one.server}" if one.server else f"{one.spec.endpoint}, bucket {one.spec.bucket}"
        added = [
            *([f"{units.seconds(one.spec.latency)} added to every request"] if one.spec.latency else []),
            *([f"at most {units.size(one.spec.bandwidth)}/s"] if one.spec.bandwidth else []),
            *(["TLS"] if one.spec.tls else []),
        ]
        yield f"store {one.name} ({', '.join(one.contenders)}): {', '.join([where, *added])}"


def requests(results: ExperimentResults) -> Costs:
    """A row for each operation and contender that reads from a store."""
    return Costs("Requests to stores", _HEADINGS, [*map(_row, results.requests)], _NOTE)


def _row(one: RequestFigures) -> tuple[str, ...]:
    return (
        one.operation,
        one.contender,
        f"{one.requests:g}",
        f"{one.first:g}",
        units.size(one.bytes),
        f"{one.parallel:.1f}, {one.peak}" if one.requests else "none",
        units.seconds(one.waiting_s),
        "not told" if one.cpu_parallelism is None else f"{one.cpu_parallelism:.1f}",
    )


def document(results: ExperimentResults) -> StoresDocument | msgspec.UnsetType:
    """The same for the JSON of a run; unset where nobody reads from a store."""
    found = stores.read(results.record)
    return StoresDocument(stores=found, requests=results.requests) if found else msgspec.UNSET
