"""Reasons: what is reported about a verdict, with codes of the registry. Data; rendered elsewhere."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from weigh.model import codes
from weigh.model.build import MIN_BUILDS
from weigh.model.rules import FULL_STARTS, MIN_STARTS
from weigh.model.units import count, percent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.model.gate import Doubt
    from weigh.model.metrics.metric import Metric
    from weigh.model.verdict import Reason, Total


def no_ratio(metric: Metric, unusable: int, values: int) -> Reason:
    """Some values of the metric have no logarithm."""
    return codes.X_METRIC.reason(f"{metric.absent} in {unusable} of {values} {metric.each}: no ratio")


def few_starts(starts: int) -> Reason:
    """Below the number of starts at which there is a verdict."""
    if starts == 0:
        return codes.T10_STARTS.reason("never measured in one block with the baseline")
    return codes.T10_STARTS.reason(
        f"{count(starts, 'fresh start')}; a verdict needs {MIN_STARTS}, better {FULL_STARTS}"
    )


def few_builds(builds: int) -> Reason:
    """Below the number of builds at which there is a verdict."""
    return codes.T10_BUILDS.reason(
        f"{builds} different pairs of builds; a verdict needs {MIN_BUILDS}: let the build command shuffle "
        "by $WEIGH_BUILD_SEED"
    )


def some_starts(starts: int) -> Reason:
    """Enough starts for a verdict, too few for a conclusive one."""
    return codes.T10.reason(f"{starts} fresh starts: suggestive; a conclusive result needs {FULL_STARTS}")


def apart() -> Reason:
    """The arms never shared enough blocks."""
    return codes.T5.reason("the arms were not alive together, so their difference cannot be distinguished from drift")


def unstable(detectable: float, spread: float, bound: float, *, beyond: bool) -> Reason:
    """The noise hides changes of a size that must not be missed; it may still not hide a larger one."""
    aside = f"; this difference is shown to exceed {percent(bound, 0)} all the same" if beyond else ""
    return codes.T7_UNSTABLE.reason(
        f"the ratio varies by {percent(spread)} from start to start; the smallest change that "
        f"would be found is {percent(detectable)}, more than {percent(bound, 0)}{aside}"
    )


def unresolved(half: float, differs: bool, needed: int | None, of: str = "starts") -> Reason:
    """Neither a difference that matters nor equality is shown.

    Args:
        half: half-width of the interval, a fraction.
        differs: whether the interval excludes 1.
        needed: how many would settle it; None where no reasonable number would.
        of: of what.
    """
    found = "there is a difference, whether it matters is open" if differs else "no difference is shown, nor equality"
    more = (
        f"about {needed} {of} would settle it"
        if needed is not None
        else f"the ratio lies at the margin, and no reasonable number of {of} would settle it"
    )
    return codes.T1.reason(f"{found}; the interval reaches {percent(half)} to each side; {more}")


def unverified() -> Reason:
    """Nobody independent agreed with the answers."""
    return codes.A8.reason("nothing independent confirmed the answers: suggestive at most")


def doubted(contender: str, doubt: Doubt, operation: str) -> Iterator[Reason]:
    """The contender was wrong on operations other than this one, or others answered differently there."""
    if listed := ", ".join(sorted({*doubt.operations} - {operation})):
        if doubt.wrong:
            text = f"the answers of {contender} on other operations are contradicted: {listed}"
        else:
            text = f"{contender} and others answer differently on other operations, and who is right is open: {listed}"
        yield codes.A1.reason(text)


def medians(ratio: float) -> Reason:
    """The ratio of the medians points the other way."""
    return codes.T1_MEDIANS.reason(
        f"the ratio of the medians is {ratio:.3f}, on the other side of 1: look at the samples"
    )


def within_floor(floor: float) -> Reason:
    """The difference is no larger than what no difference looked like."""
    return codes.T1_FLOOR.reason(
        f"the baseline's own two arms differ by as much ({percent(floor)}): look at the samples"
    )


def total(of: Total) -> Reason:
    """The sum of all times says something else than the typical execution."""
    return codes.T1_TOTAL.reason(
        f"that is the typical execution; in total it is {of.verdict!s}, {change(of.ratio)} ({change(of.low)} to "
        f"{change(of.high)}): rare executions make the difference"
    )


def clock(step: float, margin: float) -> Reason:
    """The clock is too coarse."""
    return codes.T1_CLOCK.reason(
        f"the clock ticks in steps of {percent(step)} of the time, more than the margin of {percent(margin)}"
    )


def other_starts(outlying: int, starts: int, apart: float) -> Reason:
    """Some starts are of another kind."""
    how = "slower" if apart > 0 else "faster"
    return codes.T7_STARTS.reason(
        f"{outlying} of {starts} starts are {percent(abs(math.expm1(apart)))} {how} than the rest, too few to "
        "say how often that happens: not called the same"
    )


def lost(blocks: int) -> Reason:
    """Blocks in which one side is missing."""
    return codes.T8_LOST.reason(
        f"one side is missing in {blocks} blocks: were the missing ones the slow ones, the rest would mislead"
    )


def carried(size: float) -> Reason:
    """The baseline takes longer, or less long, right after the contender."""
    how = "longer" if size > 0 else "less long"
    return codes.T15.reason(
        f"right after this contender the baseline took {percent(abs(math.expm1(size)))} {how} (p < .001, from all "
        "operations of the run): those turns are left out, for the contender never follows itself"
    )


def dependent(starts: int) -> Reason:
    """A start says something about the next one."""
    return codes.T14.reason(
        f"of {starts} starts each resembles the one before (p < .001, of this operation or of all of the run): "
        "they are fewer witnesses than they seem. Leave more time between starts, or find what lasts from one to the "
        "next"
    )


def constant() -> Reason:
    """Every start gave the same number."""
    return codes.T1_CONSTANT.reason(
        "every start gave exactly the same ratio: the clock is too coarse or the data are made up"
    )


def trend() -> Reason:
    """The ratio drifts."""
    return codes.T4.reason("the ratio itself drifts from block to block (p < .001): the mean depends on when it ended")


def change(ratio: float) -> str:
    """A ratio as a change: ``+9.8 %``."""
    return f"{100 * (ratio - 1):+.1f} %"
