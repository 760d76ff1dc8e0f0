"""What one execution cost."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from weigh.host.processes import process_counters

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.engines.exchange import RequestCost
    from weigh.model.data.store import Requests, StoreUse
    from weigh.model.units import Bytes, Rows, Seconds
    from weigh_worker import protocol


class StoreLife(Protocol):
    """What counts the requests of one life at a store."""

    def take(self) -> Requests | None:
        """What was asked for since this was last asked; None where nobody counts any more."""

    def close(self) -> None:
        """Nothing is answered any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunCost:
    """What one execution cost. What the kernel does not tell is None, never 0.

    Attributes:
        wall_s: seconds inside the worker's clock.
        rows: of the result.
        cpu_s: user and system CPU seconds of all threads inside the clock.
        peak_memory: largest resident bytes since just before the execution.
        bytes_read: from storage devices.
        bytes_written: that must go to one, such as what is spilled.
        major_faults: page faults that needed a device.
        round_trip: of the request that executed, and did nothing else: the bound of wall and CPU seconds.
        release: of the request before it, which freed the previous result and collected garbage.
        store: what was asked of a store; None of a life whose tables are files.
        reported: what the system itself says of it; None where it is not asked.
    """

    wall_s: Seconds
    rows: Rows
    cpu_s: Seconds | None
    peak_memory: Bytes | None
    bytes_read: Bytes | None
    bytes_written: Bytes | None
    major_faults: int | None
    round_trip: RequestCost
    release: RequestCost
    store: StoreUse | None = None
    reported: protocol.StatisticsReply | None = None


Meter = Callable[[str], AbstractContextManager[list[RunCost]]]
"""Counts an execution of a text, which happens in its context and gives its cost to the list where it ends well."""


@contextmanager
def unmetered(_: str) -> Iterator[list[RunCost]]:
    """That of a contender that nobody charges."""
    yield []


def run_cost(
    reply: protocol.RunReply,
    round_trip: RequestCost,
    release: RequestCost,
    counters: process_counters.Counters,
    store: StoreUse | None,
    reported: protocol.StatisticsReply | None = None,
) -> RunCost:
    """Put it together from the worker's reply and from what weigh saw itself.

    Args:
        reply: the worker's own word.
        round_trip: of the request that executed.
        release: of the request before it.
        counters: of its process, as they stood before it.
        store: what was asked of a store; None of a life whose tables are files.
        reported: what the system itself says of it; None where it is not asked.
    """
    # What is done by other processes is not in the counters of this one.
    spent = process_counters.Spent(None, None, None, None) if reply.cpu_s is None else counters.spent()
    return RunCost(
        wall_s=reply.wall_s,
        rows=reply.rows,
        cpu_s=reply.cpu_s,
        **spent._asdict(),
        round_trip=round_trip,
        release=release,
        store=store,
        reported=reported,
    )
