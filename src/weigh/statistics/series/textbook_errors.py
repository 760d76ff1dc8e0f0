"""Errors of a mean by other people's rules, for comparison.

All of these look at every sample and every lag, so they take arrays and are of no use for very long series.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.fft import irfft, next_fast_len, rfft

from weigh.model.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike, NDArray

    from weigh.statistics.arrays import Floats


def autocovariance(values: Floats) -> Floats:
    """Sum of products at a distance of k samples over the number of samples, for every k; by fast Fourier transform."""
    deviations = values - values.mean()
    padded = next_fast_len(2 * len(values), real=True)
    spectrum = rfft(deviations, padded)
    products = irfft(spectrum * spectrum.conj(), padded)[: len(values)]
    return np.asarray(products / len(values), dtype=np.float64)


def error_by_cutoff(values: ArrayLike, cutoffs: Sequence[int]) -> Floats:
    """Standard error of the mean with the autocovariances up to each cut-off lag, of the shape of ``cutoffs``.

    The plot that text 002 asks for: where it is level, the cut-off does not matter. Cut-off 0 is the naive error (with
    N for N - 1). The last lags take the estimate back to zero, because the covariances about the sample's own mean add
    up to nothing. A negative square is 0.

    Raises:
        UsageError: a cut-off is negative, or not below the number of samples.
    """
    series = np.asarray(values, dtype=np.float64)
    wanted = _lags(cutoffs, len(series))
    covariances = autocovariance(series)
    weights = 1 - np.arange(len(series)) / len(series)
    sums = np.cumsum(2 * weights * covariances) - covariances[0]
    return np.asarray(np.sqrt(np.maximum(sums[wanted], 0) / len(series)), dtype=np.float64)


def naive(values: Floats) -> float:
    """Standard deviation over the square root of the number of samples: right for independent ones only."""
    return float(values.std(ddof=1) / np.sqrt(len(values)))


def kolaczkowski(values: Floats) -> float:
    """The error of text 002 as its code has it: lags below the square root of the number of samples.

    P. Kołaczkowski, "Estimating Benchmark Results Uncertainty". Weights 1 - k/N, negative squares are 0.
    """
    lags = min(len(values), int(np.ceil(np.sqrt(len(values)))))
    return float(error_by_cutoff(values, [max(lags - 1, 0)])[0])


def newey_west(values: Floats) -> float:
    """Bartlett's weights, with the bandwidth that Andrews' rule chooses for a first-order autoregression.

    W. K. Newey, K. D. West, Econometrica 55, 1987; D. W. K. Andrews, Econometrica 59, 1991, (6.2) and (6.4).
    """

    def bandwidth(memory: float, count: int) -> float:
        curvature = 4 * memory**2 / ((1 - memory) ** 2 * (1 + memory) ** 2)
        return float(1.1447 * (curvature * count) ** (1 / 3))

    return _weighted(values, bandwidth, lambda lag: np.maximum(1 - lag, 0))


def quadratic_spectral(values: Floats) -> float:
    """The quadratic-spectral weights with Andrews' automatic bandwidth (D. W. K. Andrews, Econometrica 59, 1991)."""

    def bandwidth(memory: float, count: int) -> float:
        return float(1.3221 * (4 * memory**2 / (1 - memory) ** 4 * count) ** (1 / 5))

    def weights(lag: Floats) -> Floats:
        angle = 6 * np.pi * lag / 5
        return np.asarray(3 / angle**2 * (np.sin(angle) / angle - np.cos(angle)), dtype=np.float64)

    return _weighted(values, bandwidth, weights)


def _weighted(values: Floats, bandwidth: Callable[[float, int], float], weights: Callable[[Floats], Floats]) -> float:
    covariances = autocovariance(values)
    if len(values) < 2 or covariances[0] == 0:
        return 0.0
    width = bandwidth(float(covariances[1] / covariances[0]), len(values))
    lags = np.arange(1, len(values))
    tail = float(weights(lags / width) @ covariances[1:]) if width > 0 else 0.0
    return float(np.sqrt(max(covariances[0] + 2 * tail, 0.0) / len(values)))


def _lags(lags: Sequence[int], count: int) -> NDArray[np.intp]:
    wanted = np.asarray(lags, dtype=np.intp)
    if wanted.size and (wanted.min() < 0 or wanted.max() >= count):
        raise UsageError(
            f"a lag that is negative or not below the number of samples, {count}",
            remedy="give lags from 0 to one less than the number of samples",
        )
    return wanted
