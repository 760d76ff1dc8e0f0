"""Unsound figures: turns that are lost because they were slow, and clocks that tick in milliseconds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from weigh.verdict.refusals import soundness

from . import noise, rates
from .noise import Size
from .rates import MARGIN, RULES, Rate, rate
from .row import Row

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from weigh.statistics.arrays import Bools, Floats
    from weigh.verdict.comparison import Comparisons

TICK_MS = 1.0


def without_slow_starts(logs: Floats, share: float) -> Bools:
    """What is left where the slowest starts of the candidate are lost: a share of all."""
    kept = np.ones(logs.shape, dtype=np.bool_)
    level = logs[:, :, :, 0].mean(axis=(2, 3))
    kept[:, :, :, 0] = (level <= np.quantile(level, 1 - share))[:, :, None, None]
    return kept


def without_slow_turns(logs: Floats, share: float) -> Bools:
    """What is left where the slowest turns of the candidate are lost, each by itself."""
    kept = np.ones(logs.shape, dtype=np.bool_)
    level = logs[:, :, :, 0].mean(axis=3)
    kept[:, :, :, 0] = (level <= np.quantile(level, 1 - share))[:, :, :, None]
    return kept


LOSSES = {"starts": without_slow_starts, "turns": without_slow_turns}


def of_losses(what: str, share: float, experiments: int, blocks: int, seed: int) -> tuple[Rate, Rate, Rate]:
    """Refused; a difference claimed at 99 % and not refused; the same without the refusal. Nothing differs."""
    logs = noise.start_effects(Size(experiments, blocks), np.random.default_rng(seed))
    found = rates.compared(logs, LOSSES[what](logs, share))
    refused, wrong = soundness.lossy(found, 1), _differs(found)
    return rate(refused), rate(wrong & ~refused), rate(wrong)


def _differs(found: Comparisons) -> NDArray[np.bool_]:
    with np.errstate(invalid="ignore"):
        return rates.excludes(found.effects)


def ticking(middle_ms: float, sd: float, size: Size, change: float, draw: np.random.Generator) -> Floats:
    """Executions as a clock of 1 ms shows them; the true time of each experiment lies anywhere within its tick."""
    true_ms = middle_ms + TICK_MS * draw.random((size.experiments, 1, 1, 1, 1))
    logs = np.log(true_ms) + noise.iid(size, draw, sd=sd)
    logs[:, :, :, 0] += change
    return np.log(np.maximum(np.round(np.exp(logs) / TICK_MS), 1) * TICK_MS)


def of_clocks(middle_ms: float, sd: float, experiments: int, change: float, seed: int) -> Comparisons:
    """Experiments that were timed by such a clock."""
    return rates.compared(ticking(middle_ms, sd, Size(experiments), change, np.random.default_rng(seed)))


def rows(experiments: int) -> Iterator[Row]:
    """The rows of the table of guarantees."""
    few = max(experiments // 10, 200)
    for what in LOSSES:
        for share in (0.01, 0.1, 0.3):
            for blocks in (10, 30):
                refused, wrong, before = of_losses(what, share, few, blocks, 71)
                setting = f"slowest {share:.1%} of the candidate's {what} lost, K={blocks}"
                other = f"refused {refused}, without the refusal {before}"
                yield Row(
                    "lost when slow: type-I at 1 %", setting, "<= 1.5 %", wrong.banded, wrong.within(0, 0.015), other
                )
    for middle in (3.2, 20.0, 50.0, 200.0, 1_000.0):
        for sd in (0.03, 0.01, 0.001):
            same, unequal = (of_clocks(middle, sd, few, change, 72) for change in (MARGIN, 0.0))
            refused = soundness.unfit(same, 1, RULES, clock=True)
            judged = rates.judged(same)
            equal = rate(np.isin(judged.names, rates.EQUAL))
            claimed = rate(np.isin(judged.names, rates.CLAIMS))
            wrong = rate(_differs(soundness.with_rounding(unequal)) & ~soundness.unfit(unequal, 1, RULES, clock=True))
            setting = f"{middle:g} ms, SD {sd:.1%}"
            other = f"refused {rate(refused)}, SLOWER {claimed}, type-I {wrong}"
            yield Row(
                "1 ms clock: SAME at the margin", setting, "<= 5.5 %", equal.banded, equal.within(0, 0.055), other
            )
