"""T13: slow executions are lost: they end in a time-out, or are struck out, and the rest is published."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from weigh.evidence import journal

from ..forging import forge, problems
from ..reading import missing, reasons, suites, timed, times, verdicts

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Run, Weigh

    from ..forging import Events

OPERATION = "unordered"


@pytest.mark.promise("One failure is enough, because leaving it out would keep only the lucky executions")
def test_who_did_not_finish_once_has_no_figures(stalling: Run) -> None:
    """All its other executions were as fast as those of the baseline."""
    quick = times(stalling, OPERATION, "hangs")
    assert sum(map(len, quick.values())) >= 10
    hangs = verdicts(stalling, OPERATION)["hangs"]
    assert hangs["verdict"] == "error", hangs
    assert (hangs["ratio"], hangs["total"]) == (None, None)
    assert "did not finish in time" in reasons(hangs)["X.timeout"]
    assert ("hangs", OPERATION) not in timed(stalling)
    assert suites(stalling)["hangs"]["mean"] is None
    assert missing(stalling, "hangs")[OPERATION] == "error (X.timeout)"


def test_who_is_slow_once_and_finishes_keeps_its_figures(stalling: Run) -> None:
    assert verdicts(stalling, OPERATION)["stalls"]["verdict"] != "error"
    assert ("stalls", OPERATION) in timed(stalling)
    assert max(max(seconds) for seconds in times(stalling, OPERATION, "stalls").values()) > 0.1


def test_slow_turns_that_were_struck_out_are_missed(stalling: Run, tmp_path: Path, weigh: Weigh) -> None:
    evidence = shutil.copytree(stalling.evidence, tmp_path / "evidence" / stalling.evidence.name)
    assert problems(weigh, evidence) == set()

    def quick(events: Events) -> Events:
        def slow(event: journal.Event) -> bool:
            return event.event == "turn" and any(
                one["contender"] == "stalls" and one["wall_s"] > 0.1 for one in event.body["samples"]
            )

        left = [event for event in events if not slow(event)]
        assert len(left) == len(events) - 5
        return left

    forge(evidence, quick)
    assert problems(weigh, evidence) == {("T5.order", journal.NAME)}
