"""A sawtooth of five cycles from a reset, under noise that remembers: its resets are no spikes to be held."""

from __future__ import annotations

import numpy as np
import pytest
import scipy

from weigh.stats import Shape, steady

LENGTH, CYCLES, MEMORY = 1_800, 5, 0.9


@pytest.mark.parametrize("height", [4.0, 16.0])
def test_a_larger_one_is_found_as_well(height: float) -> None:
    phase = np.arange(LENGTH) / LENGTH * CYCLES % 1
    found = []
    for number in range(12):
        kicks = np.random.default_rng([5, number]).standard_normal(LENGTH) * np.sqrt(1 - MEMORY**2)
        found.append(steady(100 + scipy.signal.lfilter([1.0], [1.0, -MEMORY], kicks) + height * phase).shape)
    assert found.count(Shape.CYCLIC) >= 11, found
