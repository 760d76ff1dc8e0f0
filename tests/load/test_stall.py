"""The stall test: a server stands still, and its users' waiting is in the figures, as much of it as there was."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hdrh.histogram import HdrHistogram

from weigh._native import Load
from weigh.engines.prepared import cache_folder
from weigh.load.target.registry import target

if TYPE_CHECKING:
    from collections.abc import Iterator

CONNECTIONS = 8
PROGRAMS = {"postgres:embedded": "postgres", "valkey:embedded": "valkey-server"}


def descendants(pid: int) -> Iterator[tuple[int, str]]:
    """Process ids and names of what a process started, and so on."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, _, rest = stat.read_text().partition("(")[2].rpartition(")")
        except OSError:
            continue
        if int(rest.split()[1]) == pid:
            yield int(stat.parent.name), name
            yield from descendants(int(stat.parent.name))


def stalled(text: str, rate: int, seconds: float, arrivals: str = "constant") -> tuple[HdrHistogram, float, float]:
    """Response times of a run whose server stood still for a second in the middle; how long it did; of how long."""
    with target(text).reach(cache_folder(), CONNECTIONS) as reached:
        load = Load(json.dumps({
            "target": reached.connect,
            "workload": {"kind": "ycsb", "core": "C", "records": 1000, "seed": 0},
            "arrivals": {"kind": arrivals, "rate": rate, "seed": 0} if arrivals != "closed" else {"kind": "closed"},
            "duration_s": seconds, "connections": CONNECTIONS, "threads": 1, "max_in_flight": CONNECTIONS,
            "timeout_s": 60, "interval_s": seconds,
        }))  # fmt: skip
        load.load()
        load.start()
        time.sleep(seconds / 2)
        server = [pid for pid, name in descendants(os.getpid()) if name.startswith(PROGRAMS[text])]
        assert server
        for pid in server:
            os.kill(pid, signal.SIGSTOP)
        began = time.monotonic()
        time.sleep(1.0)
        stood = time.monotonic() - began
        for pid in server:
            os.kill(pid, signal.SIGCONT)
        summary = json.loads(load.finish())
        assert summary["unsent"] == summary["in_flight_at_end"] == summary["violation_count"] == 0
        return responses(json.loads(load.poll())), stood, seconds


def responses(intervals: list[dict[str, Any]]) -> HdrHistogram:
    """Response times of all operations of all intervals."""
    found = HdrHistogram(1, 3_600_000_000_000, 3)
    for interval in intervals:
        for operation in interval["operations"]:
            found.add(HdrHistogram.decode(operation["response"]))
    return found


def slower(times: HdrHistogram, seconds: float) -> int:
    """How many took longer."""
    return sum(step.count_added_in_this_iter_step for step in times.get_recorded_iterator()
               if step.value_iterated_to > seconds * 1e9)  # fmt: skip


@pytest.mark.promise(
    "Servers get load on a schedule, so that a stall counts for every request that was due in it.",
    ("A request that is due while the server stands still waits, and its response time counts from when it was due."),
)
def test_who_was_due_during_a_stall_waited_as_long_as_it_lasted() -> None:
    rate = 400
    times, stood, seconds = stalled("valkey:embedded", rate, 3.0)
    assert times.get_total_count() == rate * seconds
    # Requests came evenly: half of those that were due in the stall waited longer than half of it, and where the
    # machine is slow to catch up some of the others.
    late = slower(times, stood / 2)
    assert 0.9 * rate * stood / 2 < late < rate * stood


@pytest.mark.long
@pytest.mark.parametrize("text", PROGRAMS)
def test_percentiles_are_the_analytic_ones(text: str) -> None:
    times, stood, seconds = stalled(text, 2000, 20.0)
    share = stood / seconds
    for percentile, tolerance in ((99.0, 0.05), (99.9, 0.03)):
        truth = stood * (1 - (1 - percentile / 100) / share)
        assert times.get_value_at_percentile(percentile) / 1e9 == pytest.approx(truth, rel=tolerance), percentile


@pytest.mark.long
@pytest.mark.parametrize("text", PROGRAMS)
def test_a_closed_loop_asks_politely_and_sees_nearly_nothing(text: str) -> None:
    times, stood, _ = stalled(text, 0, 6.0, arrivals="closed")
    assert slower(times, stood / 2) <= CONNECTIONS
    assert times.get_value_at_percentile(99) / 1e9 < stood / 10
