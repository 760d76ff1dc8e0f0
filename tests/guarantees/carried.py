"""Carry-over and starts that depend on the one before: what they do to the ratio, with weigh's remedy and without."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from weigh.verdict.comparison import compare

from . import noise, rates
from .noise import Size
from .rates import rate
from .row import Row

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.statistics.arrays import Ints
    from weigh.verdict.comparison import Comparisons
    from weigh.verdict.table import Table

    from .rates import Make, Rate


def compared(
    make: Make, size: Size, seed: int, carried: float, change: float = 0.0, *, heeded: bool = True
) -> Comparisons:
    """Experiments in which a turn that follows the candidate's takes longer.

    Args:
        make: the law of everything else.
        size: of the experiments.
        seed: of the generator.
        carried: what the candidate leaves behind, a logarithm.
        change: by what the candidate is slower, a logarithm.
        heeded: whether the order of the turns is known to the judge; otherwise as if there were no carry-over.
    """
    draw = np.random.default_rng(seed)
    logs = make(size, draw)
    before = _before(size, draw)
    logs = logs + np.where(before == 0, carried, 0.0)[..., None]
    logs[:, :, :, 0] += change
    table = _ordered(rates.tabulated(logs), before) if heeded else rates.tabulated(logs)
    return compare(table, [(number, 1) for number in range(len(logs))], baseline=0)


def rows(experiments: int) -> Iterator[Row]:
    """What is carried over is told, taken out, and never made up; starts that resemble the one before are refused."""
    few = max(experiments // 20, 200)
    for size in (Size(few), Size(few, 34, rounds=6, runs=2)):
        setting = f"{size.blocks} starts of {size.rounds} rounds"
        found = rate(compared(noise.iid, size, 51, 0.0).carried != 0)
        yield Row("T15 where nothing is carried over", setting, "<= 0.3 %", found.banded, found.within(0, 0.003))
        for carried in (0.04, 0.10):
            heeded = compared(noise.iid, size, 52, np.log1p(carried))
            ignored = compared(noise.iid, size, 52, np.log1p(carried), heeded=False)
            seen = rate(heeded.carried != 0)
            yield Row(f"T15 where {carried:.0%} is carried over", setting, "", seen.banded, None)
            kept, other = (rate(rates.excludes(one.effects)) for one in (heeded, ignored))
            goal = (kept.within(0, 0.027), "<= 2.7 %") if size.blocks > 10 or carried > 0.05 else (None, "")
            guarantee = f"type-I at 1 %, {carried:.0%} carried over"
            yield Row(guarantee, setting, goal[1], kept.banded, goal[0], f"not heeded {other}")
    for memory in (0.5, 0.8):
        for starts in (10, 30, 100):
            wrong, refused = dependent(Size(few, starts), memory)
            setting = f"autoregression {memory} from start to start, K={starts}"
            yield Row(
                "type-I at 1 %, or refused",
                setting,
                "<= 1.5 %",
                wrong.banded,
                wrong.within(0, 0.015),
                f"refused {refused}",
            )


def dependent(size: Size, memory: float, seed: int = 53) -> tuple[Rate, Rate]:
    """Starts of the candidate that resemble the one before: differences found and not refused, and refusals."""
    draw = np.random.default_rng(seed)
    logs = noise.iid(size, draw)
    path = np.empty((size.experiments, size.blocks))
    path[:, 0] = draw.normal(0, noise.SD, size.experiments)
    for block in range(1, size.blocks):
        path[:, block] = memory * path[:, block - 1] + np.sqrt(1 - memory**2) * draw.normal(
            0, noise.SD, size.experiments
        )
    logs[:, :, :, 0] += path[:, :, None, None]
    found = rates.compared(logs)
    refused = found.p_dependent < 0.001
    return rate(rates.excludes(found.effects) & ~refused), rate(refused)


def _before(size: Size, draw: np.random.Generator) -> Ints:
    """The arm whose turn came before each in its round, -1 for the first; shape (experiments, blocks, rounds, arms)."""
    order = np.argsort(draw.random((size.experiments, size.blocks, size.rounds, size.arms)), axis=-1)
    found = np.full(order.shape, -1, dtype=np.int64)
    np.put_along_axis(found, order[..., 1:], order[..., :-1], axis=-1)
    return found


def _ordered(table: Table, before: Ints) -> Table:
    """The table with the contender before each turn: arm 0 is the candidate, whose number is 1."""
    there = before[table.case, table.block, table.round, table.arm]
    return replace(table, before=np.where(there < 0, -1, np.where(there == 0, 1, 0)))
