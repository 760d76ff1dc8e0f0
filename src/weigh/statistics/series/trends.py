"""A steady drift, and an approach to a level, under every noise model at once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from weigh.statistics.series.prewhitening import constant, long_run_deviation, whiten

if TYPE_CHECKING:
    from weigh.statistics.arrays import Floats
    from weigh.statistics.series.prewhitening import Whitened


PACES = (0.01, 0.02, 0.04, 0.07, 0.1, 0.15, 0.22)
"""Time constants of the approach, as shares of the series; slower ones are drift."""
DRIFT, APPROACH = 11.0, 13.0
"""What each must gain, in units of twice the log-likelihood (docs/concept/series.md#steady-state)."""


@dataclass(frozen=True, slots=True)
class Trend:
    """A drift or an approach.

    Attributes:
        merit: by how much the gain exceeds what it must gain.
        swing: the change from the first to the last batch by a drift; what an approach begins with above its end.
        pace: time constant in batches, for an approach.
        noise: long-run standard deviation of one batch.
    """

    merit: float
    swing: float
    pace: float | None
    noise: float

    def left(self, cut: int, count: int) -> float:
        """How far an approach still moves the mean of what follows ``cut``, in standard errors of that mean."""
        if self.pace is None:
            return np.inf
        rest = count - cut
        bias = abs(self.swing) * np.exp(-cut / self.pace) * self.pace * -np.expm1(-rest / self.pace) / rest
        return float(bias / (self.noise / np.sqrt(rest)))


def trends(series: Whitened) -> tuple[Trend, Trend]:
    """The best drift and the best approach."""
    shapes, norms = _shapes(series.count)
    shares = np.einsum("srm,sm->rs", shapes, series.centred)
    squares = series.squares - shares**2
    gains = series.gain(squares)
    found = []
    for number, wanted in ((0, DRIFT), (1 + int(gains[1:].argmax()), APPROACH)):
        model = series.best(squares[number])
        found.append(
            Trend(
                merit=float(gains[number]) - wanted,
                swing=float(shares[number, model] / norms[model, number]),
                pace=PACES[number - 1] * series.count if number else None,
                noise=long_run_deviation(squares[number], series.count, model),
            )
        )
    return found[0], found[1]


@lru_cache(maxsize=64)
def _shapes(count: int) -> tuple[Floats, Floats]:
    """The drift and the approaches whitened, without a level, of length 1: (models, shapes, batches); their lengths."""
    time = np.arange(count) / count
    shapes = whiten(np.array([time, *(np.exp(-time / pace) for pace in PACES)]))
    level = constant(count)[:, None, :]
    shapes = shapes - (shapes * level).sum(axis=2, keepdims=True) / (level**2).sum(axis=2, keepdims=True) * level
    norms = np.sqrt((shapes**2).sum(axis=2))
    return shapes / norms[:, :, None], norms
