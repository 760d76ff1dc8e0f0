"""R1: the query that fails is dropped, and the mean of the rest is published."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ..reading import missing, suites, verdicts, words

if TYPE_CHECKING:
    from support.command import Run

MEMBERS = {"unordered", "ties", "quotients"}


def test_a_part_of_the_workload_has_no_mean_and_the_rest_is_named(one: Run) -> None:
    assert suites(one)["single"]["operations"] == len(MEMBERS)
    assert suites(one)["single"]["mean"] is None
    assert missing(one, "single")["quotients"] == "not chosen"
    text = words((one.evidence / "report.txt").read_text())
    assert "no mean over three: 1 of its 3 operations were not chosen: quotients" in text


def test_a_refused_member_is_none(one: Run) -> None:
    assert missing(one, "single")["ties"] == "refused (T10.starts)"


def test_who_failed_once_has_no_mean_and_the_operation_is_named(five: Run) -> None:
    assert suites(five)["fails"]["mean"] is None
    assert missing(five, "fails")["ties"] == "error (X.error)"
    assert "error (X.error): ties" in words((five.evidence / "report.txt").read_text())


def test_where_somebody_is_wrong_nobody_has_a_mean(five: Run) -> None:
    for contender in ("noisy", "fails", "wrong"):
        assert suites(five)[contender]["mean"] is None
        assert missing(five, contender)["quotients"] == "diverged (A1)"


def test_the_whole_workload_has_one(whole: Run) -> None:
    for contender in ("equal", "uneven"):
        suite = suites(whole)[contender]
        ratios = [verdicts(whole, operation)[contender]["ratio"] for operation in ("unordered", "ties")]
        assert suite["missing"] == []
        assert math.isclose(suite["mean"], math.exp(sum(map(math.log, ratios)) / len(ratios)))
        assert (suite["low"], suite["high"]) == (min(ratios), max(ratios))
