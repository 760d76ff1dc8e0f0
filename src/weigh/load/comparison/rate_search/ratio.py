"""The ratio of two highest rates, from what is to be believed of each; and what follows from several. Pure.

Each contender's probes leave a posterior of the logarithm of its own limit (:mod:`weigh.load.rate_search.threshold`).
The difference of two such limits has the distribution of the difference of two independent draws, which is computed
whole: every place of one grid with every place of the other. What the machine did to both alike makes the two
posteriors err in the same direction, so that independence errs on the side of a wider interval.

The decisions are those of :mod:`weigh.verdict.decide`, with the posterior's tails in the place of Student's t.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from weigh.load.rate_search.threshold import quantiles
from weigh.model.verdict import VerdictName
from weigh.verdict.decide import step_up

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weigh.load.rate_search.threshold import Posterior
    from weigh.model.rules import Rules


class Ratio:
    """What is to be believed of the ratio of two limits.

    Args:
        own: of the contender.
        base: of the baseline.
    """

    def __init__(self, own: Posterior, base: Posterior) -> None:
        (places, weights), (others, their) = own.limits, base.limits
        apart = np.subtract.outer(places, others).ravel()
        order = np.argsort(apart, kind="stable")
        self._apart = apart[order]
        self._weights = np.outer(weights, their).ravel()[order]

    @property
    def ratio(self) -> float:
        """The median."""
        return self._at(0.5)

    def interval(self, level: float) -> tuple[float, float]:
        """The interval between equal tails.

        Args:
            level: its probability.
        """
        tail = (1 - level) / 2
        return self._at(tail), self._at(1 - tail)

    def p_matters(self, margin: float) -> float:
        """Twice the probability that the limits differ by no more than a margin; 1 where the median is within it.

        Args:
            margin: a fraction; its logarithm either way.
        """
        bound, middle = math.log1p(margin), math.log(self.ratio)
        if abs(middle) <= bound:
            return 1.0
        within = self._apart <= bound if middle > 0 else self._apart >= -bound
        return min(2 * float(self._weights[within].sum()), 1.0)

    def _at(self, share: float) -> float:
        return float(np.exp(quantiles(self._apart, self._weights, (share,))[0]))


@dataclass(frozen=True, slots=True)
class Decided:
    """What follows for one contender.

    Attributes:
        verdict: FASTER carries more than the baseline.
        ratio: of the rates, above 1 is more.
        low, high: its interval at the confidence of the rules.
        low_fcr, high_fcr: false-coverage-rate interval, which decides whether the difference matters.
    """

    verdict: VerdictName
    ratio: float
    low: float
    high: float
    low_fcr: float
    high_fcr: float


def decide(ratios: Mapping[str, Ratio], rules: Rules) -> dict[str, Decided]:
    """The verdict on every contender.

    Args:
        ratios: by contender; none that is refused.
        rules: margin and error rates.
    """
    ceiling = 1 - rules.confidence
    p_values = np.array([one.p_matters(rules.margin) for one in ratios.values()])
    matters = step_up(p_values, rules.fdr, ceiling)
    spent = min(max(int(matters.sum()), 1) * rules.fdr / max(len(ratios), 1), ceiling)
    return {
        name: _decided(one, rules, 1 - spent, matters=bool(own))
        for (name, one), own in zip(ratios.items(), matters, strict=True)
    }


def _decided(one: Ratio, rules: Rules, level_fcr: float, *, matters: bool) -> Decided:
    ratio = one.ratio
    low, high = one.interval(rules.confidence)
    low_fcr, high_fcr = one.interval(level_fcr)
    least, most = 1 / (1 + rules.margin), 1 + rules.margin
    low_same, high_same = one.interval(1 - 2 * rules.equivalence)
    if matters:
        verdict = VerdictName.FASTER if ratio > 1 else VerdictName.SLOWER
    elif (low > 1 or high < 1) and least < low and high < most:
        verdict = VerdictName.SMALL
    elif least < low_same and high_same < most:
        verdict = VerdictName.SAME
    else:
        verdict = VerdictName.UNRESOLVED
    return Decided(verdict, ratio, low, high, low_fcr, high_fcr)
