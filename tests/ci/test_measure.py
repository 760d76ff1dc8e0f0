"""``weigh ci measure``: its exit code is weigh's, and what it leaves says why."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from junitparser import JUnitXml

from weigh.ci.outcome import Outcome, message, write

if TYPE_CHECKING:
    from support.command import Run, Weigh

FIXTURES = Path(__file__).parents[1] / "fixtures" / "judge" / "hyperfine"
ALTERNATING = sorted(map(str, (FIXTURES / "alternating").iterdir()))


def left(run: Run) -> dict[str, object]:
    """The outcome, once all that is left agrees with it."""
    folder = run.folder / "weigh-ci"
    outcome: dict[str, object] = json.loads((folder / "outcome.json").read_text())
    badge = json.loads((folder / "badge.json").read_text())
    assert outcome["code"] == run.code
    assert badge["message"] == outcome["message"]
    assert str(outcome["message"]) in (folder / "badge.svg").read_text()
    assert f'fill="{badge["color"]}"' in (folder / "badge.svg").read_text()
    return outcome


@pytest.mark.parametrize(
    ("words", "code", "state", "message"),
    [
        (["--baseline", "old", *ALTERNATING], 1, "failure", "1 slower"),
        (["--baseline", "new", *ALTERNATING], 0, "success", "1 faster"),
        (ALTERNATING, 0, "success", "1 slower, no baseline declared"),
        ([f"{FIXTURES}/fixed-order.json", "--strict"], 3, "failure", "no verdict"),
        (["not-there.json"], 2, "error", "no result"),
    ],
    ids=["slower", "faster", "undeclared", "refused", "failed"],
)
def test_numbers_of_another_tool(weigh: Weigh, words: list[str], code: int, state: str, message: str) -> None:
    run = weigh("ci", "measure", "judge", *words)
    assert run.code == code, run.err
    assert left(run) == {**left(run), "state": state, "message": message, "evidence": None}
    comment = (weigh.folder / "weigh-ci" / "comment.md").read_text()
    first = "not-there.json: there is no such file" if code == 2 else message
    assert comment.startswith(f"**weigh judge: {first}")
    # What it prints is printed as without it.
    plain = weigh("judge", *words)
    assert (run.out, run.err.splitlines()[:2]) == (plain.out, plain.err.splitlines()[:2])


@pytest.mark.long
def test_a_wrong_answer(weigh: Weigh) -> None:
    gate = ("gate", "--scale", "1K", "--operations", "by_action", "--contender", "duckdb", "--contender")
    run = weigh("ci", "measure", "--out", "told", *gate, "liar?lie=group", "--quiet", WEIGH_SHRINK="no")
    assert run.code == 1, run.err
    folder = weigh.folder / "told"
    outcome = json.loads((folder / "outcome.json").read_text())
    assert (outcome["state"], outcome["message"]) == ("failure", "wrong answers")
    assert Path(outcome["evidence"]).parent.name == "runs"
    comment = (folder / "comment.md").read_text()
    assert "WRONG" in comment.splitlines()[0]
    assert "liar" in comment.splitlines()[0]
    assert sum(suite.failures for suite in JUnitXml.fromfile(str(folder / "junit.xml"))) == 1
    # What fails later does not show the earlier evidence.
    run = weigh("ci", "measure", "--out", "told", "run", "--contender", "nothing")
    assert run.code == 2
    outcome = json.loads((folder / "outcome.json").read_text())
    assert (outcome["state"], outcome["evidence"]) == ("error", None)
    assert "nothing" in (folder / "comment.md").read_text()
    assert not (folder / "junit.xml").exists()


@pytest.mark.long
def test_answers_that_differ_with_nobody_to_tell_who_is_right_are_not_called_wrong(weigh: Weigh) -> None:
    gate = ("gate", "--no-truth", "--scale", "1K", "--operations", "by_action", "--contender", "duckdb")
    run = weigh("ci", "measure", *gate, "--contender", "liar?lie=group", "--quiet", WEIGH_SHRINK="no")
    assert run.code == 1, run.err
    assert left(run)["message"] == "answers differ"
    comment = (weigh.folder / "weigh-ci" / "comment.md").read_text()
    assert "Who is right is open" in comment
    assert "WRONG" not in comment
    # Nor in the outcome, nor in the list.
    assert str(left(run)["headline"]).startswith("DIFFERENT answers, who is right is open: duckdb and liar")
    assert "WRONG" not in weigh("runs").out
    # Nor on the page.
    page = weigh("report", "latest", "--html", "-").out
    assert re.search(r"of \d+ differing", page) and not re.search(r"of \d+ wrong", page)
    assert "Look at the answers that differ below" in page
    assert '<span class="flag">differs</span>' in page and '<span class="flag">contradicted</span>' not in page


def test_what_cannot_be_kept_is_not_measured(weigh: Weigh) -> None:
    (weigh.folder / "told").write_text("a file")
    run = weigh("ci", "measure", "--out", "told", "run", "--command", "a=true", "--command", "b=true", "--quiet")
    assert run.code == 2
    assert "error: told: " in run.err
    assert not (weigh.folder / "runs").exists()


def test_what_came_to_no_result_names_who_and_what_to_do(weigh: Weigh) -> None:
    run = weigh("ci", "measure", "run", "--command", "main=true", "--command", "pr=./nowhere", "--quiet")
    assert run.code == 2, run.err
    outcome = left(run)
    assert outcome["evidence"]
    assert str(outcome["headline"]).startswith("contender pr: it cannot be started")
    comment = (weigh.folder / "weigh-ci" / "comment.md").read_text()
    assert comment.startswith("**Not complete: contender pr: it cannot be started")
    assert "name a program of this folder or of PATH" in comment


def test_a_badge_counts_what_decides() -> None:
    def found(*verdicts: tuple[str, str], code: int) -> str:
        return message({"verdicts": [{"metric": metric, "verdict": name} for metric, name in verdicts]}, code)

    beside = (("cpu_s", "slower"), ("peak_memory", "slower"), ("server_memory", "slower"))
    assert found(("wall_s", "refused"), *beside, code=3) == "no verdict"
    assert found(("wall_s", "same"), *beside, code=0) == "no regression"
    # Nobody looked closely enough to promise that.
    undecided = (("wall_s", "unresolved"), ("wall_s", "refused"))
    assert found(("wall_s", "same"), *undecided, *beside, code=0) == "2 of 3 open"
    assert found(("wall_s", "faster"), *undecided, *beside, code=0) == "1 faster"
    assert found(("wall_s", "slower"), *beside, code=1) == "1 slower"
    assert found(("p99", "slower"), ("p50", "slower"), *beside, code=1) == "2 slower"


@pytest.mark.parametrize(
    ("code", "state", "message", "colour"),
    [
        (0, "success", "no regression", "#2a7f3f"),
        (0, "success", "2 faster", "#2a7f3f"),
        (0, "success", "4 of 9 open", "#8a6d00"),
        (0, "success", "1 slower, no baseline declared", "#8a6d00"),
        (1, "failure", "1 slower", "#b3261e"),
    ],
)
def test_a_badge_is_green_only_where_all_is_decided(
    tmp_path: Path, code: int, state: str, message: str, colour: str
) -> None:
    write(tmp_path, Outcome(code=code, state=state, headline="", message=message), "")
    assert json.loads((tmp_path / "badge.json").read_text())["color"] == colour
