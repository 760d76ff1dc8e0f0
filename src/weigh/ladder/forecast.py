"""The forecast: at which scale a declared margin would be resolvable, where no measured one is.

The noise of a rung is the standard deviation of its ratio from block to block. A line is fitted through its logarithm
against the logarithm of the scale. A standard deviation that was estimated from nu degrees of freedom is itself
uncertain, and by how much is known: where blocks are normal, ``log s`` has the variance ``trigamma(nu / 2) / 4`` around
``log sigma + (digamma(nu / 2) - log(nu / 2)) / 2``. So the line has an uncertainty even through two rungs, and lack of
fit can be observed from three on; where it is larger than chance allows the uncertainty is inflated by it (R. T. Birge,
"The calculation of errors by the method of least squares", Phys. Rev. 40, 1932). The scale at which the line crosses
what the margin needs has Fieller's interval (E. C. Fieller, "Some problems in interval estimation", JRSS B 16, 1954),
which has an end only where the slope is shown to fall.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from weigh.statistics import student_t
from weigh.statistics.special import special
from weigh.verdict.decide import FAR, POWER

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.model.rules import Rules


LEVEL = 0.95
"""Of the interval of a predicted scale."""
REACH = 1_000.0
"""What lies more than this many times beyond the largest measured scale is not predicted."""


class Noise(msgspec.Struct, frozen=True, kw_only=True):
    """The noise of one rung.

    Attributes:
        scale: of the rung, above zero.
        spread: standard deviation of the ratio from block to block, a logarithm.
        starts: blocks that it was estimated from.
    """

    scale: float
    spread: float
    starts: int


class Crossing(msgspec.Struct, frozen=True, kw_only=True):
    """The scale at which the line of the noise falls to what the margin needs.

    Attributes:
        scale: predicted; never below the largest measured one, which did not resolve.
        low: lower end of its interval.
        high: upper end; None where it is out of reach.
        confidence: of that interval.
        slope: of the line: -0.5 where noise averages out over the work, -1 where it does not depend on it.
    """

    scale: float
    low: float
    high: float | None
    confidence: float = LEVEL
    slope: float


def spread(half: float, starts: int, confidence: float) -> float:
    """Standard deviation from block to block that an interval's half-width (a logarithm) came from."""
    return float(half / student_t.quantile(confidence, np.array([starts - 1.0]))[0] * np.sqrt(starts))


def smallest(spread_: float, starts: int, confidence: float) -> float:
    """The smallest effect (a logarithm) that so many starts find at that spread, with 80 % power."""
    return float(student_t.detectable(confidence, POWER, np.array([starts - 1.0]))[0] * spread_ / np.sqrt(starts))


def starts_for(one: Noise, rules: Rules) -> int | None:
    """Starts with which the margin would be resolvable at this rung; None above :data:`FAR`."""
    starts = np.arange(2.0, FAR + 1)
    reached = student_t.detectable(rules.confidence, POWER, starts - 1) * one.spread / np.sqrt(starts)
    enough = np.flatnonzero(reached <= np.log1p(rules.margin))
    return int(starts[enough[0]]) if len(enough) else None


def forecast(noises: Sequence[Noise], rules: Rules) -> Crossing | str:
    """Where the margin becomes resolvable with as many starts as the largest rung had; a sentence where nobody can say.

    Args:
        noises: of the rungs that have an interval, by ascending scale.
        rules: margin and confidence.
    """
    usable = [one for one in noises if one.spread > 0]
    if len(usable) < 2:
        return "there is no prediction: a line needs two rungs with an interval"
    last = usable[-1]
    half = np.array([(one.starts - 1) / 2 for one in usable])
    level = np.log([one.spread for one in usable]) - (special.digamma(half) - np.log(half)) / 2
    weight = 4 / special.polygamma(1, half)
    place = np.log([one.scale for one in usable])
    centre = float((weight * place).sum() / weight.sum())
    width = float((weight * (place - centre) ** 2).sum())
    slope = float((weight * (place - centre) * level).sum() / width)
    height = float((weight * level).sum() / weight.sum())
    rest = float((weight * (level - height - slope * (place - centre)) ** 2).sum())
    birge = max(1.0, rest / (len(usable) - 2)) if len(usable) > 2 else 1.0
    factor = float(special.ndtri((1 + LEVEL) / 2)) ** 2 * birge
    needed = float(np.log(np.log1p(rules.margin) / smallest(1.0, last.starts, rules.confidence)))
    # Fieller: (height + slope x - needed)^2 <= factor (1 / sum of weights + x^2 / width), x from the centre.
    square, linear = slope**2 - factor / width, slope * (height - needed)
    if slope >= 0 or square <= 0:
        return "there is no prediction: over these rungs the noise is not shown to fall with scale"
    root = np.sqrt(max(linear**2 - square * ((height - needed) ** 2 - factor / weight.sum()), 0.0))
    ends = [(needed - height) / slope, (-linear - root) / square, (-linear + root) / square]
    scale, low, high = (float(np.exp(min(centre + end, 700.0))) for end in ends)
    if scale > REACH * last.scale:
        return f"there is no prediction: the line reaches the margin only beyond {REACH:,.0f} times the largest rung"
    return Crossing(
        scale=max(scale, last.scale),
        low=max(low, last.scale),
        high=max(high, last.scale) if high <= REACH * last.scale else None,
        slope=slope,
    )
