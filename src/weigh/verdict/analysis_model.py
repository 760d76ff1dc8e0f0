"""The analysis: what is asked of observations of one metric, and everything that they allow to be reported about it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec

from weigh.verdict.refusals.preclusions import Preclusions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from weigh.model.metrics.metric import Metric
    from weigh.model.rules import Rules
    from weigh.model.verdict import Verdict
    from weigh.verdict.question import Question
    from weigh.verdict.refusals import Refusals


@dataclass(frozen=True, slots=True, kw_only=True)
class Inquiry:
    """What is asked, decided before anything was measured but for what is refused or precluded.

    Attributes:
        metric: of the observations.
        baseline: name of the contender that the others are compared with.
        questions: in the order of the verdicts.
        rules: margin and error rates.
        totals: whether there is a second question, what one waits in all. Not where a start gives one figure, such as
            a percentile, whose sum over the starts means nothing.
        second_opinion: whether another rule is asked, too (:mod:`weigh.verdict.clickhouse_rule`).
        preclusions: verdicts that need no arithmetic.
        refused: comparisons that are refused because of what the machine did meanwhile; their figures are kept.
        shares: part of the error rates that each operation has left, where sampling could end early; 1 where it is not
            named (:mod:`weigh.verdict.decide`).
    """

    metric: Metric
    baseline: str
    questions: Sequence[Question]
    rules: Rules
    totals: bool = False
    second_opinion: bool = False
    preclusions: Preclusions = field(default_factory=Preclusions)
    refused: Sequence[Refusals] = ()
    shares: Mapping[str, float] = field(default_factory=dict)


class NoiseFloor(msgspec.Struct, frozen=True, kw_only=True):
    """The baseline's two arms against each other: what no difference looked like here.

    Attributes:
        ratio: second arm over first.
        low, high: interval of that ratio at the confidence of the experiment's rules.
        starts: blocks in which both arms were measured.
    """

    operation: str
    metric: str = "wall_s"
    temperature: str = "hot"
    ratio: float
    low: float
    high: float
    starts: int

    @property
    def size(self) -> float:
        """``|ratio - 1|``, the number that is printed alongside every verdict."""
        return abs(self.ratio - 1)


@dataclass(frozen=True, slots=True)
class Analysis:
    """The answer to an inquiry.

    Attributes:
        verdicts: by question and contender other than the baseline, in the order of the questions.
        floors: of every question on which the baseline was measured with two arms.
        family: comparisons over which false discoveries are controlled.
        selected: those of them that are SLOWER or FASTER.
    """

    verdicts: Mapping[tuple[Question, str], Verdict]
    floors: Mapping[Question, NoiseFloor]
    family: int
    selected: int
