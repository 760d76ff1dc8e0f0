"""Sessions of a life: tables that can be changed, and sequences of statements at the same moment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from weigh_worker import protocol

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from weigh.engines.exchange import RequestCost
    from weigh.engines.process import WorkerProcess
    from weigh.model.units import Seconds


def write_to(
    worker: WorkerProcess, tables: dict[str, list[str]], place: Path, statements: Sequence[str], timeout: Seconds
) -> RequestCost:
    """Have a life make tables of its own that sessions can change.

    Args:
        worker: the life.
        tables: Parquet files by table.
        place: an empty folder.
        statements: executed when the rows are there, for indexes.
        timeout: seconds that it may take.

    Raises:
        WorkerEnded: it failed.
    """
    return worker.exchange.ask(
        "write_to", protocol.Reply, timeout, tables=tables, place=str(place), statements=list(statements)
    )[1]


def streams(
    worker: WorkerProcess, plan: Path, folder: Path, timeout: Seconds
) -> tuple[list[dict[str, Any]], RequestCost]:
    """Have sequences of statements executed at the same moment (:mod:`weigh_worker.streams`).

    Returns:
        The steps of all streams, and what the request cost.

    Raises:
        WorkerEnded: the engine ended, or took too long.
    """
    reply, cost = worker.exchange.ask("streams", protocol.StreamsReply, timeout, plan=str(plan), folder=str(folder))
    return reply.steps, cost
