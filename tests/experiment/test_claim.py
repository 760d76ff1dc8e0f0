"""Times that a system prints, held against those that went by."""

from __future__ import annotations

import pytest

from weigh.experiment.results.clock.claim import findings
from weigh.model.sample import Outcome, Sample


def samples(operation: str, went_by: float, said: float | None, count: int = 6) -> list[Sample]:
    """Executions of one contender; every third one takes a little longer."""
    return [
        Sample(
            block=0,
            start=0,
            turn=0,
            run=number + 1,
            arm="one",
            contender="one",
            operation=operation,
            case="default",
            outcome=Outcome.OK,
            wall_s=went_by * (1.1 if number % 3 else 1.0),
            reported_s=said,
        )
        for number in range(count)
    ]


def codes(*given: list[Sample]) -> list[tuple[str, str | None]]:
    return [(one.code, one.operation) for one in findings(one for own in given for one in own)]


def test_who_says_nothing_is_not_spoken_of() -> None:
    assert codes(samples("quick", 0.05, None)) == []


@pytest.mark.parametrize("starting", [0.005, 0.05, 2.0])
def test_the_start_of_a_script_may_be_left_out(starting: float) -> None:
    honest = [samples(name, starting + work, work) for name, work in (("quick", 0.001), ("slow", 3.0))]
    assert codes(*honest) == [("A10.said", None)]


def test_more_than_starting_takes_may_not() -> None:
    made = samples("quick", 0.05, 0.001), samples("slow", 0.4, 0.001)
    assert codes(*made) == [("A10.said", None), ("A10.claim", "slow")]
    # Of few executions one burst of somebody else's may be in all.
    assert codes(made[0], samples("slow", 0.4, 0.001, count=4)) == [("A10.said", None)]


def test_nobody_takes_longer_than_what_went_by() -> None:
    assert codes(samples("quick", 0.05, 0.2)) == [("A10.said", None), ("A10.claim", "quick")]
    # Scripts round.
    assert codes(samples("quick", 0.05, 0.06)) == [("A10.said", None)]
