"""Batch means of a series, freed of spikes and of their correlation.

Level changes and correlation look alike: a step makes any estimate of the correlation too large, and correlation
makes steps out of nothing. So no correlation is estimated here. Each question about the level is asked under every
noise model of a grid, and the likelihood decides (:class:`Whitened`). A model is first-order autoregressive, or that
with white noise added, which is an ARMA(1, 1): the ways in which a machine's speed is known to wander.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from scipy.ndimage import median_filter

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.statistics.arrays import Floats


BATCHES = 200
"""Series are judged on 100 to 200 means of equally many samples, shorter ones sample by sample."""
MODELS = (
    *((memory, 0.0) for memory in (0.0, 0.2, 0.4, 0.6, 0.75, 0.85, 0.9, 0.95)),
    *((0.8, 0.4), (0.9, 0.5), (0.9, 0.7), (0.95, 0.6), (0.95, 0.8)),
)
"""Autoregressive and moving-average coefficient of each noise model."""
WINDOW = 9
"""Batches of the running median against which spikes are told."""
SAMPLES = 15
"""Samples of the same: a batch with a spike is nothing rare where every tenth sample of it may be one."""
_SHORT = 128
"""Values up to which a loop serves: calibrations are as few."""
SPIKE = 3.0
"""Standard deviations (from the median absolute deviation) at which a spike is held."""

_MEMORY, _AVERAGE = np.array(MODELS).T[:, :, None]
_FIRST = np.sqrt((1 - _MEMORY**2) / (1 - 2 * _MEMORY * _AVERAGE + _AVERAGE**2))
"""Standard deviation of an innovation over that of the series, which is the weight of the first value."""


def batch_means(series: Floats, batches: int = BATCHES) -> tuple[Floats, NDArray[np.int64]]:
    """Means of at most ``batches`` batches of equal size (give or take one sample), and their n + 1 edges."""
    count = series.size // -(-series.size // batches)
    edges = np.linspace(0, series.size, count + 1).astype(np.int64)
    return np.add.reduceat(series, edges[:-1]) / np.diff(edges), edges


def despiked(values: Floats, window: int = WINDOW) -> Floats:
    """Values (last axis: time) with spikes held at a distance from the running median of ``window`` values.

    What lasts longer than half a window remains.
    """
    away = values - median_filter(values, (*(1,) * (values.ndim - 1), window), mode="reflect")
    spread = 1.4826 * np.median(np.abs(away), axis=-1, keepdims=True)
    # Coarse clocks give the same value again and again.
    spread = np.where(spread > 0, spread, 1.2533 * np.abs(away).mean(axis=-1, keepdims=True))
    held: Floats = values - away + np.clip(away, -SPIKE * spread, SPIKE * spread)
    return held


def whiten(values: Floats) -> Floats:
    """Innovations of ``values`` (last axis: time) under each model (a new first axis)."""
    rows = np.atleast_2d(values)
    found = np.empty((len(MODELS), *rows.shape))
    for number, (memory, average) in enumerate(MODELS):
        steps = rows[:, 1:] - memory * rows[:, :-1]
        weight = _FIRST[number, 0]
        found[number, :, 0] = weight * rows[:, 0]
        if average:
            # What is known of the innovation behind the first value.
            state = average * weight**2 * rows[:, :1]
            steps = _recursion(steps, average, state)
        found[number, :, 1:] = steps
    return found if values.ndim > 1 else found[:, 0]


def _recursion(steps: Floats, average: float, state: Floats) -> Floats:
    """Each value plus ``average`` times the result before it; ``state`` is that product before the first."""
    if steps.shape[-1] > _SHORT:
        # Every command would wait a second for this module.
        from scipy.signal import lfilter

        found: Floats = lfilter([1.0], [1.0, -average], steps, axis=-1, zi=state)[0]
        return found
    made = np.empty_like(steps)
    before = state[:, 0]
    for at in range(steps.shape[-1]):
        made[:, at] = steps[:, at] + before
        before = average * made[:, at]
    return made


@lru_cache(maxsize=64)
def constant(count: int) -> Floats:
    """What a level of 1 becomes under each model: shape (models, count)."""
    level = whiten(np.ones(count))
    level.flags.writeable = False
    return level


@dataclass(frozen=True, slots=True)
class Whitened:
    """A series under every noise model.

    Attributes:
        innovations: shape (models, batches).
        centred: the same without a common level.
        squares: sum of squares of ``centred``, by model.
    """

    innovations: Floats
    centred: Floats
    squares: Floats

    @property
    def count(self) -> int:
        """How many batches."""
        return int(self.innovations.shape[1])

    def gain(self, squares: Floats) -> Floats:
        """Twice the logarithm of the likelihood ratio of an explanation over a flat series, each under its best model.

        Args:
            squares: what the explanation leaves of the sum of squares, models on the last axis.
        """
        floor = 1e-9 * self.squares
        flat = self._deviance(self.squares).min()
        best: Floats = flat - self._deviance(np.maximum(squares, floor)).min(axis=-1)
        return best

    def best(self, squares: Floats) -> int:
        """The noise model under which the explanation is likeliest."""
        return int(np.argmin(self._deviance(np.maximum(squares, 1e-9 * self.squares))))

    def _deviance(self, squares: Floats) -> Floats:
        deviance: Floats = self.count * np.log(squares) - 2 * np.log(_FIRST[:, 0])
        return deviance


def whitened(means: Floats, *, spikes: bool = False) -> Whitened:
    """Batch means under every noise model.

    Args:
        means: of batches.
        spikes: whether those among the innovations stay. The reset of a sawtooth is one in each cycle.
    """
    found = whiten(means - np.median(means))
    # A spike among correlated values is small compared with them and large compared with their innovations.
    innovations = found.copy() if spikes else despiked(found)
    # The first tells how far from its level the series begins, which no autoregression explains: an approach does.
    innovations[:, 0] = found[:, 0]
    level = constant(means.size)
    share = (innovations * level).sum(axis=1) / (level**2).sum(axis=1)
    centred = innovations - share[:, None] * level
    return Whitened(innovations, centred, (centred**2).sum(axis=1))


def long_run_deviation(squares: Floats, count: int, model: int) -> float:
    """Standard deviation of one batch as its part in the error of a mean of many: correlation included."""
    memory, average = MODELS[model]
    return float(np.sqrt(squares[model] / count) * (1 - average) / (1 - memory))
