"""Loads killed at any moment: nothing that was measured is lost, and nothing is left behind."""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING

import pytest

from support import leftovers
from support.waiting import eventually

if TYPE_CHECKING:
    from pathlib import Path

TARGETS = ("sqlite:embedded", "postgres:embedded", "valkey:embedded")
FLAGS = ("--rate", "200", "--records", "2K", "--duration", "2s", "--repeats", "3", "--connections", "4", "--quiet")
AGAIN = ("--rate", "50", "--records", "50", "--duration", "200ms", "--connections", "1", "--quiet")


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of these tests alone, with the servers that are installed there."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def whole(cache: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, float]:
    """Seconds that such a load takes of each target, once its server is installed."""
    seconds = {}
    for target in TARGETS:
        weigh = leftovers.alone(tmp_path_factory.mktemp("whole"), cache)
        assert weigh("load", "ycsb-c", "--target", target, *AGAIN).code in (0, 3)
        begun = time.monotonic()
        assert weigh("load", "ycsb-a", "--target", target, *FLAGS).code in (0, 3)
        seconds[target] = time.monotonic() - begun
    return seconds


@pytest.mark.long
@pytest.mark.parametrize("number", range(leftovers.KILLS))
def test_a_kill_loses_nothing_and_leaves_nothing(
    tmp_path: Path, cache: Path, whole: dict[str, float], number: int
) -> None:
    weigh = leftovers.alone(tmp_path, cache)
    segments = leftovers.segments()
    target = TARGETS[number % len(TARGETS)]
    running = leftovers.killed(
        weigh, random.Random(number).uniform(0.0, whole[target]), "load", "ycsb-a", "--target", target, *FLAGS
    )
    made = list((weigh.folder / "runs").iterdir()) if (weigh.folder / "runs").exists() else []
    for one in made:
        if leftovers.nothing_recorded(weigh, one):
            continue
        journal = (one / "journal.jsonl").read_bytes()
        kept = journal.count(b'{"event":"interval"')
        # After its last event a load is sealed: killed there it lacks the seal, and nothing else.
        ended = b'\n{"event":"end"' in journal
        sealed = (one / "seal.json").exists()
        report = weigh("report", str(one), "--verbose")
        assert report.code in ((0, 3) if ended else (0,)), report.err
        assert ended != ("It was killed before its end." in " ".join(report.out.split()))
        told = weigh("report", str(one), "--json").json
        assert kept == 0 or told["runs"][0]["operations"]
        verified = weigh("verify", str(one))
        assert verified.code == (0 if sealed else 2), verified.err
        assert one.name in weigh("runs").out
    # The lock is free, and the same server is measured again.
    assert weigh("load", "ycsb-c", "--target", target, *AGAIN).code in (0, 3)
    assert not leftovers.locked(tmp_path / "weigh.lock")
    assert not leftovers.folders(weigh, running.pid)
    eventually(lambda: leftovers.segments() <= segments)
