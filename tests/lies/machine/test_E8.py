"""E8: the load generator is the bottleneck. More is asked than it can send; the twin asks for what everybody can."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..loading import refusals

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.command import Run

TOO_MUCH = ("ycsb-c", "--records", "200", "--quiet", "--json", "--connections", "1", "--duration", "1s")


def test_a_rate_that_was_not_offered_is_refused_and_what_was_not_sent_is_counted(offered: Callable[..., Run]) -> None:
    run = offered("none", *TOO_MUCH, "--rate", "200K")
    assert run.code == 3
    assert "L2.rate" in refusals(run)
    assert run.json["tier"]["name"] == "inadmissible"
    requests = run.json["runs"][0]["requests"]
    assert requests["scheduled"] == 200_000
    assert requests["unsent"] > 100_000
    assert requests["answered"] + requests["unsent"] + requests["in_flight_at_end"] <= requests["scheduled"]
    assert run.json["load"]["rate_achieved"] is None


def test_a_rate_that_was_offered_is_not_refused_for_it(honest_load: Run) -> None:
    assert "L2.rate" not in refusals(honest_load)
    requests = honest_load.json["runs"][0]["requests"]
    assert requests["scheduled"] == requests["answered"] == 400
    assert requests["unsent"] == 0
