"""The budget: how many starts and runs fit, planned from the gate's durations before anything is measured."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from weigh.experiment.results.precision.allocation import FEWEST, LEVEL
from weigh.model import units
from weigh.model.errors import UsageError
from weigh.model.rules import MIN_STARTS
from weigh.model.units import Seconds
from weigh.statistics import student_t

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from weigh.model.schedule import Arm

_PER_EXECUTION = 0.004
"""Seconds around an execution for fetching and checking its answer."""
_SLACK = 1.15
_EMPTYING = 0.5
"""Seconds that writing back, dropping caches and reading the program again take alongside a start."""


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What will be measured.

    Attributes:
        starts: blocks, that is fresh starts of every arm.
        rounds: turns of every arm in a start, for each operation.
        runs: timed executions a turn.
        seconds: what it is expected to take.
        lowered: whether the budget made it smaller than asked for.
    """

    starts: int
    rounds: int = 1
    runs: int
    seconds: Seconds
    lowered: bool

    @property
    def size(self) -> str:
        """In words: ``10 starts of 6 rounds of 2 runs``."""
        rounds = f" of {units.count(self.rounds, 'round')}" if self.rounds > 1 else ""
        return f"{units.count(self.starts, 'start')}{rounds} of {units.count(self.runs, 'run')}"


class Wish(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked for.

    Attributes:
        starts: blocks.
        rounds: turns of every arm in a start, for each operation; None: to be chosen.
        runs: timed executions a turn; None: to be chosen.
        duet: the arm with which every other one executes at the same moment; empty where they take turns.
        least: whether five starts of one run are made where even these do not fit, instead of nothing.
        go_on: whether more starts follow as long as the budget lasts.
    """

    starts: int
    rounds: int | None = None
    runs: int | None = None
    duet: str = ""
    least: bool = False
    go_on: bool = False


_SHORT = ((6, 2), (6, 1), (4, 1), (3, 1), (2, 1), (1, 1))
"""Rounds and runs, best first: many short rounds beat a few long ones, down to what fits."""
_LONG = _SHORT[2:]
_DUET = ((6, 2), (4, 2), (2, 2))
"""As many on either half of the CPUs, within a turn and over the rounds."""
LONG = 0.05
"""Seconds of an execution from which on a second timed one in a turn is not worth its time."""
_BETWEEN, _BETWEEN_STARTS = 0.02, 0.3
"""Before anything is measured: variance between starts over that of one round, and the correlation of executions in a
turn (docs/concept/statistics.md, "More starts or more rounds")."""


def least(
    wish: Wish,
    arms: Iterable[Arm],
    start_seconds: Mapping[str, Seconds],
    execution_seconds: Mapping[str, Sequence[Seconds]],
) -> Plan:
    """The least that is measured: the fewest starts, of as few rounds and runs as there are; arguments of ``plan``."""
    arms = list(arms)
    starts = min(wish.starts, MIN_STARTS)
    rounds, runs = _choices(wish, [each for of in execution_seconds.values() for each in of])[-1]
    begin, once = _start_and_round(wish, arms, start_seconds, execution_seconds)
    seconds = _cost(begin, once, starts, rounds, runs)
    return Plan(starts=starts, rounds=rounds, runs=runs, seconds=seconds, lowered=True)


def plan(
    wish: Wish,
    budget: Seconds | None,
    arms: Iterable[Arm],
    start_seconds: Mapping[str, Seconds],
    execution_seconds: Mapping[str, Sequence[Seconds]],
) -> Plan:
    """The largest plan that fits: first fewer runs and rounds, then fewer starts, always whole blocks.

    Args:
        wish: what is asked for.
        budget: seconds for the measuring phase, or None.
        arms: of a block.
        start_seconds: what a start takes, by contender.
        execution_seconds: what one execution of each timed case takes, by contender.

    Raises:
        UsageError: not even five starts of one run fit, and they are not to be made anyway; the budget needed is named.
    """
    arms = list(arms)
    begin, once = _start_and_round(wish, arms, start_seconds, execution_seconds)
    choices = _choices(wish, [each for of in execution_seconds.values() for each in of])
    if wish.go_on and budget is not None and not (wish.rounds or wish.runs or wish.duet):
        choices.sort(key=lambda choice: _width(choice, begin, once, wish.starts, budget))

    for rounds, runs in choices:
        # The later half of the starts may have a round less: a median of two rounds is worth more than starts of one.
        part = 0.5 if wish.go_on and 1 < rounds <= FEWEST and runs == 1 and not (wish.rounds or wish.duet) else 0.0
        seconds = _cost(begin, once, wish.starts, rounds - part, runs)
        if budget is None or seconds <= budget:
            # What is chosen here was not asked for: less of it is no less than that.
            wish_of_user = (wish.rounds or rounds, wish.runs or runs)
            return Plan(
                starts=wish.starts, rounds=rounds, runs=runs, seconds=seconds, lowered=(rounds, runs) != wish_of_user
            )
    assert budget is not None
    least_rounds, least_runs = choices[-1]
    for starts in range(wish.starts - 1, MIN_STARTS - 1, -1):
        seconds = _cost(begin, once, starts, least_rounds, least_runs)
        if seconds <= budget:
            return Plan(starts=starts, rounds=least_rounds, runs=least_runs, seconds=seconds, lowered=True)
    fewest = least(wish, arms, start_seconds, execution_seconds)
    if wish.least:
        return fewest
    wished = units.seconds(_cost(begin, once, wish.starts, least_rounds, least_runs))
    raise UsageError(
        f"a budget of {units.seconds(budget)} is too small: {fewest.starts} starts of one run need about "
        f"{units.seconds(fewest.seconds)}"
        + (f", {wish.starts} of them {wished}" if wish.starts > fewest.starts else ""),
        remedy="raise --budget, lower --scale, or name fewer --operations",
    )


def _start_and_round(
    wish: Wish,
    arms: Sequence[Arm],
    start_seconds: Mapping[str, Seconds],
    execution_seconds: Mapping[str, Sequence[Seconds]],
) -> tuple[Seconds, Seconds]:
    """What one start of every arm takes, and one execution of every case by every arm."""
    begin = sum(start_seconds.get(arm.contender, 0.0) for arm in arms)
    return begin, sum(_round(wish.duet, arms, execution_seconds))


def _cost(begin: Seconds, once: Seconds, starts: int, rounds: float, runs: int) -> Seconds:
    return _SLACK * starts * (begin + rounds * (1 + runs) * once)


def _width(choice: tuple[int, int], begin: Seconds, once: Seconds, least: int, budget: Seconds) -> float:
    """How wide intervals will be when the budget is spent, up to a factor; infinite where it is no question of that."""
    rounds, runs = choice
    starts = budget / _cost(begin, once, 1, rounds, runs)
    if rounds < FEWEST or starts < least:
        return math.inf
    variance = _BETWEEN + (1 + _BETWEEN_STARTS * (runs - 1)) / runs / rounds
    return float(student_t.quantile(LEVEL, np.asarray(starts - 1))) * math.sqrt(variance / starts)


def _choices(wish: Wish, seconds: Sequence[Seconds]) -> list[tuple[int, int]]:
    """Rounds and runs to try, the best first, none above what was asked for."""
    if wish.duet and not (wish.rounds or wish.runs):
        return list(_DUET)
    usual = _LONG if seconds and sorted(seconds)[len(seconds) // 2] >= LONG else _SHORT
    most_rounds, most_runs = wish.rounds or usual[0][0], wish.runs or usual[0][1]
    fewer = [(most_rounds, runs) for runs in range(most_runs, 0, -1)]
    fewer += [(rounds, 1) for rounds in range(most_rounds - 1, 0, -1)]
    chosen = [pair for pair in usual if pair[0] <= most_rounds and pair[1] <= most_runs]
    return fewer if wish.rounds or wish.runs else chosen


def _round(duet: str, arms: Sequence[Arm], execution_seconds: Mapping[str, Sequence[Seconds]]) -> Iterable[Seconds]:
    """What one execution of every case by every arm takes; in a duet on half of the CPUs, in pairs."""
    base = next((arm for arm in arms if arm.name == duet), None)
    for arm in arms:
        seconds_of_arm = execution_seconds.get(arm.contender, ())
        if base is None:
            yield from (seconds + _PER_EXECUTION for seconds in seconds_of_arm)
        elif arm is not base:
            other = execution_seconds.get(base.contender, ()) or (0.0,) * len(seconds_of_arm)
            yield from (2 * max(pair) + _PER_EXECUTION for pair in zip(seconds_of_arm, other, strict=False))


def cold_plan(
    starts: int,
    budget: Seconds | None,
    arms: Iterable[Arm],
    start_seconds: Mapping[str, Seconds],
    execution_seconds: Mapping[str, Iterable[Seconds]],
    reading: Seconds,
) -> Plan:
    """The most cold blocks that fit: every execution is a life of its own, and is followed by another life.

    Args:
        starts: cold blocks asked for.
        budget: seconds for the cold blocks, or None.
        arms: of a block.
        start_seconds: what a start takes, by contender.
        execution_seconds: what one execution of each timed case takes in memory, by contender.
        reading: what reading all the data once takes.

    Raises:
        UsageError: not even five cold starts fit; the budget needed is named.
    """
    block = cold_block(arms, start_seconds, execution_seconds, reading)
    most = starts if budget is None else min(starts, int(budget / block))
    fewest = min(starts, MIN_STARTS)
    if most < fewest:
        raise UsageError(
            f"a budget of {units.seconds(budget)} is too small: {fewest} cold starts need about "
            f"{units.seconds(fewest * block)}, the {starts} asked for {units.seconds(starts * block)}",
            remedy="raise --budget, which holds for hot and cold starts apart, or name fewer --operations",
        )
    return Plan(starts=most, runs=1, seconds=most * block, lowered=most < starts)


def cold_block(
    arms: Iterable[Arm],
    start_seconds: Mapping[str, Seconds],
    execution_seconds: Mapping[str, Iterable[Seconds]],
    reading: Seconds,
) -> Seconds:
    """What one cold start of every arm takes: a life for each execution, and another one after it."""
    return _SLACK * sum(
        2 * (start_seconds.get(arm.contender, 0.0) + seconds + _PER_EXECUTION) + reading + _EMPTYING
        for arm in arms
        for seconds in execution_seconds.get(arm.contender, ())
    )
