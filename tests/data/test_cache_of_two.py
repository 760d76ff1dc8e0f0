"""Two weighs make one entry of the cache at the same moment, and one of them is killed: nothing torn is left."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from typing import TYPE_CHECKING, Any

import pytest

from support.command import WEIGH
from weigh.data import cache

if TYPE_CHECKING:
    from pathlib import Path

MADE = ("data", "make", "--scale", "100K")


def start(folder: Path, *words: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "WEIGH_CACHE": str(folder), "NO_COLOR": "1"}
    return subprocess.Popen(
        [str(WEIGH), *words], cwd=folder, env=environment, text=True, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip


def wait_for(what: Any, process: subprocess.Popen[str]) -> None:
    until = time.monotonic() + 60
    while not what():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < until
        time.sleep(0.002)


def left(folder: Path) -> list[str]:
    return [path.name for path in folder.rglob("making-*")]


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP], ids=["killed", "delayed"])
def test_two_make_the_same_data(tmp_path: Path, how: signal.Signals) -> None:
    one = start(tmp_path, *MADE)
    wait_for(lambda: left(tmp_path), one)
    os.kill(one.pid, how)
    other = start(tmp_path, *MADE)
    if how is signal.SIGSTOP:
        # It waits for the one that has begun.
        time.sleep(0.3)
        assert other.poll() is None
        os.kill(one.pid, signal.SIGCONT)
    ended = [one.communicate(timeout=120), other.communicate(timeout=120)]
    assert other.returncode == 0, ended
    assert one.returncode == (0 if how is signal.SIGSTOP else -how), ended
    assert not left(tmp_path)
    (made,) = tmp_path.glob("data/**/manifest.json")
    assert cache.open_stored(made.parent, "digest").manifest.rows("events") == 100_000
