"""Robust alternatives to the least squares of :mod:`weigh.statistics.effects`, compared.

``PYTHONPATH=src:tests python -m guarantees.robust`` prints it. All of them need every arm in every block, and their
critical values are tabulated by simulation of Gaussian noise for each number of blocks: textbook standard errors with
Student's t reject 1.2 to 1.9 % of true nulls at nominal 1 %.
"""

from __future__ import annotations

import sys
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from weigh.statistics.effects import Effects
from weigh.verdict.decide import decide

from . import noise, rates
from .noise import Size

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from weigh.statistics.arrays import Floats

    Estimate = Callable[[Floats], tuple[Floats, Floats]]

CORNER = 1.345
"""Huber's corner in standard deviations: 95 % efficiency on Gaussian noise."""
STEPS = 20
_MAD = 1.4826
_SIDES: tuple[list[int], list[int]] = ([0], [1, 2])
_CALIBRATION = 100_000


def on_blocks(logs: Floats) -> tuple[Floats, Floats]:
    """Huber's estimate of the mean of the K contrasts of the blocks; scale by their median absolute deviation.

    Returns:
        Effect and standard error (P. J. Huber, E. M. Ronchetti, "Robust Statistics", 2nd ed., section 7.6).
    """
    contrasts = _contrasts(logs)
    level = np.median(contrasts, axis=1, keepdims=True)
    scale = _MAD * np.median(np.abs(contrasts - level), axis=1, keepdims=True)
    for _ in range(STEPS):
        weight = _weight(contrasts - level, scale)
        level = (weight * contrasts).sum(axis=1, keepdims=True) / weight.sum(axis=1, keepdims=True)
    return level[:, 0], _error(contrasts - level, scale)


def on_blocks_joint_scale(logs: Floats) -> tuple[Floats, Floats]:
    """The same, with the scale estimated together with the level (Huber's proposal 2)."""
    contrasts = _contrasts(logs)
    blocks = contrasts.shape[1]
    level = np.median(contrasts, axis=1, keepdims=True)
    scale = contrasts.std(axis=1, ddof=1, keepdims=True)
    expected = _expected_square()
    for _ in range(STEPS):
        weight = _weight(contrasts - level, scale)
        level = (weight * contrasts).sum(axis=1, keepdims=True) / weight.sum(axis=1, keepdims=True)
        clipped = _weight(contrasts - level, scale) * (contrasts - level)
        scale = np.sqrt((clipped**2).sum(axis=1, keepdims=True) / (blocks - 1) / expected)
    return level[:, 0], _error(contrasts - level, scale)


def jointly(logs: Floats, own_scales: bool = False) -> tuple[Floats, Floats]:
    """Huber's fit of block and arm effects to the single starts, standard error clustered by block.

    Args:
        logs: as of :func:`rates.estimated`.
        own_scales: whether the candidate and the baseline have scales of their own.
    """
    cells = logs[:, :, [0, -2, -1]]
    cells = cells - cells.mean(axis=(1, 2), keepdims=True)
    blocks = cells.shape[1]
    level = np.median(cells - np.median(cells, axis=2, keepdims=True), axis=1)
    weight = np.ones_like(cells)
    size = np.abs(_rest(cells, level, weight))
    if own_scales:
        scale = np.stack([np.median(size[:, :, side].reshape(len(size), -1), axis=1) for side in _SIDES], axis=1)
        scale = _MAD * np.maximum(scale, scale.max(axis=1, keepdims=True) / 10)[:, None, [0, 1, 1]]
    else:
        scale = _MAD * np.sqrt(1.5) * np.median(size, axis=(1, 2), keepdims=True)
    for _ in range(STEPS):
        weight = _weight(_rest(cells, level, weight), scale)
        centred = cells - (weight * cells).sum(axis=2, keepdims=True) / weight.sum(axis=2, keepdims=True)
        level = _solved(weight, (weight * centred).sum(axis=1))
    rest = _rest(cells, level, weight)
    scores = _weight(rest, scale) * rest
    slope = (np.abs(rest) <= CORNER * scale) + 1e-6
    direction = _solved(slope, np.broadcast_to([1.0, -0.5, -0.5], level.shape))
    influence = (scores * direction[:, None, :]).sum(axis=2)
    error = np.sqrt((influence**2).sum(axis=1) * blocks / (blocks - 1))
    return level @ np.array([1.0, -0.5, -0.5]), error


def jointly_own_scales(logs: Floats) -> tuple[Floats, Floats]:
    """The same with a scale of the candidate and one of the baseline."""
    return jointly(logs, own_scales=True)


ROBUST: dict[str, Estimate] = {
    "Huber on blocks, MAD": on_blocks,
    "Huber on blocks, proposal 2": on_blocks_joint_scale,
    "Huber jointly": jointly,
    "Huber jointly, own scales": jointly_own_scales,
}


@cache
def critical(name: str, blocks: int) -> float:
    """What the ratio of effect and error exceeds in 1 % of cases of Gaussian noise."""
    logs = np.random.default_rng(1_000 + blocks).normal(0, 1, (_CALIBRATION, blocks, 3))
    effect, error = ROBUST[name](logs)
    return float(np.quantile(np.abs(effect) / error, rates.RULES.confidence))


def estimated(name: str) -> Callable[[Floats], Effects]:
    """The estimate with an error that makes Student's t of K - 1 degrees of freedom exact for Gaussian noise."""

    def estimate(logs: Floats) -> Effects:
        effect, error = ROBUST[name](logs)
        freedom = np.full(len(logs), logs.shape[1] - 1.0)
        factor = critical(name, logs.shape[1]) / rates.quantile(rates.RULES.confidence, freedom)
        return Effects(effect, error * factor, freedom)

    return estimate


def _contrasts(logs: Floats) -> Floats:
    return np.asarray(logs[:, :, 0] - logs[:, :, -2:].mean(axis=2), dtype=np.float64)


def _weight(rest: Floats, scale: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        return np.minimum(1.0, CORNER * scale / np.maximum(np.abs(rest), 1e-300))


def _error(rest: Floats, scale: Floats) -> Floats:
    """Huber's standard error of a location with his correction for few observations."""
    blocks = rest.shape[1]
    clipped = _weight(rest, scale) * rest
    inside = (np.abs(rest) <= CORNER * scale).mean(axis=1)
    inside = np.maximum(inside, 1 / blocks)
    correction = 1 + (1 - inside) / (blocks * inside)
    return np.asarray(correction * np.sqrt((clipped**2).sum(axis=1) / (blocks - 1) / blocks) / inside, dtype=np.float64)


@cache
def _expected_square() -> float:
    """Mean square of a clipped standard Gaussian."""
    grid = np.linspace(-8, 8, 160_001)
    density = np.exp(-(grid**2) / 2) / np.sqrt(2 * np.pi)
    return float((np.clip(grid, -CORNER, CORNER) ** 2 * density).sum() * (grid[1] - grid[0]))


def _rest(cells: Floats, level: Floats, weight: Floats) -> Floats:
    """Residuals from the arms' levels and the blocks' weighted means."""
    rest = cells - level[:, None, :]
    return np.asarray(
        rest - (weight * rest).sum(axis=2, keepdims=True) / weight.sum(axis=2, keepdims=True), dtype=np.float64
    )


def _solved(weight: Floats, moment: Floats) -> Floats:
    """Levels of three arms, the last one 0, from their weighted normal equations without the blocks."""
    share = weight / weight.sum(axis=2, keepdims=True)
    first = (weight[:, :, 0] * (1 - share[:, :, 0])).sum(axis=1)
    second = (weight[:, :, 1] * (1 - share[:, :, 1])).sum(axis=1)
    cross = -(weight[:, :, 0] * share[:, :, 1]).sum(axis=1)
    determinant = first * second - cross**2
    one = (second * moment[:, 0] - cross * moment[:, 1]) / determinant
    two = (first * moment[:, 1] - cross * moment[:, 0]) / determinant
    return np.stack([one, two, np.zeros_like(one)], axis=1)


CHANGES = {5: 0.06, 10: 0.03, 30: 0.015}
"""True changes at which power is compared, by blocks."""


def medians(runs: Floats) -> Floats:
    """Each turn by the median of its executions."""
    return np.asarray(np.median(runs, axis=3), dtype=np.float64)


def clipped(runs: Floats) -> Floats:
    """Each turn by Huber's estimate, the scale that of all turns of its arm."""
    level = np.median(runs, axis=3, keepdims=True)
    apart = np.abs(runs - level)
    # The middle one of three lies at its own median: it says nothing of the scale.
    scale = _MAD * np.median(np.sort(apart, axis=3)[..., 1:], axis=(1, 3), keepdims=True)
    for _ in range(STEPS):
        weight = _weight(runs - level, scale)
        level = (weight * runs).sum(axis=3, keepdims=True) / weight.sum(axis=3, keepdims=True)
    return np.asarray(level[..., 0], dtype=np.float64)


TURNS: dict[str, Callable[[Floats], Floats]] = {
    "least squares, medians of turns": medians,
    "least squares, Huber in turns": clipped,
}
"""Robust inside a turn only: everything after it stays as it is."""


def compared_one(kind: str, size: Size, name: str) -> tuple[rates.Rate, rates.Rate]:
    """Type-I error and power of one estimate."""
    make, estimate = (noise.SIX | noise.UNEQUAL)[kind], estimated(name) if name in ROBUST else rates.estimated
    return rates.type_one(make, size, 1, estimate), rates.power(make, size, CHANGES[size.blocks], 2, estimate)


def compared(kind: str, size: Size) -> Iterator[tuple[str, rates.Rate, rates.Rate]]:
    """Each estimate with its type-I error at nominal 1 % and its power at the change of this number of blocks."""
    change = CHANGES[size.blocks]
    for name in ("least squares", *ROBUST):
        yield name, *compared_one(kind, size, name)
    for name, turn in TURNS.items():
        found = []
        for true, seed in ((0.0, 1), (change, 2)):
            logs = turn(noise.executions(kind, size, np.random.default_rng(seed)))
            logs[:, :, 0] += np.log1p(true)
            found.append(rates.rate(rates.excludes(rates.estimated(logs))))
        yield name, *found


def forgiven(experiments: int, blocks: int, seed: int) -> Iterator[tuple[str, float, rates.Rate]]:
    """The candidate alone spikes, so often that its mean log time is longer by exactly the margin.

    Yields:
        Each estimate with the mean ratio that it gives, and how often the verdict is SAME or SMALL: 5 % are allowed.
    """
    size = Size(experiments, blocks)
    draw = np.random.default_rng(seed)
    runs = noise.executions("iid", size, draw)
    shape = runs[:, :, 0].shape
    runs[:, :, 0] += np.where(draw.random(shape) < rates.MARGIN / 0.5, draw.exponential(0.5, shape), 0.0)
    found = {"least squares": rates.estimated(runs.mean(axis=3))}
    found |= {name: estimated(name)(runs.mean(axis=3)) for name in ROBUST}
    found |= {name: rates.estimated(turn(runs)) for name, turn in TURNS.items()}
    for name, effects in found.items():
        names = decide(effects, np.full(experiments, blocks), rates.RULES).names
        yield name, float(np.exp(effects.effect.mean())), rates.rate(np.isin(names, ["same", "small"]))


def main() -> None:
    """Prints the comparison; the first argument multiplies the replicates."""
    count = int(20_000 * (float(sys.argv[1]) if len(sys.argv) > 1 else 1.0))
    for blocks, arms in ((5, 3), (10, 3), (10, 6), (30, 3)):
        for kind in noise.SIX | noise.UNEQUAL:
            print(f"{blocks} starts, {arms - 1 if arms == 3 else 5} contenders, {kind}")
            for name, type_one, power in compared(kind, Size(count, blocks, arms)):
                kept = "" if type_one.within(0.0, 0.015) else "  NOT REACHED"
                print(f"    {name:34} type-I {type_one}  power at {CHANGES[blocks]:.1%} {power}{kept}", flush=True)
    for blocks in (10, 30):
        print(f"{blocks} starts, only the candidate spikes: its mean log time is longer by the margin, 3 %")
        for name, ratio, same in forgiven(count // 4, blocks, 3):
            print(f"    {name:34} ratio {ratio:.3f}  SAME or SMALL {same}", flush=True)


if __name__ == "__main__":
    main()
