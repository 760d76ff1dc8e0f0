"""Refusals: comparisons whose figures the machine disturbed, each with the reason for which it is refused. Pure.

Whoever finds out about the machine (contention, drift, a cold start that was not proven) says so with one mapping; the
judge refuses what is named in it, before it controls false discoveries over the rest. The figures stay and are shown,
as those of an unstable comparison are: they are what was measured, and nothing is claimed from them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from weigh.model import codes
from weigh.model.verdict import Reason, VerdictName
from weigh.verdict.question import Question

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.model.verdict import Verdict

Refusals = Mapping[tuple[Question, str], Reason]
"""Why the figures of (question, contender) cannot carry a verdict. The baseline's spoil every comparison with it."""


def reasons(
    found: Sequence[Refusals], question: Question, candidate: str, baseline: str, role: str = "baseline"
) -> Iterator[Reason]:
    """Why the comparison is refused; none where nothing disturbed it.

    Args:
        found: by everybody who looked.
        question: on which they are compared.
        candidate: who is compared.
        baseline: with whom.
        role: what the text calls that one.
    """
    for one in found:
        if (reason := one.get((question, candidate))) is not None:
            yield reason
        if (reason := one.get((question, baseline))) is not None:
            yield msgspec.structs.replace(reason, text=f"the {role} {baseline}: {reason.text}")


def why_not_pooled(one: Verdict | None) -> Reason | None:
    """Why a comparison cannot be part of a mean: it has no figure, or is refused for more than its noise.

    A mean has a noise of its own, which may be small where that of its parts is not.
    """
    if one is None:
        return codes.X_METRIC.reason("one of its parts has no figure")
    noisy = {reason.code for reason in one.reasons[:1]} == {codes.T7_UNSTABLE.code}
    failed = one.verdict in (VerdictName.DIVERGED, VerdictName.ERROR)
    if one.ratio is None or failed or (one.verdict is VerdictName.REFUSED and not noisy):
        return one.reasons[0] if one.reasons else codes.X_METRIC.reason(f"{one.contender} has no figure")
    return None
