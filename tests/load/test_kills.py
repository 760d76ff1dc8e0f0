"""Loads killed at any moment: nothing that was measured is lost, and nothing is left behind."""

from __future__ import annotations

import os
import random
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.waiting import eventually

if TYPE_CHECKING:
    from support.command import Weigh

KILLS = int(os.environ.get("WEIGH_KILLS") or 60)
TARGETS = ("sqlite:embedded", "postgres:embedded", "valkey:embedded")
LONGEST = 6.0
"""Seconds from the start of weigh to the kill: from its imports into the second run."""
FLAGS = ("--rate", "200", "--records", "2K", "--duration", "2s", "--repeats", "3", "--connections", "4", "--quiet")


def processes(folder: Path, pid: int) -> list[int]:
    """What still runs of a weigh: what inherited its environment, and servers in its folders."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            own = os.fsencode(folder) in (process / "environ").read_bytes()
            if own or f"weigh-load-{pid}-".encode() in (process / "cmdline").read_bytes():
                found.append(int(process.name))
    return [one for one in found if one != os.getpid()]


def folders(pid: int) -> list[Path]:
    """What it left in temporary folders."""
    places = {Path(tempfile.gettempdir()), Path("/tmp"), Path("/var/tmp"), Path("/dev/shm")}
    return [path for place in places for path in place.glob(f"weigh-*-{pid}-*")]


@pytest.mark.long
@pytest.mark.parametrize("number", range(KILLS))
def test_a_kill_loses_nothing_and_leaves_nothing(weigh: Weigh, number: int) -> None:
    chance = random.Random(number)
    running = weigh.start("load", "ycsb-a", "--target", TARGETS[number % len(TARGETS)], *FLAGS)
    time.sleep(chance.uniform(0.0, LONGEST))
    running.kill()
    running.communicate()
    eventually(lambda: not processes(weigh.folder, running.pid))
    made = list((weigh.folder / "runs").iterdir()) if (weigh.folder / "runs").exists() else []
    # Without evidence anything that weigh prints a report of sweeps.
    for one in made:
        kept = (one / "journal.jsonl").read_bytes().count(b'{"event":"interval"')
        report = weigh("report", str(one))
        assert report.code == 0, report.err
        assert "It was killed before its end." in " ".join(report.out.split())
        told = weigh("report", str(one), "--json").json
        assert kept == 0 or told["runs"][0]["operations"]
        assert weigh("verify", str(one)).code != 0
    if not made:
        again = ("--rate", "50", "--records", "50", "--duration", "200ms", "--connections", "1", "--quiet")
        assert weigh("load", "ycsb-c", "--target", "sqlite:embedded", *again).code in (0, 3)
    assert not folders(running.pid)
