"""weigh and its workers are stopped in the middle of a turn, and the wall clock is set meanwhile."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from typing import TYPE_CHECKING, Any

import pytest

from faults.frame import Place, shim
from lies.neighbour import descendants
from support.command import WEIGH

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

SLOW = """\
WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 200000)
SELECT count(*) AS c FROM numbers
"""
RUN = (
    "run", "--contender", "plain", "--contender", "two=plain?cache_size=1000", "--starts", "1", "--rounds", "3",
    "--runs", "1", "--quiet", "--json",
)  # fmt: skip


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """A query that takes long enough to be stopped in."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    made = Place(tmp_path / "stopped")
    pq.write_table(pa.table({"n": [1, 2]}), made.folder / "t.parquet")
    (made.folder / "q").mkdir()
    (made.folder / "q" / "slow.sql").write_text(SLOW)
    assert made("init", "--data", "t.parquet", "--sql", "q", "--contender", "plain").code == 0
    return made


class Running:
    """A command that goes on."""

    def __init__(self, place: Place, *words: str, **environment: str) -> None:
        self.folder = place.folder
        self.process = subprocess.Popen(
            [str(WEIGH), *words], cwd=place.folder, env={**place.environment, **environment}, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
        )  # fmt: skip

    def wait_for_turns(self, number: int) -> None:
        """Until so many turns are over, and somewhat into the next one."""
        until = time.monotonic() + 60
        while self.process.poll() is None and time.monotonic() < until:
            found = [path.read_text().count('"event":"turn"') for path in self.folder.glob("runs/*/journal.jsonl")]
            if found and found[0] >= number:
                return time.sleep(0.02)
            time.sleep(0.005)
        raise AssertionError(self.process.communicate())

    @property
    def workers(self) -> set[int]:
        return descendants(self.process.pid) - {self.process.pid}

    def ended(self) -> tuple[int, dict[str, Any], str]:
        out, err = self.process.communicate(timeout=120)
        assert "Traceback" not in err, err
        return self.process.returncode, json.loads(out), err


def stopped(pids: Iterable[int], seconds: float) -> None:
    """Stop processes for so long."""
    pids = list(pids)
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    time.sleep(seconds)
    for pid in pids:
        os.kill(pid, signal.SIGCONT)


def test_who_was_stopped_in_a_turn_is_named_and_not_accused(place: Place) -> None:
    """The wall clock of weigh is set meanwhile, two days forth and four back, which changes nothing."""
    running = Running(place, *RUN, LD_PRELOAD=str(shim()), WEIGH_FAULT="clock:2:172800:20:/dev/null")
    running.wait_for_turns(1)
    stopped(running.workers, 0.3)
    running.wait_for_turns(5)
    stopped([running.process.pid], 1.5)
    code, told, err = running.ended()
    assert code in (0, 3), err
    found = [one for one in told["findings"] if one["code"] == "E8.stopped"]
    of_contenders = [one["text"] for one in found if one["contender"] in ("plain", "two")]
    assert any("its process was stopped in turn" in text for text in of_contenders), found
    (own,) = [one for one in found if one["contender"] is None]
    assert own["text"].startswith("weigh itself stood still 1 time, for 1."), own
    assert {one["severity"] for one in found} == {"warning"}
    assert not [one for one in told["findings"] if one["severity"] == "error"], told["findings"]
    assert place("verify", "latest").code == 0
