"""Noise: mean log times of experiments in which nothing differs, by the kinds of statistics.md §8.

All functions return an array of the shape (experiments, blocks, arms), arm 0 the candidate and the last two
the baseline. An execution scatters by ``SD`` (of the logarithm), a turn has ``RUNS`` timed ones. Arms take
their turns in random order within a block; noise that lives in time is drawn in that order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from weigh.statistics.arrays import Floats


SD = 0.03
RUNS = 3


@dataclass(frozen=True, slots=True)
class Size:
    """Experiments, blocks of each, and arms of each."""

    experiments: int
    blocks: int = 10
    arms: int = 3


def iid(size: Size, draw: np.random.Generator, sd: float = SD) -> Floats:
    """Independent executions."""
    return draw.normal(0, sd / np.sqrt(RUNS), (size.experiments, size.blocks, size.arms))


def drift(size: Size, draw: np.random.Generator, sd: float = SD, total: float = 0.10) -> Floats:
    """The machine becomes 10 % slower from the first turn to the last."""
    count = size.blocks * size.arms
    path: Floats = np.zeros((size.experiments, count)) + np.linspace(0, total, count)
    return iid(size, draw, sd) + _in_turns(path, size, draw)


def shared_ar(
    size: Size, draw: np.random.Generator, sd: float = SD / 3, shared: float = 0.05, memory: float = 0.9
) -> Floats:
    """The machine's speed is a first-order autoregression over the executions, coefficient .9."""
    count = size.blocks * size.arms * RUNS
    path = np.empty((size.experiments, count))
    path[:, 0] = draw.normal(0, shared, size.experiments)
    kick = float(shared * np.sqrt(1 - memory**2))
    for step in range(1, count):
        path[:, step] = memory * path[:, step - 1] + draw.normal(0, kick, size.experiments)
    turns: Floats = path.reshape(size.experiments, -1, RUNS).mean(axis=2)
    return iid(size, draw, sd) + _in_turns(turns, size, draw)


def sticky_bimodal(size: Size, draw: np.random.Generator, sd: float = SD, gap: float = 0.10) -> Floats:
    """Two speeds 10 % apart; the machine changes between them with probability .1 at each turn."""
    count = size.blocks * size.arms
    changes = draw.random((size.experiments, count)) < 0.1
    changes[:, 0] = draw.random(size.experiments) < 0.5
    slow = (np.cumsum(changes, axis=1) % 2).astype(np.float64)
    return iid(size, draw, sd) + _in_turns(gap * slow, size, draw)


def spikes(size: Size, draw: np.random.Generator, sd: float = SD) -> Floats:
    """5 % of the executions take e^X times as long, X exponential with mean 0.5."""
    shape = (size.experiments, size.blocks, size.arms, RUNS)
    hit = np.where(draw.random(shape) < 0.05, draw.exponential(0.5, shape), 0.0)
    return np.asarray(iid(size, draw, sd) + hit.mean(axis=3), dtype=np.float64)


def start_effects(size: Size, draw: np.random.Generator, sd: float = SD, start: float = SD) -> Floats:
    """Every start has an offset of its own, of standard deviation 3 %."""
    return iid(size, draw, sd) + draw.normal(0, start, (size.experiments, size.blocks, size.arms))


def noisy_candidate(size: Size, draw: np.random.Generator) -> Floats:
    """The candidate scatters five times as much as the others."""
    logs = iid(size, draw)
    logs[:, :, 0] *= 5
    return logs


def quiet_candidate(size: Size, draw: np.random.Generator) -> Floats:
    """The candidate scatters a fifth as much as the others."""
    logs = iid(size, draw)
    logs[:, :, 0] /= 5
    return logs


SIX: dict[str, Callable[[Size, np.random.Generator], Floats]] = {
    "iid": iid,
    "drift": drift,
    "shared AR .9": shared_ar,
    "sticky bimodal": sticky_bimodal,
    "5 % spikes": spikes,
    "start effects": start_effects,
}
"""The six kinds of the guarantee."""
UNEQUAL: dict[str, Callable[[Size, np.random.Generator], Floats]] = {
    "candidate scatters x5": noisy_candidate,
    "candidate scatters x1/5": quiet_candidate,
}
"""Contenders of unequal noise, as real engines are."""


def executions(kind: str, size: Size, draw: np.random.Generator) -> Floats:
    """Single executions of a kind, shape (experiments, blocks, arms, ``RUNS``); their means are those of the kind."""
    shape = (size.experiments, size.blocks, size.arms, RUNS)
    if kind == "5 % spikes":
        hit = draw.random(shape) < 0.05
        return draw.normal(0, SD, shape) + np.where(hit, draw.exponential(0.5, shape), 0.0)
    scatter = np.full((size.arms, 1), SD / 3 if kind == "shared AR .9" else SD)
    scatter[0] *= {"candidate scatters x5": 5.0, "candidate scatters x1/5": 0.2}.get(kind, 1.0)
    return in_runs((SIX | UNEQUAL)[kind](size, draw), draw, scatter)


def in_runs(means: Floats, draw: np.random.Generator, sd: float | Floats = SD) -> Floats:
    """Executions whose means are given, shape (..., ``RUNS``).

    The mean of Gaussian executions and their deviations from it are independent, so the deviations are added.
    """
    apart = draw.normal(0, 1, (*means.shape, RUNS)) * sd
    return np.asarray(means[..., None] + apart - apart.mean(axis=-1, keepdims=True), dtype=np.float64)


def _in_turns(path: Floats, size: Size, draw: np.random.Generator) -> Floats:
    """Values in the order of time, given to the arms in random order within each block."""
    by_turn = path.reshape(size.experiments, size.blocks, size.arms)
    order = np.argsort(draw.random(by_turn.shape), axis=2)
    return np.asarray(np.take_along_axis(by_turn, order, axis=2), dtype=np.float64)
