"""Quantiles of Student's t by its finite series: a second way, alongside SciPy's, for the second implementation."""

from __future__ import annotations

import math


def quantile(confidence: float, freedom: int) -> float:
    """Half-width, in standard errors, of the two-sided interval.

    Bisection of P(|T| <= t), which for whole degrees of freedom is a finite sum in the angle atan(t / sqrt(freedom)):
    M. Abramowitz, I. A. Stegun, Handbook of Mathematical Functions, 1964, 26.7.3 and 26.7.4.

    Args:
        confidence: level of the interval, between 0 and 1.
        freedom: degrees of freedom, at least 1.
    """
    low, high = 0.0, math.pi / 2
    for _ in range(200):
        middle = (low + high) / 2
        if _within(middle, freedom) < confidence:
            low = middle
        else:
            high = middle
    return math.tan((low + high) / 2) * math.sqrt(freedom)


def _within(angle: float, freedom: int) -> float:
    """P(|T| <= sqrt(freedom) * tan(angle))."""
    sine, cosine = math.sin(angle), math.cos(angle)
    odd = freedom % 2 == 1
    # The first term of the sum, and every further one from the one before it.
    term = cosine if odd else 1.0
    terms = [] if freedom == 1 else [term]
    for below in range(3 if odd else 2, freedom - 1, 2):
        term *= cosine**2 * (below - 1) / below
        terms.append(term)
    total = sine * math.fsum(terms)
    return 2 / math.pi * (angle + total) if odd else total
