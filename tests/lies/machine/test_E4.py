"""E4: a co-running job. The tests alongside this one use the machine too, so a job is told by its name."""

from __future__ import annotations

import contextlib
import json
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from support.command import Run

from ..forging import forge, samples
from ..neighbour import JOB, WORK, descendants, unwatched
from ..reading import SMALL, codes, contenders, verdicts, words

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.command import Weigh

    from ..forging import Events

OPERATION = "unordered"


@pytest.fixture(scope="module")
def beside(fresh: Callable[[], Weigh]) -> tuple[Run, set[int]]:
    """Two equal engines, and a third during whose executions a job runs; and the processes that belong to weigh."""
    weigh = fresh()
    diary = weigh.folder / "diary"
    beside = f"beside=liar?lie=neighbour&ms=90&diary={diary}"
    named = contenders("base=liar?lie=pace&ms=90", "alone=liar?lie=pace&ms=90", beside)
    flags = ("--workload", "two", "--operations", OPERATION, *SMALL, "--starts", "5", "--runs", "2")
    # The kernel calls a process by the name of its file.
    (weigh.folder / JOB).symlink_to(Path(sys.executable).resolve())
    with subprocess.Popen([weigh.folder / JOB, "-S", "-c", WORK, f"{diary}.busy"]) as job:
        process = weigh.start("run", *named, *flags, WEIGH_CONTENTION="5%")
        own = {process.pid}
        out = err = ""
        while process.poll() is None:
            own |= descendants(process.pid)
            with contextlib.suppress(subprocess.TimeoutExpired):
                out, err = process.communicate(timeout=0.2)
        job.kill()
    assert "Traceback" not in err, err
    return Run(process.returncode, out, err, weigh.folder), own


def pair(run: Run, contender: str) -> dict[str, Any]:
    (found,) = (one for one in run.json["machine"]["pairs"] if one["contender"] == contender)
    return dict(found)


def worked(run: Run, contender: str) -> float:
    """CPU seconds of the job during the turns of a contender."""
    return float(sum(one["cpu_s"] for one in pair(run, contender)["other_processes"] if one["name"] == JOB))


def accusing(run: Run, contender: str) -> list[dict[str, Any]]:
    return [one for one in run.json["findings"] if one["code"] == "E4.contended" and one["contender"] == contender]


def test_a_job_beside_one_contender_is_named(beside: tuple[Run, set[int]]) -> None:
    run, _ = beside
    assert "E4.contended" in codes(run)
    found = pair(run, "beside")
    assert found["turns"] >= 5
    # One seen in the moment in which it still was a contender's child would be taken for that contender's own.
    assert len(found["contended"]) >= 0.8 * found["turns"]
    (job,) = (one for one in found["other_processes"] if one["name"] == JOB)
    assert job["cpu_s"] > 0.05
    assert job["processes"] == 1
    assert run.json["machine"]["watched"]
    if max(pair(run, contender)["foreign"] for contender in ("base", "alone")) < 0.05:
        # Where more than the job uses this machine, it may not be determined from chance by so few turns.
        assert verdicts(run, OPERATION)["beside"]["verdict"] == "refused"


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
            assert {one["name"] for one in pair(run, contender)["other_processes"]} - {JOB}, "somebody else did it"


def test_neither_weigh_nor_an_idle_contender_is_accused(beside: tuple[Run, set[int]]) -> None:
    run, own = beside
    assert len(own) > 5, "weigh, and four arms five times"
    blamed_pids = {
        pid for each in run.json["machine"]["pairs"] for one in each["other_processes"] for pid in one["pids"]
    }
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


def disturbed(used: Callable[[str], float]) -> Callable[[Events], Events]:
    """A machine on which others used a share of a CPU during each turn, which is asked for by contender."""

    def watched(events: Events) -> Events:
        share = 0.0
        for event in reversed(events):
            if event.event == "turn":
                share = used(event.body["samples"][0]["contender"])
            if event.event == "watch":
                # 10 us in units of 0.1 ms; what is cut off behind the last turn is nobody's.
                spans = event.body.get("span", ())
                event.body.update(foreign=[round(10 * span * share) for span in spans], steal=0)
        return events

    return watched


def watching(share: float) -> Callable[[Events], Events]:
    """A machine on which others used that share of a CPU during the turns of one contender, and nothing else."""
    return disturbed(lambda contender: share if contender == "beside" else 0.0)


def bursts(seed: int) -> Callable[[Events], Events]:
    """A machine on which others burn a whole CPU in some turns, by chance, whoever has them."""
    draw = random.Random(seed)
    return disturbed(lambda _: float(draw.random() < 0.4))


def reported(weigh: Weigh, run: Run, place: Path, change: Callable[[Events], Events]) -> Run:
    """What weigh says of this run on a machine that was used in another way."""
    evidence = shutil.copytree(run.evidence, place / run.evidence.name)
    forge(evidence, change)
    return weigh("report", str(evidence), "--json")


def refused(document: dict[str, Any]) -> set[str]:
    """Contenders that have a verdict which is refused because of others."""
    reasons = [(one["contender"], reason) for one in document["verdicts"] for reason in one["reasons"]]
    return {contender for contender, reason in reasons if reason["code"] in ("E4.contended", "E4.steal")}


def test_what_burns_beside_one_side_alone_is_refused(
    weigh: Weigh, beside: tuple[Run, set[int]], tmp_path: Path
) -> None:
    run = reported(weigh, beside[0], tmp_path, watching(0.5))
    verdict = verdicts(run, OPERATION)["beside"]
    assert verdict["verdict"] == "refused", verdict
    assert verdict["reasons"][0]["code"] == "E4.contended"
    assert verdict["ratio"] is not None, "what was measured stays"
    assert verdict["low_fcr"] is None
    assert refused(run.json) == {"beside"}
    (finding,) = accusing(run, "beside")
    assert (finding["severity"], finding["operation"]) == ("warning", OPERATION)
    assert "block " in finding["text"], "which turns"
    assert "of those of base" in finding["text"], "and what the other side had"
    (found,) = (one for one in run.json["machine"]["pairs"] if one["refused"])
    assert found["contender"] == "beside"
    # A text names the three greediest; who else works on this machine may be greedier than the job.
    for one in found["other_processes"][:3]:
        assert f"{one['name']} (" in verdict["reasons"][0]["text"]
        assert f"{one['name']} (" in finding["text"]
    folder = tmp_path / beside[0].evidence.name
    assert "REFUSED (E4.contended)" in words((folder / "report.txt").read_text())
    page = (folder / "report.html").read_text()
    assert "The machine meanwhile" in page
    assert f"{found['other_processes'][0]['name']} (" in page


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in (1, 2))])
def test_what_burns_in_bursts_beside_everybody_refuses_nobody_and_is_said(
    weigh: Weigh, beside: tuple[Run, set[int]], tmp_path: Path, seed: int
) -> None:
    """The order of the turns is random, so that bursts fall on all sides, and what they do is in the intervals."""
    found = reported(weigh, beside[0], tmp_path, bursts(seed)).json
    assert not refused(found)
    assert not any(one["refused"] for one in found["machine"]["pairs"])
    assert max(one["foreign"] for one in found["machine"]["pairs"]) > 0.2
    warnings = [one for one in found["findings"] if (one["code"], one["severity"]) == ("E4.contended", "warning")]
    (finding,) = warnings
    assert finding["contender"] is None
    assert "on both sides alike, so the ratios are those of a busy machine" in finding["text"]
    assert re.search(r"busy machine: \w.* \(.*\) .* of CPU", finding["text"]), "who"
    assert "E4.contended" in {one["code"] for one in found["tier"]["reasons"]}
    assert found["tier"]["name"] == "suggestive"


def another(events: Events) -> Events:
    """The same executions in another session."""
    for one in samples(events):
        one["wall_s"] *= 1.0001
    return events


def joined(weigh: Weigh, run: Run, place: Path, share: float) -> dict[str, Any]:
    """Two sessions of these contenders compared, the second one disturbed during the turns of one of them."""
    folders = [shutil.copytree(run.evidence, place / name / run.evidence.name) for name in ("first", "second")]
    forge(folders[0], watching(0.0))
    forge(folders[1], lambda events: another(watching(share)(events)))
    found = weigh("compare", *map(str, folders), "--json")
    assert found.code in (0, 1, 3), found.err
    return found.json


def test_a_comparison_of_sessions_refuses_what_a_session_refuses(
    weigh: Weigh, beside: tuple[Run, set[int]], tmp_path: Path
) -> None:
    run, _ = beside
    wall = {one["contender"]: one for one in joined(weigh, run, tmp_path, 0.5)["verdicts"] if one["metric"] == "wall_s"}
    assert wall["beside"]["verdict"] == "refused"
    reason = wall["beside"]["reasons"][0]
    assert reason["code"] == "E4.contended"
    assert reason["text"].startswith("in the second session, others used ")
    assert wall["beside"]["ratio"] is not None, "what was measured stays"
    assert wall["beside"]["low_fcr"] is None
    assert "E4.contended" not in {one["code"] for one in wall["alone"]["reasons"]}


@pytest.mark.long
def test_a_comparison_of_calm_sessions_is_silent(weigh: Weigh, beside: tuple[Run, set[int]], tmp_path: Path) -> None:
    run, _ = beside
    found = joined(weigh, run, tmp_path, 0.01)
    said = {reason["code"] for one in found["verdicts"] for reason in one["reasons"]}
    assert not {code for code in said if code.startswith("E4")}
    assert not {one["code"] for one in found["tier"]["reasons"]} & {"E4.contended", "E4.steal"}


def keep(journal: Path, events: list[dict[str, Any]], watched: set[int]) -> None:
    """Write a journal in which the sampler saw these turns alone."""
    lines = []
    for number, event in enumerate(events):
        body = {name: value for name, value in event["body"].items() if name != "watch" or number in watched}
        if event["event"] != "watch":
            lines.append(json.dumps({**event, "body": body}) + "\n")
    journal.write_text("".join(lines))


def test_evidence_of_before_reads_as_it_did(weigh: Weigh, beside: tuple[Run, set[int]], tmp_path: Path) -> None:
    run, _ = beside
    evidence = shutil.copytree(run.evidence, tmp_path / run.evidence.name)
    journal = evidence / "journal.jsonl"
    events = [json.loads(line) for line in journal.read_text().splitlines()]
    watched = [number for number, event in enumerate(events) if "watch" in event["body"]]
    keep(journal, events, set())
    document = weigh("report", str(evidence), "--json").json
    assert "machine" not in document
    assert ("E4.unwatched", "the machine was not watched during the blocks") in unwatched(document)
    assert not {one["code"] for one in document["findings"]} & {"E4.contended", "E4.allowed", "E4.steal"}
    # And one with a hole: what is missing is reported.
    keep(journal, events, {*watched} - {watched[len(watched) // 2]})
    (reason,) = unwatched(weigh("report", str(evidence), "--json").json)
    timed = sum(run > 0 for event in events if event["event"] == "turn" for run in event["body"]["run"])
    assert f"the machine was not watched during 2 of {timed} timed executions of attempt 1" in reason[1]
