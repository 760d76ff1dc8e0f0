"""What a plan says of money that is known beforehand, and of what nobody knows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from support.analysed_samples import spec
from weigh.experiment.config.run_request import RunRequest
from weigh.experiment.preview import lines, preview


@pytest.mark.parametrize(
    ("price", "budget", "known", "unknown"),
    [
        ("0.01USD/query", None, (0.28, 0.28), ()),
        ("3.60USD/h", 100.0, (0.0, 0.1), ()),
        ("3.60USD/h", None, None, ("seconds",)),
        ("0.01USD/query + 3.60USD/h", None, (0.28, 0.28), ("seconds",)),
        ("5USD/TB + 0.01USD/query", None, (0.28, 0.28), ("bytes",)),
        ("3USD/credit", 100.0, None, ("credits",)),
    ],
)
def test_what_is_known_of_the_cost(price: str, budget: float | None, known: Any, unknown: tuple[str, ...]) -> None:
    """Two operations: four executions of each in the gate, and two in each of five starts."""
    asked = spec(price={"new": price}, budget=budget, starts=5, rounds=1, runs=1, operations=("q1", "q2"))
    found = preview(asked, RunRequest(root=Path(), command=""))
    one = next(one for one in found.contenders if one.name == "new")
    assert (one.gate, one.least, one.most, one.unknown) == (8, 20, 20, unknown)
    assert one.known == (None if known is None else pytest.approx(known))
    assert next(one for one in found.contenders if one.name == "old").known is None
    assert found.starts == (5, 5)
    (line,) = (line for line in lines(found) if line.startswith("new is charged "))
    assert ("nobody knows" in line) == bool(unknown)


def test_of_a_gate_there_are_no_blocks() -> None:
    request = RunRequest(root=Path(), command="", measure=False)
    found = preview(spec(operations=("q1",)), request)
    assert (found.starts, found.budget_s, found.currency) == (None, None, None)
    assert {(one.gate, one.least, one.most) for one in found.contenders} == {(4, None, None)}
    assert found.operations == ("q1",)
