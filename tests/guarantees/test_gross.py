"""How often a step of too few points is told of series in which there is none, and of those in which there is one."""

from __future__ import annotations

import numpy as np
import pytest

from weigh.history.gross import gross

SERIES = 500
NOISE = 0.02


def told(draw: np.random.Generator, points: int, *, speeds: float = 0.0, step: float = 1.0) -> bool:
    """Whether it is told of a series: a machine that changes between two speeds, and three last points of a step."""
    slow = (np.cumsum(draw.random(points) < 0.05) + draw.integers(2)) % 2
    logs = np.log1p(speeds) * slow + NOISE * draw.standard_normal(points)
    logs[-3:] += np.log(step)
    return gross([float(value) for value in np.exp(logs)], 0.03) is not None


@pytest.mark.parametrize(
    ("points", "speeds", "least", "most"),
    [(6, 0.0, 0.0, 0.015), (13, 0.0, 0.0, 0.01), (40, 0.0, 0.0, 0.01), (13, 0.1, 0.0, 0.04), (13, 0.4, 0.2, 0.45)],
)
def test_flat_series_and_machines_of_two_speeds(points: int, speeds: float, least: float, most: float) -> None:
    draw = np.random.default_rng(points)
    found = sum(told(draw, points, speeds=speeds) for _ in range(SERIES)) / SERIES
    assert least <= found <= most


@pytest.mark.parametrize(("step", "least"), [(1.5, 0.98), (18.0, 1.0)])
def test_a_step_that_nobody_can_miss_is_told(step: float, least: float) -> None:
    draw = np.random.default_rng(7)
    assert sum(told(draw, 13, step=step) for _ in range(SERIES)) >= least * SERIES
