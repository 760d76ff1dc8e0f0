"""The verdict on steadiness: its contract, its edges, and courses that leave no doubt."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from weigh.model.errors import DataFault
from weigh.statistics.series.steady_state import FEWEST, Segment, Shape, Steady, steady

DRAW = np.random.default_rng(4)
NOISE = DRAW.normal(100, 5, 2_000)
TIME = np.arange(2_000)


@pytest.mark.parametrize("count", [0, 1, 2, FEWEST - 1])
def test_too_few_samples_are_refused(count: int) -> None:
    found = steady(NOISE[:count])
    assert found.shape == Shape.NO_STEADY_STATE
    assert found.level is None
    assert found.refused is not None
    assert found.refused.code == "T4.no_steady_state"
    assert found.refused.text == f"{count} samples are too few: 50 are needed"
    assert [(part.start, part.stop) for part in found.segments] == ([(0, count)] if count else [])


@pytest.mark.parametrize("value", [0.0, 3.0, 1e-300, -1e12])
@pytest.mark.parametrize("count", [50, 51, 199, 200, 201, 10_007])
def test_a_constant_series_is_flat(value: float, count: int) -> None:
    found = steady([value] * count)
    assert found.shape == Shape.FLAT
    assert found.level == pytest.approx(value)
    assert (found.cut, found.period, found.refused) == (0, None, None)


@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf])
def test_what_is_no_finite_number_is_named(odd: float) -> None:
    values = NOISE.copy()
    values[[7, 9]] = odd
    with pytest.raises(DataFault, match="2 of 2000 samples are not finite numbers, the first is sample 7"):
        steady(values)


def test_two_dimensions_are_an_error() -> None:
    with pytest.raises(DataFault, match="one dimension, and this has 2"):
        steady(NOISE.reshape(2, -1))


def test_flat() -> None:
    found = steady(NOISE)
    assert found == Steady(
        shape=Shape.FLAT,
        cut=0,
        level=pytest.approx(NOISE.mean()),
        period=None,
        segments=(Segment(start=0, stop=2_000, mean=found.segments[0].mean),),
        refused=None,
    )


def test_a_step_is_cut_to_the_sample() -> None:
    """A warm-up when times fall, a slowdown when they rise, and the other way round for rates."""
    high_first = NOISE + 50 * (TIME < 617)
    found = steady(high_first)
    assert found.shape == Shape.WARM_UP
    assert found.cut == 617
    assert found.level == pytest.approx(NOISE[617:].mean())
    assert [part.stop for part in found.segments] == [617, 2_000]
    assert steady(-high_first).shape == Shape.SLOWDOWN
    assert steady(high_first, more_is_better=True).shape == Shape.SLOWDOWN
    assert steady(-high_first, more_is_better=True).shape == Shape.WARM_UP


def test_an_approach_is_cut_where_it_no_longer_matters() -> None:
    found = steady(NOISE + 80 * np.exp(-TIME / 100))
    assert found.shape == Shape.WARM_UP
    assert 300 < found.cut < 900
    assert found.level == pytest.approx(NOISE.mean(), abs=1)


def test_a_late_step_leaves_no_steady_state() -> None:
    found = steady(NOISE + 50 * (TIME >= 1_600))
    assert found.shape == Shape.NO_STEADY_STATE
    assert (found.cut, found.level) == (0, None)
    assert [part.stop for part in found.segments] == [1_600, 2_000]
    assert found.refused is not None
    assert found.refused.text == "the level still changes after 80 % of the series"


def test_drift() -> None:
    up, down = steady(NOISE + TIME / 50), steady(NOISE - TIME / 50)
    assert (up.shape, down.shape) == (Shape.SLOWDOWN, Shape.NO_STEADY_STATE)
    assert steady(NOISE + TIME / 50, more_is_better=True).shape == Shape.NO_STEADY_STATE
    for found, word in ((up, "rises"), (down, "falls")):
        assert found.level is None
        assert found.refused is not None
        assert found.refused.text == f"the level {word} to the end of the series"


def test_a_cycle_is_averaged_over_whole_ones() -> None:
    """7.5 cycles: the mean of everything has half a cycle too much."""
    square = (TIME * 7.5 / 2_000 % 1) < 0.5
    found = steady(NOISE + 100 * square)
    assert found.shape == Shape.CYCLIC
    assert found.period == pytest.approx(2_000 / 7.5, rel=0.02)
    assert found.level == pytest.approx(150, abs=1)
    assert (NOISE + 100 * square).mean() > 152


def test_a_cycle_after_a_warm_up() -> None:
    found = steady(NOISE + 200 * (TIME < 300) + 30 * (TIME // 50 % 2))
    assert found.shape == Shape.CYCLIC
    assert abs(found.cut - 300) <= 60
    assert found.period == pytest.approx(100, rel=0.02)


def test_fast_cycles_are_no_slow_ones() -> None:
    """They beat with the batches; the period is that of the cycle, or the cycle is averaged out."""
    for period in (5, 13, 37.7):
        found = steady(DRAW.normal(100, 5, 20_000) + 40 * ((np.arange(20_000) + 0.5) / period % 1 < 0.4))
        assert found.shape == Shape.FLAT or found.period == pytest.approx(period, rel=0.02)


def test_a_difference_that_does_not_matter_is_none() -> None:
    """0.4 % of the level, however clear it is."""
    quiet = 1_000 + DRAW.normal(0, 0.1, 2_000)
    assert steady(quiet + 4 * (TIME < 800)).shape == Shape.FLAT
    assert steady(quiet + 8 * (TIME < 800)).shape == Shape.WARM_UP


def test_levels_that_come_and_go_are_no_steady_state() -> None:
    levels = np.repeat(DRAW.permutation(7), 2_000 // 7 + 1)[:2_000]
    found = steady(NOISE + 50 * levels)
    assert found.shape == Shape.NO_STEADY_STATE
    assert len(found.segments) == 7


@pytest.mark.parametrize("height", [50, 500, 5_000])
@pytest.mark.parametrize("spikes", [10, 40, 100])
def test_spikes_are_no_change(spikes: int, height: int) -> None:
    shapes = []
    for seed in range(5):
        draw = np.random.default_rng(seed)
        spiky = draw.normal(100, 5, 2_000)
        spiky[draw.integers(0, 2_000, spikes)] += height
        shapes.append(steady(spiky).shape)
    assert shapes.count(Shape.FLAT) >= 4


def test_a_coarse_clock() -> None:
    """Nine times of ten it shows the same value."""
    ticks = np.round(DRAW.exponential(0.2, 3_000))
    assert np.median(ticks) == 0
    assert steady(ticks).shape == Shape.FLAT
    assert steady(ticks + (TIME[:, None] < 800).repeat(2, axis=1).ravel()[:3_000]).shape == Shape.WARM_UP


def test_a_shift_of_the_unit_changes_nothing() -> None:
    values = NOISE + 50 * (TIME < 617)
    assert steady(values * 1e-9).cut == steady(values).cut == 617


def test_it_is_written_as_json() -> None:
    found = steady(NOISE)
    assert msgspec.json.decode(msgspec.json.encode(found), type=Steady) == found
