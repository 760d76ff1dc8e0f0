"""T6: a difference that is significant and does not matter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..reading import junit, verdicts, words

if TYPE_CHECKING:
    from support.command import Run, Weigh

OPERATION = "unordered"


def test_what_is_shown_and_does_not_matter_is_small(drifting: Run) -> None:
    """5 % where 10 % were declared to matter."""
    little = verdicts(drifting, OPERATION)["little"]
    assert little["verdict"] == "small", little
    assert 1 < little["low"] < little["high"] < 1.1
    assert "real, and less than the 10 % you said matters" in little["sentence"]
    report = words((drifting.evidence / "report.txt").read_text())
    assert "SMALL: " in report
    assert "1 small" in report or "little: the same within 10 % on 1" in report


def test_what_matters_is_slower(drifting: Run) -> None:
    much = verdicts(drifting, OPERATION)["much"]
    assert much["verdict"] == "slower", much
    assert much["low_fcr"] > 1.1


def test_a_job_fails_for_what_matters_alone(drifting: Run, weigh: Weigh) -> None:
    """As CI meets it: every commit differs by something, and a red check for it is soon turned off."""
    told = junit(weigh, drifting)
    assert told["time.much", OPERATION][0] == "failure"
    tag, said = told["time.little", OPERATION]
    assert (tag, "less than the 10 % you said matters" in said) == ("", True)
