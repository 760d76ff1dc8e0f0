"""Where the clock ends: a verdict that depends on whether taking the query belongs to the time is no verdict. Pure.

Nobody is accused: an engine may compile a query when it is handed over, and its users wait for that too.
"""

from __future__ import annotations

from collections import defaultdict
from statistics import median
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from weigh.model import codes
from weigh.model.units import seconds
from weigh.model.verdict import VerdictName
from weigh.verdict.question import Question

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from weigh.experiment.results.analysis import MetricAnalysis
    from weigh.model.sample import Sample
    from weigh.model.verdict import Reason, Verdict
    from weigh.statistics.arrays import Floats
    from weigh.verdict.refusals import Refusals

_CHANCE = 5e-4
"""Seconds."""
_QUARTERS = (0.25, 0.5, 0.75)
_MATTERS = 0.25
"""Share of the margin by which taking the query must lengthen somebody's execution before it can change anything."""
CLAIMS = (VerdictName.FASTER, VerdictName.SLOWER, VerdictName.SMALL, VerdictName.SAME)
_FAR = 1.5
"""Factor between the two ratios from which on one verdict by the same name says two things."""


def extra(samples: Iterable[Sample]) -> dict[tuple[str, str], float]:
    """Seconds that taking a query takes (operation, contender) longer than whoever takes it quickest; medians of turns.

    What is common to all is the message. What is below half a millisecond is chance, and so is what the scatter of the
    two explains, as where others use the machine: three quarters of the turns take longer than three quarters of the
    quickest one's.
    """
    turns: dict[tuple[str, str], dict[tuple[int, int, int], float]] = defaultdict(dict)
    for one in samples:
        if one.timed and one.prepare_s is not None:
            turns[one.operation, one.contender][one.attempt, one.start, one.turn] = one.prepare_s
    times = {pair: np.quantile(list(found.values()), _QUARTERS) for pair, found in turns.items()}
    least: dict[str, Floats] = {}
    for (operation, _), found in times.items():
        if operation not in least or found[1] < least[operation][1]:
            least[operation] = found
    return {
        pair: float(found[1] - least[pair[0]][1])
        for pair, found in times.items()
        if found[1] - least[pair[0]][1] > _CHANCE and found[0] > least[pair[0]][2]
    }


def with_prepare(samples: Sequence[Sample], more: Mapping[tuple[str, str], float]) -> list[Sample]:
    """The samples with the time of taking the query in that of the execution.

    Args:
        samples: of all attempts.
        more: as ``extra`` says.
    """
    return [
        one
        if one.wall_s is None or (added := more.get((one.operation, one.contender))) is None
        else msgspec.structs.replace(one, wall_s=one.wall_s + added)
        for one in samples
    ]


def refusals(
    analysis: MetricAnalysis,
    samples: Sequence[Sample],
    margin: float,
    again: Callable[[Sequence[Sample]], MetricAnalysis],
) -> Refusals:
    """Comparisons of wall time that come out otherwise when taking the query is part of the time.

    Args:
        analysis: of the times of execution alone.
        samples: that it is of.
        margin: the smallest change that matters.
        again: the same analysis of other samples.
    """
    more = extra(samples)
    walls: dict[tuple[str, str], list[float]] = defaultdict(list)
    for one in samples:
        if one.timed and one.wall_s is not None:
            walls[one.operation, one.contender].append(one.wall_s)
    if not any(value > _MATTERS * margin * median(walls[pair]) for pair, value in more.items() if pair in walls):
        return {}
    others = {_key(one): one for one in again(with_prepare(samples, more)).verdicts}
    return {
        (Question(one.operation, one.temperature), one.contender): _reason(one, others[_key(one)], more)
        for one in _claims(analysis.verdicts)
        if _key(one) in others and otherwise(one, others[_key(one)])
    }


def _claims(verdicts: Iterable[Verdict]) -> list[Verdict]:
    return [one for one in verdicts if one.verdict in CLAIMS]


def _key(one: Verdict) -> tuple[str, str, str]:
    return one.operation, one.contender, one.temperature


def otherwise(one: Verdict, other: Verdict) -> bool:
    """Whether a reader would learn something else. What is then only less certain is the same claim."""
    if other.verdict in CLAIMS and other.verdict is not one.verdict:
        return True
    if one.ratio is None or other.ratio is None:
        return False
    return max(one.ratio, other.ratio) > _FAR * min(one.ratio, other.ratio)


def _reason(one: Verdict, other: Verdict, more: Mapping[tuple[str, str], float]) -> Reason:
    takes = [
        f"{name} {seconds(more[one.operation, name])}"
        for name in (one.contender, one.baseline)
        if (one.operation, name) in more
    ]
    ratios = "" if one.ratio is None or other.ratio is None else f" ({one.ratio:.3g} against {other.ratio:.3g} times)"
    return codes.A6_CLOCK.reason(
        f"it depends on where the clock begins: before it, taking the query costs {' and '.join(takes)} more than it "
        f"need, and with that in the time the verdict would be another one{ratios}"
    )
