"""One side alone: what the candidate does and the baseline does not, and what no interval sees in few starts.

Spikes and stalls of the candidate alone leave the typical ratio nearly as it is and move the total. Rare slow starts
move both, and are observed only in starts that are slow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from weigh.verdict.refusals import soundness

from . import noise, rates
from .noise import SD, Size
from .rates import MARGIN, Rate, Truth, rate
from .row import Row

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.statistics.arrays import Floats

    from .rates import Make

TRUTHS: dict[str, tuple[Make, Truth]] = {
    "candidate scatters x5": (noise.noisy_candidate, Truth(0.0, 24 * SD**2 / 2)),
    "candidate scatters x1/5": (noise.quiet_candidate, Truth(0.0, (1 / 25 - 1) * SD**2 / 2)),
    "candidate's variance x10": (noise.variable_candidate, Truth(0.0, 9 * SD**2 / 2)),
}
"""Laws in which the candidate scatters otherwise: the ratio of the medians is 1, that of the means is not."""


def spiking(share: float, scale: float) -> tuple[Make, Truth]:
    """A candidate of which a share of executions takes e^X as long, X exponential with mean ``scale`` (below 1)."""

    def make(size: Size, draw: np.random.Generator) -> Floats:
        return noise.candidate_spikes(size, draw, share, scale)

    return make, Truth(0.0, float(np.log1p(share * scale / (1 - scale))))


def stalling(share: float, times: float) -> tuple[Make, Truth]:
    """A candidate of which a share of executions takes so many times as long."""

    def make(size: Size, draw: np.random.Generator) -> Floats:
        return noise.candidate_stalls(size, draw, share, times)

    return make, Truth(0.0, float(np.log1p(share * (times - 1))))


def starting_slowly(share: float, times: float, law: Make = noise.iid) -> tuple[Make, Truth]:
    """A candidate of which a share of starts is so many times as slow, under a law that is the same for both."""

    def make(size: Size, draw: np.random.Generator) -> Floats:
        return noise.slow_starts(size, draw, share, times, law)

    return make, Truth(share * float(np.log(times)), float(np.log1p(share * (times - 1))))


ALONE: dict[str, tuple[Make, Truth]] = {
    "5 % of the candidate's executions spike": spiking(0.05, 0.5),
    "1 % of the candidate's executions x11": stalling(0.01, 11),
}
SLOW_STARTS = {"5 % of the candidate's starts +30 %": starting_slowly(0.05, 1.30)}
AT_MARGIN: dict[str, tuple[Make, Truth]] = {
    "1 % x4": stalling(0.01, 4),
    "0.3 % x11": stalling(0.003, 11),
    "3 % spike": spiking(0.03, 0.5),
}
"""Stalls of the candidate alone that make its total longer by exactly the margin."""
DESIGNS = (Size(0, 10), Size(0, 34, rounds=6, runs=2), Size(0, 100))
"""The last two have at least 400 executions of either side."""


def sized(design: Size, experiments: int) -> Size:
    """A design with so many experiments."""
    return Size(experiments, design.blocks, design.arms, design.rounds, design.runs)


def told(size: Size) -> str:
    """A design in words."""
    return f"{size.blocks} x {size.rounds} x {size.runs}"


def said(make: Make, size: Size, seed: int, change: float = 0.0) -> tuple[Rate, Rate, Rate]:
    """SAME or SMALL of the typical execution and of the total, and comparisons with starts of another kind."""
    found = rates.comparisons(make, size, seed, change)
    judged = rates.judged(found)
    flagged = soundness.other_starts(found, rates.RULES)
    equal = [np.isin(names, rates.EQUAL) for names in (judged.names, judged.total.names)]
    return rate(equal[0]), rate(equal[1]), rate(flagged)


def rows(experiments: int) -> Iterator[Row]:
    """The rows of the table of guarantees."""
    few = max(experiments // 5, 200)
    for design in DESIGNS:
        size = sized(design, few)
        for name, (make, truth) in (ALONE | SLOW_STARTS).items():
            usual, whole = rates.coverage(make, size, 51, truth)
            setting = f"{name}, {told(size)}"
            for question, one in (("typical", usual), ("total", whole)):
                guarantee = f"coverage of the 99 % interval, {question}"
                yield Row(guarantee, setting, "98-99.7 %", one.banded, one.within(0.98, 1.0))
    for design in DESIGNS:
        size = sized(design, few)
        for name, (make, truth) in ALONE.items():
            usual, _, _ = said(make, size, 52, MARGIN - truth.typical)
            yield Row(
                "SAME at the margin, typical", f"{name}, {told(size)}", "<= 5.5 %", usual.banded, usual.within(0, 0.055)
            )
        for name, (make, _) in AT_MARGIN.items():
            _, whole, _ = said(make, size, 53)
            setting = f"candidate alone {name}: total +3 %, {told(size)}"
            yield Row("SAME at the margin, total", setting, "<= 5.5 %", whole.banded, whole.within(0, 0.055))
    for share, times in ((0.05, 1.30), (0.10, 1.344), (0.05, 1.806)):
        make, truth = starting_slowly(share, times)
        for blocks in (10, 20, 30, 100):
            same, _, flagged = said(make, Size(few, blocks), 54)
            at_margin = abs(truth.typical - MARGIN) < 1e-3
            setting = f"{share:.0%} of its starts +{times - 1:.0%}, {blocks} starts"
            kept = same.within(0, 0.055) if at_margin else None
            goal = "<= 5.5 %" if at_margin else ""
            other = f"T7.starts {flagged}, mean over the starts {np.expm1(truth.typical):+.1%}"
            yield Row("SAME with rare slow starts, typical", setting, goal, same.banded, kept, other)
    for name, law in (("5 % spikes", noise.spikes), ("shared machine", noise.shared_machine)):
        make, _ = starting_slowly(0.05, 1.30, law)
        for blocks in (10, 30):
            same, _, flagged = said(make, Size(few, blocks), 54)
            setting = f"{name}, 5% of its starts +30%, {blocks} starts"
            other = f"T7.starts {flagged}, none seen in {0.95**blocks:.2%}"
            yield Row("SAME with rare slow starts, typical", setting, "", same.banded, None, other)
    for name, make in (("iid", noise.iid), ("5 % spikes", noise.spikes), ("shared machine", noise.shared_machine)):
        for blocks in (10, 30):
            same, _, flagged = said(make, Size(few, blocks), 55)
            setting = f"{name}, {blocks} starts"
            other = f"SAME or SMALL {same}"
            yield Row(
                "T7.starts where starts are alike", setting, "<= 5 %", flagged.banded, flagged.within(0, 0.05), other
            )
