"""L4: the warm-up is counted, one moment is called steady; the honest twin leaves the warm-up out and says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ..loading import GENTLE

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.command import Run


def test_what_was_cut_is_said_and_is_in_no_figure(offered: Callable[..., Run]) -> None:
    cut = offered("none", *GENTLE, "--warmup", "1s")
    assert cut.json["steady"]["cut_s"] >= 1.0
    assert "L4.warm_up" in cut.codes
    whole = cut.json["runs"][0]["requests"]["answered"]
    assert cut.json["operations"][0]["count"] < 0.7 * whole


@pytest.mark.promise("`--warmup 5m` cuts what you say instead; `--warmup 0s` cuts nothing.")
def test_nothing_is_cut_where_the_user_wants_all_of_it(stalled_load: Run) -> None:
    assert stalled_load.json["steady"]["cut_s"] == 0
    assert "L4.warm_up" not in stalled_load.codes
    assert stalled_load.json["operations"][0]["count"] == stalled_load.json["runs"][0]["requests"]["answered"]


def test_a_few_seconds_are_not_called_steady(honest_load: Run) -> None:
    tier = honest_load.json["tier"]
    assert tier["name"] != "conclusive"
    # Of a run that a busy machine made inadmissible only that is said; tests/load/test_conclusion.py has a calm one.
    assert tier["name"] == "inadmissible" or "L4.length" in {reason["code"] for reason in tier["reasons"]}
