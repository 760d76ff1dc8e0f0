"""T10: one lucky process start."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ..reading import codes, words

if TYPE_CHECKING:
    from support.command import Run


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
