"""A6: the clock covers different work: it is done before the clock starts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ..reading import SHORT, assert_silent, contenders, errors, statuses, verdicts

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.command import Run, Weigh

EARLY, PLANNER = "liar?lie=early", "liar?lie=planner"
FLAGS = ("--scale", "400K", "--quiet", "--json", *SHORT, "--operations", "distinct,eq_action")


@pytest.fixture(scope="module")
def run(fresh: Callable[[], Weigh]) -> Run:
    """One that executes when it is told of the query, and one that only plans then."""
    return fresh()("run", *contenders("duckdb=fork", EARLY, PLANNER), *FLAGS)


def test_executing_before_the_clock_is_found(run: Run) -> None:
    assert set(statuses(run).values()) == {"agreed"}
    assert ("A6.prepare", EARLY) in errors(run)
    (found,) = (f for f in run.json["findings"] if (f["code"], f["operation"]) == ("A6.prepare", "distinct"))
    assert "of CPU before the clock starts" in found["text"]
    assert run.code == 1


def test_no_figure_of_it_is_shown(run: Run) -> None:
    for operation in ("distinct", "eq_action"):
        verdict = verdicts(run, operation)[EARLY]
        assert (verdict["verdict"], verdict["ratio"]) == ("refused", None)
        assert verdict["reasons"][0]["code"] == "A6.prepare"
    assert EARLY not in {timing["contender"] for timing in run.json["timings"]}
    assert run.json["tier"]["inadmissible"] == [EARLY]


def test_planning_before_the_clock_is_said_and_accuses_nobody(run: Run) -> None:
    assert {contender for _, contender in errors(run)} == {EARLY}
    (note,) = (f for f in run.json["findings"] if f["contender"] == PLANNER)
    assert (note["code"], note["severity"]) == ("A6.planned", "note")
    assert PLANNER in {timing["contender"] for timing in run.json["timings"]}


def test_the_honest_twins_are_left_alone(twins: Run) -> None:
    assert_silent(twins)
    assert not {finding["code"] for finding in twins.json["findings"]} & {"A6.prepare", "A6.planned"}
