"""What explains one stretch of a series best: one level, changes of level, a drift, an approach or a cycle."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from weigh.statistics.series.change_points import Partition, partition
from weigh.statistics.series.periodicity import Cycle, cycle
from weigh.statistics.series.prewhitening import SAMPLES, batch_means, despiked, long_run_deviation, whitened
from weigh.statistics.series.trends import Trend, trends

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.statistics.arrays import Floats


TOLERANCE = 0.005
"""Levels that differ by less than this share of the mean count as one."""
BIAS = 0.5
"""Standard errors by which what is left of an approach may move the mean of the steady part."""
PHASES = 8
"""Parts of a cycle whose levels are compared."""


class Kind(StrEnum):
    """The explanations that compete."""

    LEVEL = "level"
    STEPS = "steps"
    DRIFT = "drift"
    APPROACH = "approach"
    CYCLE = "cycle"


@dataclass(frozen=True, slots=True)
class Explanation:
    """A stretch of samples, and what explains it best.

    Attributes:
        kind: the best explanation.
        swing: by how much its levels differ, in the unit of the samples; the sign is that of a drift (last minus first)
            or of an approach (first minus last).
        begin: sample at which the level stays, for steps and an approach; 0 for others. The length of the stretch where
            an approach takes too long.
        changes: samples at which the level changes in the best partition, whatever the best explanation.
        period: samples of a cycle.
        harmonics: of the cycle.
        excess: what steps and an approach add above the level that stays, summed over the samples.
        error: standard error of the mean of the stretch if it were flat, correlation included.
    """

    kind: Kind
    swing: float = 0.0
    begin: int = 0
    changes: tuple[int, ...] = ()
    period: float = 0.0
    harmonics: int = 0
    excess: float = 0.0
    error: float = 0.0


def explained(samples: Floats) -> Explanation:
    """What explains a stretch best.

    Args:
        samples: 50 or more finite numbers in the order of time.
    """
    held = despiked(samples, SAMPLES)
    raw, edges = batch_means(held)
    means = despiked(raw)
    if np.ptp(means) <= 1e-12 * np.abs(means).max():
        return Explanation(Kind.LEVEL)
    series = whitened(means)
    steps, (drift, approach) = partition(series), trends(series)
    # Held spikes take the resets out of a sawtooth under noise that remembers: what is left is a slow wander.
    repeating = max(cycle(series), cycle(whitened(means, spikes=True)), key=lambda one: one.merit)
    merits = {
        Kind.STEPS: steps.merit,
        Kind.DRIFT: drift.merit,
        Kind.APPROACH: approach.merit,
        Kind.CYCLE: repeating.merit,
    }
    kind = max(merits, key=merits.__getitem__)
    swing = _swing(kind, means, steps, drift, approach, repeating)
    error = long_run_deviation(series.squares, means.size, series.best(series.squares)) / np.sqrt(means.size)
    if merits[kind] <= 0 or abs(swing) <= TOLERANCE * abs(float(means.mean())):
        return Explanation(Kind.LEVEL, error=float(error))
    changes = _changes(held, edges, steps)
    begin, excess = 0, 0.0
    if kind == Kind.STEPS:
        begin = changes[-1]
        excess = float(means[: steps.cuts[-1]].sum() - steps.cuts[-1] * means[steps.cuts[-1] :].mean())
    elif kind == Kind.APPROACH:
        near = (cut for cut in range(1, means.size) if approach.left(cut, means.size) <= BIAS)
        begin = int(edges[next(near, means.size)])
        excess = approach.swing * (approach.pace or 0.0)
    return Explanation(
        kind=kind,
        swing=swing,
        begin=begin,
        changes=changes,
        period=repeating.period * samples.size / means.size,
        harmonics=repeating.harmonics,
        excess=excess * samples.size / means.size,
        error=float(error),
    )


def _swing(kind: Kind, means: Floats, steps: Partition, drift: Trend, approach: Trend, repeating: Cycle) -> float:
    if kind == Kind.DRIFT:
        return drift.swing
    if kind == Kind.APPROACH:
        return approach.swing
    if kind == Kind.STEPS:
        return float(np.ptp([part.mean() for part in np.split(means, steps.cuts)]))
    phase = (np.arange(means.size) / repeating.period % 1 * PHASES).astype(np.int64)
    counts = np.bincount(phase, minlength=PHASES)
    sums = np.bincount(phase, means, minlength=PHASES)
    return float(np.ptp(sums[counts > 0] / counts[counts > 0]))


def _changes(samples: Floats, edges: NDArray[np.int64], steps: Partition) -> tuple[int, ...]:
    """The changes of a partition, each moved to the sample (without spikes) at which its two levels meet best."""
    bounds = [0, *(int(edges[cut]) for cut in steps.cuts), samples.size]
    reach = 3 * samples.size // (edges.size - 1)
    found = []
    for before, change, after in zip(bounds, bounds[1:], bounds[2:], strict=False):
        low, high = float(samples[before:change].mean()), float(samples[change:after].mean())
        start, stop = max(before + 1, change - reach), min(after - 1, change + reach)
        window = samples[start:stop]
        left = (window - low) ** 2 - (window - high) ** 2
        found.append(start + int(np.concatenate([[0.0], np.cumsum(left)]).argmin()))
    return tuple(found)
