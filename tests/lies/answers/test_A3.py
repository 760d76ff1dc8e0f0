"""A3: right on the first execution, wrong on a later one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ..reading import (
    SMALL,
    assert_silent,
    contenders,
    detail,
    diverged,
    errors,
    statuses,
    timed,
    verdicts,
)

if TYPE_CHECKING:
    from support.command import Run, Weigh

FLAGS = (*SMALL, "--operations", "eq_action,by_action,distinct")


@pytest.mark.promise("in the gate that one is executed three times, and each answer is checked.")
def test_wrong_from_the_third_execution_on_is_found_before_any_clock(weigh: Weigh) -> None:
    run = weigh("gate", *contenders("duckdb=fork", "liar?lie=late"), *FLAGS)
    assert diverged(run) == {("liar?lie=late", "eq_action"), ("liar?lie=late", "by_action")}
    assert "from its execution 3 on" in detail(run, "by_action")
    assert run.code == 1


def test_wrong_from_the_third_execution_on_is_found_without_truth(weigh: Weigh) -> None:
    run = weigh("gate", *contenders("liar?lie=late"), *FLAGS, "--no-truth")
    assert ("liar?lie=late", "by_action") in diverged(run)
    assert "contradicted by its own first answer" in detail(run, "by_action")
    assert run.code == 1


@pytest.mark.promise("One that differs from the answer that the gate saw makes the operation diverged afterwards (A3).")
def test_what_passes_the_gate_is_found_between_the_timed_executions(weigh: Weigh) -> None:
    # The gate executes three times; a turn here is one untimed and three timed executions.
    liar = "liar?lie=late&from=4"
    run = weigh("run", *contenders("duckdb=fork", liar), *FLAGS, "--starts", "2", "--rounds", "1", "--runs", "3")
    assert statuses(run) == {"eq_action": "diverged", "by_action": "diverged", "distinct": "agreed"}
    assert "answered differently in a timed execution than in the gate" in detail(run, "by_action")
    assert errors(run) == {("A3.changed", liar)}
    assert {f["operation"] for f in run.json["findings"] if f["code"] == "A3.changed"} == {"eq_action", "by_action"}
    for operation in ("eq_action", "by_action"):
        assert verdicts(run, operation)[liar]["verdict"] == "diverged"
    assert timed(run) == {("duckdb", "distinct"), (liar, "distinct")}
    assert run.code == 1
    assert "its answer changed in block 0, run 3" in (run.evidence / "report.txt").read_text()


@pytest.mark.promise("Rows that tie at a limit must be some of those that the truth knows.")
def test_another_row_at_the_limit_than_those_that_tie_is_found_between_the_timed_executions(weigh: Weigh) -> None:
    liar = "liar?lie=untied"
    named = contenders("duckdb=fork", liar)
    run = weigh("run", *named, *SMALL, "--operations", "top_ports", "--starts", "1", "--rounds", "1", "--runs", "3")
    assert statuses(run) == {"top_ports": "diverged"}
    assert errors(run) == {("A3.changed", liar)}
    assert run.code == 1


def test_the_honest_twins_are_left_alone(twins: Run) -> None:
    assert_silent(twins)
