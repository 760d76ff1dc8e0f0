"""Assumptions of the methods that give verdicts and means: what each takes for granted, and what follows if it fails.

After golang/perf's ``benchmath``: what is named is the assumption and not the test. What is listed here is not proven
by the samples. Where the samples can contradict it, the code that says so is named.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.model import codes

if TYPE_CHECKING:
    from collections.abc import Iterable


class Assumption(msgspec.Struct, frozen=True, kw_only=True):
    """Something that a method takes for granted.

    Attributes:
        name: two or three words.
        assumes: what, one sentence.
        fails: what follows where it does not hold, one sentence that begins in lower case.
    """

    name: str
    assumes: str
    fails: str


SHARED_BLOCKS = Assumption(
    name="shared blocks",
    assumes="What the machine does during a block makes all its arms slower or faster by the same factor.",
    fails="what meets single arms stays in the interval as noise, because their order is random; where the arms of a "
    f"block live one after another, a jump larger than the margin refuses the verdict ({codes.T4_MACHINE}).",
)
INDEPENDENT_STARTS = Assumption(
    name="independent starts",
    assumes="The ratio of one block says nothing about the ratio of the next.",
    fails="the interval is too narrow, and depends on when measuring ended; a trend over the blocks is tested and "
    f"named ({codes.T4}).",
)
NEARLY_NORMAL = Assumption(
    name="nearly normal ratios",
    assumes="The logarithms of the ratios of the blocks scatter so that Student's t holds for their mean.",
    fails="with spikes that meet everybody the interval is wider than it need be; where one contender alone has rare "
    "spikes, few starts may see too few of them, and a difference at the margin is called the same too often.",
)
POSITIVE_DEPENDENCE = Assumption(
    name="positive dependence",
    assumes="The comparisons of a session are independent, or err in the same direction as those with a common "
    "baseline do.",
    fails="more of the claimed differences may be false than was declared: of m comparisons at most 1 + 1/2 + ... + "
    "1/m times as many.",
)
ALIKE_FOR_ALL = Assumption(
    name="a machine alike for all",
    assumes="Whatever the machine did between the sessions, it did to all contenders alike.",
    fails="the ratio holds what the machine did as well, and nothing in two sessions can tell them apart; a reference "
    f"that moved unevenly over the operations is named ({codes.T5_REFERENCE}).",
)
STATIONARY = Assumption(
    name="a stationary series",
    assumes="The series keeps its level from beginning to end.",
    fails="its mean depends on when it began and ended; a drift is tested, and refuses the interval "
    f"({codes.T4_DRIFT}).",
)
SHORT_MEMORY = Assumption(
    name="short memory",
    assumes="Samples far apart in the series are independent.",
    fails="the interval is too narrow; correlation that lasts an eighth of the run, or that leaves fewer than 30 "
    f"independent samples, refuses it ({codes.T3_CORRELATED}, {codes.T3_SHORT}).",
)
NO_UNSEEN_STALLS = Assumption(
    name="no unseen stalls",
    assumes="What happens now and then, as stalls do, happened in the series as often as it usually does.",
    fails="the interval is that of a series without it; a run should hold ten of everything that is regular.",
)

VERDICTS = (SHARED_BLOCKS, INDEPENDENT_STARTS, NEARLY_NORMAL, POSITIVE_DEPENDENCE)
"""Of a verdict on contenders that were measured in blocks."""
JOIN = (ALIKE_FOR_ALL, *VERDICTS)
"""Of a verdict on two sessions that share a reference."""
SERIES = (STATIONARY, SHORT_MEMORY, NO_UNSEEN_STALLS)
"""Of the mean of one series, and of its percentiles."""


def named(assumptions: Iterable[Assumption]) -> str:
    """Their names in one line of a report."""
    return f"Assumed: {', '.join(one.name for one in assumptions)}."
