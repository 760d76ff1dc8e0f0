"""T10: one lucky process start."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support import tiny_builds

from ..reading import codes, words

if TYPE_CHECKING:
    from support.command import Run, Weigh


def reasons(run: Run) -> set[str]:
    """Codes of all reasons of the verdicts on wall time that have not failed."""
    return {
        reason["code"]
        for verdict in run.json["verdicts"]
        if verdict["metric"] == "wall_s" and verdict["verdict"] not in ("diverged", "error")
        for reason in verdict["reasons"]
    }


@pytest.mark.promise("fewer than 5 starts (`T10.starts`)")
def test_one_start_never_gives_a_verdict(one: Run) -> None:
    assert {verdict["verdict"] for verdict in one.json["verdicts"]} == {"refused"}
    assert all(verdict["ratio"] is None for verdict in one.json["verdicts"])
    assert "T10.starts" in reasons(one)
    assert "T10.starts" in codes(one)
    assert "had 1 fresh start: no verdict, 5 are needed" in words((one.evidence / "report.txt").read_text())


def test_five_starts_are_suggestive(five: Run) -> None:
    assert "T10" in reasons(five)
    assert five.json["tier"]["name"] == "suggestive"
    assert "T10" in codes(five)
    assert "had 5 fresh starts: 10 are needed" in words((five.evidence / "report.txt").read_text())


def test_ten_starts_are_not_doubted(whole: Run) -> None:
    assert not {code for code in (*reasons(whole), *codes(whole)) if code.startswith("T10")}


def test_how_far_the_claim_reaches_is_said(whole: Run) -> None:
    text = words((whole.evidence / "report.txt").read_text())
    assert "The claim is the ratio between these builds, on this data, with these settings, on this machine." in text


@pytest.mark.long
def test_a_lucky_build_is_not_the_commits(weigh: Weigh) -> None:
    """The liars are rebuilds that are slower or faster by chance; the twin is a commit that is slower in all builds."""
    tiny_builds.repository(weigh.folder / "engine")
    tiny_builds.written(weigh.folder, "main", "docs", "slow", spread=0.02, builds=10)
    run = weigh("run", "--starts", "10", "--rounds", "2", "--runs", "1", "--quiet", "--json")
    said: dict[str, set[str]] = {"docs": set(), "slow": set()}
    for one in run.json["verdicts"]:
        if one["metric"] == "wall_s":
            said[one["contender"]].add(one["verdict"])
            assert one["verdict"] == "refused" or one["rebuilt"] == {"builds": 10, "spread": None}
    assert not said["docs"] & {"slower", "faster"}
    assert said["slow"] <= {"slower", "refused"}, "a neighbour may spoil what it meets"
    assert "T10.rebuilt" in {one["code"] for one in run.json["findings"]}
    builds = {one["name"]: one["build"]["rebuilds"] for one in run.json["contenders"]}
    assert len({build["sha256"] for one in builds.values() for build in one}) == 30
    assert len({build["environment"] for one in builds.values() for build in one}) == 30
    verified = weigh("verify", str(run.evidence), "--sql")
    assert verified.code == 0, verified.out
    assert "agrees" in verified.out


@pytest.mark.long
def test_a_command_that_ignores_its_seed_makes_one_build(weigh: Weigh) -> None:
    tiny_builds.repository(weigh.folder / "engine")
    tiny_builds.written(weigh.folder, "main", "docs", spread=0.0, builds=5)
    run = weigh("run", "--starts", "5", "--rounds", "1", "--runs", "1", "--quiet", "--json")
    said = [one for one in run.json["findings"] if one["code"] == "R3.build"]
    assert {one["severity"] for one in said if "ignores $WEIGH_BUILD_SEED" in one["text"]} == {"warning"}
    assert all("rebuilt" not in one for one in run.json["verdicts"])
    assert weigh("verify", str(run.evidence)).code == 0
