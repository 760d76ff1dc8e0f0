"""Where a series settles: flat, warming up, slowing down, cyclic, or never steady (docs/concept/series.md).

The entrance is :func:`steady`. Four explanations of a series compete with the flat one
(:mod:`weigh.statistics.series.shape_models`): changes of level (:mod:`weigh.statistics.series.change_points`), a drift
and an approach to a level (:mod:`weigh.statistics.series.trends`), and a cycle
(:mod:`weigh.statistics.series.periodicity`). Each is tried under every model of correlated noise
(:mod:`weigh.statistics.series.prewhitening`), so that correlation is not taken for change. A
beginning that differs is cut, and what is left is judged again.
"""

from __future__ import annotations

from enum import StrEnum
from itertools import pairwise
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from weigh.model import codes
from weigh.model.errors import DataFault
from weigh.model.verdict import Reason
from weigh.statistics.series.periodicity import exact_period
from weigh.statistics.series.prewhitening import SAMPLES, despiked
from weigh.statistics.series.shape_models import Explanation, Kind, explained

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import ArrayLike

    from weigh.statistics.arrays import Floats


FEWEST = 50
"""Samples below which nothing is reported."""
STEADY_SHARE = 0.25
"""Share of the series that the steady part must have (Barrett et al. 2017: 500 of 2,000)."""
CUTS = 4
"""How often the beginning may be cut."""
HEAD = 20
"""A beginning too short for the batches of the series is looked for in a 20th of it, a 400th, and so on."""
HEAD_SAMPLES = 200
"""Samples such a part must have."""
HEAD_BIAS = 0.5
"""Standard errors by which it must move the mean of the series, or it is left where it is."""


class Shape(StrEnum):
    """What a series does over its length.

    WARM_UP settles below the mean of what came before, SLOWDOWN above it, or rises to the end. CYCLIC repeats itself,
    after another beginning where ``cut`` is above 0. NO_STEADY_STATE is everything else, and what is too short.
    """

    FLAT = "flat"
    WARM_UP = "warm-up"
    SLOWDOWN = "slowdown"
    CYCLIC = "cyclic"
    NO_STEADY_STATE = "no steady state"


class Segment(msgspec.Struct, frozen=True, kw_only=True):
    """Samples of one level.

    Attributes:
        start, stop: number of its first sample, from 0, and of the first one after it.
        mean: of its samples, in their unit.
    """

    start: int
    stop: int
    mean: float


class Steady(msgspec.Struct, frozen=True, kw_only=True):
    """What a series does, and the part of it whose mean may be given.

    Attributes:
        shape: what the series does.
        cut: samples before the steady part; 0 where nothing is cut. They stay in the evidence and are drawn.
        level: mean of the steady part, over whole cycles where it is cyclic; None where there is none.
        period: samples of a cycle, for a cyclic one.
        segments: levels one after another, over the whole series.
        refused: why no level is given; None where one is.
    """

    shape: Shape
    cut: int
    level: float | None
    period: float | None
    segments: tuple[Segment, ...]
    refused: Reason | None


def steady(values: ArrayLike, *, more_is_better: bool = False) -> Steady:
    """What a series does over its length, and where its steady part begins.

    Args:
        values: samples in the order of time, evenly spaced, one dimension: times, or anything of which less is better.
        more_is_better: they are rates instead; WARM_UP and SLOWDOWN change places.

    Raises:
        DataFault: there is more than one dimension, or something is not a finite number.
    """
    series = np.asarray(values, dtype=np.float64)
    if series.ndim != 1:
        what = f"a series has one dimension, and this has {series.ndim}"
        raise DataFault(what, remedy="give the samples of one series in the order of time")
    odd = np.flatnonzero(~np.isfinite(series))
    if odd.size:
        what = f"{odd.size} of {series.size} samples are not finite numbers, the first is sample {odd[0]}"
        raise DataFault(what, remedy="leave failed requests out of the times and count them as errors")
    if series.size < FEWEST:
        return _refused(series, (), f"{series.size} samples are too few: {FEWEST} are needed")
    return _judged(series, rates=more_is_better)


def _judged(series: Floats, *, rates: bool) -> Steady:
    cut, changes = 0, list[int]()
    for _ in range(CUTS):
        found = explained(series[cut:])
        later = [cut + change for change in found.changes]
        if found.kind == Kind.LEVEL:
            if head := _head(series[cut:], found.error):
                cut += head
                changes.append(cut)
            return _settled(series, cut, changes, rates=rates)
        if found.kind == Kind.CYCLE:
            return _cyclic(series, cut, changes, found)
        if found.kind == Kind.DRIFT:
            rising = found.swing > 0
            text = f"the level {'rises' if rising else 'falls'} to the end of the series"
            shape = Shape.SLOWDOWN if rising != rates else Shape.NO_STEADY_STATE
            return _refused(series, (*changes, *later), text, shape)
        begin = cut + found.begin
        if series.size - begin < max(STEADY_SHARE * series.size, FEWEST):
            text = f"the level still changes after {100 * begin / series.size:.0f} % of the series"
            return _refused(series, (*changes, *later), text)
        changes += later if found.kind == Kind.STEPS else [begin]
        cut = begin
    return _refused(series, changes, f"the level changes at {len(changes)} places and does not settle")


def _head(series: Floats, error: float) -> int:
    """Where a beginning ends that is too short to be observed in the whole series; 0 where there is none.

    Args:
        series: what is flat as a whole.
        error: standard error of its mean.
    """
    size = series.size // HEAD
    while size >= HEAD_SAMPLES:
        found = explained(series[:size])
        settles = 0 < found.begin <= (1 - STEADY_SHARE) * size
        if settles and abs(found.excess) > HEAD_BIAS * error * series.size:
            return found.begin
        size //= HEAD
    return 0


def _settled(series: Floats, cut: int, changes: Iterable[int], *, rates: bool) -> Steady:
    level = float(series[cut:].mean())
    shape = Shape.FLAT
    if cut:
        shape = Shape.SLOWDOWN if (level > series[:cut].mean()) != rates else Shape.WARM_UP
    segments = _segments(series, changes)
    return Steady(shape=shape, cut=cut, level=level, period=None, segments=segments, refused=None)


def _cyclic(series: Floats, cut: int, changes: Iterable[int], found: Explanation) -> Steady:
    rest = series[cut:]
    period = exact_period(despiked(rest, SAMPLES), found.period, found.harmonics)
    whole = round(rest.size // period * period)
    return Steady(
        shape=Shape.CYCLIC,
        cut=cut,
        level=float(rest[:whole].mean()),
        period=period,
        segments=_segments(series, changes),
        refused=None,
    )


def _refused(series: Floats, changes: Iterable[int], text: str, shape: Shape = Shape.NO_STEADY_STATE) -> Steady:
    reason = codes.T4_NO_STEADY_STATE.reason(text)
    segments = _segments(series, changes)
    return Steady(shape=shape, cut=0, level=None, period=None, segments=segments, refused=reason)


def _segments(series: Floats, changes: Iterable[int]) -> tuple[Segment, ...]:
    bounds = sorted({0, *changes, series.size})
    return tuple(
        Segment(start=start, stop=stop, mean=float(series[start:stop].mean())) for start, stop in pairwise(bounds)
    )
