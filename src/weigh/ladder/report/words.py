"""The ladder in sentences."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

from weigh.model import units

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.ladder.analysis import Series, Step
    from weigh.ladder.cost import Cost
    from weigh.ladder.forecast import Crossing
    from weigh.ladder.results import Summary
    from weigh.model.units import Scale


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


def outcome(one: Series, rungs: int) -> str:
    """From where on one series resolves the margin, as a part of a sentence."""
    if not one.judged:
        return "no interval at any rung"
    if rungs < 2:
        return "resolves the margin" if one.judged[-1].resolves else "does not resolve the margin"
    if one.first is not None:
        at_once = one.first == one.steps[0].scale and one.lost is None
        return f"resolves the margin from {units.scale(one.first)} on" + (", the smallest rung" if at_once else "")
    if one.lost is not None:
        return f"resolves the margin at a smaller rung and no longer at {units.scale(one.lost)}"
    return "no rung resolves the margin" + beyond(one)


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
    """What a rung can find, beside its scatter."""
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


def costs(all_: Sequence[Cost]) -> list[str]:
    """COST of every contender over all operations of a rung, a line each."""
    lines = []
    several = len({one.scale for one in all_}) > 1
    for scale, contender in dict.fromkeys((one.scale, one.contender) for one in all_):
        own = [one for one in all_ if (one.scale, one.contender) == (scale, contender)]
        widths = Counter(one.width for one in own if one.width is not None)
        found = [f"{_threads(width)} on {number} of {len(own)}" for width, number in sorted(widths.items(), key=str)]
        open_ = sum(one.width is None and bool(one.open) for one in own)
        never = len(own) - widths.total() - open_
        found += [f"not known on {open_}: the noise hides it"] if open_ else []
        found += [f"on {never} no width that was tried beats the best single-threaded contender"] if never else []
        place = f"{units.scale(scale)}, " if scale is not None and several else ""
        lines.append(f"{place}{contender}, {units.count(len(own), 'operation')}: COST is {'; '.join(found)}")
    return lines


def cost_width(one: Cost) -> str:
    """The COST of one contender on one operation, in a word or two."""
    if one.width is not None:
        return _threads(one.width)
    return (
        f"open at {', '.join(map(str, one.open))}" if one.open else f"none of {', '.join(map(str, one.tried)) or '-'}"
    )


def _threads(width: object) -> str:
    return f"{width} thread" if width == 1 else f"{width} threads"


def headline(summary: Summary) -> str:
    """The whole ladder in one sentence."""
    ladder, margin = summary.ladder, units.percent(summary.rules.margin)
    compared = [one for one in ladder.compared if one.judged]
    if not compared:
        return "No rung gave an interval: nothing can be said about the scale."
    total = units.count(len(compared), "comparison")
    if len(summary.rungs) < 2:
        able = sum(bool(one.judged[-1].resolves) for one in compared)
        return f"The margin of {margin} is resolvable on {able} of {total}."
    if ladder.first is not None:
        return f"The margin of {margin} is resolvable from {units.scale(ladder.first)} on, on all of {total}."
    able = sum(one.first is not None for one in compared)
    return (
        f"No rung up to {units.scale(summary.rungs[-1].scale)} resolves the margin of {margin} throughout: "
        f"{able} of {total} do."
    )


def unfinished(summary: Summary) -> str:
    """Rungs that are missing or broken off; empty where the ladder is whole."""
    missing = summary.plan.scales[len(summary.rungs) :]
    broken = [rung for rung in summary.rungs if not rung.complete]
    parts = [f"{units.scale(rung.scale)} was not measured to its end" for rung in broken]
    if missing:
        parts.append(f"not reached: {', '.join(units.scale(scale) for scale in missing)}")
    return f"Not complete: {'; '.join(parts)}. Go on with --resume." if parts else ""
