"""R8: publishing what a licence forbids to publish."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ..reading import SMALL, assert_silent, contenders, words

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.command import Run, Weigh

OPERATION = ("--operations", "by_action")


@pytest.fixture(scope="module")
def run(fresh: Callable[[], Weigh]) -> Run:
    """An engine whose licence forbids it, alongside the same one without such a licence."""
    return fresh()("gate", *contenders("liar", "licensed"), *SMALL, *OPERATION)


def test_the_terms_are_shown_with_their_source(run: Run, weigh: Weigh) -> None:
    (finding,) = (finding for finding in run.json["findings"] if finding["code"] == "R8.terms")
    assert (finding["contender"], finding["severity"]) == ("licensed", "note")
    assert "may not disclose results of benchmark tests" in finding["text"]
    assert "(clause 4 of " in finding["text"]
    for text in ((run.evidence / "report.txt").read_text(), weigh("report", str(run.evidence), "--notes").out):
        assert "R8.terms licensed: " in words(text)
        assert "may not disclose results of benchmark tests" in words(text)
    assert weigh("report", str(run.evidence), "--json").json["findings"] == run.json["findings"]


def test_they_change_no_result(run: Run) -> None:
    assert_silent(run)


def test_without_terms_nothing_is_said(weigh: Weigh) -> None:
    run = weigh("gate", *contenders("liar", "duckdb=fork"), *SMALL, *OPERATION)
    assert_silent(run)
    assert "R8" not in run.out
    assert "licence" not in (run.evidence / "report.txt").read_text()
