"""T11: "no significant difference" sold as "equal"."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ..reading import verdicts

if TYPE_CHECKING:
    from support.command import Run

OPERATIONS = ("unordered", "ties")


@pytest.mark.promise(
    '"Not significant" is UNRESOLVED; it is never SAME.',
    '"No difference was found" and "they are the same" are different verdicts.',
)
def test_noise_that_hides_a_difference_is_never_called_the_same(five: Run) -> None:
    # Two engines of equal speed: no difference is significant, and none is excluded either.
    for operation in OPERATIONS:
        verdict = verdicts(five, operation)["noisy"]
        assert verdict["verdict"] in ("unresolved", "refused"), verdict
        assert verdict["low"] < 1 < verdict["high"]
    assert "SAME" not in (five.evidence / "report.txt").read_text()


def test_where_equality_is_shown_it_is_said(whole: Run) -> None:
    for operation in OPERATIONS:
        verdict = verdicts(whole, operation)["equal"]
        # SMALL is SAME with a difference inside the margin that is real: no more is claimed by it.
        assert verdict["verdict"] in ("same", "small"), verdict
        assert 1 / 1.1 < verdict["low"] < verdict["high"] < 1.1
    assert "SAME within 10.0 %" in (whole.evidence / "report.txt").read_text()
