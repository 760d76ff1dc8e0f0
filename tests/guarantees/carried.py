"""Carry-over and starts that depend on the one before: what they do to the ratio, with weigh's remedy and without."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from weigh.model.units import count
from weigh.verdict import dependence
from weigh.verdict.comparison import compare, typical_differences

from . import noise, rates
from .noise import Size
from .rates import rate
from .row import Row

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.statistics.arrays import Floats, Ints
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
        for operations in (1, 12, 60):
            of = f"{setting}, {count(operations, 'operation')}"
            none = rate(np.array([one.carried.any() for one in in_runs(few, size, operations, 0.0)]))
            goal = none.within(0, 0.003)
            yield Row("T15 in a run where nothing is carried over", of, "<= 0.3 %", none.banded, goal)
            for carried in (0.04, 0.10):
                told, kept, other = _remedied(few, size, operations, np.log1p(carried))
                yield Row(f"T15 where {carried:.0%} is carried over", of, "", told.banded, None)
                aimed = operations > 1 or size.blocks > 10 or carried > 0.05
                goal = (kept.within(0, 0.027), "<= 2.7 %") if aimed else (None, "")
                guarantee = f"type-I at 1 %, {carried:.0%} carried over"
                yield Row(guarantee, of, goal[1], kept.banded, goal[0], f"not heeded {other}")
    for memory, starts, operations in product((0.5, 0.8), (10, 30, 100), (1, 12)):
        wrong, refused = dependent(Size(few, starts), memory, operations)
        setting = f"autoregression {memory} from start to start, K={starts}, {count(operations, 'operation')}"
        yield Row(
            "type-I at 1 %, or refused",
            setting,
            "<= 1.5 %",
            wrong.banded,
            wrong.within(0, 0.015),
            f"refused {refused}",
        )


def in_runs(experiments: int, size: Size, operations: int, carried: float, *, heeded: bool = True) -> list[Comparisons]:
    """Runs of so many operations, until there are so many experiments."""
    runs = max(experiments // operations, 60)
    of_one = replace(size, experiments=operations)
    return [compared(noise.iid, of_one, 51_000 + number, carried, heeded=heeded) for number in range(runs)]


def _remedied(experiments: int, size: Size, operations: int, carried: float) -> tuple[Rate, Rate, Rate]:
    """How often it is told of an operation, and how often the interval misses then, and with the order not known."""
    heeded, ignored = (in_runs(experiments, size, operations, carried, heeded=heeded) for heeded in (True, False))
    told = rate(np.concatenate([one.carried != 0 for one in heeded]))
    missed = [rate(np.concatenate([rates.excludes(one.effects) for one in runs])) for runs in (heeded, ignored)]
    return told, missed[0], missed[1]


def dependent(size: Size, memory: float, operations: int = 1, seed: int = 53) -> tuple[Rate, Rate]:
    """Starts of the candidate that resemble the one before: differences found and not refused, and refusals.

    Args:
        size: of the experiments, an operation each.
        memory: autocorrelation of what a start brings: half of its variance is of all operations, half of each.
        operations: of a run.
        seed: of the generator.
    """
    draw = np.random.default_rng(seed)
    runs = np.arange(size.experiments) // operations
    logs, each = noise.iid(size, draw), _path(size.experiments, size.blocks, memory, draw)
    shared = _path(runs[-1] + 1, size.blocks, memory, draw)[runs]
    logs[:, :, :, 0] += (np.sqrt(0.5) * (shared + each) if operations > 1 else each)[:, :, None, None]
    table = rates.tabulated(logs)
    usual = typical_differences(table, table.contenders[1], table.contenders[0])
    refused = dependence.p_dependent(usual, runs) < dependence.LEVEL
    return rate(rates.excludes(rates.compared(logs).effects) & ~refused), rate(refused)


def _path(number: int, blocks: int, memory: float, draw: np.random.Generator) -> Floats:
    """Autoregressions from start to start."""
    path = draw.normal(0, noise.SD, (number, blocks))
    for block in range(1, blocks):
        path[:, block] = memory * path[:, block - 1] + np.sqrt(1 - memory**2) * path[:, block]
    return path


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
