"""T4: drift, which flatters whoever ran while the machine was fast."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

import pytest

from ..reading import reasons, times, verdicts

if TYPE_CHECKING:
    from support.command import Run

OPERATION = "unordered"


def test_one_after_the_other_the_drift_would_have_been_credited(drifting: Run) -> None:
    """The liar's way: half the time for the first engine, then half for an equal one."""
    base, same = (times(drifting, OPERATION, name) for name in ("base", "same"))
    early = [seconds for block in range(5) for seconds in base[block]]
    late = [seconds for block in range(5, 10) for seconds in same[block]]
    assert median(late) / median(early) > 1.05


def test_drift_that_all_share_flatters_nobody(drifting: Run) -> None:
    same = verdicts(drifting, OPERATION)["same"]
    assert same["verdict"] in ("same", "small", "unresolved", "refused"), same
    assert 1 / 1.05 < same["ratio"] < 1.05
    assert "T4" not in reasons(same)


def test_a_ratio_that_drifts_by_itself_is_named(drifting: Run) -> None:
    alone = verdicts(drifting, OPERATION)["alone"]
    assert "T4" in reasons(alone)
    assert "the ratio itself drifts" in reasons(alone)["T4"]
    assert "T4" in (drifting.evidence / "report.txt").read_text()
    assert "<code>T4</code>" in (drifting.evidence / "report.html").read_text()


def assert_steady(run: Run, but: str = "") -> None:
    """No ratio is said to drift by itself."""
    for verdict in run.json["verdicts"]:
        if verdict["metric"] == "wall_s" and verdict["contender"] != but:
            assert "T4" not in reasons(verdict), verdict


def test_who_drifts_with_the_machine_is_not_accused(drifting: Run) -> None:
    assert_steady(drifting, but="alone")


def test_what_is_steady_is_not_accused(whole: Run) -> None:
    assert_steady(whole)


@pytest.mark.long
def test_one_after_the_other_a_machine_that_slows_down_would_have_been_credited(slowing: Run) -> None:
    """Measured first, the slower engine would have seemed the faster one."""
    base, more = (times(slowing, OPERATION, name) for name in ("base", "more"))
    early = [seconds for block in range(5) for seconds in more[block]]
    late = [seconds for block in range(6, 10) for seconds in base[block]]
    assert median(early) < median(late)


@pytest.mark.long
def test_in_blocks_it_is_named_and_the_verdict_is_right(slowing: Run) -> None:
    more = verdicts(slowing, OPERATION)["more"]
    assert more["verdict"] == "slower", more
    assert 1.4 < more["ratio"] < 1.6
    assert not {"T4", "T4.machine"} & set(reasons(more))
    assert "E5.drift" in slowing.codes
