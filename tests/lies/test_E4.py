"""E4: a co-running job. The tests beside this one use the machine too, so a job is told by its name."""

from __future__ import annotations

import contextlib
import json
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from commands import Run

from .reading import SMALL, codes, contenders, verdicts, words

if TYPE_CHECKING:
    from collections.abc import Callable

    from commands import Weigh

OPERATION = "unordered"
JOB = "neighbour"


@pytest.fixture(scope="module")
def beside(fresh: Callable[[], Weigh]) -> tuple[Run, set[int]]:
    """Two equal engines, and a third during whose executions a job runs; and the processes that belong to weigh."""
    weigh = fresh()
    named = contenders("base=liar?lie=pace&ms=90", "alone=liar?lie=pace&ms=90", "beside=liar?lie=neighbour&ms=90")
    flags = ("--workload", "two", "--operations", OPERATION, *SMALL, "--starts", "5", "--runs", "2")
    process = weigh.start("run", *named, *flags, WEIGH_CONTENTION="5%")
    own = {process.pid}
    out = err = ""
    while process.poll() is None:
        own |= descendants(process.pid)
        with contextlib.suppress(subprocess.TimeoutExpired):
            out, err = process.communicate(timeout=0.2)
    assert "Traceback" not in err, err
    return Run(process.returncode, out, err, weigh.folder), own


def descendants(root: int) -> set[int]:
    """Processes that descend from one, but for the job while the shell that begins it still lives."""
    parents = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            name, rest = (folder / "stat").read_text().rsplit(")", 1)
            if JOB not in name:
                parents[int(folder.name)] = int(rest.split()[1])
    found = {root}
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return found


def pair(run: Run, contender: str) -> dict[str, Any]:
    (found,) = (one for one in run.json["machine"]["pairs"] if one["contender"] == contender)
    return dict(found)


def worked(run: Run, contender: str) -> float:
    """CPU seconds of the job during the turns of a contender."""
    return float(sum(one["cpu_s"] for one in pair(run, contender)["culprits"] if one["name"] == JOB))


def accusing(run: Run, contender: str) -> list[dict[str, Any]]:
    return [one for one in run.json["findings"] if one["code"] == "E4.contended" and one["contender"] == contender]


def test_a_job_beside_one_contender_is_named_and_its_verdict_refused(beside: tuple[Run, set[int]]) -> None:
    run, _ = beside
    verdict = verdicts(run, OPERATION)["beside"]
    assert verdict["verdict"] == "refused", verdict
    assert verdict["reasons"][0]["code"] == "E4.contended"
    assert verdict["ratio"] is not None, "what was measured stays"
    assert verdict["low_fcr"] is None
    (finding,) = accusing(run, "beside")
    assert (finding["severity"], finding["operation"]) == ("warning", OPERATION)
    assert "block " in finding["text"], "which turns"
    assert "E4.contended" in codes(run)
    found = pair(run, "beside")
    assert found["refused"]
    assert found["turns"] == 5
    # One seen in the moment in which it still was a contender's child would be taken for that contender's own.
    assert len(found["contended"]) >= 4
    (job,) = (one for one in found["culprits"] if one["name"] == JOB)
    # A text names the three greediest; who else works on this machine may be greedier than the job.
    for one in found["culprits"][:3]:
        assert f"{one['name']} (" in verdict["reasons"][0]["text"]
        assert f"{one['name']} (" in finding["text"]
    assert job["cpu_s"] > 0.05
    assert job["processes"] >= 4, "one a life"


def test_the_reports_say_so(beside: tuple[Run, set[int]]) -> None:
    run, _ = beside
    text = words((run.evidence / "report.txt").read_text())
    assert "REFUSED (E4.contended)" in text
    assert "others used" in text
    page = (run.evidence / "report.html").read_text()
    assert "The machine meanwhile" in page
    assert f"{pair(run, 'beside')['culprits'][0]['name']} (" in page
    assert run.json["machine"]["watched"]


def test_without_it_there_is_silence(beside: tuple[Run, set[int]]) -> None:
    """Whoever else used the machine may be named, with what it used; nobody is accused of this job."""
    run, _ = beside
    for contender in ("base", "alone"):
        # What is cut off at the end of a turn may be a reading or two of the job's.
        assert worked(run, contender) < worked(run, "beside") / 4
        if pair(run, contender)["foreign"] <= 0.05 and not pair(run, contender)["contended"]:
            assert not accusing(run, contender)
        for _finding in accusing(run, contender):
            assert pair(run, contender)["contended"]
            assert {one["name"] for one in pair(run, contender)["culprits"]} - {JOB}, "somebody else did it"


def test_neither_weigh_nor_an_idle_contender_is_accused(beside: tuple[Run, set[int]]) -> None:
    run, own = beside
    assert len(own) > 5, "weigh, and four arms five times"
    blamed_pids = {pid for each in run.json["machine"]["pairs"] for one in each["culprits"] for pid in one["pids"]}
    assert not blamed_pids & own


def test_all_of_it_follows_from_the_journal(weigh: Weigh, beside: tuple[Run, set[int]]) -> None:
    run, _ = beside
    assert weigh("verify", str(run.evidence)).code == 0


def test_where_contention_was_allowed_that_is_said(whole: Run) -> None:
    """Every other test allows it: two run at a time."""
    assert "E4.allowed" in whole.codes
    assert "E4.contended" not in whole.codes
    assert whole.json["machine"]["bound"] is None
    assert "contention of any size was allowed" in words((whole.evidence / "report.txt").read_text())


def test_evidence_of_before_reads_as_it_did(weigh: Weigh, beside: tuple[Run, set[int]], tmp_path: Path) -> None:
    run, _ = beside
    evidence = shutil.copytree(run.evidence, tmp_path / run.evidence.name)
    journal = evidence / "journal.jsonl"
    lines = journal.read_text().splitlines(keepends=True)
    watches = [line for line in lines if json.loads(line)["event"] == "watch"]
    journal.write_text("".join(line for line in lines if line not in watches))
    document = weigh("report", str(evidence), "--json").json
    assert "machine" not in document
    assert ("E4.unwatched", "the machine was not watched during the blocks") in unwatched(document)
    assert not {one["code"] for one in document["findings"]} & {"E4.contended", "E4.allowed", "E4.steal"}
    # And one with a hole: what is missing is said.
    journal.write_text("".join(line for line in lines if line != watches[len(watches) // 2]))
    (reason,) = unwatched(weigh("report", str(evidence), "--json").json)
    assert "the machine was not watched during 2 of 40 timed executions of attempt 1" in reason[1]


def unwatched(document: dict[str, Any]) -> list[tuple[str, str]]:
    return [(one["code"], one["text"]) for one in document["tier"]["reasons"] if one["code"] == "E4.unwatched"]
