"""E4: a job that runs at the same time as a load is named, and the run refused."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.command import Run
from weigh.host import settle

from ..neighbour import JOB, descendants, unwatched
from ..reading import words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from support.command import Weigh

LOAD = ("load", "ycsb-b", "--target", "valkey:embedded", "--records", "500", "--rate", "200", "--quiet", "--json")


@contextlib.contextmanager
def jobs(folder: Path) -> Iterator[list[int]]:
    """Somebody else's processes that keep every CPU busy."""
    # The kernel calls a process by the name of its file.
    job = folder / JOB
    job.symlink_to(Path(sys.executable).resolve())
    work = "import os\nfor _ in iter(int, 1): sum(range(20_000))"
    begun = [subprocess.Popen([str(job), "-S", "-c", work]) for _ in range(os.cpu_count() or 1)]
    try:
        yield [one.pid for one in begun]
    finally:
        for one in begun:
            one.kill()
            one.wait()


def loaded(weigh: Weigh, *flags: str, beside: bool) -> tuple[Run, set[int], set[int]]:
    """A load with the bound of everybody, with or without those jobs; who they are, and who belongs to weigh."""
    process = weigh.start(*LOAD, *flags, WEIGH_CONTENTION="5%")
    own, others = {process.pid}, set()
    with contextlib.ExitStack() as stack:
        out = err = ""
        while process.poll() is None:
            own |= descendants(process.pid)
            told = b"".join(path.read_bytes() for path in weigh.folder.glob("runs/*/journal.jsonl"))
            if beside and b'"event":"run"' in told and not others:
                others |= set(stack.enter_context(jobs(weigh.folder)))
            if b'"event":"summary"' in told:
                # What follows is the report, which they need not slow down.
                stack.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                out, err = process.communicate(timeout=0.1)
    assert "Traceback" not in err, err
    return Run(process.returncode, out, err, weigh.folder), others, own


@pytest.fixture(scope="module")
def burdened(fresh: Callable[[], Weigh]) -> tuple[Run, set[int], set[int]]:
    return loaded(fresh(), "--duration", "2s", "--warmup", "0s", beside=True)


def test_a_job_beside_a_load_is_named_and_the_run_refused(burdened: tuple[Run, set[int], set[int]]) -> None:
    run, others, _ = burdened
    (one,) = run.json["runs"]
    assert one["verdict"] == "refused"
    (reason,) = (reason for reason in one["reasons"] if reason["code"] == "E4.contended")
    assert one["rate_achieved"] is None
    assert run.json["tier"]["name"] == "inadmissible"
    found = one["machine"]
    assert found["refused"]
    assert found["foreign"] > 0.2
    (job,) = (each for each in found["other_processes"] if each["name"] == JOB)
    assert set(job["pids"]) <= others
    assert job["cpu_s"] > 0.3
    assert len(found["contended"]) > found["intervals"] / 4
    # A text names the three greediest; who else works on this machine may be greedier than the job.
    (finding,) = (each for each in run.json["findings"] if each["code"] == "E4.contended")
    assert finding["severity"] == "warning"
    for each in found["other_processes"][:3]:
        assert f"{each['name']} (" in reason["text"]
        assert f"{each['name']} (" in finding["text"]


def test_neither_weigh_nor_the_server_that_it_started_is_accused(burdened: tuple[Run, set[int], set[int]]) -> None:
    run, _, own = burdened
    assert len(own) > 1, "weigh and the server"
    assert not {pid for one in run.json["runs"][0]["machine"]["other_processes"] for pid in one["pids"]} & own


def test_the_reports_of_a_load_say_so(weigh: Weigh, burdened: tuple[Run, set[int], set[int]]) -> None:
    run, _, _ = burdened
    text = words((run.evidence / "report.txt").read_text())
    assert "REFUSED E4.contended" in text
    assert "other guests" in text
    assert "by others" in (run.evidence / "report.html").read_text()
    assert weigh("verify", str(run.evidence)).code == 0


def test_a_server_behind_a_proxy_cannot_be_told_from_others(honest_load: Run) -> None:
    """The proxy works for the server, and is no process of it."""
    assert honest_load.json["machine"]["apart"]
    assert "E4.apart" in honest_load.codes
    assert not honest_load.json["runs"][0]["machine"]["other_processes"]


def test_where_nobody_watched_a_load_nobody_is_accused(weigh: Weigh) -> None:
    run = weigh(*LOAD, "--duration", "1s", WEIGH_SAMPLER="no")
    assert "machine" not in run.json
    # What others did before the first request is looked at without the sampler.
    assert not {code for code in run.codes if code.startswith("E4")} - {"E4.before"}
    if run.json["tier"]["name"] == "suggestive":
        assert unwatched(run.json)


@pytest.mark.long
def test_a_load_alone_on_a_quiet_machine_is_not_refused_for_others(weigh: Weigh) -> None:
    assert not settle.settle(600).busy, "somebody else uses this machine: nothing can be shown"
    run, _, own = loaded(weigh, "--duration", "10s", beside=False)
    found = run.json["runs"][0]["machine"]
    assert not {pid for one in found["other_processes"] for pid in one["pids"]} & own
    assert "E4.contended" not in {reason["code"] for reason in run.json["runs"][0]["reasons"]}
