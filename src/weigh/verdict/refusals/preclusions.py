"""Rulings: verdicts that need no arithmetic, because the gate or the executions failed."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from weigh.model.answer import GateStatus
from weigh.model.sample import Outcome
from weigh.model.verdict import VerdictName
from weigh.verdict import reasons

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.model.sample import Sample
    from weigh.model.verdict import Reason
    from weigh.verdict.analysis_model import Gate


@dataclass(frozen=True, slots=True)
class Ruling:
    """The name of a verdict and why."""

    name: VerdictName
    reason: Reason


class Rulings:
    """What the gate and the outcomes of all executions, untimed ones included, forbid.

    Args:
        samples: of all attempts.
        gate: status by operation and contender.
    """

    def __init__(self, samples: Sequence[Sample], gate: Gate) -> None:
        self._gate = gate
        self._failures: dict[tuple[str, str], list[Sample]] = defaultdict(list)
        self._wrong: dict[str, list[Sample]] = defaultdict(list)
        for sample in samples:
            if sample.outcome is Outcome.OK:
                continue
            if sample.outcome is Outcome.WRONG:
                self._wrong[sample.operation].append(sample)
            else:
                self._failures[sample.operation, sample.contender].append(sample)

    @property
    def operations(self) -> set[str]:
        """Operations on which an execution failed."""
        return self._wrong.keys() | {operation for operation, _ in self._failures}

    def divergence(self, operation: str) -> Reason | None:
        """Why nobody's time on the operation is shown."""
        if GateStatus.DIVERGED in self._gate.get(operation, {}).values():
            return reasons.diverged()
        wrong = self._wrong.get(operation)
        return reasons.wrong(wrong) if wrong else None

    def failure(self, operation: str, contender: str) -> Reason | None:
        """Why the contender has no time on the operation. One failed execution is enough."""
        status = self._gate.get(operation, {}).get(contender)
        if status is GateStatus.UNSUPPORTED or status is GateStatus.ERROR:
            return reasons.gate_failed(contender, status)
        failures = self._failures.get((operation, contender))
        return reasons.failed(failures) if failures else None

    def shown(self, operation: str, contender: str) -> bool:
        """Whether the contender's times on the operation may be shown."""
        return self.divergence(operation) is None and self.failure(operation, contender) is None

    def of(self, operation: str, candidate: str, baseline: str) -> Ruling | None:
        """DIVERGED or ERROR, where one of them holds."""
        if (reason := self.divergence(operation)) is not None:
            return Ruling(VerdictName.DIVERGED, reason)
        for contender in (candidate, baseline):
            if (reason := self.failure(operation, contender)) is not None:
                return Ruling(VerdictName.ERROR, reason)
        return None

    def unverified(self, operation: str, *contenders: str) -> bool:
        """Whether nothing independent confirmed an answer of one of the contenders."""
        statuses = self._gate.get(operation, {})
        return any(statuses.get(contender) is GateStatus.UNVERIFIED for contender in contenders)
