"""Allocation: how many timed executions a turn are worth their time, operation by operation.

The mean of a start varies by the start's own offset and by the scatter of its executions over r. Another start costs
its share of starting the processes and an untimed execution; another execution costs itself. For a given time the
variance is smallest at ``r = sqrt(cost of a start / cost of a run * variance within / variance between)`` (T. Kalibera,
R. Jones, "Rigorous benchmarking in reasonable time", ISMM 2013). Effects do not enter.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from statistics import mean, median, variance
from typing import TYPE_CHECKING

from weigh.verdict.comparison import compare
from weigh.verdict.table import tabulate

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from weigh.model.sample import Sample
    from weigh.model.spec import Spec

MOST_RUNS = 10
"""More timed executions a turn are never chosen: their mean is as good as known by then."""


@dataclass(frozen=True, slots=True)
class Costs:
    """What a block consists of, in seconds.

    Attributes:
        overhead: of a block outside the executions: starting processes, checking answers.
        untimed: the untimed executions of a block, all arms and cases, by operation.
        timed: one timed execution each of all arms and cases, by operation.
    """

    overhead: float
    untimed: Mapping[str, float]
    timed: Mapping[str, float]

    def block(self, operations: Iterable[str], runs: Mapping[str, int]) -> float:
        """Seconds that a block of these operations takes."""
        return self.overhead + sum(
            self.untimed.get(one, 0.0) + runs[one] * self.timed.get(one, 0.0) for one in operations
        )


def costs(samples: Sequence[Sample]) -> Costs:
    """The costs that one attempt has seen so far."""
    seconds: dict[tuple[str, str, str, bool], list[float]] = defaultdict(list)
    begun: dict[int, float] = {}
    busy: dict[int, float] = defaultdict(float)
    for one in samples:
        if one.wall_s is None:
            continue
        took = one.wall_s + (one.answer_s or 0.0)
        seconds[one.operation, one.case, one.arm, one.run > 0].append(took)
        begun[one.block] = min(begun.get(one.block, one.at), one.at)
        busy[one.block] += took
    by_kind: dict[bool, dict[str, float]] = {False: defaultdict(float), True: defaultdict(float)}
    for (operation, _, _, timed), those in seconds.items():
        by_kind[timed][operation] += mean(those)
    between = [begun[block + 1] - begun[block] - busy[block] for block in begun if block + 1 in begun]
    return Costs(max(0.0, median(between)) if between else 0.0, dict(by_kind[False]), dict(by_kind[True]))


def runs(samples: Sequence[Sample], spec: Spec, now: int, live: Sequence[str], cost: Costs) -> dict[str, int]:
    """Timed executions a turn for each operation; nothing where there was one, which shows no scatter.

    Where contenders differ, the one with the widest interval decides: it decides when the operation is done.

    Args:
        samples: of this attempt, with ``now`` timed executions a turn.
        spec: of the experiment.
        now: timed executions a turn until now.
        live: operations to choose for.
        cost: seen so far.
    """
    if now < 2:
        return {}
    chosen = {}
    table = tabulate(
        [one for one in samples if one.operation in live], "wall_s", (contender.name for contender in spec.contenders)
    )
    baseline = table.contenders.index(spec.baseline)
    candidates = [number for number in range(len(table.contenders)) if number != baseline]
    pairs = [(number, candidate) for number in range(len(table.questions)) for candidate in candidates]
    effects = compare(table, pairs, baseline)
    scatter = _scatter(samples)
    for number, (operation, _) in enumerate(table.questions):
        found = []
        for at, (of, candidate) in enumerate(pairs):
            error, starts = float(effects.effects.error[at]), int(effects.starts[at])
            sides = scatter.get((operation, table.contenders[candidate])), scatter.get((operation, spec.baseline))
            if of == number and math.isfinite(error) and sides[0] is not None and sides[1] is not None:
                found.append((error**2 * starts, sides[0] + sides[1]))
        if found and cost.timed.get(operation):
            total, within = max(found)
            start = cost.overhead / len(live) + cost.untimed.get(operation, 0.0)
            chosen[operation] = best(start / cost.timed[operation], within, total - within / now)
    return chosen


def best(cost_ratio: float, within: float, between: float) -> int:
    """The best number of runs a start.

    Args:
        cost_ratio: cost of a start over that of a run.
        within: variance of an execution about the mean of its start.
        between: variance of that mean without the scatter of the executions; not above zero where none is seen.
    """
    if within <= 0:
        return 1
    if between <= 0:
        return MOST_RUNS
    return min(max(math.ceil(math.sqrt(cost_ratio * within / between)), 1), MOST_RUNS)


def _scatter(samples: Iterable[Sample]) -> dict[tuple[str, str], float]:
    """Variance that one timed execution a case gives the logarithm of an arm-pooled start, by operation, contender."""
    logs: dict[tuple[str, str, str, str, int], list[float]] = defaultdict(list)
    for one in samples:
        if one.timed and one.wall_s:
            logs[one.operation, one.contender, one.case, one.arm, one.block].append(math.log(one.wall_s))
    found: dict[tuple[str, str], list[float]] = defaultdict(list)
    cells: dict[tuple[str, str], set[tuple[str, str]]] = defaultdict(set)
    for (operation, contender, case, arm, _), those in logs.items():
        if len(those) > 1:
            found[operation, contender].append(variance(those))
            cells[operation, contender].add((case, arm))
    # The log of a start is the mean over its cases, that of a contender the mean over its arms.
    return {key: mean(those) / len(cells[key]) for key, those in found.items()}
