"""What becomes of a verdict that was measured again: only ratios are compared, and nobody is contradicted by noise."""

from __future__ import annotations

import pytest

from weigh.model.finding import Code
from weigh.model.verdict import Reason, Verdict, VerdictName
from weigh.reproduce.outcome import OutcomeName, outcome

CONFIRMED, CONTRADICTED = OutcomeName.CONFIRMED, OutcomeName.CONTRADICTED
NOT_DECIDED, OTHER_MACHINE = OutcomeName.NOT_DECIDED, OutcomeName.OTHER_MACHINE


def verdict(name: str, low: float | None = None, high: float | None = None) -> Verdict:
    return Verdict(
        operation="q",
        contender="new",
        baseline="old",
        verdict=VerdictName(name),
        confidence=0.99,
        margin=0.03,
        ratio=(low * high) ** 0.5 if low and high else None,
        low=low,
        high=high,
        reasons=(Reason(code=Code("T7.unstable"), text="it varies"),) if name == "refused" else (),
    )


@pytest.mark.parametrize(
    ("there", "here", "same", "other"),
    [
        (verdict("slower", 1.2, 1.3), verdict("slower", 1.1, 1.2), CONFIRMED, CONFIRMED),
        (verdict("same", 0.99, 1.01), verdict("small", 1.0, 1.02), CONFIRMED, CONFIRMED),
        (verdict("slower", 1.2, 1.3), verdict("faster", 0.7, 0.8), CONTRADICTED, OTHER_MACHINE),
        (verdict("slower", 1.2, 1.3), verdict("same", 0.99, 1.01), CONTRADICTED, OTHER_MACHINE),
        (verdict("same", 0.98, 1.029), verdict("slower", 1.02, 1.06), NOT_DECIDED, NOT_DECIDED),
        (verdict("slower", 1.2, 1.3), verdict("refused"), NOT_DECIDED, NOT_DECIDED),
        (verdict("unresolved", 0.9, 1.3), verdict("slower", 1.2, 1.3), NOT_DECIDED, NOT_DECIDED),
        # How much faster is open; that it is not slower is not. What is refused proves nothing.
        (verdict("slower", 1.2, 1.3), verdict("unresolved", 0.9, 0.996), CONTRADICTED, OTHER_MACHINE),
        (verdict("faster", 0.7, 0.8), verdict("unresolved", 1.004, 1.2), CONTRADICTED, OTHER_MACHINE),
        (verdict("slower", 1.2, 1.3), verdict("unresolved", 0.9, 1.004), NOT_DECIDED, NOT_DECIDED),
        (verdict("slower", 1.2, 1.3), verdict("unresolved", 1.004, 1.19), NOT_DECIDED, NOT_DECIDED),
        (verdict("slower", 1.2, 1.3), verdict("refused", 0.9, 0.996), NOT_DECIDED, NOT_DECIDED),
        (verdict("same", 0.99, 1.01), verdict("unresolved", 0.9, 0.98), NOT_DECIDED, NOT_DECIDED),
        (verdict("slower", 1.2, 1.3), verdict("diverged"), CONTRADICTED, CONTRADICTED),
        (verdict("diverged"), verdict("diverged"), CONFIRMED, CONFIRMED),
        (verdict("diverged"), verdict("same", 0.99, 1.01), CONTRADICTED, OTHER_MACHINE),
        (verdict("error"), verdict("same", 0.99, 1.01), NOT_DECIDED, NOT_DECIDED),
    ],
)
def test_outcomes(there: Verdict, here: Verdict, same: OutcomeName, other: OutcomeName) -> None:
    assert outcome(there, here, same_machine=True).outcome is same
    assert outcome(there, here, same_machine=False).outcome is other


def test_what_was_not_measured_is_not_decided() -> None:
    assert outcome(verdict("slower", 1.2, 1.3), None, same_machine=True).outcome is NOT_DECIDED
