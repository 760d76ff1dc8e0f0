"""The suite: no mean without every member (R1), and never without its spread (R2)."""

from __future__ import annotations

import pytest

from weigh.model.answer import Column, ResultSchema
from weigh.model.operation import Case, Operation, Workload
from weigh.model.verdict import Missing, Reason, Verdict, VerdictName
from weigh.verdict.suite import suites

SCHEMA = ResultSchema(columns=(Column(name="n", kind="integer"),))
ONCE = (Case(name="only", timed=True),)


def workload(*operations: str, suite: tuple[str, ...] = ()) -> Workload:
    made = tuple(Operation(name=one, sql="", schema=SCHEMA, cases=ONCE) for one in operations)
    return Workload(name="w", dataset="d", operations=made, suite=suite)


def verdict(operation: str, ratio: float | None, name: str = "unresolved", code: str = "", of: str = "b") -> Verdict:
    reasons = (Reason(code=code, text=""),) if code else ()
    return Verdict(
        operation=operation, contender=of, baseline="a", verdict=VerdictName(name), ratio=ratio, confidence=0.99,
        margin=0.03, reasons=reasons,
    )  # fmt: skip


def test_the_mean_is_geometric_and_has_its_spread() -> None:
    (one,) = suites(workload("x", "y"), [verdict("x", 4.0, "slower"), verdict("y", 0.25, "faster")], ("a", "b"), "a")
    assert (one.contender, one.baseline, one.operations) == ("b", "a", 2)
    assert one.mean == pytest.approx(1.0)
    assert (one.low, one.high, one.missing) == (0.25, 4.0, ())


def test_an_unresolved_ratio_counts() -> None:
    (one,) = suites(workload("x"), [verdict("x", 1.2)], ("a", "b"), "a")
    assert one.mean == pytest.approx(1.2)


@pytest.mark.promise("With a ratio missing there is none")
@pytest.mark.parametrize(
    ("missing", "why"),
    [
        (verdict("y", None, "error", "X.timeout"), "error (X.timeout)"),
        (verdict("y", None, "diverged", "A1"), "diverged (A1)"),
        (verdict("y", 1.3, "refused", "T7.unstable"), "refused (T7.unstable)"),  # it has a ratio that claims nothing
        (verdict("y", None, "refused", "A5.lazy"), "refused (A5.lazy)"),
        (verdict("y", None, "unresolved", "X.metric"), "unresolved (X.metric)"),
        (verdict("y", 1.0, of="c"), "not measured"),
    ],
)
def test_without_a_member_there_is_no_mean(missing: Verdict, why: str) -> None:
    found = suites(workload("x", "y"), [verdict("x", 1.5), missing], ("a", "b", "c"), "a")
    assert [(one.mean, one.low, one.high) for one in found] == [(None, None, None)] * 2
    assert found[0].missing == (Missing(operation="y", why=why),)


def test_what_was_not_chosen_is_missing_too() -> None:
    (one,) = suites(workload("x", suite=("x", "y", "z")), [verdict("x", 1.5)], ("a", "b"), "a")
    assert (one.operations, one.mean) == (3, None)
    assert [(member.operation, member.why) for member in one.missing] == [("y", "not chosen"), ("z", "not chosen")]


def test_who_failed_does_not_take_the_mean_from_others() -> None:
    verdicts = [verdict("x", 1.5), verdict("x", None, "error", "X.error", of="c")]
    assert [one.mean for one in suites(workload("x"), verdicts, ("a", "b", "c"), "a")] == [pytest.approx(1.5), None]


def test_alone_or_without_operations_there_is_none() -> None:
    assert suites(workload("x"), [], ("a",), "a") == ()
    (one,) = suites(workload(), [], ("a", "b"), "a")
    assert (one.mean, one.missing) == (None, ())
