"""Executions of several workers at the same moment."""

from __future__ import annotations

import selectors
import time
from typing import TYPE_CHECKING

from weigh.engines.exchange import WorkerEnded
from weigh.engines.run_cost import run_cost
from weigh.model.sample import Outcome
from weigh_worker import protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.engines.exchange import Asked, RequestCost
    from weigh.engines.process import WorkerProcess
    from weigh.engines.run_cost import RunCost
    from weigh.model.data.store import Requests
    from weigh.model.units import Seconds


def run_together(workers: Sequence[WorkerProcess], timeout: Seconds) -> list[RunCost | WorkerEnded]:
    """Have several workers execute at the same moment; each of the round trips ends when its own reply is there.

    Args:
        workers: that were handed a query each.
        timeout: seconds that each request may take.

    Returns:
        What each one's execution cost, or why it has none; in the order of the workers.
    """
    found: dict[int, RunCost | WorkerEnded] = {}
    before: dict[int, RequestCost] = {}
    asked_before: dict[int, Requests | None] = {}
    asked: dict[int, Asked] = {}
    arrived: dict[int, tuple[bytes, int]] = {}
    for place, worker in enumerate(workers):
        try:
            before[place] = worker.release(timeout)
            worker.counters.begin()
            asked_before[place] = worker.store.take() if worker.store else None
        except WorkerEnded as ended:
            found[place] = ended
    if found:
        # Alone it would answer another question.
        alone = WorkerEnded(Outcome.ERROR, "the other side of the duet did not get as far", alive=True)
        return [found.get(place, alone) for place in range(len(workers))]
    with selectors.DefaultSelector() as waiting:
        for place, worker in enumerate(workers):
            try:
                asked[place] = worker.exchange.send("run", timeout)
            except WorkerEnded as ended:
                found[place] = ended
                continue
            worker.exchange.channel.settimeout(0)
            waiting.register(worker.exchange.channel, selectors.EVENT_READ, (place, protocol.Incoming()))
        while waiting.get_map():
            until = min(asked[key.data[0]].until for key in waiting.get_map().values())
            ready = waiting.select(max(0.0, until - time.monotonic()))
            now = time.perf_counter_ns()
            late = [] if ready else [key for key in waiting.get_map().values() if asked[key.data[0]].until <= until]
            for key in late:
                place, _ = key.data
                waiting.unregister(key.fileobj)
                found[place] = workers[place].exchange.ended(asked[place], TimeoutError())
            for key, _ in ready:
                place, incoming = key.data
                try:
                    body = incoming.take(workers[place].exchange.channel)
                except BlockingIOError:
                    continue
                except (protocol.Disconnected, protocol.Malformed, OSError) as error:
                    waiting.unregister(key.fileobj)
                    found[place] = workers[place].exchange.ended(asked[place], error)
                    continue
                if body is not None:
                    waiting.unregister(key.fileobj)
                    arrived[place] = body, now
    for place, (body, ended_ns) in arrived.items():
        try:
            reply, cost = workers[place].exchange.replied(asked[place], protocol.RunReply, body, ended_ns)
            used = workers[place].used(asked_before[place])
            found[place] = run_cost(reply, cost, before[place], workers[place].counters, used)
        except WorkerEnded as ended:
            found[place] = ended
    return [found[place] for place in range(len(workers))]
