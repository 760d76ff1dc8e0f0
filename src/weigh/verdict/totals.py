"""Totals: the second question about the time, what one waits in all. A family of its own, alongside the verdicts.

A verdict is about the typical execution, which a stall in one of a hundred does not move. The total holds the stalls,
and its intervals are wide for the same reason: that it is the same as the baseline's is only said after
:data:`MIN_EXECUTIONS` of either side, because fewer may not have met the stall yet.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from weigh.model.verdict import Total, VerdictName
from weigh.verdict.decide import decide

if TYPE_CHECKING:
    from weigh.model.rules import Rules
    from weigh.statistics.arrays import Bools, Floats, Ints
    from weigh.verdict.comparison import Comparisons
    from weigh.verdict.decide import Decisions

MIN_EXECUTIONS = 400
"""Timed executions of either side from which on a total can be the same or a small difference."""
_EQUAL = [VerdictName.SAME.value, VerdictName.SMALL.value]


def halved(rules: Rules) -> Rules:
    """The rules of one of two questions: half of the false discoveries for each."""
    return msgspec.structs.replace(rules, fdr=rules.fdr / 2)


def decide_totals(compared: Comparisons, rules: Rules, refused: Bools, share: Floats) -> Decisions:
    """Names the totals of a session; what has no figures is refused, and nothing is for its noise.

    Args:
        compared: the comparisons.
        rules: those of this question.
        refused: comparisons that are refused whatever they show.
        share: part of the error rates that each has.
    """
    found = decide(compared.totals, compared.starts, for_totals(rules), refused, share)
    return never_met(found, compared.executions)


def for_totals(rules: Rules) -> Rules:
    """The rules of a total, which is never refused for its noise: it is wide where there are stalls."""
    return msgspec.structs.replace(rules, unstable=float("inf"))


def never_met(decisions: Decisions, executions: Ints) -> Decisions:
    """The decisions, where nothing is the same after so few executions that the stall may not have been met."""
    few = (executions < MIN_EXECUTIONS) & np.isin(decisions.names, _EQUAL)
    return replace(decisions, names=np.where(few, VerdictName.UNRESOLVED.value, decisions.names))


def total(effect: float, at: int, decisions: Decisions) -> Total | None:
    """The total of one comparison; None where it has none."""
    name = VerdictName(str(decisions.names[at]))
    if name is VerdictName.REFUSED:
        return None
    half, half_fcr = float(decisions.half[at]), float(decisions.half_fcr[at])
    return Total(
        verdict=name,
        ratio=float(np.exp(effect)),
        low=float(np.exp(effect - half)),
        high=float(np.exp(effect + half)),
        low_fcr=float(np.exp(effect - half_fcr)),
        high_fcr=float(np.exp(effect + half_fcr)),
    )


def contradicts(typical: VerdictName, whole: Total) -> bool:
    """Whether the total claims a difference that the typical execution does not show."""
    return whole.verdict in (VerdictName.SLOWER, VerdictName.FASTER) and whole.verdict is not typical
