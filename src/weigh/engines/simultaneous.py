"""Executions of several workers at the same moment."""

from __future__ import annotations

import selectors
import time
from typing import TYPE_CHECKING, NamedTuple

from weigh.engines.exchange import WorkerEnded
from weigh.engines.run_cost import run_cost
from weigh.model.sample import Outcome
from weigh_worker import protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.engines.exchange import Exchange, Pending, RequestCost
    from weigh.engines.process import WorkerProcess
    from weigh.engines.run_cost import RunCost
    from weigh.model.data.store import Requests
    from weigh.model.units import Seconds


class _Ready(NamedTuple):
    """A worker just before it executes.

    Attributes:
        released: what it cost to put everything else away.
        requests: what it had asked its store for until then.
    """

    released: RequestCost
    requests: Requests | None


class _Waited(NamedTuple):
    """A worker whose reply is not there yet."""

    place: int
    exchange: Exchange
    pending: Pending
    incoming: protocol.Incoming


class _Reply(NamedTuple):
    """A reply, and when it was there."""

    pending: Pending
    body: bytes
    ended_ns: int


def run_at_once(workers: Sequence[WorkerProcess], timeout: Seconds) -> list[RunCost | WorkerEnded]:
    """Have several workers execute at the same moment; each of the round trips ends when its own reply is there.

    Args:
        workers: that were handed a query each.
        timeout: seconds that each request may take.

    Returns:
        What each one's execution cost, or why it has none; in the order of the workers.
    """
    begun = [_begun(worker, timeout) for worker in workers]
    ready = [one for one in begun if isinstance(one, _Ready)]
    if len(ready) < len(workers):
        # Alone it would answer another question.
        alone = WorkerEnded(Outcome.ERROR, "the other side of the duet did not get as far", alive=True)
        return [alone if isinstance(one, _Ready) else one for one in begun]
    replies = _replies(workers, timeout)
    return [_cost(*each, timeout) for each in zip(workers, ready, replies, strict=True)]


def _begun(worker: WorkerProcess, timeout: Seconds) -> _Ready | WorkerEnded:
    try:
        released = worker.release(timeout)
        worker.counters.begin()
        return _Ready(released, worker.store.take() if worker.store else None)
    except WorkerEnded as ended:
        return ended


def _replies(workers: Sequence[WorkerProcess], timeout: Seconds) -> list[_Reply | WorkerEnded]:
    """Ask all of them, and wait for each."""
    found: dict[int, _Reply | WorkerEnded] = {}
    with selectors.DefaultSelector() as waiting:
        for place, worker in enumerate(workers):
            try:
                pending = worker.exchange.send("run", timeout)
            except WorkerEnded as ended:
                found[place] = ended
                continue
            worker.exchange.channel.settimeout(0)
            one = _Waited(place, worker.exchange, pending, protocol.Incoming())
            waiting.register(worker.exchange.channel, selectors.EVENT_READ, one)
        while waiting.get_map():
            still: list[_Waited] = [key.data for key in waiting.get_map().values()]
            until = min(one.pending.until for one in still)
            ready = waiting.select(max(0.0, until - time.monotonic()))
            now = time.perf_counter_ns()
            taken: dict[int, _Reply | WorkerEnded] = {}
            if not ready:
                for one in still:
                    if one.pending.until <= until:
                        taken[one.place] = one.exchange.ended(one.pending, TimeoutError())
            for key, _ in ready:
                reply = _taken(key.data, now)
                if reply is not None:
                    taken[key.data.place] = reply
            for place in taken:
                waiting.unregister(workers[place].exchange.channel)
            found |= taken
    return [found[place] for place in range(len(workers))]


def _taken(one: _Waited, now_ns: int) -> _Reply | WorkerEnded | None:
    """The reply; None as long as more of it is to come."""
    try:
        body = one.incoming.take(one.exchange.channel)
    except BlockingIOError:
        return None
    except (protocol.Disconnected, protocol.Malformed, OSError) as error:
        return one.exchange.ended(one.pending, error)
    return None if body is None else _Reply(one.pending, body, now_ns)


def _cost(worker: WorkerProcess, ready: _Ready, reply: _Reply | WorkerEnded, timeout: Seconds) -> RunCost | WorkerEnded:
    if isinstance(reply, WorkerEnded):
        return reply
    try:
        run_reply, cost = worker.exchange.replied(reply.pending, protocol.RunReply, reply.body, reply.ended_ns)
        counters, used = worker.counters, worker.used(ready.requests)
        return run_cost(run_reply, cost, ready.released, counters, used, worker.reported(timeout))
    except WorkerEnded as ended:
        return ended
