"""Effects of a factorial design: against least squares, and what they cover."""

from __future__ import annotations

import math

import numpy as np
import pytest

from weigh.statistics import factorial


def computed(shape: tuple[int, ...], levels: np.ndarray) -> dict[tuple[tuple[int, ...], tuple[int, ...]], float]:
    """Every effect of a table of logarithms without noise."""
    flat = levels.ravel()

    def difference(high: int, low: int) -> np.ndarray:
        return np.array([flat[high] - flat[low]])

    return {
        (one.factors, one.levels): float(factorial.of_blocks(one, difference)[0]) for one in factorial.contrasts(shape)
    }


@pytest.mark.parametrize("shape", [(2,), (3,), (2, 2), (2, 3), (3, 2, 2), (2, 2, 2)])
def test_there_are_as_many_effects_as_cells_but_one(shape: tuple[int, ...]) -> None:
    assert len(list(factorial.contrasts(shape))) == math.prod(shape) - 1


def test_of_two_keys_they_are_the_textbook_s() -> None:
    found = computed((2, 2), np.array([[1.0, 2.0], [4.0, 9.0]]))
    assert found == {((0,), (1,)): (3 + 7) / 2, ((1,), (1,)): (1 + 5) / 2, ((0, 1), (1, 1)): 4.0}


def test_what_multiplies_has_no_interaction() -> None:
    rows, columns, planes = np.array([0.0, 0.5]), np.array([0.0, -0.3, 0.7]), np.array([0.0, 0.2])
    found = computed((2, 3, 2), rows[:, None, None] + columns[None, :, None] + planes[None, None, :])
    assert found.pop(((0,), (1,))) == pytest.approx(0.5)
    assert found.pop(((1,), (1,))) == pytest.approx(-0.3)
    assert found.pop(((1,), (2,))) == pytest.approx(0.7)
    assert found.pop(((2,), (1,))) == pytest.approx(0.2)
    assert list(found.values()) == pytest.approx([0.0] * len(found))


def test_main_effects_are_those_of_least_squares_with_sums_to_zero() -> None:
    """A second way: a linear model in effect coding, whose difference of two levels is the mean over all others."""
    levels = np.random.default_rng(4).normal(size=(3, 2, 2))
    found = computed((3, 2, 2), levels)
    for axis in range(3):
        means = levels.mean(axis=tuple(other for other in range(3) if other != axis))
        for level in range(1, len(means)):
            assert found[(axis,), (level,)] == pytest.approx(means[level] - means[0])


def test_an_interaction_of_three_is_the_change_of_that_of_two() -> None:
    levels = np.random.default_rng(5).normal(size=(2, 2, 2))
    with_, without = (computed((2, 2), levels[..., at])[(0, 1), (1, 1)] for at in (1, 0))
    assert computed((2, 2, 2), levels)[(0, 1, 2), (1, 1, 1)] == pytest.approx(with_ - without)


def test_a_block_that_lacks_a_cell_has_no_effect_that_needs_it() -> None:
    def difference(high: int, low: int) -> np.ndarray:
        return np.array([1.0, np.nan if 3 in (high, low) else 1.0])

    main, held = factorial.contrast((2, 2), (0,), (1,)), factorial.contrast((2, 2), (0,), (1,), ((1, 0),))
    assert np.isnan(factorial.of_blocks(main, difference)).tolist() == [False, True]
    assert np.isnan(factorial.of_blocks(held, difference)).tolist() == [False, False]
