"""A/A on real engines: each against itself, whole experiments at the default settings, and the noise of its starts."""

from __future__ import annotations

import os
from collections import Counter
from statistics import median
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from benchmarks.experiments import measured
from weigh.experiment.results.analysis import observed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from weigh.model.sample import Sample

    Floats = NDArray[np.float64]

_ENGINES = ("duckdb", "polars")
_EXPERIMENTS = int(os.environ.get("WEIGH_AA_EXPERIMENTS", "10"))
_SCALE = "0.1"


def run() -> Iterator[str]:
    """Each engine in turn, over dbgen's data, where every answer is published; then what they say together."""
    for engine in _ENGINES:
        names: Counter[str] = Counter()
        excluded, spreads = 0, []
        for seed in range(_EXPERIMENTS):
            flags = ["--workload", "tpch-dbgen", "--scale", _SCALE, "--seed", str(seed)]
            made = measured(*flags, "--contender", f"a={engine}", "--contender", f"b={engine}")
            found = Counter(one["verdict"] for one in made.verdicts)
            excluded += sum(one["low"] is not None and not one["low"] <= 1 <= one["high"] for one in made.verdicts)
            spreads.append(_spreads(made.samples))
            names += found
            yield f"A/A {engine}, TPC-H SF {_SCALE}, seed {seed}: " + ", ".join(f"{n} {v}" for v, n in found.items())
        total, claimed = sum(names.values()), names["slower"] + names["faster"]
        yield (
            f"A/A {engine}, {_EXPERIMENTS} experiments: {claimed} of {total} SLOWER or FASTER {_band(claimed, total)}; "
            f"99 % interval without 1: {excluded} of {total} {_band(excluded, total)}"
        )
        within, between = (np.concatenate([one[at] for one in spreads]) for at in (0, 1))
        yield f"A/A {engine}, CV within a start: {_range(within)}; SD between starts of one block: {_range(between)}"


def _spreads(samples: tuple[Sample, ...]) -> tuple[Floats, Floats]:
    """By operation: the coefficient of variation within a start, and the standard deviation that starts add to it.

    All arms are the same engine, so that what is left of the starts' typical logarithms after the block's mean is the
    starts' own, and the part of it that the scatter of single executions explains is taken off. Blocks in which an
    operation was measured no more have no part in it.
    """
    table = observed(samples, "wall_s", ("a", "b"))
    logs = table.levels()
    arms = logs.shape[2]
    rest = logs - logs.mean(axis=2, keepdims=True)
    blocks = np.isfinite(rest).all(axis=2).sum(axis=1)
    of_means = np.nansum(rest**2, axis=(1, 2)) / (blocks * (arms - 1))
    value = np.log(table.value)
    cell = (table.question * table.blocks + table.block) * len(table.arms) + table.arm
    residual = value - (np.bincount(cell, value) / np.bincount(cell))[cell]
    count = np.bincount(table.question)
    cells = np.bincount(np.unique(cell) // (table.blocks * len(table.arms)))
    within = np.bincount(table.question, residual**2) / (count - cells)
    runs = count / cells
    return np.sqrt(within), np.sqrt(np.maximum(of_means - within / runs, 0.0))


def _range(spread: Floats) -> str:
    """Smallest, median and largest."""
    return f"{100 * spread.min():.1f} to {100 * spread.max():.1f} %, median {100 * median(spread):.1f} %"


def _band(hits: int, total: int) -> str:
    """Share with its 95 % interval (Clopper and Pearson)."""
    band = stats.binomtest(hits, total).proportion_ci()
    return f"({100 * hits / total:.2f} %, 95 % interval {100 * band.low:.2f} to {100 * band.high:.2f} %)"
