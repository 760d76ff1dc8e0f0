"""Writes that were acknowledged, held against the flushes of the device: what is more than they can have kept."""

from __future__ import annotations

import msgspec
import pytest

from support.load_records import interval, record, run, steady_times, target
from weigh.load.runs import ServerUse

INTERVALS, EACH = 10, 100
WRITES = INTERVALS * EACH


@pytest.mark.parametrize(
    ("name", "flushes", "durable"),
    [("update", 250, True), ("update", 249, False), ("update", 0, False), ("read", 0, True)],
)
def test_a_flush_keeps_one_write_of_each_connection_at_most(name: str, flushes: int, durable: bool) -> None:
    times = steady_times(INTERVALS, EACH)
    parts = [interval(number, times[number], name=name) for number in range(INTERVALS)]
    use = ServerUse(cpu_s=1.0, flushes=flushes)
    made = record([msgspec.structs.replace(run(parts), connections=4, server=use)], where=target(durable=True))
    assert made.durable is durable
    assert bool(made.undurable) is not durable
    if not durable:
        assert f"{WRITES:,} writes were acknowledged over 4 connections, which takes 250 flushes" in made.undurable[0]
