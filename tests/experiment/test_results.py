"""What attempts say together: every one counts (T8)."""

from __future__ import annotations

import msgspec

from weigh.ci.outcome import message
from weigh.experiment.record import Record
from weigh.experiment.results.results import experiment_results
from weigh.model import codes
from weigh.model.answer import GateStatus
from weigh.model.contender import Contender
from weigh.model.errors import ExitCode
from weigh.model.gate import UNDECIDED, Check, Gate, OperationGate
from weigh.model.sample import Outcome, Sample
from weigh.model.spec import Spec
from weigh.model.verdict import VerdictName
from weigh.serve.stored import wrong_answers

SPEC = Spec(
    workload="netflow",
    contenders=(Contender(name="a", engine="duckdb"), Contender(name="b", engine="chdb")),
    baseline="a",
)


def attempt(number: int, status: GateStatus) -> Record:
    """An attempt in whose gate b had this status on the only operation; measured if it agreed."""
    worst = status if status is GateStatus.DIVERGED else GateStatus.AGREED
    one = OperationGate(operation="q", status=worst, contenders={"a": GateStatus.AGREED, "b": status})
    measured = tuple(
        Sample(
            attempt=number, block=block, start=block, turn=turn, run=1, arm=arm, contender=arm[0], operation="q",
            case="only", outcome=Outcome.OK, wall_s=0.01 + block / 1000, cpu_s=0.01, rows=1, answer_cpu_s=0.0,
        )
        for block in range(6)
        for turn, arm in enumerate(("a", "a#2", "b"))
    )  # fmt: skip
    samples = measured if status is GateStatus.AGREED else ()
    return Record(attempt=number, spec=SPEC, gate=Gate(operations=(one,), checks=(), truth=True), samples=samples)


def test_a_rerun_does_not_acquit() -> None:
    results = experiment_results([attempt(1, GateStatus.DIVERGED), attempt(2, GateStatus.AGREED)])
    assert [verdict.verdict for verdict in results.headline.verdicts] == [VerdictName.DIVERGED]
    assert results.timings == ()
    assert results.gate is not None
    detail = results.gate.operations[0].detail
    assert "b was contradicted in an earlier attempt, number 1, and not in this one" in detail
    assert results.exit_code() is ExitCode.FOUND


def test_what_was_open_in_an_earlier_attempt_is_open_still() -> None:
    record = attempt(1, GateStatus.DIVERGED)
    assert record.gate is not None
    differs = Check(operation="q", case="only", contender="b", status=GateStatus.DIVERGED, detail=UNDECIDED)
    unsettled = msgspec.structs.replace(record, gate=msgspec.structs.replace(record.gate, checks=(differs,)))
    results = experiment_results([unsettled, attempt(2, GateStatus.AGREED)])
    assert results.gate is not None
    assert (results.gate.undecided, results.gate.refuted) == ({"q": ("b",)}, {})
    assert "b was different from others in an earlier attempt, number 1, and not" in results.gate.operations[0].detail
    # Found wrong in a later one: that counts.
    results = experiment_results([unsettled, attempt(2, GateStatus.DIVERGED), attempt(3, GateStatus.AGREED)])
    assert results.gate is not None
    assert results.gate.refuted == {"b": ("q",)}


def test_who_was_wrong_in_an_earlier_attempt_is_wrong_although_who_is_right_is_open_now() -> None:
    record = attempt(2, GateStatus.DIVERGED)
    assert record.gate is not None
    everybody = {"a": GateStatus.DIVERGED, "b": GateStatus.DIVERGED}
    differ = tuple(
        Check(operation="q", case="only", contender=name, status=GateStatus.DIVERGED, detail=UNDECIDED)
        for name in everybody
    )
    operation = OperationGate(
        operation="q", status=GateStatus.DIVERGED, contenders=everybody, detail=f"a and b differ; {UNDECIDED}"
    )
    open_ = msgspec.structs.replace(record, gate=Gate(operations=(operation,), checks=differ, truth=True))
    changed = attempt(1, GateStatus.AGREED)
    last = msgspec.structs.replace(list(changed.samples)[-1], outcome=Outcome.WRONG, wall_s=None, detail="1, not 2")
    timed = msgspec.structs.replace(changed, samples=(*list(changed.samples)[:-1], last))
    for first, how in ((attempt(1, GateStatus.DIVERGED), "was contradicted in an earlier"), (timed, "answered diff")):
        results = experiment_results([first, open_])
        assert results.gate is not None
        assert results.gate.refuted == {"b": ("q",)}
        detail = results.gate.operations[0].detail
        assert f"b {how}" in detail
        # It is not open whether anybody is wrong.
        assert UNDECIDED not in detail
        assert wrong_answers.words([wrong_answers.Differing("q", ("a", "b"), detail)]) == "WRONG answers: b on q"
        assert message({"gate": [{"status": "diverged", "detail": detail}]}, 1) == "wrong answers"


def test_that_answers_were_reused_is_said_of_the_attempt_that_did() -> None:
    first, second = attempt(1, GateStatus.AGREED), attempt(2, GateStatus.AGREED)
    finding = codes.X_REUSED.finding(text="the answers are those of a gate of yesterday", remedy="ask anew")

    def reusing(record: Record) -> Record:
        return msgspec.structs.replace(record, findings=(*record.findings, finding))

    assert finding in experiment_results([first, reusing(second)]).findings
    assert finding not in experiment_results([reusing(first), second]).findings


def test_agreeing_attempts_add_their_blocks() -> None:
    one = experiment_results([attempt(1, GateStatus.AGREED)])
    two = experiment_results([attempt(1, GateStatus.AGREED), attempt(2, GateStatus.AGREED)])
    assert [verdict.starts for results in (one, two) for verdict in results.headline.verdicts] == [6, 12]
    assert one.exit_code() is ExitCode.OK


def test_a_late_wrong_answer_diverges_and_keeps_its_reason() -> None:
    record = attempt(1, GateStatus.AGREED)
    wrong = msgspec.structs.replace(record.samples[-1], outcome=Outcome.WRONG)
    results = experiment_results([msgspec.structs.replace(record, samples=(*record.samples[:-1], wrong))])
    (verdict,) = results.headline.verdicts
    assert verdict.verdict is VerdictName.DIVERGED
    assert verdict.reasons[0].code == "A3"
    assert {finding.code for finding in results.findings} == {"A3.changed"}
