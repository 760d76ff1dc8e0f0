"""A7: another row of a tie, order, scale or type called wrong; or wrong answers that pass for such."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ..reading import SMALL, assert_silent, contenders, detail, diverged, words

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.command import Run, Weigh

OPERATIONS = ("unordered", "ties", "quotients", "ordered", "days")
LIAR = "liar?lie=wrong-forms"
SHAPES = ("--workload", "shapes", *SMALL)
TWIN = "liar?lie=other-forms"
NOTES = (
    "ties: A7: 15 rows tie at the limit; any that tie are right (",
    "quotients: A7: quotients differ by up to ",
    "ordered: A7: bytes for the text of action: compared by value (1 of ",
    "days: A7: text for the dates of first_day: compared by value (1 of ",
)


@pytest.fixture(scope="module")
def gate(fresh: Callable[[], Weigh]) -> Run:
    """A liar that lies on each operation, and the twin that takes every liberty there is."""
    return fresh()("gate", *contenders("duckdb=fork", TWIN, LIAR), *SHAPES, "--no-shrink")


def test_each_lie_is_found_and_nobody_else_is_accused(gate: Run) -> None:
    assert diverged(gate) == {(LIAR, operation) for operation in OPERATIONS}
    assert gate.code == 1


@pytest.mark.parametrize(
    ("operation", "shown"),
    [
        ("quotients", "mean_bytes: 10545.723166, not 10545.723163"),
        ("ordered", "row 1 in order, action: 'throttle', not 'alert'"),
        ("ties", "dst_port: "),
        ("unordered", "row 124, action: 'throttle ', not 'throttle'"),
        ("days", "row 'alert', first_day: 2026-01-04 00:00:00, not 2026-01-05 00:00:00"),
    ],
)
def test_what_differs_is_shown(gate: Run, operation: str, shown: str) -> None:
    assert shown in detail(gate, operation)


def test_the_twin_agrees_with_the_truth_and_the_report_says_how(weigh: Weigh) -> None:
    run = weigh("gate", *contenders("duckdb=fork", TWIN), *SHAPES)
    assert_silent(run)
    text = words((run.evidence / "report.txt").read_text())
    for note in NOTES:
        assert note in text


def test_the_twin_agrees_with_another_engine_and_the_report_says_how(weigh: Weigh) -> None:
    run = weigh("gate", *contenders("duckdb=fork", TWIN), *SHAPES, "--no-truth")
    assert_silent(run)
    text = words((run.evidence / "report.txt").read_text())
    for note in NOTES:
        assert note in text


def test_where_no_liberty_is_taken_there_is_no_note(twins: Run) -> None:
    assert "A7" not in (twins.evidence / "report.txt").read_text()
