"""Writes that were acknowledged, held against the flushes of the device: what is more than they can have kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from support.load_records import interval, record, run, spec, steady_times, target
from weigh.host import storage
from weigh.load.runs import ServerUse
from weigh.load.session.offering import flushed_devices
from weigh.load.spec import Script

if TYPE_CHECKING:
    from pathlib import Path

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


@pytest.mark.parametrize(("text", "name", "durable"), [("SELECT 1", "update", True), ("", "simple-update", False)])
def test_what_a_script_of_the_users_does_is_not_told_from_its_name(text: str, name: str, durable: bool) -> None:
    parts = [interval(number, times, name=name) for number, times in enumerate(steady_times(INTERVALS, EACH))]
    asked = spec(INTERVALS, workload="scripts", scripts=(Script(name=name, text=text),))
    made = record(
        [msgspec.structs.replace(run(parts), server=ServerUse(cpu_s=1.0, flushes=0))], asked, target(durable=True)
    )
    assert made.durable is durable


def test_flushes_are_not_counted_where_a_part_of_the_data_lies_on_what_does_not_count_them(tmp_path: Path) -> None:
    (tmp_path / "base").mkdir()
    assert flushed_devices(tmp_path) == storage.place(tmp_path).devices
    # As a log that somebody has moved, to where there is no device.
    (tmp_path / "pg_wal").symlink_to("/proc/self")
    assert flushed_devices(tmp_path) == ()
    assert flushed_devices(tmp_path / "away") == ()
