"""Answers to statements against what somebody else says they are: pinned, known, or of another contender. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from weigh.answers import votes
from weigh.load.gate import answers, statements
from weigh.model.answer import GateStatus
from weigh.model.gate import UNDECIDED, Check, OperationGate
from weigh.model.operation import Case, Operation

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from weigh.load.gate_events import Answer, Answered, Statement, StatementAnswers

LOADED = "what weigh loaded"
CHANGES = "it answers differently each time it is asked"
LOOSE = "which rows belong to the answer is left open"
_ONE = "servers of one kind agree with one another, which confirms nothing"
_UNLIKE = "what it calls may differ from server to server"
Key = tuple[str, int, int, tuple[str | None, ...]]
"""Script, line, set and parameters of a question."""


def key(one: Answered) -> Key:
    """What two askings of the same question have in common."""
    return (one.script, one.line, one.set, one.parameters)


def checks(asked: StatementAnswers, contender: str) -> tuple[Check, ...]:
    """One contender's answers against the pinned ones and, where weigh loaded the tables, against what it loaded."""
    known = {(one.script, one.line): one for one in asked.statements}
    pinned = {key(one): one.answer for one in asked.pins.answers} if asked.pins else {}
    found = []
    for at, one in enumerate(asked.answers):
        statement = known[(one.script, one.line)]
        if one.answer.kind == "error":
            found.append(_check(statement, one, contender, GateStatus.ERROR, detail=_refusal(one.answer)))
            continue
        if at in asked.again:
            found.append(_check(statement, one, contender, GateStatus.UNVERIFIED, detail=CHANGES))
            continue
        for witness, answer in _witnesses(asked, at, pinned):
            found.append(_against(statement, one, contender, answer, witness))
    return tuple(found)


def _witnesses(asked: StatementAnswers, at: int, pinned: Mapping[Key, Answer]) -> Iterator[tuple[str, Answer]]:
    one = asked.answers[at]
    if asked.pins and (answer := pinned.get(key(one))):
        yield f"pinned answer of {asked.pins.product}", answer
    if asked.loaded:
        before = [other for other in asked.answers[:at] if (other.script, other.set) == (one.script, one.set)]
        if (answer := statements.truth(one, before)) is not None:
            yield LOADED, answer


def _against(statement: Statement, one: Answered, contender: str, witness: Answer, name: str) -> Check:
    found = answers.same(one.answer, witness, statement.order)
    if found.agrees:
        status = GateStatus.UNVERIFIED if found.open else GateStatus.AGREED
        return _check(statement, one, contender, status, witness=name, detail=LOOSE if found.open else "")
    if name != LOADED and statements.volatile(statement.text):
        return _check(statement, one, contender, GateStatus.UNVERIFIED, detail=_UNLIKE)
    return _check(statement, one, contender, GateStatus.DIVERGED, witness=name, differences=found.differences)


def _check(statement: Statement, one: Answered, contender: str, status: GateStatus, **more: Any) -> Check:
    return Check(operation=statement.name, case=_case(one), contender=contender, status=status, **more)


def _case(one: Answered) -> str:
    """A set of parameters, for people."""
    given = ", ".join("NULL" if value is None else value for value in one.parameters)
    return given or str(one.set)


def _refusal(answer: Answer) -> str:
    return f"{answer.text} ({answer.code})"


def between(asked: Mapping[str, StatementAnswers], lineage: Mapping[str, str]) -> tuple[Check, ...]:
    """The answers of several contenders to the same statements, by the votes of their lineages.

    Args:
        asked: by contender: the same scripts, seed and rows.
        lineage: of each contender: what shares code has one vote (:func:`weigh.answers.votes.vote`).
    """
    found: list[Check] = []
    by: dict[Key, dict[str, Answered]] = {}
    changing = {key(one.answers[at]) for one in asked.values() for at in one.again}
    for name, one in asked.items():
        for answered in one.answers:
            by.setdefault(key(answered), {})[name] = answered
    statements_of = {(one.script, one.line): one for each in asked.values() for one in each.statements}
    for question, each in by.items():
        statement = statements_of[question[:2]]
        good: dict[str, Answered] = {}
        for name, given in each.items():
            if given.answer.kind == "error":
                found.append(_check(statement, given, name, GateStatus.ERROR, detail=_refusal(given.answer)))
            elif question in changing:
                found.append(_check(statement, given, name, GateStatus.UNVERIFIED, detail=CHANGES))
            else:
                good[name] = given
        found += _voted(statement, good, lineage)
    return tuple(found)


def _voted(statement: Statement, good: Mapping[str, Answered], lineage: Mapping[str, str]) -> list[Check]:
    if len(good) < 2:
        return []
    first = next(iter(good.values()))
    given = {name: one.answer for name, one in good.items()}
    pairs = {name: answers.same(answer, first.answer, statement.order) for name, answer in given.items()}
    alike = len({(one.kind, len(one.columns)) for one in given.values()}) == 1
    if not alike or not all(map(answers.whole, given.values())):
        # No tables to vote on: who differs from the first one is observed all the same.
        if all(one.agrees for one in pairs.values()):
            if any(one.open for one in pairs.values()) or len({lineage[name] for name in good}) < 2:
                return []
            witness = ", ".join(good)
            return [_check(statement, one, name, GateStatus.AGREED, witness=witness) for name, one in good.items()]
        other = next(iter(good))
        return [
            _check(
                statement, one, name, GateStatus.DIVERGED, witness=other, detail=UNDECIDED,
                differences=pairs[name].differences,
            )
            for name, one in good.items()
        ]  # fmt: skip
    wanted = answers.schema(list(given.values()), statement.order)
    operation = Operation(name=statement.name, sql=statement.text, schema=wanted, cases=())
    tables = {name: answers.table(answer, wanted) for name, answer in given.items()}
    # How servers take what SQL leaves open is not probed, so it excuses nobody here.
    found = [
        msgspec.structs.replace(one, status=GateStatus.DIVERGED) if one.status is GateStatus.LEFT_OPEN else one
        for one in votes.vote(operation, Case(name=_case(first)), tables, dict(lineage))
    ]
    if not found:
        return [_check(statement, one, name, GateStatus.UNVERIFIED, detail=_ONE) for name, one in good.items()]
    if any(one.status is GateStatus.DIVERGED for one in found) and statements.volatile(statement.text):
        return [_check(statement, one, name, GateStatus.UNVERIFIED, detail=_UNLIKE) for name, one in good.items()]
    return found


def concluded(
    found: Iterable[Check], asked: Iterable[StatementAnswers], contenders: Iterable[str]
) -> tuple[OperationGate, ...]:
    """One word on each statement that reads or writes."""
    each = list(asked)
    sets: dict[str, set[int]] = {}
    for one in each[0].statements if each else ():
        if one.does != "control":
            sets[one.name] = {
                answered.set
                for other in each
                for answered in other.answers
                if (answered.script, answered.line) == (one.script, one.line)
            }
    return votes.conclude(found, {name: len(which) for name, which in sets.items()}, contenders)
