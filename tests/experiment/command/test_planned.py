"""What the machine and the budget allow is planned before anything is measured, and said where it is less."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from golden import in_process
from weigh.experiment import attempt
from weigh.model.spec import MOST_STARTS

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Weigh

pytestmark = pytest.mark.long

TWO = ("--contender", "a=fork@2.0.0", "--contender", "b=fork@2.0.0", "--scale", "1K", "--operations", "by_action")


@pytest.mark.promise("What was asked for and lowered is a finding (`T10.budget`).")
def test_what_the_budget_lowers_is_said(weigh: Weigh) -> None:
    """One execution of 100 ms by three arms does not fit forty times; five starts do, on a busy machine too."""
    pace = [word for name in "ab" for word in ("--contender", f"{name}=liar?lie=pace&ms=100")]
    asked = ("--workload", "two", "--operations", "unordered", "--scale", "20K", "--rounds", "1", "--quiet", "--json")
    run = weigh("run", *pace, *asked, "--starts", "40", "--runs", "40", "--budget", "25s")
    assert run.code in (0, 1, 3), run.err
    (found,) = (one for one in run.json["findings"] if one["code"] == "T10.budget")
    assert found["severity"] == "note"
    assert found["text"].startswith("the budget allows ")
    assert found["text"].endswith(", not 40 starts")
    assert "raise --budget" in found["remedy"]
    # The baseline has two arms, and the starts of both.
    assert max(one["starts"] for one in run.json["timings"] if one["contender"] != "a") < 40
    assert weigh("verify", str(run.evidence)).code == 0


@pytest.mark.promise("where fewer were planned, starts are made as long as there is time.")
def test_a_plan_of_fewer_than_ten_starts_goes_on_while_there_is_time(weigh: Weigh) -> None:
    """Ten starts of three executions and three untimed ones of 150 ms do not fit into 12 s, nine or fewer do."""
    pace = [word for name in "ab" for word in ("--contender", f"{name}=liar?lie=pace&ms=150")]
    run = weigh("run", *pace, "--workload", "two", "--operations", "unordered", "--scale", "20K", "--budget", "12s")
    assert run.code in (0, 1, 3), run.err
    events = [json.loads(line) for line in (run.evidence / "journal.jsonl").read_text().splitlines()]
    # Which of the two depends on the machine; never because the starts that were planned are made.
    assert [one["body"]["stop"] for one in events if one["event"] == "look"][-1] in ("budget", "reached")
    (planned,) = (one["body"] for one in events if one["event"] == "plan")
    assert planned["starts"] == MOST_STARTS
    assert weigh("verify", str(run.evidence)).code == 0


@pytest.mark.promise(
    "A duet needs two CPUs, hot data, servers that weigh starts itself, and memory for two contenders at once. Where "
    "one of these is missing, it is refused."
)
@pytest.mark.parametrize(
    ("memory", "flags", "said"),
    [
        (1 << 20, (), "the arms do not fit into memory together, and a duet needs two of them at once"),
        (1 << 40, ("--affinity", "0"), "a duet needs two CPUs, one for each side, and there is one"),
    ],
)
def test_a_duet_without_its_memory_or_cpus_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, memory: int, flags: tuple[str, ...], said: str
) -> None:
    monkeypatch.setattr(attempt.facts, "memory_bytes", lambda: memory)
    run = in_process.weigh(("run", *TWO, "--duet", "--starts", "1", "--quiet", *flags), tmp_path)
    assert run.code == 2
    assert said in run.err
    assert "leave out --duet" in run.err
    (evidence,) = (tmp_path / "runs").iterdir()
    assert '{"event":"turn"' not in (evidence / "journal.jsonl").read_text()
