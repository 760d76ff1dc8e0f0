"""T12: the typical execution is shown, and a rare stall is not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.experiment import record
from weigh.experiment.results.results import experiment_results

from ..reading import reasons, times, verdicts, words

if TYPE_CHECKING:
    from support.command import Run

OPERATION = "unordered"


def test_one_in_a_few_stalls_and_the_rest_hide_it(stalling: Run) -> None:
    """The liar's way: the median of all executions."""
    stalls = times(stalling, OPERATION, "stalls")
    assert [sum(seconds > 0.1 for seconds in block) for block in stalls.values()] == [1] * 5
    assert 0.95 < verdicts(stalling, OPERATION)["stalls"]["median_ratio"] < 1.05


def test_the_typical_execution_is_the_same_and_the_total_is_slower(stalling: Run) -> None:
    stalls = verdicts(stalling, OPERATION)["stalls"]
    assert stalls["verdict"] in ("same", "small"), stalls
    assert stalls["total"]["verdict"] == "slower", stalls
    assert 1.1 < stalls["total"]["low_fcr"] < stalls["total"]["ratio"]
    assert "in total it is slower" in reasons(stalls)["T1.total"]
    assert "T1.total" in words((stalling.evidence / "report.txt").read_text())
    assert "<code>T1.total</code>" in (stalling.evidence / "report.html").read_text()


def test_it_fails_the_run_where_the_baseline_was_declared(stalling: Run) -> None:
    assert "slower" not in {one["verdict"] for one in verdicts(stalling, OPERATION).values()}
    assert stalling.code == 1, stalling.err
    said = record.read(stalling.evidence)
    undeclared = msgspec.structs.replace(said, spec=msgspec.structs.replace(said.spec, baseline_declared=False))
    assert experiment_results([said]).exit_code() == 1
    assert experiment_results([undeclared]).exit_code() == 0


def test_who_does_not_stall_is_not_accused(stalling: Run) -> None:
    twin = verdicts(stalling, OPERATION)["twin"]
    assert twin["verdict"] in ("same", "small"), twin
    assert twin["total"]["verdict"] not in ("slower", "faster"), twin
    assert "T1.total" not in reasons(twin)


def test_equal_totals_are_not_claimed_of_few_executions(stalling: Run) -> None:
    """They may not have met the stall yet."""
    assert verdicts(stalling, OPERATION)["twin"]["total"]["verdict"] == "unresolved"
