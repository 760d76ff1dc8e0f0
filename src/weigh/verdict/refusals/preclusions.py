"""Preclusions: verdicts that need no arithmetic, because answers were wrong or executions failed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from weigh.model.verdict import Reason, VerdictName

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from weigh.model.gate import Doubt


class Ruling(NamedTuple):
    """The name of a verdict and why."""

    name: VerdictName
    reason: Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Preclusions:
    """What is known before anything is computed.

    Attributes:
        diverged: by operation, why nobody's figures on it are given.
        left_open: by operation, why answers that differ there may all be right, so that nobody is timed.
        failed: by operation and contender, why it has none.
        unverified: (operation, contender) pairs whose answers nothing independent confirmed.
        doubts: of contenders by name; marks all their verdicts.
    """

    diverged: Mapping[str, Reason] = field(default_factory=dict)
    left_open: Mapping[str, Reason] = field(default_factory=dict)
    failed: Mapping[tuple[str, str], Reason] = field(default_factory=dict)
    unverified: Collection[tuple[str, str]] = frozenset()
    doubts: Mapping[str, Doubt] = field(default_factory=dict)

    def allows(self, operation: str, contender: str) -> bool:
        """Whether the contender's figures on the operation may be given."""
        return operation not in (*self.diverged, *self.left_open) and (operation, contender) not in self.failed

    def of(self, operation: str, candidate: str, baseline: str) -> Ruling | None:
        """DIVERGED, REFUSED for an open question, or ERROR, where one of them holds."""
        if (reason := self.diverged.get(operation)) is not None:
            return Ruling(VerdictName.DIVERGED, reason)
        if (reason := self.left_open.get(operation)) is not None:
            return Ruling(VerdictName.REFUSED, reason)
        reasons = (self.failed.get((operation, contender)) for contender in (candidate, baseline))
        return next((Ruling(VerdictName.ERROR, reason) for reason in reasons if reason is not None), None)
