"""Who answered how much: agreement says nothing of who did not answer, and little of answers without rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.model import codes
from weigh.model.answer import GateStatus
from weigh.model.units import count

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from weigh.experiment.record import Record
    from weigh.model.finding import Finding
    from weigh.model.gate import Check, Gate

_NONE = (GateStatus.UNSUPPORTED, GateStatus.ERROR)


class Answered(msgspec.Struct, frozen=True, kw_only=True):
    """How many questions a contender answered, right or wrong.

    Attributes:
        contender: its name.
        questions: that there are: every literal of every operation.
        answered: those that it answered.
        empty: answers without a row, or with nothing but NULL in their rows.
        unsupported: questions of operations that its engine cannot parse or plan.
        errors: questions of operations on which it failed; what is left was not put to it, because it was disqualified.
    """

    contender: str
    questions: int
    answered: int
    empty: int
    unsupported: int
    errors: int

    @property
    def nothing(self) -> bool:
        """Whether it answered none of several."""
        return not self.answered and self.questions > 0


class Emptiness(msgspec.Struct, frozen=True, kw_only=True):
    """Questions to which every answer is empty.

    Attributes:
        questions: that anybody answered.
        empty: those with no answer that has a value.
        operations: that ask them.
    """

    questions: int
    empty: int
    operations: tuple[str, ...]


def answered(record: Record, gate: Gate | None) -> tuple[Answered, ...]:
    """Of every contender, in the order of the experiment; nobody where the gate was not reached, or was cut off."""
    if gate is None or gate.cut_off is True:
        return ()
    totals = _totals(record, gate)
    by_contender: dict[str, list[Check]] = {one.name: [] for one in record.spec.contenders}
    for check in gate.checks:
        by_contender.setdefault(check.contender, []).append(check)
    return tuple(_counted(name, checks, totals) for name, checks in by_contender.items())


def questions_missing(record: Record, findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """What says which questions are missing without anybody's choice; none where operations were chosen."""
    if record.spec.operations:
        return ()
    return tuple(one for one in findings if one.code == codes.R1_LEFT_OUT.code)


def cut_off(record: Record, gate: Gate) -> str:
    """What a gate that was interrupted has of each contender, in a sentence."""
    given = [check for check in gate.checks if check.status not in _NONE]
    names = [one.name for one in record.spec.contenders]
    each = ", ".join(f"{name} {sum(one.contender == name for one in given):,}" for name in names)
    agreed = sum(one.status is GateStatus.AGREED for one in given)
    judged = f"{agreed:,} of them confirmed, the others not judged" if agreed else "none of them judged"
    return f"The gate was cut off: {count(len(given), 'answer')} until then ({each}), {judged}"


def emptiness(gate: Gate) -> Emptiness:
    """How many questions have only empty answers."""
    found: dict[tuple[str, str], bool] = {}
    for check in _answers(gate.checks):
        key = check.operation, check.case
        found[key] = found.get(key, True) and _is_empty(check)
    operations = dict.fromkeys(operation for (operation, _), empty in found.items() if empty)
    return Emptiness(questions=len(found), empty=sum(found.values()), operations=tuple(operations))


def findings(record: Record, gate: Gate | None, of: tuple[Answered, ...]) -> Iterator[Finding]:
    """Who answered nothing or not everything, and how much agreement is of nothing.

    Args:
        record: of the latest attempt.
        gate: of it.
        of: what each contender answered.
    """
    for one in of:
        if one.nothing:
            yield codes.A13_NONE.finding(
                contender=one.contender,
                text=f"it answered none of {count(one.questions, 'question')}: whatever agrees, it does not",
                remedy="its row of the answers says why; leave it out, or mend that",
            )
        elif one.answered < one.questions:
            yield codes.A13_SOME.finding(
                contender=one.contender,
                text=f"it answered {one.answered:,} of {count(one.questions, 'question')}",
                remedy="nothing is wrong; what it did not answer is not compared with it",
            )
    whole = gate is not None and gate.cut_off is not True
    found = emptiness(gate) if gate and whole and not record.spec.ingest else None
    if found and found.empty:
        yield codes.A13_EMPTY.finding(
            "warning" if found.empty == found.questions else "note",
            text=f"every answer to {found.empty:,} of {count(found.questions, 'question')} is empty: an engine that "
            "loses all rows gives the same",
            remedy="choose literals that select rows, or more data, where these questions matter",
        )


def _counted(name: str, checks: list[Check], totals: dict[str, int]) -> Answered:
    given: dict[str, set[str]] = {}
    empty: set[tuple[str, str]] = set()
    failed: dict[str, GateStatus] = {}
    for check in _answers(checks):
        given.setdefault(check.operation, set()).add(check.case)
        if _is_empty(check):
            empty.add((check.operation, check.case))
    for check in checks:
        if check.status in _NONE:
            failed.setdefault(check.operation, check.status)
            given.get(check.operation, set()).discard(check.case)
    lost = dict.fromkeys(_NONE, 0)
    for operation, status in failed.items():
        lost[status] += totals.get(operation, 0) - len(given.get(operation, ()))
    return Answered(
        contender=name,
        questions=sum(totals.values()),
        answered=sum(map(len, given.values())),
        empty=len(empty),
        unsupported=lost[GateStatus.UNSUPPORTED],
        errors=lost[GateStatus.ERROR],
    )


def _answers(checks: tuple[Check, ...] | list[Check]) -> Iterator[Check]:
    """Checks of an answer itself; those by votes and of relations say nothing of its rows."""
    return (check for check in checks if check.status not in _NONE and check.rows is not None)


def _is_empty(check: Check) -> bool:
    return check.rows == 0 or check.nulls is True


def _totals(record: Record, gate: Gate) -> dict[str, int]:
    """Questions of each operation."""
    cases_of: dict[str, set[str]] = {one.operation: set() for one in gate.operations}
    for check in gate.checks:
        cases_of.setdefault(check.operation, set()).add(check.case)
    cases = {one.name: len(one.cases) for one in (record.workload.operations if record.workload else ())}
    return {name: cases.get(name, len(those)) for name, those in cases_of.items()}
