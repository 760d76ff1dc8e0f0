"""What the first screen says of answers that differ where the question leaves it open."""

from __future__ import annotations

import pytest

from weigh.experiment.report.first_screen.headline import _left_open
from weigh.model.answer import GateStatus
from weigh.model.gate import Check, Gate, OperationGate


@pytest.mark.parametrize(("reasons", "sentences"), [(1, 1), (2, 2), (3, 1), (12, 1)])
def test_many_reasons_are_one_sentence(reasons: int, sentences: int) -> None:
    names = [f"q{number}" for number in range(reasons)]
    gate = Gate(
        operations=tuple(
            OperationGate(operation=name, status=GateStatus.LEFT_OPEN, contenders={}, detail="") for name in names
        ),
        checks=tuple(
            Check(operation=name, case="", contender="a", status=GateStatus.LEFT_OPEN, notes=(f"why {name}",))
            for name in names
        ),
        truth=False,
    )
    found = [*_left_open(gate)]
    assert len(found) == sentences
    assert found[0].startswith(f"Answers differ on {reasons if sentences == 1 else 1} of {len(names)} operation")
    assert "nobody wrong." in found[0]
    assert found[0].endswith("Why q0.")
    assert ("reasons, weigh report --verbose has each" in found[0]) == (reasons > 2)
