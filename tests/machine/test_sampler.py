"""The native sampler on this machine: whose CPU time it was. No test asserts how long something took."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from weigh.evidence import timeline
from weigh.evidence.journal import Journal
from weigh.host import calibrating as calibration
from weigh.host import sampling
from weigh.host.sampling import Sampler
from weigh.model.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MOST_NAMED = 8
"""Foreign processes that the sampler names, those that used most: ``MOST_FOREIGN`` in weigh-host."""
BURN = "import time\nwhile time.process_time() < {seconds}: pass\n"


def burn(seconds: float) -> subprocess.Popen[bytes]:
    """A child that uses so much CPU and ends."""
    return subprocess.Popen([sys.executable, "-S", "-c", BURN.format(seconds=seconds)])


@pytest.fixture
def sampler() -> Iterator[Sampler]:
    made = Sampler(time.monotonic())
    yield made
    made.stop()


def own(watch: Any) -> float:
    return sum(moment.tracked for moment in watch.moments)


def test_children_are_own_while_they_live_and_after(sampler: Sampler) -> None:
    before = timeline.unpack(sampler.drain(thorough=True))
    with burn(0.3) as child:
        child.wait()
    watch = timeline.unpack(sampler.drain(thorough=True))
    # What a child used since somebody last looked comes from its parent, in steps of 10 ms.
    assert own(watch) >= 0.25 > own(before)
    assert child.pid not in [culprit.pid for culprit in watch.culprits]


ORPHAN = """
import os, sys, time
if os.fork() or os.fork():
    os.read(int(sys.argv[1]), 1)
    os._exit(0)
parent = os.getppid()
print("born", flush=True)
sys.stdin.readline()
while os.getppid() == parent: time.sleep(0.01)
while time.process_time() < 0.3: pass
print("burnt", flush=True)
sys.stdin.readline()
"""
"""A grandchild that burns CPU when it has lost its parents, and waits for its end."""


def test_grandchildren_in_sessions_of_their_own_are_own(sampler: Sampler) -> None:
    """As the processes of a server: they leave the session and lose their parent."""
    parents, leave = os.pipe()
    with subprocess.Popen(
        [sys.executable, "-S", "-c", ORPHAN, str(parents)],
        start_new_session=True, pass_fds=[parents], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as child:  # fmt: skip
        assert child.stdin
        assert child.stdout
        os.close(parents)
        assert child.stdout.readline() == "born\n"
        # However slow this machine is, it has been observed below its parents before it loses them.
        before = own(timeline.unpack(sampler.drain(thorough=True)))
        os.close(leave)
        child.wait()
        child.stdin.write("go\n")
        child.stdin.flush()
        assert child.stdout.readline() == "burnt\n"
        watch = timeline.unpack(sampler.drain(thorough=True))
    assert before + own(watch) >= 0.25


def test_who_is_no_descendant_is_foreign_and_named() -> None:
    """The sampler runs in a child of this process, and the culprit is its brother."""
    script = "\n".join(
        [
            "import json, sys, time",
            "from weigh._native import Sampler",
            "sampler = Sampler(20.0, time.monotonic())",
            "print('ready', flush=True)",
            "sys.stdin.readline()",
            "print(json.dumps(sampler.drain(True)))",
        ]
    )
    with subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as watcher:
        assert watcher.stdin is not None
        assert watcher.stdout is not None
        watcher.stdout.readline()
        with burn(0.4) as brother:
            # It is reaped after the sampler has seen it: a zombie still has its time.
            os.waitid(os.P_PID, brother.pid, os.WEXITED | os.WNOWAIT)
            watcher.stdin.write(b"\n")
            watcher.stdin.flush()
            drained = json.loads(watcher.stdout.readline())
    watch = timeline.unpack(timeline.pack(drained))
    named = {culprit.pid: culprit.cpu_s for culprit in watch.culprits if culprit.pid}
    if brother.pid in named:
        assert named[brother.pid] >= 0.3
    else:
        # The greediest are named, and others share this machine: each of those used more than the brother did.
        assert len(named) == MOST_NAMED
        assert min(named.values()) >= 0.3
    assert watcher.pid not in named
    assert sum(moment.foreign or 0.0 for moment in watch.moments) >= 0.3
    assert all(moment.foreign is not None and moment.foreign >= 0 for moment in watch.moments)


def test_moments_follow_each_other_and_end_where_they_are_told() -> None:
    began = time.monotonic()
    # Slow enough that the mark is not left out because of a reading just before it.
    sampler = Sampler(began, 0.5)
    time.sleep(1.0)
    before = time.monotonic()
    sampler.mark()
    marked = time.monotonic()
    time.sleep(0.1)
    moments = timeline.unpack(sampler.drain(thorough=True)).moments
    assert all(abs(one.end - after.at) < 1e-9 for one, after in pairwise(moments))
    # Moments are kept to a tenth of a millisecond.
    assert any(before - began - 1e-4 < moment.end < marked - began + 1e-4 for moment in moments)
    assert all(moment.span > 0 for moment in moments)
    assert any(moment.memory_free for moment in moments)
    later = timeline.unpack(sampler.drain(thorough=True)).moments
    sampler.stop()
    assert all(moment.at >= moments[-1].end - 1e-9 for moment in later)


def test_its_own_cost_is_known_and_it_takes_no_signals(sampler: Sampler) -> None:
    time.sleep(0.3)
    assert timeline.unpack(sampler.drain()).cost_s > 0
    tasks = Path("/proc/self/task").iterdir()
    (thread,) = [task for task in tasks if (task / "comm").read_text().strip() == "weigh-sampler"]
    blocked = next(line for line in (thread / "status").read_text().splitlines() if line.startswith("SigBlk:"))
    assert int(blocked.split()[1], 16) >> (signal.SIGINT - 1) & 1


def test_a_rate_that_cannot_be_is_an_error() -> None:
    for hz in (0.0, -1.0, 1e6, float("nan")):
        with pytest.raises(OSError, match="between"):
            Sampler(time.monotonic(), hz)


def test_a_sampler_that_fails_is_said_once_and_ends_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken:
        def __init__(self, *_: float) -> None: ...

        def mark(self) -> None:
            raise OSError("the thread has ended by itself")

        stop = track = mark

    monkeypatch.setattr(sampling, "Sampler", Broken)
    journal = Journal(tmp_path)
    watch = sampling.Sampling(journal)
    with watch.started(time.monotonic()):
        watch.mark()
        watch.mark()
        watch.keep()
    journal.close()
    (line,) = (tmp_path / "journal.jsonl").read_text().splitlines()
    finding = json.loads(line)
    assert (finding["event"], finding["body"]["code"]) == ("finding", "X.sampler")
    assert "the thread has ended by itself" in finding["body"]["text"]


def events(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "journal.jsonl").read_text().splitlines()]


def test_fixed_work_before_between_and_after(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    one = calibration.Calibrating(journal, tmp_path)
    one.next(0)
    assert events(tmp_path) == []
    one = calibration.Calibrating(journal, tmp_path)
    with one.started(time.monotonic()):
        one.next(0)
        one.next(1)
    journal.close()
    bodies = [event["body"] for event in events(tmp_path)]
    kernels = ("integer", "memory", "disk")
    places = (("before", 0), ("between", 1), ("after", 1))
    assert [(body["place"], body["block"], body["kernel"]) for body in bodies] == [
        (*place, kernel) for place in places for kernel in kernels
    ]
    assert all(body["seconds"] and min(body["seconds"]) > 0 for body in bodies)
    assert [body["at"] for body in bodies] == sorted(body["at"] for body in bodies)
    assert [path.name for path in tmp_path.iterdir()] == ["journal.jsonl"]


def test_a_disk_that_cannot_be_written_has_no_calibration(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    one = calibration.Calibrating(journal, tmp_path / "nowhere")
    with one.started(time.monotonic()):
        one.next(0)
    journal.close()
    assert {event["body"]["kernel"] for event in events(tmp_path)} == {"integer", "memory"}


@pytest.mark.parametrize(
    ("name", "read", "good", "bad"),
    [
        ("WEIGH_SAMPLER", sampling.rate, {"": 20.0, "yes": 20.0, "no": 0.0, "5": 5.0}, ("often", "0", "-3", "nan")),
        ("WEIGH_CALIBRATION", calibration.wanted, {"": True, "yes": True, "no": False}, ("maybe", "0")),
    ],
)
def test_the_environment_decides(
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    read: Callable[[], object],
    good: dict[str, object],
    bad: tuple[str, ...],
) -> None:
    for text, meant in good.items():
        monkeypatch.setenv(name, text)
        assert read() == meant
    for text in bad:
        monkeypatch.setenv(name, text)
        with pytest.raises(UsageError):
            read()
