"""A load on an engine in the generator's own process: its CPU time is no reason to doubt the generator."""

from __future__ import annotations

import json
from contextlib import nullcontext, suppress
from typing import TYPE_CHECKING

import msgspec
import pytest

from support import load_records
from support.hostile_servers import LOGGED_IN
from weigh._native import Load
from weigh.load.results import load_results
from weigh_liars.tcp_server import Door

if TYPE_CHECKING:
    import socket
    from pathlib import Path


@pytest.mark.promise(
    "so a run is not refused for it (`E8.saturated`), and the tier says that both are one process (`E8.same_machine`)."
)
@pytest.mark.parametrize(
    ("target", "kind", "refused"), [("sqlite:embedded?synchronous=FULL", "sqlite", False), ("redis://x", "redis", True)]
)
def test_a_busy_process_is_refused_only_where_the_engine_is_another(target: str, kind: str, refused: bool) -> None:
    intervals = [
        load_records.interval(at, times, cpu=load_records.EACH)
        for at, times in enumerate(load_records.steady_times(12))
    ]
    asked = load_records.spec(12, target=target)
    said = load_results(load_records.record([load_records.run(intervals)], asked, load_records.target(kind=kind)))
    reasons = {one.code for one in said.runs[0].reasons}
    assert ("E8.saturated" in reasons) is refused
    if not refused:
        (where,) = [one.text for one in said.tier.reasons if one.code == "E8.same_machine"]
        assert "generator's process" in where


def test_a_late_generator_is_told_what_it_can_change() -> None:
    intervals = [load_records.interval(at, times, late=0.1) for at, times in enumerate(load_records.steady_times(12))]
    for target, words in (("sqlite:embedded", "--connections"), ("valkey:embedded", "--threads")):
        said = load_results(load_records.record([load_records.run(intervals)], load_records.spec(12, target=target)))
        (late,) = [one.text for one in said.runs[0].reasons if one.code == "E8.late"]
        assert words in late


def test_one_that_spins_is_not_told_to_spin() -> None:
    intervals = [load_records.interval(at, times, late=0.1) for at, times in enumerate(load_records.steady_times(12))]
    for spin, advised in ((msgspec.UNSET, True), (True, False)):
        asked = msgspec.structs.replace(load_records.spec(12, target="sqlite:embedded"), spin=spin)
        said = load_results(load_records.record([load_records.run(intervals)], asked))
        (late,) = [one.text for one in said.runs[0].reasons if one.code == "E8.late"]
        assert ("Ask for --spin" in late) is advised
        assert "ower the rate" in late


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_pause_ends_with_the_time_out(tmp_path: Path, kind: str) -> None:
    """A sleep of a day, in a run of a moment."""
    config = {
        "target": {"kind": "sqlite", "path": str(tmp_path / "t.sqlite"), "settings": {}},
        "workload": {
            "kind": "script", "seed": 1, "variables": {}, "prepared": True,
            "scripts": [{"name": "nap", "text": "\\sleep 86400 s\nSELECT 1;\n", "weight": 1}],
        },
        "arrivals": {"kind": "closed"}, "duration_s": 0.1, "connections": 1, "threads": 1, "max_in_flight": 1,
        "timeout_s": 0.3, "interval_s": 1.0, "spin": False,
    }  # fmt: skip
    with Greeting() if kind == "postgres" else nullcontext() as server:
        if server:
            config["target"] = {**ADDRESS, "host": "127.0.0.1", "port": server.port}
        load = Load(json.dumps(config))
        load.start()
        summary = json.loads(load.finish())
        intervals = json.loads(load.poll())
    assert summary["in_flight_at_end"] == 0
    assert sum(one["timeouts"] for each in intervals for one in each["operations"]) == summary["done"] >= 1


ADDRESS = {"kind": "postgres", "socket": None, "user": "u", "password": None, "database": "d", "tls": "off", "ca": None}


class Greeting(Door):
    """A PostgreSQL that lets everybody in and prepares anything."""

    def _serve(self, client: socket.socket) -> None:
        ready = b"Z\0\0\0\5I"
        with suppress(OSError):
            client.recv(1 << 16)
            client.sendall(LOGGED_IN)
            while client.recv(1 << 16):
                client.sendall(b"1\0\0\0\4t\0\0\0\6\0\0n\0\0\0\4" + ready)
