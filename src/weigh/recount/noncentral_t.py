"""Student's noncentral t by quadrature: a second way, alongside SciPy's, for the second implementation."""

from __future__ import annotations

import math

from weigh.recount import student_t

_STEPS = 2_000
_FAR = 12.0
"""Standard deviations of the logarithm of the spread beyond which nothing is left."""


def detectable(confidence: float, power: float, freedom: int) -> float:
    """The true effect, in standard errors, that a two-sided test finds with a power; the far tail is left out.

    Args:
        confidence: one less the error of the test.
        power: between 0 and 1.
        freedom: degrees of freedom, at least 1.
    """
    bound = student_t.quantile(confidence, freedom)
    spreads = _spreads(freedom)
    low, high = 0.0, 10 * bound + 10
    for _ in range(60):
        middle = (low + high) / 2
        if math.fsum(weight * _normal(middle - bound * spread) for spread, weight in spreads) < power:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _spreads(freedom: int) -> list[tuple[float, float]]:
    """The estimated over the true standard deviation, and how likely each is: the root of chi-square over freedom.

    The trapezoid rule in its logarithm, whose density falls so fast to both sides that the rule is as good as exact.
    """
    far = _FAR / math.sqrt(2 * freedom)
    step = 3 * far / _STEPS
    logs = [-2 * far + step * at for at in range(_STEPS + 1)]
    heights = [math.exp(freedom * log - freedom / 2 * (math.exp(2 * log) - 1)) for log in logs]
    whole = math.fsum(heights)
    return [(math.exp(log), height / whole) for log, height in zip(logs, heights, strict=True)]


def _normal(value: float) -> float:
    return 0.5 * math.erfc(-value / math.sqrt(2))
