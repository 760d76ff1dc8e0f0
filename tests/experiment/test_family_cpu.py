"""CPU outside the clocks (A11): whom the bounds accuse, and whom they leave alone."""

from __future__ import annotations

import msgspec
import pytest

from support.experiment_records import record
from weigh.experiment.results.clock import family_cpu
from weigh.model.clock_coverage import TurnCpu

MS = 1e-3


def turns(
    used: float,
    inside: float,
    told: float | None,
    before: float = 0.0,
    pause: float = 1.0,
    name: str = "b",
    background: str = "",
    each: int = 3,
) -> list[tuple[str, str | None]]:
    """What is found of a contender with these CPU seconds in each turn, of two executions, in two starts."""
    cpu = tuple(
        TurnCpu(
            block=start, start=start, turn=turn, arm=name, contender=name, operation="q", case="only", executions=2,
            used=used, inside=inside, reported_inside=told, asides=0.4 * MS, before=before, before_s=pause,
            first=turn == 0,
        )
        for start in (0, 1)
        for turn in range(each)
    )  # fmt: skip
    made = record()
    assert made.environment is not None
    (one, *_) = made.environment.contenders
    said = (msgspec.structs.replace(one, name=name, background=background),)
    made = msgspec.structs.replace(
        made, cpu=cpu, environment=msgspec.structs.replace(made.environment, contenders=said)
    )
    return [(found.code, found.operation) for found in family_cpu.findings(family_cpu.outside_clocks([made]))]


@pytest.mark.parametrize(
    ("used", "inside", "told", "code"),
    [
        (11 * MS, 10 * MS, 10 * MS, None),  # messages, freeing a result
        (13 * MS, 10 * MS, 10 * MS, None),  # 1.3 ms an execution outside: the most of an honest engine
        (2009 * MS, 2000 * MS, 1999 * MS, None),  # much, and little alongside what is reported
        (230 * MS, 200 * MS, 200 * MS, None),  # 15 ms an execution, a seventh of what is reported
        (40 * MS, 10 * MS, 10 * MS, "A11.outside"),
        (40 * MS, 1 * MS, 0.1 * MS, "A11.outside"),
        (40 * MS, 39 * MS, 10 * MS, "A11.processes"),
        (40 * MS, 39 * MS, None, None),  # it says that it executes elsewhere
        (80 * MS, 39 * MS, None, "A11.outside"),  # and works outside its clock all the same
    ],
)
def test_bounds(used: float, inside: float, told: float | None, code: str | None) -> None:
    assert turns(used, inside, told) == ([(code, "q")] if code else [])


@pytest.mark.parametrize(
    ("before", "pause", "codes"),
    [
        (1.7 * MS, 0.15, []),  # the most of an idle server
        (15 * MS, 1.0, []),
        (40 * MS, 1.0, [("A11.outside", "q")]),  # a job left behind by every turn
        (500 * MS, 1.0, [("A11.outside", "q"), ("A11.between", None)]),
        (3 * MS, 0.004, []),  # too short a pause to say that it is busy
    ],
)
def test_between_turns(before: float, pause: float, codes: list[tuple[str, str | None]]) -> None:
    assert turns(10 * MS, 9 * MS, 9 * MS, before, pause) == codes


def test_one_turn_accuses_nobody() -> None:
    """Garbage that is collected, or a page that is read, in the one pause there is."""
    assert turns(40 * MS, 10 * MS, 10 * MS, 500 * MS, each=2) == [("A11.outside", "q")]
    assert turns(40 * MS, 10 * MS, 10 * MS, 500 * MS, each=1) == []


def test_what_is_declared_is_a_cost() -> None:
    assert turns(80 * MS, 10 * MS, 10 * MS, 500 * MS, background="compaction") == [("A11.background", "q")]
    assert turns(11 * MS, 10 * MS, 10 * MS, background="compaction") == []
