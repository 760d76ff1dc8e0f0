"""Where the clock ends: a verdict that depends on whether taking the query belongs to the time is no verdict. Pure.

Nobody is accused: an engine may compile a query when it is handed over, and its users wait for that too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from weigh.model import codes
from weigh.model.sample import Samples
from weigh.model.units import seconds
from weigh.model.verdict import VerdictName
from weigh.verdict.question import Question

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

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
    every = Samples.of(samples)
    taking = every.floats("prepare_s")
    turn = every.coded("attempt", "start", "turn").code
    times = {}
    for pair, those in every.groups("operation", "contender", among=every.timed & ~np.isnan(taking)).items():
        # Of each turn the last.
        _, last = np.unique(turn[those][::-1], return_index=True)
        times[pair] = np.quantile(taking[those][::-1][last], _QUARTERS)
    least: dict[str, Floats] = {}
    for (operation, _), found in times.items():
        if operation not in least or found[1] < least[operation][1]:
            least[operation] = found
    return {
        pair: float(found[1] - least[pair[0]][1])
        for pair, found in times.items()
        if found[1] - least[pair[0]][1] > _CHANCE and found[0] > least[pair[0]][2]
    }


def with_prepare(samples: Samples, more: Mapping[tuple[str, str], float]) -> Floats:
    """Seconds of each sample with the time of taking the query in that of the execution; NaN where it has none.

    Args:
        samples: of all attempts.
        more: as ``extra`` says.
    """
    pair, pairs = samples.coded("operation", "contender")
    return np.asarray(
        samples.floats("wall_s") + np.array([more.get(one, 0.0) for one in pairs])[pair], dtype=np.float64
    )


def refusals(
    analysis: MetricAnalysis,
    samples: Samples,
    margin: float,
    again: Callable[[Floats], MetricAnalysis],
) -> Refusals:
    """Comparisons of wall time that come out otherwise when taking the query is part of the time.

    Args:
        analysis: of the times of execution alone.
        samples: that it is of.
        margin: the smallest change that matters.
        again: the same analysis of other seconds of each of them.
    """
    more = extra(samples)
    wall = samples.floats("wall_s")
    walls = samples.groups("operation", "contender", among=samples.timed & ~np.isnan(wall))
    if not any(
        value > _MATTERS * margin * np.median(wall[walls[pair]]) for pair, value in more.items() if pair in walls
    ):
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
