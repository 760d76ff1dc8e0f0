"""The arrival process: constant, Poisson or bursts, by the moments at which calls began."""

from __future__ import annotations

from typing import Literal

import msgspec
import numpy as np

from weigh.model.units import Seconds
from weigh.statistics.goodness_of_fit import chi_square_tails

Law = Literal["constant", "poisson", "bursts", "unknown"]

_FEW = 100
"""Arrivals below which no law can be distinguished from another."""
_GAPS = 2_000
"""Gaps that a distribution is fitted to; spread over the whole capture."""
_SIMULATED = 400
"""Samples from which the distribution of a statistic is taken, because the mean is estimated from the same gaps."""
_WINDOW = 20.0
"""Arrivals of a window, on average."""
_MOST_WINDOWS = 2_000
_SIGNIFICANT = 0.01
_REGULAR, _CLUMPED = 0.5, 1.5
"""Index of dispersion below which arrivals are regular, and above which they come in bursts."""


class Fit(msgspec.Struct, frozen=True, kw_only=True):
    """The law that fits, and by what.

    Attributes:
        law: that fits best.
        rate: arrivals a second, on average.
        number: of arrivals.
        length_s: from the first to the last.
        dispersion: variance of the number in windows over its mean: 0 where constant, 1 for Poisson, more in bursts.
        window_s: length of those windows.
        dispersion_p: of a dispersion so far from 1 if arrivals were Poisson's, on both sides.
        cv: coefficient of variation of the gaps: 0 where constant, 1 for Poisson.
        ks, ks_p: Kolmogorov-Smirnov's distance of the gaps from an exponential distribution with their mean, and how
            likely one so large is; by simulation, for the mean is theirs.
        anderson, anderson_p: Anderson-Darling's statistic of the same, likewise.
        fits: whether the test does not contradict the law that was taken.
        peak, burst_s: of bursts: the rate inside over the mean rate, and how long one lasts.
        resolution_s: of the source's clock; 0 where it cannot be observed.
        drift: rate of the second half over that of the first.
    """

    law: Law
    rate: float
    number: int
    length_s: Seconds
    dispersion: float | None = None
    window_s: Seconds | None = None
    dispersion_p: float | None = None
    cv: float | None = None
    ks: float | None = None
    ks_p: float | None = None
    anderson: float | None = None
    anderson_p: float | None = None
    fits: bool = False
    peak: float | None = None
    burst_s: Seconds | None = None
    resolution_s: Seconds = 0.0
    drift: float | None = None

    @property
    def flag(self) -> str:
        """As ``--arrivals`` of ``weigh load`` takes it."""
        if self.law == "bursts" and self.peak and self.burst_s:
            return f"bursts:{self.peak:.3g}:{max(self.burst_s, 1e-3) * 1e3:.0f}ms"
        return "poisson" if self.law == "poisson" else "constant"


def fit(moments: np.ndarray, stamps: np.ndarray | None = None) -> Fit:
    """The law of arrivals.

    Args:
        moments: in seconds, in any order.
        stamps: moments as the source wrote them, of some calls: what it rounds can be seen there; None where moments
            are what it wrote.
    """
    at = np.sort(np.asarray(moments, dtype=float))
    number = len(at)
    length = float(at[-1] - at[0]) if number else 0.0
    rate = (number - 1) / length if length > 0 else 0.0
    if number < _FEW or length <= 0:
        return Fit(law="unknown", rate=rate, number=number, length_s=length)
    resolution = _resolution(at if stamps is None else stamps)
    if resolution:
        # Moments that the source rounds are somewhere within what it rounds to.
        at = np.sort(at + np.random.default_rng(1).uniform(0, resolution, number))
    gaps = np.diff(at)
    windows = int(min(_MOST_WINDOWS, max(10, number / _WINDOW)))
    # Where many arrivals have one moment, only their number in windows longer than that says anything.
    coarse = resolution * rate > 1
    if coarse:
        windows = int(max(10, min(windows, length / (2 * resolution))))
    counts = np.histogram(at, bins=windows, range=(at[0], at[-1]))[0]
    dispersion = float(counts.var(ddof=1) / counts.mean())
    scaled = (windows - 1) * dispersion
    low, high = chi_square_tails(scaled, windows - 1)
    some = gaps if len(gaps) <= _GAPS else gaps[np.linspace(0, len(gaps) - 1, _GAPS).astype(int)]
    ks, ks_p, anderson, anderson_p = _exponential(some)
    half = int(np.searchsorted(at, (at[0] + at[-1]) / 2))
    cv = float(gaps.std() / gaps.mean())
    by_poisson = bool((coarse or ks_p >= _SIGNIFICANT) and min(low, high) >= _SIGNIFICANT / 2)
    law: Law
    if by_poisson:
        law = "poisson"
    elif dispersion < _REGULAR and (low < _SIGNIFICANT or cv < _REGULAR):
        law = "constant"
    elif dispersion > _CLUMPED:
        law = "bursts"
    else:
        law = "poisson"
    peak, burst = _bursts(gaps, rate) if law == "bursts" else (None, None)
    return Fit(
        law=law,
        rate=rate,
        number=number,
        length_s=length,
        dispersion=dispersion,
        window_s=length / windows,
        dispersion_p=float(min(1.0, 2 * min(low, high))),
        cv=cv,
        ks=ks,
        ks_p=ks_p,
        anderson=anderson,
        anderson_p=anderson_p,
        fits=not coarse
        and (by_poisson or (law == "constant" and cv < _REGULAR) or (law == "bursts" and _fits(gaps, peak, rate))),
        peak=peak,
        burst_s=burst,
        resolution_s=resolution,
        drift=(number - half) / half if half else None,
    )


def gap_law(gaps: np.ndarray) -> tuple[str, float]:
    """Which law pauses have, ``exponential``, ``constant`` or ``other``, and the p value of the first."""
    if len(gaps) < _FEW or gaps.mean() <= 0:
        return "other", 0.0
    _, p_value, _, _ = _exponential(gaps[:_GAPS])
    if p_value >= _SIGNIFICANT:
        return "exponential", p_value
    return ("constant" if gaps.std() / gaps.mean() < 0.2 else "other"), p_value


def _exponential(gaps: np.ndarray) -> tuple[float, float, float, float]:
    """Distances of gaps from an exponential distribution with their mean, each with its p value by simulation."""
    random = np.random.default_rng(2)
    ks, anderson = (float(one[0]) for one in _distances(gaps[np.newaxis, :]))
    drawn = random.exponential(size=(_SIMULATED, len(gaps)))
    all_ks, all_anderson = _distances(drawn)
    ks_p = float((1 + (all_ks >= ks).sum()) / (_SIMULATED + 1))
    anderson_p = float((1 + (all_anderson >= anderson).sum()) / (_SIMULATED + 1))
    return ks, ks_p, anderson, anderson_p


def _distances(samples: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Kolmogorov-Smirnov's and Anderson-Darling's, of each row."""
    size = samples.shape[1]
    ordered = np.sort(samples / samples.mean(axis=1, keepdims=True), axis=1)
    below = np.clip(-np.expm1(-ordered), 1e-12, 1 - 1e-12)
    steps = np.arange(1, size + 1)
    ks = np.maximum(steps / size - below, below - (steps - 1) / size).max(axis=1)
    logs = np.log(below) + np.log1p(-below[:, ::-1])
    anderson = -size - ((2 * steps - 1) * logs).sum(axis=1) / size
    return ks, anderson


def _bursts(gaps: np.ndarray, rate: float) -> tuple[float, Seconds]:
    """Peak and length of bursts between which nothing comes for a while.

    Gaps inside a burst are taken as exponential: longer ones than the longest of so many are pauses.
    """
    inside = gaps
    longest = float("inf")
    for _ in range(20):
        mean = float(np.median(inside) / np.log(2))
        nearer = mean * (np.log(len(gaps)) + 1)
        if abs(nearer - longest) <= 1e-9 * nearer:
            break
        longest = nearer
        inside = gaps[gaps <= longest]
    pauses = gaps[gaps > longest]
    if not len(pauses) or not len(inside) or inside.mean() <= 0:
        return 2.0, float(gaps.sum())
    within = 1 / float(inside.mean())
    length = float(inside.sum()) / (len(pauses) + 1) + 1 / within
    return max(1.01, within / rate), length


def _fits(gaps: np.ndarray, peak: float | None, rate: float) -> bool:
    """Whether gaps inside bursts are exponential, as ``weigh load`` makes them."""
    if peak is None:
        return False
    inside = gaps[gaps <= (np.log(len(gaps)) + 1) / (peak * rate)]
    if len(inside) < _FEW or len(inside) == len(gaps):
        return False
    some = inside if len(inside) <= _GAPS else inside[np.linspace(0, len(inside) - 1, _GAPS).astype(int)]
    return bool(_exponential(some)[1] >= _SIGNIFICANT)


def _resolution(at: np.ndarray) -> Seconds:
    """To what the source rounds moments: 1, 0.1, 0.01 or 0.001 s; 0 where it is finer."""
    # At random: every hundredth of even moments may look coarser than they are.
    some = np.random.default_rng(3).choice(at, size=min(len(at), 500), replace=False)
    for unit in (1.0, 0.1, 0.01, 0.001):
        ticks = some / unit
        if np.abs(ticks - np.round(ticks)).max() < 1e-3:
            return unit
    return 0.0
