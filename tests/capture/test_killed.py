"""A capture that is killed leaves no folder of its name, and the next one removes what it left."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

from support.command import Weigh
from support.waiting import eventually

if TYPE_CHECKING:
    from pathlib import Path

LINE = "2026-01-01 00:00:{:02d}.000 UTC [12] LOG:  duration: 1.0 ms  statement: SELECT a{} FROM t WHERE b = {}\n"


def test_a_killed_capture_leaves_nothing_of_its_name(tmp_path: Path) -> None:
    weigh = Weigh(tmp_path, forked=False)
    (tmp_path / "log").write_text("".join(LINE.format(i % 60, i, i) for i in range(3_000)))
    before = {path.name for path in tmp_path.iterdir()}
    running = weigh.start("capture", "log", "--out", "captured", "--quiet")
    eventually(lambda: bool(list(tmp_path.glob(".captured-*"))) or running.poll() is not None)
    running.kill()
    running.communicate()
    assert running.returncode == -signal.SIGKILL
    assert not (tmp_path / "captured").exists()
    again = weigh("capture", "log", "--out", "captured", "--quiet")
    assert again.code == 0, again.err
    assert {path.name for path in tmp_path.iterdir()} - before == {"captured"}
