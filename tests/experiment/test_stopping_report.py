"""Operations that were retired after different numbers of starts are judged, drawn and compared all the same."""

from __future__ import annotations

import math

import msgspec

from support.sessions import MANIFEST, READ, WORKLOAD, changed
from support.stopping_attempts import HONEST, LOUD, QUIET
from weigh.compare import differences
from weigh.compare.join import join
from weigh.compare.model import Side
from weigh.experiment.record import EnvironmentRead, Record
from weigh.experiment.report.document import document
from weigh.experiment.results.results import experiment_results
from weigh.model.answer import GateStatus
from weigh.model.gate import Gate, OperationGate

READS = (changed(READ, name="a"), changed(READ, name="b", engine="chdb", lineage="clickhouse"))
AGREED = {"a": GateStatus.AGREED, "b": GateStatus.AGREED}


def whole(record: Record) -> Record:
    """With everything that a report needs."""
    operations = tuple(changed(WORKLOAD.operations[0], name=name) for name in (LOUD, QUIET))
    return msgspec.structs.replace(
        record,
        environment=EnvironmentRead(weigh="1", command="weigh run", host={}, contenders=READS),
        workload=changed(WORKLOAD, operations=operations),
        manifest=MANIFEST,
        gate=Gate(
            operations=tuple(
                OperationGate(operation=name, status=GateStatus.AGREED, contenders=AGREED) for name in (LOUD, QUIET)
            ),
            checks=(),
            truth=True,
        ),
    )


RECORD = whole(HONEST)


def test_each_operation_is_judged_on_its_own_starts() -> None:
    results = experiment_results([RECORD])
    verdicts = {one.operation: one for one in results.headline.verdicts}
    assert {name: one.starts for name, one in verdicts.items()} == {QUIET: 10, LOUD: 16}
    alone = experiment_results(
        [msgspec.structs.replace(RECORD, samples=tuple(s for s in RECORD.samples if s.operation == QUIET))]
    )
    quiet = next(one for one in alone.headline.verdicts if one.operation == QUIET)
    assert (quiet.ratio, quiet.low, quiet.high) == (
        verdicts[QUIET].ratio, verdicts[QUIET].low, verdicts[QUIET].high,
    )  # fmt: skip
    width = next(one for one in RECORD.looks[5].widths if one.operation == QUIET)
    assert quiet.ratio is not None
    assert quiet.high is not None
    assert width.half is not None
    assert abs(quiet.high / quiet.ratio - math.exp(width.half)) < 1e-9, "the look saw the printed interval"
    reasons = {reason.code for reason in (results.tier.reasons if results.tier else ())}
    assert "T10" not in reasons, "ten starts each are enough"


def test_the_report_is_drawn_in_every_form() -> None:
    results = experiment_results([RECORD])
    starts = {
        one["operation"]: one["starts"] for one in document(results, "e")["verdicts"] if one["metric"] == "wall_s"
    }
    assert starts == {QUIET: 10, LOUD: 16}


def test_two_such_sessions_can_be_joined() -> None:
    sides = [
        Side(
            name=name, samples=RECORD.samples, contenders=("a", "b"), reference="a",
            gate={LOUD: AGREED, QUIET: AGREED}, doubts={}, out={},
        )
        for name in ("the first session", "the second session")
    ]  # fmt: skip
    joined = join(sides[0], sides[1], [("b", "b")], [LOUD, QUIET], RECORD.spec.rules, unlike={})
    assert {one.operation: (one.starts_first, one.ratio) for one in joined.verdicts} == {
        LOUD: (16, 1.0),
        QUIET: (10, 1.0),
    }


def test_turns_of_other_lengths_are_said() -> None:
    longer = msgspec.structs.replace(
        RECORD, blocks=tuple(msgspec.structs.replace(one, runs=9) for one in RECORD.blocks)
    )
    assert differences.protocol(RECORD, RECORD) == []
    assert differences.protocol(RECORD, longer) == ["timed executions a turn: 2 in the first, 9 in the second"]
