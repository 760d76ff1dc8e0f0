"""The share of something that happened in some of several trials."""

from __future__ import annotations

from weigh.statistics.special import special


def clopper_pearson(happened: int, trials: int, confidence: float) -> tuple[float, float]:
    """The interval of a share that holds it at least as often as the confidence says, however few trials there are.

    Exact, by the quantiles of the binomial distribution (Clopper, Pearson 1934). Where it happened never or always, the
    interval has one open end, which gets all of the error.

    Args:
        happened: in so many trials.
        trials: one at least.
        confidence: level of the interval.

    Returns:
        its ends, from 0 to 1.
    """
    missed = trials - happened
    tail = 1 - confidence if not happened or not missed else (1 - confidence) / 2
    low = float(special.betaincinv(happened, missed + 1, tail)) if happened else 0.0
    high = float(special.betaincinv(happened + 1, missed, 1 - tail)) if missed else 1.0
    return low, high


def most(trials: int, share: float, confidence: float) -> int:
    """How many of some trials it may happen in, at a level, where each has this share of happening."""
    happened = 0
    while special.bdtr(happened, trials, share) < confidence:
        happened += 1
    return happened
