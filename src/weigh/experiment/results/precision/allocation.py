"""Allocation: how many rounds a start are worth their time, operation by operation.

The number that a start gives varies by the start's own offset and by what the machine did in its rounds. Another start
costs its share of starting the processes; another round costs itself. For a given time the variance of the mean is
smallest at ``R = sqrt(cost of a start / cost of a round * v / s_b^2)``, where v is the variance that one round would
leave in the number of a start and s_b^2 that between starts (T. Kalibera, R. Jones, "Rigorous benchmarking in
reasonable time", ISMM 2013). The first is seen in the difference between odd and even rounds. What is to be narrow is
the interval, which few starts widen by Student's quantile, so the number of starts that still fit has a part in it.
Effects do not enter.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from statistics import fmean, median
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from weigh.experiment.results.analysis import observed
from weigh.model.sample import Samples
from weigh.statistics import student_t
from weigh.verdict.comparison import components

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from weigh.model.sample import Sample
    from weigh.model.spec import Spec

FEWEST, MOST = 4, 12
"""Rounds: a median of fewer is no better than a mean, and hardly anything is gained beyond a dozen."""
ENDLESS = 1e6
"""Starts that still fit where no budget ends it."""
LEVEL = 0.99
"""Of the intervals that are to be narrow."""


@dataclass(frozen=True, slots=True)
class Costs:
    """What a block consists of, in seconds.

    Attributes:
        overhead: of a block outside the executions: starting processes, checking answers.
        round: one round of all arms and cases, by operation.
    """

    overhead: float
    round: Mapping[str, float]

    def block(self, operations: Iterable[str], rounds: Mapping[str, int]) -> float:
        """Seconds that a block of these operations takes."""
        return self.overhead + sum(rounds[one] * self.round.get(one, 0.0) for one in operations)


class Spent(NamedTuple):
    """What one block took.

    Attributes:
        begun: seconds since the attempt began, of its first execution.
        busy: seconds of all its executions.
        round: seconds of one round of all arms and cases, by operation.
    """

    begun: float
    busy: float
    round: Mapping[str, float]


def spent(samples: Iterable[Sample]) -> dict[int, Spent]:
    """What each block of one attempt took. What executes at the same moment costs its longer side."""
    every = Samples.of(samples)
    wall = every.floats("wall_s")
    took = wall + np.nan_to_num(every.floats("answer_s"), nan=0.0)
    at, rounds, known = every.floats("at"), every.integers("round"), ~np.isnan(wall)
    code, sides = every.coded("block", "operation", "turn", "arm")
    executions = np.bincount(code[known], minlength=len(sides)).tolist()
    sums = np.bincount(code[known], weights=took[known], minlength=len(sides)).tolist()
    longest: dict[tuple[int, str, int], float] = {}
    for (block, operation, turn, _), side, some in zip(sides, sums, executions, strict=True):
        if some:
            longest[block, operation, turn] = max(side, longest.get((block, operation, turn), side))
    seconds: dict[int, dict[str, float]] = defaultdict(dict)
    for (block, operation, _), side in longest.items():
        seconds[block][operation] = seconds[block].get(operation, 0.0) + side
    numbers: dict[tuple[int, str], list[int]] = defaultdict(list)
    for (block, operation, _), those in every.groups("block", "operation", "arm", among=known).items():
        numbers[block, operation].append(len(np.unique(rounds[those])))
    begun = {block: float(at[those].min()) for block, those in every.groups("block", among=known).items()}
    busy: dict[int, float] = defaultdict(float)
    for (block, _, _), side in longest.items():
        busy[block] += side
    return {
        block: Spent(
            begun[block],
            busy[block],
            {operation: sum_s / min(numbers[block, operation]) for operation, sum_s in of_block.items()},
        )
        for block, of_block in seconds.items()
    }


def costs(blocks: Mapping[int, Spent]) -> Costs:
    """The costs that one attempt has seen so far.

    Args:
        blocks: by number.
    """
    each: dict[str, list[float]] = defaultdict(list)
    for one in blocks.values():
        for operation, seconds in one.round.items():
            each[operation].append(seconds)
    between = [blocks[block + 1].begun - one.begun - one.busy for block, one in blocks.items() if block + 1 in blocks]
    overhead = max(0.0, median(between)) if between else 0.0
    return Costs(overhead, {operation: fmean(found) for operation, found in each.items()})


def rounds(
    samples: Sequence[Sample], spec: Spec, now: int, live: Sequence[str], cost: Costs, more: float
) -> dict[str, int]:
    """Rounds a start for each operation; nothing where there was one, which shows no scatter.

    Where contenders differ, the one with the widest interval decides: it decides when the operation is done.

    Args:
        samples: of this attempt, with ``now`` rounds a start.
        spec: of the experiment.
        now: rounds a start until now.
        live: operations to choose for.
        cost: seen so far.
        more: starts of so many rounds that still fit.
    """
    if now < 2:
        return {}
    chosen = {}
    done = len({one.block for one in samples})
    names = [contender.name for contender in spec.contenders]
    table = observed([one for one in samples if one.operation in live], "wall_s", names).under(spec.rules)
    baseline = table.contenders.index(spec.baseline)
    for number, question in enumerate(table.questions):
        operation = question.operation
        found = [
            (look.total, look.rounds)
            for candidate in range(len(names))
            if candidate != baseline and (look := components(table, number, candidate, baseline))
        ]
        if found and cost.round.get(operation):
            total, within = max(found)
            start = cost.overhead / len(live) / cost.round[operation]
            chosen[operation] = best(start, now * within, total - within, done, now, more * (start + now))
    return chosen


def affordable(chosen: Mapping[str, int], planned: int, cost: Costs, seconds: float) -> dict[str, int]:
    """The rounds with which a block takes no longer than it may; those that were planned where nothing more fits.

    Args:
        chosen: rounds of each operation.
        planned: rounds until now.
        cost: seen so far.
        seconds: that a block may take.
    """
    for most in range(MOST, planned, -1):
        fewer = {operation: min(rounds, most) for operation, rounds in chosen.items()}
        if cost.block(fewer, fewer) <= seconds:
            return fewer
    return {operation: min(rounds, planned) for operation, rounds in chosen.items()}


def fitting(wanted: Mapping[str, int], cost: Costs, seconds: float) -> dict[str, int]:
    """The most rounds, none above those wanted, with which a block takes no longer than it may; one where none fit.

    Args:
        wanted: rounds of each operation.
        cost: seen so far.
        seconds: that a block may take.
    """
    for most in range(max(wanted.values(), default=1), 1, -1):
        fewer = {operation: min(rounds, most) for operation, rounds in wanted.items()}
        if cost.block(fewer, fewer) <= seconds:
            return fewer
    return dict.fromkeys(wanted, 1)


def best(cost_ratio: float, of_round: float, between: float, done: int, now: int, seconds: float) -> int:
    """The number of rounds a start with which the interval is narrowest in the end.

    Args:
        cost_ratio: cost of a start over that of a round.
        of_round: variance that one round would leave.
        between: variance of the number of a start without that of its rounds; not above zero where none is observed.
        done: starts until now.
        now: rounds of each of them.
        seconds: that are left for the operation, in costs of a round.
    """
    if of_round <= 0:
        return FEWEST
    number = np.arange(FEWEST, MOST + 1, dtype=np.float64)
    between = max(between, 0.0)
    more = seconds / (cost_ratio + number)
    starts = done + more
    # Each start counts the same, also those that had other rounds.
    deviation = np.sqrt(done * (between + of_round / now) + more * (between + of_round / number)) / starts
    return int(number[(student_t.quantile(LEVEL, starts - 1) * deviation).argmin()])
