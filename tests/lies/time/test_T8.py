"""T8: rerun until green.

The liar runs the same experiment again and again in one folder until it pleases. Every attempt counts; removing one, or
ending one when it looks good, is observed.
"""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from support import ci_jobs, experiment_records, sessions
from support.evidence_folders import sealed_run
from weigh.evidence import attempts as store
from weigh.evidence import journal

from ..forging import forge, problems
from ..reading import SMALL, assert_silent, codes, contenders, verdicts, words

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import Any

    from support.command import Run, Weigh

    from ..forging import Events

THRICE = ("--starts", "2", "--rounds", "1", "--runs", "1", "--operations", "by_action")
EXPERIMENT = ("run", *contenders("base=liar?lie=none", "twin=liar?lie=none"), *SMALL, *THRICE)


@pytest.fixture(scope="module")
def rerun(fresh: Callable[[], Weigh]) -> list[Run]:
    """The same experiment three times in one folder."""
    weigh = fresh()
    return [weigh(*EXPERIMENT) for _ in range(3)]


def attempts(folder: Path) -> list[Path]:
    """The evidence of the attempts, oldest first."""
    return sorted((folder / "runs").iterdir(), key=lambda path: int(path.name.rsplit("-", 1)[1]))


@pytest.fixture
def copied(rerun: list[Run], weigh: Weigh) -> list[Path]:
    """A copy of their evidence, to be spoilt."""
    shutil.copytree(rerun[0].folder / "runs", weigh.folder / "runs")
    return attempts(weigh.folder)


def said(run: Run) -> dict[str, str]:
    """The findings of this lie."""
    return {one["code"]: one["text"] for one in run.json["findings"] if one["code"].startswith("T8")}


def test_one_attempt_is_not_doubted(rerun: list[Run], weigh: Weigh) -> None:
    assert_silent(rerun[0])
    assert not said(rerun[0])
    assert not [code for code in codes(rerun[0]) if code.startswith("T8")]
    assert problems(weigh, attempts(rerun[0].folder)[0]) == set()


@pytest.mark.promise("It adds to the evidence and replaces nothing: the verdicts of attempt 2 read both.")
def test_a_second_attempt_adds_its_starts(rerun: list[Run], weigh: Weigh) -> None:
    first, second = (verdicts(run, "by_action")["twin"] for run in rerun[:2])
    assert (first["starts"], second["starts"]) == (2, 4)
    assert not [code for code in codes(rerun[1]) if code.startswith("T8")], "more starts do not weaken it"
    assert problems(weigh, attempts(rerun[0].folder)[1]) == set()


def test_every_attempt_counts_and_the_report_says_how_many(rerun: list[Run], weigh: Weigh) -> None:
    last = attempts(rerun[0].folder)[2]
    assert verdicts(rerun[2], "by_action")["twin"]["starts"] == 6
    assert said(rerun[2])["T8.attempts"] == "the verdicts read all 3 attempts of this experiment, 6 starts in all"
    text = words((last / "report.txt").read_text())
    assert "3 attempts" in text
    assert "T8.attempts the verdicts read all 3 attempts" in text
    assert problems(weigh, last) == set()


@pytest.mark.promise(
    "the seal of each attempt names the seals of the earlier ones, and a missing one is "
    "[named](lies.md#t8-what-counts)."
)
@pytest.mark.parametrize("number", [0, 1])
def test_an_attempt_that_was_removed_is_named(copied: list[Path], weigh: Weigh, number: int) -> None:
    shutil.rmtree(copied[number])
    assert ("T8.missing", f"../{copied[number].name}") in problems(weigh, copied[2])


def test_removed_before_the_next_one_it_is_named_in_the_report(copied: list[Path], weigh: Weigh) -> None:
    shutil.rmtree(copied[0])
    again = weigh(*EXPERIMENT)
    fourth = attempts(weigh.folder)[-1]
    assert "T8.missing" in codes(again), "the tier says so"
    assert said(again)["T8.missing"].startswith(f"{copied[0].name} of this experiment was removed")
    assert problems(weigh, fourth) == {("T8.missing", f"../{copied[0].name}")}


def test_an_attempt_that_recorded_nothing_is_not_missed(copied: list[Path], weigh: Weigh) -> None:
    """Killed before its first write it has a directory and its number, and says nothing."""
    root, experiment = copied[0].parent, copied[0].name.rsplit("-", 2)[1]
    (root / f"20990101-{experiment}-4").mkdir()
    assert store.missing(root / f"20990101-{experiment}-5") == []
    assert problems(weigh, copied[2]) == set()


@pytest.mark.promise(
    "the attempt ended as was decided beforehand: after the planned starts, or by the widths of the "
    "intervals, which are computed again at every look"
)
def test_one_that_ended_when_it_looked_good_is_named(copied: list[Path], weigh: Weigh) -> None:
    def cut(events: Events) -> Events:
        """Without its last block."""
        last = max(at for at, event in enumerate(events) if event.event == "block")
        gone = {at for at, event in enumerate(events) if at >= last and event.event in ("block", "turn")}
        return [event for at, event in enumerate(events) if at not in gone]

    forge(copied[0], cut)
    assert problems(weigh, copied[0]) == {("T8.stop", "journal.jsonl")}


@pytest.fixture(scope="module")
def until_precise(fresh: Callable[[], Weigh]) -> Run:
    """Measured until it is precise: it is looked at the intervals between the starts, from the fifth on."""
    asked = ("--precision", "50%", "--margin", "50%", "--rounds", "1", "--runs", "1", "--operations", "by_action")
    return fresh()("run", *contenders("base=liar?lie=none", "twin=liar?lie=none"), *SMALL, *asked, "--starts", "10")


@pytest.fixture
def looked(until_precise: Run, tmp_path: Path) -> Path:
    """A copy of its evidence under the same name."""
    name = until_precise.evidence.name
    return shutil.copytree(until_precise.evidence, tmp_path / "evidence" / name)


def looks(events: Events) -> list[dict[str, Any]]:
    """The looks in them, to be changed in place."""
    return [event.body for event in events if event.event == "look"]


def test_an_end_that_the_looks_decide_is_not_doubted(looked: Path, weigh: Weigh) -> None:
    seen = looks(journal.read(looked))
    assert [one["stop"] != "" for one in seen] == [False] * (len(seen) - 1) + [True]
    assert problems(weigh, looked) == set()


def early(events: Events) -> Events:
    """Without the last start and the look after it."""
    last = max(event.body["block"] for event in events if event.event == "block")

    def of_last(event: journal.Event) -> bool:
        body = event.body["samples"][0] if event.event == "turn" else event.body
        return event.event in ("block", "turn", "look") and body["block"] == last

    return [event for event in events if not of_last(event)]


def early_and_vouched(events: Events) -> Events:
    """The same, and the look before says that the precision is reached."""
    left = early(events)
    looks(left)[-1]["stop"] = "reached"
    return left


def unlooked(events: Events) -> Events:
    """Without the look that ended it."""
    last = [event for event in events if event.event == "look"][-1]
    return [event for event in events if event is not last]


def decided(events: Events) -> Events:
    """A comparison is said to be decided that is not."""
    looks(events)[-1]["decided"] = ["by_action"]
    return events


def narrower(events: Events) -> Events:
    """The intervals are said to be narrower than they are."""
    for width in looks(events)[-1]["widths"]:
        width["half"] /= 2
    return events


def more_rounds(events: Events) -> Events:
    """Another number of rounds is said to be due."""
    looks(events)[-1]["rounds"] = {"by_action": 9}
    return events


@pytest.mark.promise(
    "the attempt ended as was decided beforehand: after the planned starts, or by the widths of the "
    "intervals, which are computed again at every look"
)
@pytest.mark.parametrize("change", [early, early_and_vouched, unlooked, decided, narrower, more_rounds])
def test_a_look_that_does_not_follow_from_the_samples_is_found(
    looked: Path, weigh: Weigh, change: Callable[[Events], Events]
) -> None:
    forge(looked, change)
    assert ("T8.stop", journal.NAME) in problems(weigh, looked)


@pytest.mark.long
@pytest.mark.promise(
    "A red attempt stays: a later one that does not say SLOWER, and has not read the red one's starts, fails with "
    "`T8.disagree`."
)
def test_a_job_that_lost_its_runs_and_got_lucky_is_red_all_the_same(tmp_path: Path) -> None:
    """The engine of the pull request is slow in its first lives; the rerun has no cache, and meets faster ones.

    The honest twin keeps the runs: its rerun adds to what is known, and nothing is contradicted.
    """
    diary = tmp_path / "diary"
    clone = ci_jobs.Clone(tmp_path, ms=800, starts=5, law=f', drift = -0.001, diary = "{diary}"')
    histories = {name: str(tmp_path / name) for name in ("shared", "own")}

    def job(name: str) -> tuple[int, str]:
        done = ci_jobs.shell(ci_jobs.counting(), clone.folder, WEIGH_HISTORY=histories[name])
        return done.returncode, done.stdout + done.stderr

    assert job("shared")[0] == 1
    kept = shutil.copytree(clone.folder / "runs", tmp_path / "kept")
    shutil.copytree(histories["shared"], histories["own"])
    diary.write_bytes(b"." * 2000)
    shutil.rmtree(clone.folder / "runs")
    code, said = job("shared")
    assert code == 1
    assert "T8.disagree" in said
    assert "pr is FASTER" in said
    shutil.rmtree(clone.folder / "runs")
    kept.rename(clone.folder / "runs")
    code, said = job("own")
    assert code == 3, said
    assert "T8.attempts" in said
    assert "T8.disagree" not in said


@pytest.mark.promise(
    "SLOWER on one kind of machine and not on another one is no disagreement, because series are split there as well: "
    "it is reported with what differs (`T8.machines`, a note)."
)
def test_a_rerun_on_the_same_kind_of_machine_stays_red_and_a_matrix_of_two_does_not(
    weigh: Weigh, tmp_path: Path
) -> None:
    """The liar runs until it is green; the honest twin measures on two kinds of machine, of which one is slower."""
    record = experiment_records.record(
        operations=("q1",), contenders=experiment_records.names(2), starts=5, runs=1, noise=0.005
    )
    where = sessions.changed(record.environment, host={**record.host, "cpu": "Another Processor"})
    other = sessions.changed(record, environment=where)
    red = sealed_run(tmp_path / "red", experiment_records.slowed(record, record.spec.contenders[1].name))
    green, elsewhere = sealed_run(tmp_path / "green", record), sealed_run(tmp_path / "elsewhere", other)
    assert [weigh("history", "add", str(one)).code for one in (red, elsewhere)] == [0, 0]
    shown = weigh("history", "show", "--json").json
    (told,) = (one for one in shown["findings"] if one["code"].startswith("T8"))
    assert (told["code"], told["severity"]) == ("T8.machines", "note")
    assert "2 kinds of machine (processor: A" in told["text"]
    assert told["text"].endswith("SLOWER on 1 of 2")
    assert shown["attempts"] == [], "each machine has one"
    lied = weigh("history", "add", str(green))
    assert lied.code == 1
    assert "T8.disagree (warning)" in lied.out
    (made,) = weigh("history", "show", "--json").json["attempts"]
    assert (made["attempts"], made["machine"]["processor"]) == (2, "A Processor")
