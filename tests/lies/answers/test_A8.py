"""A8: no expected answer, reported as passed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ..reading import SMALL, assert_silent, contenders

if TYPE_CHECKING:
    from support.command import Weigh

TWICE = ("--starts", "2", "--rounds", "1", "--runs", "1")
ALONE = (*contenders("duckdb=fork"), *SMALL, *TWICE, "--operations", "eq_action,by_action")


@pytest.mark.promise("no independent witness could confirm it; never called passed.")
def test_without_a_witness_it_is_unverified_and_never_called_passed(weigh: Weigh) -> None:
    run = weigh("run", *ALONE, "--no-truth")
    assert_silent(run, "unverified")
    for text in ((run.evidence / "report.txt").read_text(), weigh("report", str(run.evidence), "--verbose").out):
        assert "UNVERIFIED" in text
        assert "nobody independent could" in text
        assert "passed" not in text.lower()
        assert "agreed" not in text.lower()
    assert "passed" not in run.out.lower()
    assert "agreed" not in run.out.lower()


def test_with_a_witness_it_is_agreed(weigh: Weigh) -> None:
    run = weigh("run", *ALONE, "--truth")
    assert_silent(run)
    assert "equal to the ground truth" in (run.evidence / "report.txt").read_text()
