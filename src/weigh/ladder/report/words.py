"""The ladder in sentences."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from weigh.ladder.findings import beyond
from weigh.model import units

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.ladder.analysis import Series
    from weigh.ladder.cost import Cost
    from weigh.ladder.results import LadderResults


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


def costs(all_: Sequence[Cost]) -> list[str]:
    """COST of every contender over all operations of a rung, a line each."""
    lines = []
    several = len({one.scale for one in all_}) > 1
    for scale, contender in dict.fromkeys((one.scale, one.contender) for one in all_):
        costs_of = [one for one in all_ if (one.scale, one.contender) == (scale, contender)]
        widths = Counter(one.width for one in costs_of if one.width is not None)
        found = [
            f"{_threads(width)} on {number} of {len(costs_of)}" for width, number in sorted(widths.items(), key=str)
        ]
        open_ = sum(one.width is None and bool(one.open) for one in costs_of)
        never = len(costs_of) - widths.total() - open_
        found += [f"not known on {open_}: the noise hides it"] if open_ else []
        found += [f"on {never} no width that was tried beats the best single-threaded contender"] if never else []
        place = f"{units.scale(scale)}, " if scale is not None and several else ""
        lines.append(f"{place}{contender}, {units.count(len(costs_of), 'operation')}: COST is {'; '.join(found)}")
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


def headline(summary: LadderResults) -> str:
    """The whole ladder in one sentence."""
    ladder, margin = summary.ladder, units.percent(summary.rules.margin)
    compared = [one for one in ladder.compared if one.judged]
    if not compared:
        return "No rung gave an interval: nothing can be reported about the scale."
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


def unfinished(summary: LadderResults) -> str:
    """Rungs that are missing or broken off; empty where the ladder is whole."""
    missing = summary.plan.scales[len(summary.rungs) :]
    broken = [rung for rung in summary.rungs if not rung.complete]
    parts = [f"{units.scale(rung.scale)} was not measured to its end" for rung in broken]
    if missing:
        parts.append(f"not reached: {', '.join(units.scale(scale) for scale in missing)}")
    return f"Not complete: {'; '.join(parts)}. Go on with --resume." if parts else ""
