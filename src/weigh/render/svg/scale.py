"""Scales: values to places on an axis, and where the ticks go."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_LOG_FROM = 4.0
"""Where the largest value is more than this many times the smallest, a linear axis would hide the small ones."""
_PAD = 0.06
_ALIKE = 1e-9
"""Values that differ by a smaller part are one place: between them there are too few floats for ticks."""
_MANTISSAS = (1.0, 2.0, 5.0, 3.0, 7.0, 1.5)


@dataclass(frozen=True, slots=True)
class Scale:
    """An axis.

    Attributes:
        low, high: values at its two ends.
        start, end: places of the two ends, in units of the drawing; ``start`` may be the larger one.
        log: whether it is logarithmic.
    """

    low: float
    high: float
    start: float
    end: float
    log: bool

    def at(self, value: float) -> float:
        """The place of a value; beyond the ends for a value beyond them."""
        warp = math.log if self.log else float
        low, high = warp(self.low), warp(self.high)
        return self.start + (self.end - self.start) * (warp(value) - low) / (high - low)

    def holds(self, value: float) -> bool:
        """Whether a value lies on the axis."""
        return self.low <= value <= self.high


def around(values: Sequence[float], start: float, end: float) -> Scale:
    """A scale for measurements above zero: logarithmic where they differ by much.

    Args:
        values: at least one, all above zero.
        start: as of :class:`Scale`.
        end: as of it.
    """
    low, high = min(values), max(values)
    if high / low > _LOG_FROM:
        pad = (high / low) ** _PAD
        return Scale(low / pad, high * pad, start, end, log=True)
    spread = high - low
    pad = (spread if spread > _ALIKE * high else low) * _PAD
    return Scale(low - pad, high + pad, start, end, log=False)


def ticks(scale: Scale, gap: float) -> list[float]:
    """Round values on the axis, at least ``gap`` apart, ascending."""
    return sorted(_spaced(_round_logs(scale), scale, gap)) if scale.log else _steps(scale, gap)


def ratio_ticks(scale: Scale, gap: float) -> list[float]:
    """Ticks of a ratio: 1 first, then what lies symmetrically around it, coarse before fine; ascending."""
    factors = [10.0**power for power in range(1, 7)]
    factors += [2.0, 5.0, 20.0, 50.0, 1.5, 3.0, 4.0, 1.2, 1.1, 1.05, 1.02, 1.01, 1.005]
    candidates = [1.0]
    for factor in factors:
        # Below 1 people read 0.8 more easily than 0.83.
        candidates += [factor, 2 - factor if factor < 1.5 else float(f"{1 / factor:.2g}")]
    return sorted(_spaced((value for value in candidates if scale.holds(value)), scale, gap))


def _round_logs(scale: Scale) -> Iterator[float]:
    powers = range(math.floor(math.log10(scale.low)), math.ceil(math.log10(scale.high)) + 1)
    for mantissa in _MANTISSAS:
        for power in powers:
            value = float(f"{mantissa}e{power}")
            if scale.holds(value):
                yield value


def _spaced(candidates: Iterable[float], scale: Scale, gap: float) -> list[float]:
    """Candidates that keep the distance to those before them."""
    chosen: list[float] = []
    for value in candidates:
        if all(abs(scale.at(value) - scale.at(other)) >= gap for other in chosen):
            chosen.append(value)
    return chosen


def _steps(scale: Scale, gap: float) -> list[float]:
    """Multiples of 1, 2 or 5 times a power of ten."""
    room = max(1.0, abs(scale.end - scale.start) / gap)
    raw = (scale.high - scale.low) / room
    power = math.floor(math.log10(raw))
    step = next(s for s in (float(f"{m}e{p}") for p in (power, power + 1) for m in (1, 2, 5)) if s >= raw)
    first = math.ceil(scale.low / step)
    return [n * step for n in range(first, math.floor(scale.high / step) + 1)]
