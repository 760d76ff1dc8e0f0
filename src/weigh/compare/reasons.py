"""Reasons of a join: what :mod:`weigh.verdict.reasons` says of one session, said of two."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.model import codes
from weigh.model.rules import FULL_STARTS, MIN_STARTS
from weigh.model.units import percent
from weigh.model.verdict import Reason

if TYPE_CHECKING:
    from collections.abc import Sequence


def reason_of(session: str, reason: Reason) -> Reason:
    """A reason that holds in one of the sessions."""
    return Reason(code=reason.code, text=f"in {session}, {reason.text}")


def unlike(what: str) -> Reason:
    """The operation has the same name in both sessions and is not the same."""
    return codes.T5_WORKLOAD.reason(f"it is not the same question in both sessions: {what}")


def few_starts(session: str, starts: int) -> Reason:
    """Below the number of starts at which there is a verdict, in one of the sessions."""
    if starts == 0:
        return codes.T10_STARTS.reason(f"never measured in one block with the reference in {session}")
    return codes.T10_STARTS.reason(f"{starts} fresh starts in {session}; a verdict needs {MIN_STARTS} in each")


def some_starts(sessions: Sequence[tuple[str, int]]) -> Reason:
    """Enough starts for a verdict, fewer than a good one has."""
    counted = ", ".join(f"{starts} in {session}" for session, starts in sessions)
    return codes.T10.reason(f"fresh starts: {counted}; {FULL_STARTS} in each are better")


def apart(session: str) -> Reason:
    """Contender and reference never shared enough blocks of a session."""
    return codes.T5.reason(f"contender and reference were not alive together in {session}")


def unstable(detectable: float, bound: float, *, beyond: bool) -> Reason:
    """The noise of both sessions hides changes of a size that must not be missed."""
    aside = f"; this difference is shown to exceed {percent(bound, 0)} all the same" if beyond else ""
    return codes.T7_UNSTABLE.reason(
        f"the noise of both sessions adds up: the smallest change that would be found is {percent(detectable)}, "
        f"more than {percent(bound, 0)}{aside}"
    )


def unresolved(half: float, differs: bool, needed: int | None) -> Reason:
    """Neither a difference that matters nor equality is shown."""
    found = "there is a difference, whether it matters is open" if differs else "no difference is shown, nor equality"
    more = (
        f"about {needed} starts in each session would settle it"
        if needed is not None
        else "the ratio lies at the margin, and no reasonable number of starts would settle it"
    )
    return codes.T1.reason(f"{found}; the interval reaches {percent(half)} to each side; {more}")


def within_floor(floor: float) -> Reason:
    """The difference is no larger than what no difference looked like."""
    return codes.T1_FLOOR.reason(
        f"the reference's own two arms, joined in the same way, differ by as much ({percent(floor)}): look at the "
        "samples"
    )
