"""A pinned agreement confirms who gives it, and contradicts who does not where nobody else can tell."""

from __future__ import annotations

import pyarrow as pa

from weigh.answers import agreement
from weigh.experiment.witnesses import AGREED, Witnesses, confirmed, decided
from weigh.model.answer import Agreement, Column, GateStatus, ResultSchema
from weigh.model.gate import UNDECIDED, Check
from weigh.model.operation import Case, Operation, Workload

SCHEMA = ResultSchema(columns=(Column(name="k", kind="string"), Column(name="n", kind="integer")), keys=(0,))
OPERATION = Operation(name="q", sql="SELECT k, n FROM t", schema=SCHEMA, cases=(Case(name="only", timed=True),))
WORKLOAD = Workload(name="w", dataset="d", operations=(OPERATION,))
RIGHT, WRONG = (pa.table({"k": ["a", "b"], "n": [1, number]}) for number in (2, 3))


def pinned(operation: Operation, case: Case) -> Agreement | None:
    return agreement.of(RIGHT, SCHEMA)


def check(name: str, **more: object) -> Check:
    return Check(operation="q", case="only", contender=name, status=GateStatus.UNVERIFIED, **more)  # type: ignore[arg-type]


def judged(**tables: pa.Table) -> dict[str, Check]:
    """Through both functions, with votes that decide nothing."""
    answers = {(name, "q", "only"): table for name, table in tables.items()}
    checks, apart = confirmed(map(check, tables), answers, WORKLOAD, Witnesses(agreed=pinned))
    votes = [check(name) for name in tables] if apart else []
    if len(tables) > 1 and apart:
        votes = [
            Check(operation="q", case="only", contender=name, status=GateStatus.DIVERGED, detail=UNDECIDED)
            for name in tables
        ]
    rest = decided(votes, answers, WORKLOAD, apart)
    return {one.contender: one for one in [*checks, *rest]}


def test_who_gives_the_answer_alone_is_confirmed() -> None:
    one = judged(honest=RIGHT)["honest"]
    assert (one.status, one.witness) == (GateStatus.AGREED, AGREED)


def test_who_gives_another_alone_is_contradicted() -> None:
    one = judged(liar=WRONG)["liar"]
    assert (one.status, one.witness) == (GateStatus.DIVERGED, AGREED)
    assert one.differences[0].column == "(digest)"


def test_a_row_too_few_is_shown_as_such() -> None:
    (difference,) = judged(liar=RIGHT.slice(1))["liar"].differences
    assert (difference.column, difference.got, difference.expected) == ("(rows)", "1", "2")


def test_of_two_that_differ_the_agreement_tells_who_is_wrong_and_where() -> None:
    found = judged(honest=RIGHT, liar=WRONG)
    assert found["honest"].status is GateStatus.AGREED
    assert found["liar"].status is GateStatus.DIVERGED
    assert str(found["liar"].differences[0]) == "row 'b', n: 3, not 2"


def test_a_majority_that_votes_otherwise_is_not_overruled() -> None:
    answers = {(name, "q", "only"): WRONG for name in ("one", "two")}
    checks, apart = confirmed(map(check, ("one", "two")), answers, WORKLOAD, Witnesses(agreed=pinned))
    assert all(one.status is GateStatus.UNVERIFIED for one in checks)
    votes = [
        Check(operation="q", case="only", contender=name, status=GateStatus.AGREED, witness="vote")
        for name in ("one", "two")
    ]
    assert decided(votes, answers, WORKLOAD, apart) == votes


def test_without_an_agreement_nothing_changes() -> None:
    answers = {("one", "q", "only"): RIGHT}
    checks, apart = confirmed([check("one")], answers, WORKLOAD, Witnesses())
    assert [one.status for one in checks] == [GateStatus.UNVERIFIED]
    assert not apart
