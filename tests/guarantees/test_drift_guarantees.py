"""What the finding on drift keeps: silent on stationary noise however correlated, and what drifts is found."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
import scipy

from weigh.machine import drift

from .rates import rate

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.statistics.arrays import Floats


SEED = 41
KERNELS = 3
"""An attempt has as many kernels, and must not be accused by any of them."""
FALSE = 0.01


def autoregressive(memory: float, count: int, trials: int, draw: np.random.Generator) -> Floats:
    """Stationary series with a standard deviation of 2 %."""
    noise = draw.standard_normal((trials, count + 300))
    series = scipy.signal.lfilter([1.0], [1.0, -memory], noise, axis=1)[:, 300:]
    return np.asarray(0.02 * series * np.sqrt(1 - memory**2))


def found(series: Floats) -> NDArray[np.bool_]:
    return np.array([drift.explain(one) is not None for one in series])


def accused(memory: float, count: int, attempts: int, seed: int) -> NDArray[np.bool_]:
    """Attempts of which some kernel is said to drift, whatever the size."""
    draw = np.random.default_rng([seed, count])
    series = autoregressive(memory, count, attempts * KERNELS, draw)
    return found(series).reshape(attempts, KERNELS).any(axis=1)


@pytest.mark.parametrize("count", [6, 11, 21])
@pytest.mark.parametrize("memory", [pytest.param(memory, marks=pytest.mark.long) for memory in (0.0, 0.6)] + [0.9])
def test_stationary_noise_is_not_accused(memory: float, count: int) -> None:
    assert rate(accused(memory, count, 150, SEED)).within(0.0, FALSE)


@pytest.mark.parametrize("memory", [0.0, 0.6])
def test_a_step_or_an_episode_is_found(memory: float) -> None:
    """A third of the speed lost in half of ten blocks, with 2 % of noise."""
    noise = autoregressive(memory, 11, 100, np.random.default_rng(SEED))
    for begin, end in ((5, 11), (3, 8)):
        slow = np.zeros(11)
        slow[begin:end] = np.log(1.5)
        assert rate(found(noise + slow)).within(0.95, 1.0)


def test_a_slow_drift_is_found() -> None:
    """Two fifths over ten blocks, with 1 % of noise."""
    noise = autoregressive(0.0, 11, 100, np.random.default_rng(SEED)) / 2
    assert rate(found(noise + np.linspace(0, np.log(1.4), 11))).within(0.95, 1.0)


@pytest.mark.long
@pytest.mark.parametrize("count", [6, 7, 9, 11, 16, 21, 31, 51, 101])
@pytest.mark.parametrize("memory", [0.0, 0.5, 0.8, 0.9, 0.95])
def test_stationary_noise_is_not_accused_at_any_length(memory: float, count: int) -> None:
    assert rate(accused(memory, count, 1_000, SEED + 1)).within(0.0, FALSE)
