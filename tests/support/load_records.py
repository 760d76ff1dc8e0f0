"""Load records made by hand: what the generator would have seen, as it would have written it down."""

from __future__ import annotations

import base64
import functools
import struct
import zlib
from typing import TYPE_CHECKING

import numpy as np

from weigh.evidence.sealing import End
from weigh.load.record import LoadEnvironment, LoadRecord
from weigh.load.runs import LoadInterval, LoadRun, LoadSummary, OperationInterval, TargetRead
from weigh.load.spec import Arrivals, LoadSpec, Loop

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

HOUR = 3_600_000_000_000
EACH = 0.1
RATE = 1_000.0


def encoded(seconds: Sequence[float] | NDArray[np.float64]) -> str:
    """A histogram of the wire format."""
    return _encoded(np.maximum(np.round(np.asarray(seconds, dtype=np.float64) * 1e9), 1).astype(np.int64).tobytes())


@functools.cache
def _encoded(values: bytes) -> str:
    """By hand: the library takes 20 ms for each."""
    nanos = np.frombuffer(values, dtype=np.int64)
    above = np.maximum(np.floor(np.log2(np.maximum(nanos, 1))).astype(np.int64) - 10, 0)
    counts = np.bincount((above << 10) + (nanos >> above)) if len(nanos) else np.zeros(1, dtype=np.int64)
    content, at = bytearray(), 0
    for place in np.flatnonzero(counts).tolist():
        if place > at:
            _append(content, at - place if place > at + 1 else 0)
        _append(content, int(counts[place]))
        at = place + 1
    if not at:
        _append(content, 0)
    plain = struct.pack(">iiiiqqd", 0x1C849313, len(content), 0, 3, 1, HOUR, 1.0) + bytes(content)
    packed = zlib.compress(plain)
    return base64.b64encode(struct.pack(">ii", 0x1C849314, len(packed)) + packed).decode()


def _append(content: bytearray, number: int) -> None:
    """A number in the zigzag form of HdrHistogram."""
    coded = (number << 1) ^ (number >> 63)
    while coded > 127:
        content.append(coded & 127 | 128)
        coded >>= 7
    content.append(coded)


def interval(
    at: int,
    response: Sequence[float] | NDArray[np.float64],
    *,
    service: Sequence[float] | NDArray[np.float64] | None = None,
    late: float = 5e-6,
    name: str = "read",
    errors: dict[str, int] | None = None,
    cpu: float = 0.01,
) -> LoadInterval:
    """The interval of that number, with these response times."""
    own = response if service is None else service
    operation = OperationInterval(
        name=name,
        count=len(response),
        response=encoded(response),
        service=encoded(own),
        lag_free=encoded(np.maximum(np.asarray(response) - np.asarray(own), 0)) if len(own) == len(response) else "",
        lag_late=encoded(np.full(len(response), late)),
        errors=errors or {},
    )
    return LoadInterval(from_s=at * EACH, to_s=(at + 1) * EACH, operations=(operation,), client_cpu_s=cpu)


def summary(intervals: Sequence[LoadInterval], **changed: object) -> LoadSummary:
    """The account of a run without a fault."""
    done = sum(one.count for part in intervals for one in part.operations)
    usual = {
        "t0_unix": 1_700_000_000.0,
        "scheduled": done,
        "sent": done,
        "done": done,
        "unsent": 0,
        "in_flight_at_end": 0,
        "seconds": len(intervals) * EACH,
        "client_cpu_s": len(intervals) * 0.01,
        "verified_reads": done,
    }
    return LoadSummary(**{**usual, **changed})  # type: ignore[arg-type]


def steady_times(intervals: int, each: int = 100, seed: int = 1) -> list[NDArray[np.float64]]:
    """Response times around 0.5 ms, without any trend."""
    rng = np.random.default_rng(seed)
    return [rng.gamma(4, 1.25e-4, each) for _ in range(intervals)]


def run(intervals: Sequence[LoadInterval], *, number: int = 1, loop: Loop = "open", **changed: object) -> LoadRun:
    """A run that came to its end."""
    return LoadRun(
        number=number,
        loop=loop,
        connections=16,
        repeat=number,
        intervals=tuple(intervals),
        summary=summary(intervals, **changed),
    )


def spec(length: int, **changed: object) -> LoadSpec:
    """A spec whose runs have so many intervals."""
    usual = {
        "workload": "ycsb-b",
        "target": "valkey:embedded",
        "arrivals": Arrivals(rate=RATE),
        "duration_s": length * EACH,
        "interval_s": EACH,
    }
    return LoadSpec(**{**usual, **changed})  # type: ignore[arg-type]


def target(**changed: object) -> TargetRead:
    """A durable key-value store."""
    usual = {
        "kind": "redis",
        "product": "Valkey",
        "version": "9.1",
        "embedded": True,
        "same_host": True,
        "in_force": {"appendonly": {"value": "yes", "default": "no"}},
        "durable": True,
    }
    return TargetRead(**{**usual, **changed})  # type: ignore[arg-type]


def record(runs: Sequence[LoadRun], asked: LoadSpec | None = None, where: TargetRead | None = None) -> LoadRecord:
    """A whole experiment."""
    return LoadRecord(
        attempt=1,
        spec=asked or spec(len(runs[0].intervals)),
        environment=LoadEnvironment(
            weigh="0", command="weigh load ycsb-b", host={"cpu": "some"}, target=where or target()
        ),
        runs=tuple(runs),
        end=End(how="complete"),
    )


def calm(length: int = 100) -> LoadRecord:
    """So many intervals at 1,000/s without an event."""
    return record([run([interval(at, times) for at, times in enumerate(steady_times(length))])])


def stalled(length: int = 200) -> LoadRecord:
    """20 s with the server standing still for 1 s in the middle, and a closed loop alongside it.

    Each connection of the closed loop has one slow request; on schedule all that were due in that second wait.
    """
    times = steady_times(length)
    middle = length // 2
    opened = []
    for at, own in enumerate(times):
        # In the middle due at i ms, answered at 1 s.
        wait = np.zeros(len(own))
        if middle <= at < middle + 10:
            wait = 1.0 - ((at - middle) * EACH + np.arange(len(own)) / RATE)
        opened.append(interval(at, own + wait, service=own))
    closed = [interval(at, [] if middle <= at < middle + 10 else own) for at, own in enumerate(times)]
    closed[middle + 10] = interval(middle + 10, np.concatenate([times[middle + 10], np.full(16, 1.0)]))
    runs = [run(opened), run(closed, number=2, loop="closed")]
    return record(runs, spec(length, loops=("open", "closed")))
