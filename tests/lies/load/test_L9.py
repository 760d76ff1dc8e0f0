"""L9: one stall sold as a resolved percentile. A server that stands still once; its twin is slow again and again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ..loading import YCSB, response

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.command import Run, Weigh

SECONDS, RATE = 5, 420
# As many connections as requests come in a stall: all are answered at once behind it, in one interval of time.
FLAGS = (*YCSB, "--warmup", "0s", "--rate", str(RATE), "--duration", f"{SECONDS}s", "--connections", str(RATE))
TRIES = 3
TAIL = {"p90": 0.1, "p95": 0.05, "p99": 0.01}


@pytest.mark.promise(
    "With fewer than 20 independent ones beyond it there is no number: *not resolved by 20,000 "
    "samples*, followed by what this run saw."
)
def test_a_single_stall_resolves_no_tail(offered: Callable[..., Run], weigh: Weigh) -> None:
    run = offered("stalls", *FLAGS)
    found = response(run)
    for name, share in TAIL.items():
        # By their number alone they would be enough.
        assert share * SECONDS * RATE > 20
        assert not found[name]["resolved"], name
        assert found[name]["value"] is found[name]["low"] is found[name]["high"] is None
    text = weigh("report", str(run.evidence), "--verbose").out
    assert "not resolved" in text


def test_as_many_slow_requests_that_come_one_by_one_do(offered: Callable[..., Run]) -> None:
    # So few at once that the proxy keeps up. A machine that is busy may stand still itself, and rightly resolves
    # nothing then: another run is made.
    for _ in range(TRIES):
        p90 = response(offered("lingers", *FLAGS, "--rate", "200"))["p90"]
        if p90["resolved"]:
            break
    assert p90["resolved"], p90
    assert p90["low"] <= p90["value"] <= p90["high"]
