"""Templates on the first screen: a line for each that differs, which stands for the operations that differ like it."""

from __future__ import annotations

import math
from statistics import median
from typing import TYPE_CHECKING

from weigh.experiment.report.by_template import label
from weigh.experiment.report.first_screen.headline import short
from weigh.experiment.report.first_screen.outlook import needs, why
from weigh.experiment.report.first_screen.pair import ALIKE, DIFFERENT, Pair, is_open, not_compared
from weigh.model import units

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from weigh.experiment.results.by_template import TemplateVerdict
    from weigh.experiment.results.results import ExperimentResults
    from weigh.model.units import Seconds
    from weigh.model.verdict import Verdict


def sentences(results: ExperimentResults, compared: Sequence[Pair]) -> Iterator[str]:
    """What templates say of each contender: ``... each of 12 templates: SLOWER on 8, by 8.5 to 25.4 %; open on 1.``.

    Nothing where all of them are open: that says no more than their operations do.
    """
    for pair in compared:
        members = tuple(
            one.verdict
            for one in results.templates
            if (one.verdict.contender, one.verdict.temperature) == (pair.contender, pair.temperature)
        )
        if not all(map(is_open, members)):
            who = f"{pair.contender} over" if len(compared) > 1 else "Over"
            found = Pair(pair.contender, pair.baseline, pair.temperature, members)
            yield f"{who} all operations of each of {units.count(len(members), 'template')}: {short(found)}."
            yield from _pooled(results, pair)


def _pooled(results: ExperimentResults, pair: Pair) -> Iterator[str]:
    """How many operations are the same, each with the help of its template; nothing where no more are than alone."""
    alone = {one.operation for one in pair.verdicts if one.verdict in ALIKE}
    pooled = {
        one.operation
        for template in results.templates
        if (template.verdict.contender, template.verdict.temperature) == (pair.contender, pair.temperature)
        for one in template.pooled or ()
        if one.verdict in ALIKE
    }
    if pooled - alone:
        margin, of = units.percent(pair.verdicts[0].margin, 0), f"{len(pair.verdicts):,} operations"
        same = len(alone | pooled)
        yield f"Pooled within their templates {same:,} of {of} are the same within {margin}, alone {len(alone):,}."


def differing(
    results: ExperimentResults, others: Sequence[str]
) -> Iterator[tuple[str, tuple[TemplateVerdict | None, ...]]]:
    """Templates on which somebody differs: the label, and the verdicts of the other contenders in their order."""
    for name, of_it in _grouped(results).items():
        if any(one.verdict.verdict in DIFFERENT for one in of_it.values()):
            yield name, tuple(of_it.get(other) for other in others)


def alike(results: ExperimentResults, others: Sequence[str]) -> Iterator[tuple[tuple[str, ...], str, str]]:
    """Templates on which nobody differs, by what is reported of them: labels, the verdict's name, the meaning."""
    found: dict[tuple[str, str], list[str]] = {}
    for name, of_it in _grouped(results).items():
        verdicts = [one.verdict for one in of_it.values()]
        if any(one.verdict in DIFFERENT for one in verdicts):
            continue
        if len(verdicts) == len(others) and all(one.verdict in ALIKE for one in verdicts):
            outcome = f"same within {units.percent(verdicts[0].margin, 0)}"
            found.setdefault((str(verdicts[0].verdict), outcome), []).append(name)
            continue
        still_open = next((one for one in of_it.values() if is_open(one.verdict)), None)
        left = next((one for one in of_it.values() if not_compared(one.verdict)), None)
        if still_open:
            outcome = f"open: {needs(still_open.verdict, still_open.operations, results.pace)}"
            found.setdefault((str(still_open.verdict.verdict), outcome), []).append(name)
        elif left:
            found.setdefault((str(left.verdict.verdict), f"not compared: {why(left.verdict)}"), []).append(name)
    for (sign, outcome), names in found.items():
        yield tuple(names), sign, outcome


def follows(results: ExperimentResults) -> set[tuple[str, str, str]]:
    """(operation, temperature, contender) of verdicts that differ as that of their template does.

    In the same direction, and by about as much as the middle one of its operations: what is half as much again, or half
    as much, is worth a line of its own, where its interval says so and it is more than the margin.
    """
    verdicts = {(one.operation, one.temperature, one.contender): one for one in results.headline.verdicts}
    found: set[tuple[str, str, str]] = set()
    for one in results.templates:
        keys = [(operation, one.verdict.temperature, one.verdict.contender) for operation in one.operations]
        parts = {key: verdicts[key] for key in keys if key in verdicts}
        logs = [math.log(part.ratio) for part in parts.values() if part.ratio]
        middle = median(logs) if logs else 0.0
        near = max(math.log1p(one.verdict.margin), abs(middle) / 2)
        found.update(
            key for key, part in parts.items() if part.verdict is one.verdict.verdict and _near(part, middle, near)
        )
    return found


def seconds(results: ExperimentResults, template: TemplateVerdict, contender: str) -> Seconds | None:
    """Geometric mean of a contender's medians over the operations; None where one has none."""
    medians = {
        one.operation: one.median
        for one in results.headline.timings
        if one.contender == contender and one.temperature == template.verdict.temperature
    }
    times = [medians.get(operation) for operation in template.operations]
    logs = [math.log(one) for one in times if one]
    return math.exp(math.fsum(logs) / len(logs)) if len(logs) == len(times) else None


def _grouped(results: ExperimentResults) -> dict[str, dict[str, TemplateVerdict]]:
    """By label, then by contender."""
    found: dict[str, dict[str, TemplateVerdict]] = {}
    for one in results.templates:
        found.setdefault(label(one), {})[one.verdict.contender] = one
    return found


def _near(one: Verdict, middle: float, near: float) -> bool:
    """Whether its interval reaches what lies around the middle; logarithms."""
    if not one.low or not one.high:
        return False
    return math.log(one.low) <= middle + near and math.log(one.high) >= middle - near
