"""Verdicts that need no arithmetic: the gate or the executions failed."""

from __future__ import annotations

import pytest

from support.analysed_samples import codes, experiment, only, sample, spec
from weigh.experiment.results.analysis import analyse
from weigh.model.answer import GateStatus
from weigh.model.gate import Doubt
from weigh.model.sample import Outcome
from weigh.model.verdict import VerdictName


@pytest.mark.promise(
    "**A diverged operation is not timed**, and no time of it is shown: the time of a wrong answer is"
    " not a time of this operation, and without it there is nothing to compare the right ones with."
)
def test_divergence_at_the_gate_shows_no_time() -> None:
    gate = {"q1": {"old": GateStatus.AGREED, "new": GateStatus.DIVERGED}, "q2": {"old": GateStatus.AGREED}}
    analysis = analyse(experiment(operations=("q1", "q2")), spec=spec(), gate=gate)
    first, second = analysis.verdicts
    assert (first.operation, first.verdict, first.ratio) == ("q1", VerdictName.DIVERGED, None)
    assert codes(first) == ["A1"]
    assert second.verdict is VerdictName.SAME
    assert {timing.operation for timing in analysis.timings} == {"q2"}
    assert {floor.operation for floor in analysis.floors} == {"q2"}


def test_a_wrong_answer_later_makes_the_operation_diverged() -> None:
    samples = [*experiment(), sample(3, "old", outcome=Outcome.WRONG, run=2)]
    analysis = analyse(samples, spec=spec("old", "new", "other"))
    assert {verdict.verdict for verdict in analysis.verdicts} == {VerdictName.DIVERGED}
    assert codes(analysis.verdicts[0]) == ["A3"]
    assert analysis.timings == ()


@pytest.mark.promise("One failure is enough, because leaving it out would keep only the lucky executions")
@pytest.mark.parametrize("outcome", ["error", "unsupported", "timeout", "crash", "lost", "out_of_memory"])
def test_a_failed_execution_is_an_error_and_not_a_ratio(outcome: str) -> None:
    samples = experiment(operations=("q1", "q2"))
    samples.append(sample(4, "new", None, outcome=Outcome(outcome), detail="it broke"))
    analysis = analyse(samples, spec=spec())
    first, second = analysis.verdicts
    assert (first.verdict, first.ratio) == (VerdictName.ERROR, None)
    assert codes(first) == [f"X.{outcome}"]
    assert "it broke" in first.reasons[0].text
    assert second.verdict is VerdictName.SAME
    shown = [(timing.operation, timing.contender) for timing in analysis.timings]
    assert shown == [("q1", "old"), ("q2", "old"), ("q2", "new")]


def test_a_baseline_that_failed_leaves_nothing_to_compare_with() -> None:
    samples = [*experiment(), sample(4, "old#2", None, outcome=Outcome.TIMEOUT)]
    verdict = only(samples)
    assert verdict.verdict is VerdictName.ERROR
    assert verdict.reasons[0].text.startswith("old did not finish")


@pytest.mark.parametrize("status", [GateStatus.UNSUPPORTED, GateStatus.ERROR])
def test_what_the_gate_could_not_run_is_an_error(status: GateStatus) -> None:
    verdict = only([], gate={"q1": {"old": GateStatus.AGREED, "new": status}})
    assert verdict.verdict is VerdictName.ERROR
    assert codes(verdict) == [f"X.{status}"]


def test_an_operation_that_was_never_measured_is_refused() -> None:
    verdict = only([], gate={"q1": {"old": GateStatus.AGREED, "new": GateStatus.AGREED}})
    assert verdict.verdict is VerdictName.REFUSED
    assert codes(verdict) == ["T10.starts"]


def test_unverified_answers_and_contradicted_contenders_are_marked() -> None:
    gate = {"q1": {"old": GateStatus.UNVERIFIED, "new": GateStatus.UNVERIFIED}}
    verdict = only(experiment(), gate=gate, doubts={"new": Doubt(("q9", "q8"), wrong=True)})
    assert verdict.verdict is VerdictName.SAME
    assert codes(verdict) == ["A1", "A8"]
    assert verdict.reasons[0].text == "the answers of new on other operations are contradicted: q8, q9"


def test_nobody_is_contradicted_elsewhere_where_who_is_right_is_open() -> None:
    gate = {"q1": {"old": GateStatus.AGREED, "new": GateStatus.AGREED}}
    verdict = only(experiment(), gate=gate, doubts={"new": Doubt(("q9", "q8", "q1"), wrong=False)})
    (reason,) = verdict.reasons
    assert reason.code == "A1"
    assert reason.text == "new and others answer differently on other operations, and who is right is open: q8, q9"
