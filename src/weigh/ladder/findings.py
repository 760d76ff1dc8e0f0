"""Findings of a ladder in words: rungs on which noise hides what is claimed (T2)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from weigh.model import units

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.ladder.analysis import Series, Step
    from weigh.ladder.forecast import Crossing
    from weigh.model.units import Scale


def beyond(one: Series) -> str:
    """What would resolve it where no rung does."""
    last = one.judged[-1]
    parts = []
    if one.predicted and last.scale is not None:
        parts.append(predicted(one.predicted, last.scale))
    elif one.unpredicted:
        parts.append(one.unpredicted)
    if one.starts_needed:
        parts.append(f"or {units.count(one.starts_needed, 'start')} at {units.scale(last.scale)}")
    return "".join(f"; {part}" for part in parts)


def hidden(some: Sequence[Series], of: int, margin: float) -> str:
    """T2: noise hides what is claimed at the smallest rung."""
    worst = max((one.judged[0] for one in some), key=lambda step: step.detectable or math.inf)
    which = f"on {len(some)} of {units.count(of, 'operation')}, worst on {worst.operation}: " if of > 1 else ""
    text = (
        f"at {units.scale(worst.scale)} noise hides the declared margin: {which}{_least(worst)}, and the margin is "
        f"{units.percent(margin)}"
    )
    firsts = [one.first for one in some]
    if None not in firsts:
        return (
            f"{text}; {units.scale(max(one for one in firsts if one is not None))} is the first rung that resolves it"
        )
    return f"{text}; no rung resolves it{beyond(some[0]) if len(some) == 1 else ''}"


def _least(step: Step) -> str:
    """What a rung can find, alongside its scatter."""
    cv = f" (CV {units.percent(step.cv)})" if step.cv is not None else ""
    return f"effects below {units.percent(step.detectable)} would be missed{cv}"


def remedy(some: Sequence[Series]) -> str:
    """What to do about a rung that is too small."""
    firsts = [one.first for one in some if one.first is not None]
    if len(firsts) == len(some):
        return f"claim nothing below {units.scale(max(firsts))}, or raise --starts"
    return "measure at a larger scale, raise --starts, or declare a larger --margin"


def lost(one: Series, margin: float) -> str:
    """A larger rung resolves less than a smaller one."""
    return (
        f"the margin of {units.percent(margin)} is resolvable at a smaller rung and not at {units.scale(one.lost)}: "
        "the noise does not simply fall with scale"
    )


def about(value: float, like: Scale) -> str:
    """A predicted scale with two digits, in the unit of another: ``4.2M rows``, ``SF 0.3``."""
    if isinstance(like, float):
        return f"SF {float(f'{value:.2g}'):,g}"
    # A thousand for each unit: 990 rows are no 0.99K.
    for unit, factor in (("G", 10**9), ("M", 10**6), ("K", 10**3)):
        if value >= factor:
            return f"{float(f'{value / factor:.2g}'):,g}{unit} rows"
    return f"{float(f'{value:.2g}'):,g} rows"


def predicted(crossing: Crossing, like: Scale) -> str:
    """A prediction with its interval."""
    level = units.percent(crossing.confidence, 0)
    end = "no end in reach" if crossing.high is None else about(crossing.high, like)
    return (
        f"predicted at about {about(crossing.scale, like)} ({level} interval {about(crossing.low, like)} to {end}), if "
        "the noise goes on falling as it did"
    )
