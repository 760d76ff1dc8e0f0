"""The interval of the highest rate holds it, and a search is bounded (docs/reference/guarantees.md)."""

from __future__ import annotations

import pytest

from weigh.load.rate_search.search import MOST

from . import searches
from .searches import SERVERS


@pytest.mark.promise("holds that rate in at least 93 of 100 searches")
@pytest.mark.parametrize("name", ["token bucket, limit scatters by 1 %", "M/M/1, speed scatters by 1 %"])
def test_the_interval_holds_the_highest_rate(name: str) -> None:
    of = searches.searches(SERVERS[name], 10, seed=91)
    assert of.covered.within(0.93, 1.0), of
    assert of.none <= 1, of
    assert of.near.within(0.95, 1.0), of
    assert of.probes[1] <= MOST


@pytest.mark.long
@pytest.mark.parametrize("name", SERVERS)
def test_the_interval_holds_the_highest_rate_of_every_server(name: str) -> None:
    of = searches.searches(SERVERS[name], 100, seed=92)
    assert of.covered.within(0.93, 1.0), of
    assert of.probes[1] <= MOST
