"""Changes of level in a series: where they are, how sure their place is, and what is none."""

from __future__ import annotations

import numpy as np
import pytest

from support.history_records import values
from weigh.history import candidates, clickhouse_rule

KNOWN = {22: 1.06, 48: 0.93, 71: 1.10}
"""Changes of a history of 100 points."""


def laplace(count: int, seed: int) -> list[float]:
    """Flat, by a law that no simulation of the guarantees has."""
    draw = np.random.default_rng(seed)
    wave = 0.003 * np.sin(np.arange(count) / 9.0)
    return [float(one) for one in 0.2 * np.exp(draw.laplace(0, 0.008, count) + wave)]


def test_known_changes_of_a_hundred_points_are_found_at_their_places() -> None:
    flat = np.array(laplace(100, 5))
    for at, ratio in KNOWN.items():
        flat[at:] *= ratio
    found = candidates.changes([float(one) for one in flat], 0.03).changes
    assert len(found) == len(KNOWN)
    for one, (at, ratio) in zip(found, KNOWN.items(), strict=True):
        assert abs(one.at - at) <= 1
        assert one.first <= at <= one.last
        assert abs(one.ratio / ratio - 1) < 0.01


def test_nothing_is_invented_in_twenty_flat_histories() -> None:
    assert [candidates.changes(laplace(100, seed), 0.03).changes for seed in range(100, 120)] == [()] * 20


def test_two_speeds_are_named_and_are_no_changes() -> None:
    slow = np.repeat([0, 1, 0, 1, 0, 1, 0], [18, 14, 20, 16, 15, 19, 18])
    draw = np.random.default_rng(3)
    found = candidates.changes([float(one) for one in 0.1 * np.exp(0.1 * slow + draw.normal(0, 0.008, 120))], 0.03)
    assert found.changes == ()
    assert found.two_speeds is not None
    assert abs(found.two_speeds - np.exp(0.1)) < 0.01


def test_a_regression_that_was_mended_is_two_changes() -> None:
    found = candidates.changes(values(90, 4, {30: 1.08, 60: 1 / 1.08}), 0.03)
    assert [abs(one.at - at) <= 1 for one, at in zip(found.changes, (30, 60), strict=True)] == [True, True]
    assert found.two_speeds is None


def test_a_slope_of_a_few_points_is_one_change() -> None:
    """Whose two halves the partition may put at the same place."""
    slope = {28: 1.04, 29: 1.03, 30: 1.03, 31: 1.03, 32: 1.03}
    for seed in (1, 524, 1106):
        (one,) = candidates.changes(values(60, seed, slope), 0.03).changes
        assert 28 <= one.at <= 32
        assert one.first <= one.at <= one.last
        assert abs(one.ratio - 1.17) < 0.03


def test_a_change_below_the_margin_and_a_short_series_are_no_candidates() -> None:
    assert candidates.changes(values(100, 6, {50: 1.02}, sd=0.002), 0.03).changes == ()
    assert len(candidates.changes(values(100, 6, {50: 1.02}, sd=0.002), 0.01).changes) == 1
    assert candidates.changes(values(11, 6, {5: 2.0}), 0.03) == candidates.Changes()
    assert candidates.changes([0.1] * 40, 0.03) == candidates.Changes()


def test_clickhouses_rule_sees_a_step_of_ten_percent_and_none_of_three() -> None:
    ((at, height),) = clickhouse_rule.steps(values(100, 7, {50: 1.1}))
    assert abs(at - 50) <= 1
    assert abs(height - 0.1 / 1.1) < 0.01
    assert clickhouse_rule.steps(values(100, 8, {50: 1.03})) == []
    assert clickhouse_rule.confirmed(0.1, 1.08)
    assert not clickhouse_rule.confirmed(0.1, 1.06)


@pytest.mark.long
@pytest.mark.promise("nine in ten at 24, and all but few at 40.")
@pytest.mark.parametrize(("points", "least", "most"), [(12, 0.3, 0.6), (24, 0.9, 1.0), (40, 0.97, 1.0)])
def test_a_short_history_finds_little(points: int, least: float, most: float) -> None:
    found = [candidates.changes(values(points, seed, {points // 2: 1.05}), 0.03).changes for seed in range(100)]
    hits = sum(1 for own in found if any(abs(one.at - points // 2) <= 3 for one in own))
    assert least <= hits / 100 <= most
