"""T3: correlated samples, and error bars that take them for independent.

The honest twin of every series holds the same values in a random order: what a naive interval sees is the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import scipy

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from support.command import Weigh

MEAN = 10.0


def correlated(count: int) -> NDArray[np.float64]:
    """Latencies of mean 10 whose neighbours are correlated by .99: 199 of them are worth one."""
    noise = np.random.default_rng(3).normal(0, np.sqrt(1 - 0.99**2), count + 5_000)
    return np.asarray(MEAN + scipy.signal.lfilter([1.0], [1.0, -0.99], noise)[5_000:])


def judged(weigh: Weigh, values: NDArray[np.float64]) -> dict[str, Any]:
    """The one series of a log, and what the report says."""
    np.savetxt(weigh.folder / "latency_ms.csv", values, header="latency_ms", comments="", fmt="%.9f")
    (series,) = weigh("judge", "latency_ms.csv", "--json").json["series"]
    return dict(series)


def width(mean: dict[str, Any]) -> float:
    """Of an interval, in the unit of the log."""
    return float(1000 * (mean["high"] - mean["low"]))


@pytest.fixture
def pair(fresh: Callable[[], Weigh]) -> Callable[[int], tuple[dict[str, Any], dict[str, Any]]]:
    """The liar and its honest twin."""

    def both(count: int) -> tuple[dict[str, Any], dict[str, Any]]:
        values = correlated(count)
        shuffled = np.random.default_rng(9).permutation(values)
        return judged(fresh(), values), judged(fresh(), shuffled)

    return both


def test_a_short_correlated_series_has_no_interval_and_its_twin_keeps_its_own(
    pair: Callable[[int], tuple[dict[str, Any], dict[str, Any]]],
) -> None:
    liar, twin = pair(2_000)
    assert width(liar["naive"]) == pytest.approx(width(twin["naive"]))
    assert liar["mean"]["refused"]["code"] == "T3.short"
    assert liar["mean"]["low"] is None
    assert liar["mean"]["effective"] < 100
    assert twin["mean"]["refused"] is None
    assert twin["mean"]["effective"] > 1_500
    assert width(twin["naive"]) <= width(twin["mean"]) * 1.1 < 1.3 * width(twin["naive"])


def test_a_long_correlated_series_has_an_honest_interval(
    pair: Callable[[int], tuple[dict[str, Any], dict[str, Any]]],
) -> None:
    liar, twin = pair(200_000)
    # The root of 199 is 14.
    assert 10 < width(liar["mean"]) / width(liar["naive"]) < 20
    assert liar["mean"]["low"] < MEAN / 1000 < liar["mean"]["high"]
    assert 500 < liar["mean"]["effective"] < 2_000
    assert 0.9 < width(twin["mean"]) / width(twin["naive"]) < 1.2


def test_the_report_shows_the_naive_interval_beside_the_refusal(weigh: Weigh) -> None:
    np.savetxt(weigh.folder / "log.csv", correlated(2_000), fmt="%.9f")
    run = weigh("judge", "log.csv", "--unit", "ms", "--strict")
    assert run.code == 3
    assert "refused (T3.short)" in run.out
    assert "2,000 samples are worth about" in " ".join(run.out.split())
    assert "naive: the interval that takes the values for independent" in run.out
