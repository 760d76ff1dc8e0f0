"""What other tests make of the same executions: they are implemented as they are used, and fail where it is said."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from . import noise, otava, peers, robust
from .noise import Size

SLOW = [name for name in robust.ROBUST if name != "Huber on blocks, MAD"]


def test_mann_whitney_is_scipys() -> None:
    """The exact law for few executions without ties; with ties or many the normal one, with both corrections."""
    draw = np.random.default_rng(1)
    for (a, b), digits, method in (((30, 30), 9, "exact"), ((7, 12), 9, "exact"), ((30, 30), 1, "asymptotic")):
        new, old = np.round(draw.normal(0.2, 1, (20, a)), digits), np.round(draw.normal(0, 1, (20, b)), digits)
        expected = [stats.mannwhitneyu(x, y, method=method).pvalue for x, y in zip(new, old, strict=True)]
        np.testing.assert_allclose(peers.mann_whitney(new, old), expected, rtol=1e-9)
    new, old = draw.normal(0.2, 1, (20, 30)), draw.normal(0, 1, (20, 60))
    expected = [stats.mannwhitneyu(x, y, method="asymptotic").pvalue for x, y in zip(new, old, strict=True)]
    np.testing.assert_allclose(peers.mann_whitney(new, old), expected, rtol=1e-9)


def test_welch_is_scipys() -> None:
    draw = np.random.default_rng(2)
    new, old = draw.normal(0.2, 2, (20, 9)), draw.normal(0, 1, (20, 30))
    expected = stats.ttest_ind(new, old, axis=1, equal_var=False).pvalue
    np.testing.assert_allclose(peers.welch(new, old), expected, rtol=1e-9)


@pytest.mark.parametrize("kind", noise.SIX | noise.UNEQUAL)
def test_executions_have_means_of_their_kind(kind: str) -> None:
    size, draw = Size(40_000, 4), np.random.default_rng(3)
    means = noise.executions(kind, size, draw).mean(axis=3)
    expected = (noise.SIX | noise.UNEQUAL)[kind](size, np.random.default_rng(4))
    for statistic in (np.mean, np.std):
        assert statistic(means[:, :, 0]) == pytest.approx(statistic(expected[:, :, 0]), abs=0.002)


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


def test_running_again_and_peeking() -> None:
    assert peers.rerun(4_000, 10, 9).within(0.08, 0.11)
    assert peers.peeked(4_000, 9).within(0.08, 0.11)
    claimed, _ = peers.attempts(4_000, 9, 10)
    assert claimed.value <= 0.001


@pytest.mark.parametrize(
    "name", ["Huber on blocks, MAD", *(pytest.param(name, marks=pytest.mark.long) for name in SLOW)]
)
def test_the_robust_fits_are_calibrated_and_find_more_under_spikes(name: str) -> None:
    """They are not used: a contender's own spikes would be forgiven (docs/reference/guarantees.md)."""
    size = Size(2_000, 10)
    found = {kind: robust.compared_one(kind, size, name) for kind in ("iid", "5 % spikes")}
    assert found["iid"][0].within(0.007, 0.015)
    assert found["5 % spikes"][1].value > 0.12


@pytest.mark.long
def test_robust_fits_call_the_same_what_spikes() -> None:
    """Why they are not used: the candidate's mean is longer by the margin, and 5 % of SAME are allowed."""
    found = {name: same.value for name, _, same in robust.forgiven(500, 30, 10)}
    least_squares = found.pop("least squares")
    assert min(found.values()) > 0.8 > least_squares


@pytest.mark.long
def test_otava_finds_change_points_in_an_unchanged_history() -> None:
    """Autoregression .5, no change: the deviations that its t test gets are too small."""
    found = otava.change_points(otava.unchanged(20, 0.5, 11))
    assert found is not None
    assert np.mean(found) > 1
