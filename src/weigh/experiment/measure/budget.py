"""The budget: how many starts and runs fit, planned from the gate's durations before anything is measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.model import units
from weigh.model.errors import UsageError
from weigh.model.spec import MIN_STARTS
from weigh.model.units import Seconds

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from weigh.model.schedule import Arm

_PER_EXECUTION = 0.004
"""Seconds around an execution for fetching and checking its answer."""
_SLACK = 1.15
_EMPTYING = 0.5
"""Seconds that writing back, dropping caches and reading the program again take beside a start."""


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What will be measured.

    Attributes:
        starts: blocks, that is fresh starts of every arm.
        runs: timed executions a turn.
        seconds: what it is expected to take.
        lowered: whether the budget made it smaller than asked for.
    """

    starts: int
    runs: int
    seconds: Seconds
    lowered: bool


def plan(
    starts: int,
    runs: int,
    budget: Seconds | None,
    arms: Iterable[Arm],
    start_seconds: Mapping[str, Seconds],
    execution_seconds: Mapping[str, Iterable[Seconds]],
) -> Plan:
    """The largest plan that fits: first fewer runs a turn, then fewer starts, always whole blocks.

    Args:
        starts: blocks asked for.
        runs: timed executions a turn asked for.
        budget: seconds for the measuring phase, or None.
        arms: of a block.
        start_seconds: what a start takes, by contender.
        execution_seconds: what one execution of each timed case takes, by contender.

    Raises:
        UsageError: not even five starts of one run fit; the budget needed is named.
    """
    arms = list(arms)
    begin = sum(start_seconds.get(arm.contender, 0.0) for arm in arms)
    once = sum(seconds + _PER_EXECUTION for arm in arms for seconds in execution_seconds.get(arm.contender, ()))

    def cost(k: int, r: int) -> Seconds:
        return _SLACK * k * (begin + (1 + r) * once)

    wanted = Plan(starts=starts, runs=runs, seconds=cost(starts, runs), lowered=False)
    if budget is None or wanted.seconds <= budget:
        return wanted
    for r in range(runs - 1, 0, -1):
        if cost(starts, r) <= budget:
            return Plan(starts=starts, runs=r, seconds=cost(starts, r), lowered=True)
    for k in range(starts - 1, MIN_STARTS - 1, -1):
        if cost(k, 1) <= budget:
            return Plan(starts=k, runs=1, seconds=cost(k, 1), lowered=True)
    least = min(starts, MIN_STARTS)
    raise UsageError(
        f"a budget of {units.seconds(budget)} is too small: {least} starts of one run need about "
        f"{units.seconds(cost(least, 1))}, the {starts} starts of {runs} runs asked for "
        f"{units.seconds(wanted.seconds)}",
        remedy="raise --budget, lower --scale, or name fewer --operations",
    )


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
    block = sum(
        2 * (start_seconds.get(arm.contender, 0.0) + seconds + _PER_EXECUTION) + reading + _EMPTYING
        for arm in arms
        for seconds in execution_seconds.get(arm.contender, ())
    )

    def cost(k: int) -> Seconds:
        return _SLACK * k * block

    most = starts if budget is None else min(starts, int(budget / cost(1)))
    least = min(starts, MIN_STARTS)
    if most < least:
        raise UsageError(
            f"a budget of {units.seconds(budget)} is too small: {least} cold starts need about "
            f"{units.seconds(cost(least))}, the {starts} asked for {units.seconds(cost(starts))}",
            remedy="raise --budget, which holds for hot and cold starts apart, or name fewer --operations",
        )
    return Plan(starts=most, runs=1, seconds=cost(most), lowered=most < starts)
