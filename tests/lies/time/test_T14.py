"""T14: starts that resemble the one before, counted as so many witnesses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from weigh.lies.commissions.time import _times

if TYPE_CHECKING:
    from support.command import Weigh


@pytest.mark.parametrize(("memory", "verdict"), [(0.95, "refused"), (0.0, "same")])
def test_starts_that_resemble_the_one_before_decide_nothing(weigh: Weigh, memory: float, verdict: str) -> None:
    """The twin has the same scatter, of starts that know nothing of one another."""
    _times(weigh.folder, spread=0.02, starts=200, memory=memory)
    (one,) = weigh("judge", "times.csv", "--baseline", "old", "--json").json["verdicts"]
    assert one["verdict"] == verdict
    assert ("T14" in {why["code"] for why in one["reasons"]}) is (memory > 0)
