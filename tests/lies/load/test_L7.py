"""L7: errors and time-outs are left out of the figures. A server that refuses a fifth of its work, and is fast."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ..loading import GENTLE, refusals

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.command import Run


@pytest.fixture(scope="module")
def failing(offered: Callable[..., Run]) -> Run:
    return offered("fails", *GENTLE)


def test_above_the_budget_there_is_no_throughput(failing: Run) -> None:
    assert "L7.errors" in refusals(failing)
    assert failing.json["load"]["rate_achieved"] is None
    assert failing.json["tier"]["name"] == "inadmissible"


def test_errors_are_counted_and_timed_and_in_no_latency(failing: Run) -> None:
    whole = failing.json["operations"][0]
    failed = sum(whole["errors"].values())
    assert failed > 10
    assert "OOM" in " ".join(whole["errors"])
    assert whole["failures"]["max"]["value"] > 0
    assert whole["response"]["max"]["value"] is not None


def test_a_server_without_errors_is_not_refused_for_any(honest_load: Run) -> None:
    assert "L7.errors" not in refusals(honest_load)
    assert not {code for code in honest_load.codes if code.startswith("L7")}
    assert sum(honest_load.json["operations"][0]["errors"].values()) == 0
