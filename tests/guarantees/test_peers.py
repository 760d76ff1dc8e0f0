"""What other tests make of the same executions: they are implemented as they are used, and fail where it is said."""

from __future__ import annotations

import numpy as np
import pytest
import scipy

from . import noise, otava, peers
from .noise import Size


def test_mann_whitney_is_scipys() -> None:
    """The exact law for few executions without ties; with ties or many the normal one, with both corrections."""
    draw = np.random.default_rng(1)
    for (a, b), digits, method in (((30, 30), 9, "exact"), ((7, 12), 9, "exact"), ((30, 30), 1, "asymptotic")):
        new, old = np.round(draw.normal(0.2, 1, (20, a)), digits), np.round(draw.normal(0, 1, (20, b)), digits)
        expected = [scipy.stats.mannwhitneyu(x, y, method=method).pvalue for x, y in zip(new, old, strict=True)]
        np.testing.assert_allclose(peers.mann_whitney(new, old), expected, rtol=1e-9)
    new, old = draw.normal(0.2, 1, (20, 30)), draw.normal(0, 1, (20, 60))
    expected = [scipy.stats.mannwhitneyu(x, y, method="asymptotic").pvalue for x, y in zip(new, old, strict=True)]
    np.testing.assert_allclose(peers.mann_whitney(new, old), expected, rtol=1e-9)


def test_welch_is_scipys() -> None:
    draw = np.random.default_rng(2)
    new, old = draw.normal(0.2, 2, (20, 9)), draw.normal(0, 1, (20, 30))
    expected = scipy.stats.ttest_ind(new, old, axis=1, equal_var=False).pvalue
    np.testing.assert_allclose(peers.welch(new, old), expected, rtol=1e-9)


def test_executions_by_start_are_those_of_the_rounds() -> None:
    """Two rounds of two runs, three arms: start 1 of arm 2 has the four executions of its rounds."""
    size = Size(2, 3, rounds=2, runs=2)
    logs = np.arange(np.prod(size.shape), dtype=np.float64).reshape(size.shape)
    by_start = noise.executions(lambda size, draw: logs, size, np.random.default_rng(1))
    assert by_start.shape == (2, 3, 3, 4)
    assert list(by_start[1, 1, 2]) == list(logs[1, 1, :, 2].ravel())


def test_one_start_deceives_every_test_that_knows_none() -> None:
    """Thirty executions of one start each, a start effect of 1 %: nominal 1 %."""
    for name, found in peers.of_starts(2_000, 1, 30, 5).items():
        assert found.value > 0.25, name
    assert peers.refused(2_000, 1, 30, 5).value == 1


def test_thirty_starts_of_one_execution_deceive_none() -> None:
    for name, found in peers.of_starts(4_000, 30, 1, 6).items():
        assert found.within(0.002, 0.015), (name, found)


def test_false_discovery_control_does_not_repair_one_start() -> None:
    alarms = peers.false_alarms(1, 1, 30, 7)
    assert alarms["Mann-Whitney and Benjamini-Hochberg"] > 500
    assert alarms["T"] > 500
    # A gate on the size hides them, and with them the changes below it.
    assert alarms["ClickHouse's rule"] < 30
    assert peers.recall(2_000, 0.05, 7)["ClickHouse's rule"].value < 0.6


def test_the_threshold_reacts_to_the_effect() -> None:
    """A true change of 10 % at a CV of 1 % makes T exceed 10 % in half of the cases."""
    assert peers.threshold_follows_effect(4_000, 8).within(0.45, 0.55)


@pytest.mark.long
def test_running_again_and_peeking() -> None:
    assert peers.rerun(4_000, 10, 9).within(0.08, 0.11)
    assert peers.peeked(4_000, 9).within(0.08, 0.11)
    claimed, _ = peers.attempts(4_000, 9, 10)
    assert claimed.value <= 0.001


@pytest.mark.long
def test_otava_finds_change_points_in_an_unchanged_history() -> None:
    """Autoregression .5, no change: the deviations that its t test gets are too small."""
    found = otava.change_points(otava.unchanged(20, 0.5, 11))
    assert found is not None
    assert np.mean(found) > 1
