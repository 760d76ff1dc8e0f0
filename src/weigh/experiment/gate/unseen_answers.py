"""Answers to the given rows and to unseen ones, compared: who follows the rows, who is wrong, and who keeps answers.

That somebody's answer changed proves nothing about the right one: the one that changed may be wrong. Proof is the
truth, or two lineages that agree on the new answer; what else differs is a divergence, by the rules of votes.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from weigh.answers import compare, constructs, left_open
from weigh.answers.votes import vote
from weigh.model import codes
from weigh.model.answer import GateStatus
from weigh.model.gate import ON_UNSEEN, UNDECIDED, Check

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    import pyarrow as pa

    from weigh.answers.left_open import Ways
    from weigh.model.finding import Finding
    from weigh.model.operation import Case, Operation, Workload

TRUTH = f"ground truth{ON_UNSEEN}"
SAME_ROWS = "itself with the same rows written anew"
_LOOKED = 1_000
"""Rows up to which an answer is looked at whether it says anything."""

Key = tuple[str, str, str]
"""(contender, operation, case)"""


class UnseenAnswers(NamedTuple):
    """What was answered, and what it is compared with.

    Attributes:
        workload: the questions.
        before: right or unconfirmed answers to the given rows.
        answers: those to the unseen rows.
        settled: those to the same questions in the form that leaves nothing open, where they do.
        lineage: of every contender.
        ways: how each takes what SQL leaves open.
        right: the right answer about the unseen rows; None where nobody knows it.
        same_rows: whether the unseen rows are the given ones: then no right answer is another one.
        singles: columns of floats with fewer than 64 bits, which that form casts.
    """

    workload: Workload
    before: Mapping[Key, pa.Table]
    answers: Mapping[Key, pa.Table]
    settled: Mapping[Key, pa.Table]
    lineage: Mapping[str, str]
    ways: Ways
    right: Callable[[Operation, Case], pa.Table | None]
    same_rows: bool
    singles: frozenset[str] = frozenset()


class Judgement(NamedTuple):
    """What follows from them.

    Attributes:
        checks: answers about the unseen rows that are wrong, or differ from others'.
        findings: of whom the answers are those to the given rows, though the right ones are others.
        moved: operations to which each contender answered otherwise than on the given rows.
    """

    checks: list[Check]
    findings: list[Finding]
    moved: dict[str, tuple[str, ...]]


def judge(found: UnseenAnswers) -> Judgement:
    """Who keeps answers, who is wrong, and who follows the rows."""
    stale: dict[str, list[tuple[Operation, Case, str]]] = {}
    questions = [(operation, case) for operation in found.workload.operations for case in operation.cases]
    others = {(one.name, case.name): _moved(found, one, case, _tables(found, one, case)) for one, case in questions}
    for operation, case in questions:
        for name, proof in _stale(found, operation, case, others[operation.name, case.name]):
            stale.setdefault(name, []).append((operation, case, proof))
    checks: list[Check] = []
    moved: dict[str, set[str]] = {name: set() for name in found.lineage}
    for operation, case in questions:
        tables = _tables(found, operation, case)
        wrong = list(_wrong(found, operation, case, {k: v for k, v in tables.items() if k not in stale}))
        accused = {check.contender for check in wrong if check.detail != UNDECIDED}
        wrong += [check for check in _unsettled(found, operation, case) if check.contender not in accused]
        accused = {check.contender for check in wrong if check.detail != UNDECIDED}
        checks += wrong
        for name in others[operation.name, case.name].difference(accused):
            moved[name].add(operation.name)
    return Judgement(
        checks,
        [_finding(name, where) for name, where in stale.items()],
        {name: tuple(sorted(operations)) for name, operations in moved.items()},
    )


def _tables(
    found: UnseenAnswers, operation: Operation, case: Case, answers: Mapping[Key, pa.Table] | None = None
) -> dict[str, pa.Table]:
    answers = found.answers if answers is None else answers
    keys = ((name, (name, operation.name, case.name)) for name in found.lineage)
    return {name: answers[key] for name, key in keys if key in answers}


def _unsettled(found: UnseenAnswers, operation: Operation, case: Case) -> Iterator[Check]:
    """Who is outvoted where the question is asked so that nothing is open: what it leaves open excuses nothing else."""
    tables = _tables(found, operation, case, found.settled)
    if len(tables) < 2:
        return
    sql = constructs.settled(operation.text(case), len(operation.schema.columns), found.singles)
    if sql is None:
        return
    question = left_open.closed(operation, sql, tables.values())
    for check in vote(question, case, tables, dict(found.lineage), found.ways):
        if check.status is GateStatus.DIVERGED and check.detail != UNDECIDED:
            yield msgspec.structs.replace(
                check, witness=f"{check.witness}{ON_UNSEEN}", detail=f"asked so that nothing is left open: {sql}"
            )


def _moved(found: UnseenAnswers, operation: Operation, case: Case, tables: Mapping[str, pa.Table]) -> set[str]:
    """Whose answer is another one than to the given rows."""
    return {
        name
        for name, table in tables.items()
        if not _same(operation, table, found.before[name, operation.name, case.name])
    }


def _stale(found: UnseenAnswers, operation: Operation, case: Case, moved: set[str]) -> Iterator[tuple[str, str]]:
    """Who gives the answer of before although the right one is proven to be another, and the proof."""
    tables = _tables(found, operation, case)
    # An answer without a value is the same on any rows where an engine is wrong: nobody has to keep it.
    unmoved = {name: table for name, table in tables.items() if name not in moved and not says_nothing(table)}
    if found.same_rows or not unmoved:
        return
    known = found.right(operation, case)
    votes = () if known is not None else vote(operation, case, tables, dict(found.lineage), found.ways)
    agreed = [check.contender for check in votes if check.status is GateStatus.AGREED]
    for name, table in unmoved.items():
        if known is not None:
            if not compare.compare(table, known, operation.schema, complete=True).agrees:
                yield name, TRUTH
            continue
        if not agreed or name in agreed or not moved.issuperset(agreed):
            continue
        # Who computes something else, such as a mean of texts, may do so of any rows: stored answers were right once.
        before = {one: found.before[one, operation.name, case.name] for one in (name, *agreed)}
        if any(_same_throughout(operation, before[name], before[one]) for one in agreed):
            yield name, " and ".join(agreed)


def _wrong(found: UnseenAnswers, operation: Operation, case: Case, tables: dict[str, pa.Table]) -> Iterator[Check]:
    """Answers about the unseen rows that are contradicted, or differ with nothing to tell who is right."""
    known = found.right(operation, case)
    for name, table in tables.items():
        witness, expected = TRUTH, known
        if known is None and found.same_rows:
            witness, expected = SAME_ROWS, found.before[name, operation.name, case.name]
        if expected is None:
            continue
        if known is None:
            compared = left_open.by_chance(operation, table, expected, found.lineage[name])
        else:
            compared = compare.compare(table, expected, operation.schema, complete=True)
        if not compared.agrees:
            yield Check(
                operation=operation.name,
                case=case.name,
                contender=name,
                status=GateStatus.DIVERGED,
                witness=witness,
                digest=compare.digest(table, operation.schema),
                differences=compared.differences,
            )
    if known is not None or found.same_rows:
        return
    for check in vote(operation, case, tables, dict(found.lineage), found.ways):
        if check.status is GateStatus.DIVERGED:
            yield msgspec.structs.replace(check, witness=f"{check.witness}{ON_UNSEEN}")


def _finding(name: str, where: list[tuple[Operation, Case, str]]) -> Finding:
    operation, case, proof = where[0]
    named = ", ".join(dict.fromkeys(one.name for one, _, _ in where))
    basis = proof.removesuffix(ON_UNSEEN)
    return codes.A12_ANSWERS.finding(
        contender=name,
        text=f"given other rows under the same paths, which nobody had seen, it gives its answers to the data of "
        f"before ({named}; first case {case.name} of {operation.name}, where another answer is right by {basis}): "
        "they are not computed from the given data",
        remedy="it is not compared; look for answers, rows or results that its adapter keeps outside this process",
    )


def _same(operation: Operation, one: pa.Table, other: pa.Table) -> bool:
    return compare.compare(one, other, operation.schema, most=0).agrees


def _same_throughout(operation: Operation, one: pa.Table, other: pa.Table) -> bool:
    """Whether two answers are the same in every column: one that cannot be compared proves nothing."""
    compared = compare.compare(one, other, operation.schema, most=0)
    return compared.agrees and not compared.unchecked


def says_nothing(table: pa.Table) -> bool:
    """Whether an answer says nothing: no row, or nothing but NULL, NaN, zeros and empty text."""
    if table.num_rows > _LOOKED:
        return False
    return all(_nothing(value) for column in table.columns for value in column.to_pylist())


def _nothing(value: object) -> bool:
    return not value or (isinstance(value, float) and math.isnan(value))
