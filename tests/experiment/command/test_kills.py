"""Runs killed at any moment: nothing that was written is lost, a resumed run ends, and nothing is left behind."""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING

import pytest

from support import leftovers

if TYPE_CHECKING:
    from pathlib import Path

EXPERIMENT = (
    "run", "--contender", "a=fork@2.0.0", "--contender", "b=liar?lie=none", "--scale", "1K", "--quiet",
    "--operations", "by_action,by_proto", "--rounds", "1", "--runs", "1", "--starts", "3", "--resume",
)  # fmt: skip


def journals(folder: Path) -> dict[Path, list[bytes]]:
    """The complete lines of each journal."""
    return {path: path.read_bytes().split(b"\n")[:-1] for path in folder.glob("runs/*/journal.jsonl")}


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With the environment of the engine, which is not made anew for each kill."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def whole(cache: Path, tmp_path_factory: pytest.TempPathFactory) -> float:
    """Seconds that such a run takes from its start to its end."""
    weigh = leftovers.alone(tmp_path_factory.mktemp("whole"), cache)
    assert weigh(*EXPERIMENT, "--seed", "1000").code in (0, 1, 3)
    begun = time.monotonic()
    assert weigh(*EXPERIMENT, "--seed", "1001").code in (0, 1, 3)
    return time.monotonic() - begun


@pytest.mark.long
@pytest.mark.parametrize("number", range(leftovers.KILLS))
def test_a_kill_loses_nothing_and_leaves_nothing(tmp_path: Path, cache: Path, whole: float, number: int) -> None:
    """Each of another seed, so that its data is made too."""
    weigh = leftovers.alone(tmp_path, cache)
    asked = (*EXPERIMENT, "--seed", str(number))
    running = leftovers.killed(weigh, random.Random(number).uniform(0.0, whole), *asked)
    before = {
        path: lines for path, lines in journals(tmp_path).items() if not leftovers.nothing_recorded(weigh, path.parent)
    }
    for path, lines in before.items():
        sealed = (path.parent / "seal.json").exists()
        # After its last event a run is sealed: killed there it lacks the seal, and nothing else.
        ended = any(line.startswith(b'{"event":"end"') for line in lines)
        report = weigh("report", str(path.parent))
        assert report.code in ((0, 1, 3) if ended else (0,)), report.err
        assert ended or "Not complete: it was killed" in " ".join(report.out.split())
        verified = weigh("verify", str(path.parent))
        assert verified.code == (0 if sealed else 2), verified.err
        assert path.parent.name in weigh("runs").out
    resumed = weigh(*asked)
    assert resumed.code in (0, 1, 3), resumed.err
    after = {path: lines for path, lines in journals(tmp_path).items() if lines}
    assert len(after) == 1, "a resumed attempt is the same attempt"
    for path, lines in before.items():
        assert after[path][: len(lines)] == lines, "what was written before the kill stays"
    (folder,) = (path.parent for path in after)
    assert weigh("verify", str(folder)).code == 0
    assert not leftovers.folders(weigh, running.pid)
    assert not leftovers.locked(tmp_path / "weigh.lock")
