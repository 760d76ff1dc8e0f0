"""Two servers of one highest rate are not distinguished, and the interval of the ratio holds it."""

from __future__ import annotations

import pytest

from . import rate_ratios
from .rate_ratios import CALM, ROUGH, Weather
from .searches import SERVERS


@pytest.mark.long
@pytest.mark.promise("Two servers of the same highest rate are FASTER or SLOWER in at most 1 of 100 comparisons")
def test_two_servers_of_one_rate_are_not_told_apart() -> None:
    of = rate_ratios.ratios(SERVERS["token bucket, limit scatters by 1 %"], 1.0, ROUGH, 12, seed=93)
    assert of.none == 0
    assert of.excluded.within(0, 0.01), of
    assert of.claimed.within(0, 0.01), of


def test_twice_the_rate_is_found_and_lies_in_the_interval() -> None:
    of = rate_ratios.ratios(SERVERS["token bucket, limit scatters by 1 %"], 2.0, ROUGH, 6, seed=94)
    assert of.held.within(0.99, 1.0), of
    assert of.claimed.within(0.95, 1.0), of


@pytest.mark.long
@pytest.mark.parametrize("weather", [CALM, ROUGH], ids=["calm", "rough"])
@pytest.mark.parametrize("name", SERVERS)
def test_every_server_keeps_the_error_rates(name: str, weather: Weather) -> None:
    same = rate_ratios.ratios(SERVERS[name], 1.0, weather, 100, seed=95)
    assert same.excluded.within(0, 0.01), same
    assert same.claimed.within(0, 0.01), same
    at_the_margin = rate_ratios.ratios(SERVERS[name], 1.03, weather, 100, seed=96)
    assert at_the_margin.alike.within(0, 0.05), at_the_margin
    assert at_the_margin.held.within(0.98, 1.0), at_the_margin
