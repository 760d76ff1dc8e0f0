"""The answers: what the gate found, contender by contender, and the cells in which somebody was wrong."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from weigh.experiment.report.first_screen.agreement import counted
from weigh.experiment.report.html.queries import literals
from weigh.model.answer import GateStatus
from weigh.model.units import count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.experiment.report.html.contenders import Contenders, Mark
    from weigh.experiment.results.results import ExperimentResults
    from weigh.model.gate import Check, Difference, Gate, OperationGate
    from weigh.model.operation import Workload

_SHOWN = 8
"""Differing cells that are shown of one contender on one operation."""
_NAMED = 40
"""Literals that are named where they were answered wrongly."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One contender on one operation.

    Attributes:
        who: the contender.
        status: ``agreed`` and so on; empty where it was not asked.
        asked, wrong: questions put to it, and those it answered wrongly.
        witness: whom its answers were compared with.
        notes: tolerances used, ties accepted, errors, each once.
    """

    who: Mark
    status: str
    asked: int
    wrong: int
    witness: str
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """One operation."""

    name: str
    anchor: str
    status: str
    questions: int
    detail: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Divergence:
    """One contender that was contradicted on one operation.

    Attributes:
        operation: name.
        anchor: of the part of the page that tells more.
        cell: how many questions, and the witness.
        sql: the question of the first wrong answer, where the evidence has it.
        differences: literals and cell, the first ones.
        more: how many are not shown.
        cases: names of the literals that were answered wrongly, the first ones.
        detail: what the gate says in one sentence.
    """

    operation: str
    anchor: str
    cell: Cell
    sql: str
    differences: tuple[tuple[str, Difference], ...]
    more: int
    cases: tuple[str, ...]
    detail: str


@dataclass(frozen=True, slots=True)
class Answers:
    """The whole part.

    Attributes:
        summary: one sentence.
        calm: whether every contender agreed on every operation.
        rows: the matrix, of the operations that are told in full.
        divergences: who was wrong where.
        reads: what each contender was found to read: contender, table, digest or count.
    """

    summary: str
    calm: bool
    rows: tuple[Row, ...]
    divergences: tuple[Divergence, ...]
    reads: tuple[tuple[str, str, str], ...]


def answers(results: ExperimentResults, contenders: Contenders, anchors: dict[str, str]) -> Answers | None:
    """The part on the answers, None where the gate was not reached."""
    gate = results.gate
    if gate is None:
        return None
    checks = _by_pair(gate)
    rows = tuple(_row(one, checks, contenders, anchors) for one in gate.operations)
    shown = tuple(row for row in rows if row.anchor)
    workload = results.record.workload
    return Answers(
        summary=_summary(rows, counted(results.answered)),
        calm=all(one.status is GateStatus.AGREED and _of_one_mind(one) for one in gate.operations),
        rows=shown,
        divergences=tuple(
            _divergence(row, cell, checks.get((row.name, cell.who.name), []), workload)
            for row in shown
            for cell in row.cells
            if cell.status == "diverged"
        ),
        reads=tuple((name, table, read) for name, reads in gate.reads.items() for table, read in reads.items()),
    )


def _of_one_mind(one: OperationGate) -> bool:
    return all(status is GateStatus.AGREED for status in one.contenders.values())


def _by_pair(gate: Gate) -> dict[tuple[str, str], list[Check]]:
    pairs: dict[tuple[str, str], list[Check]] = defaultdict(list)
    for check in gate.checks:
        pairs[check.operation, check.contender].append(check)
    return pairs


def _row(
    one: OperationGate, checks: dict[tuple[str, str], list[Check]], contenders: Contenders, anchors: dict[str, str]
) -> Row:
    cells = tuple(
        _cell(who, str(one.contenders.get(who.name, "")), checks.get((one.operation, who.name), []))
        for who in contenders.everybody
    )
    return Row(
        name=one.operation,
        anchor=anchors.get(one.operation, ""),
        status=str(one.status),
        questions=max((cell.asked for cell in cells), default=0),
        detail=one.detail,
        cells=cells,
    )


def _cell(who: Mark, status: str, checks: Sequence[Check]) -> Cell:
    said = [note for check in checks for note in check.notes]
    said += [check.detail for check in checks if check.detail and check.status is not GateStatus.DIVERGED]
    witnesses = [check.witness for check in checks if check.witness]
    return Cell(
        who=who,
        status=status,
        asked=len({check.case for check in checks}),
        wrong=len({check.case for check in checks if check.status is GateStatus.DIVERGED}),
        witness=" and ".join(dict.fromkeys(witnesses)),
        notes=tuple(dict.fromkeys(said)),
    )


def _summary(rows: Sequence[Row], lacking: str) -> str:
    """How many operations, how many questions, and what came of it."""
    statuses: dict[str, int] = {}
    for row in rows:
        statuses[row.status] = statuses.get(row.status, 0) + 1
    amounts = (
        f"{count(len(rows), 'operation')}, {count(sum(row.questions for row in rows), 'question')} to each contender"
    )
    found = ", ".join(f"{number} {status}" for status, number in statuses.items())
    return f"{amounts}: {found}{lacking and f'; {lacking}'}." if rows else "No operation was asked."


def _divergence(row: Row, cell: Cell, checks: Sequence[Check], workload: Workload | None) -> Divergence:
    wrong = [check for check in checks if check.status is GateStatus.DIVERGED]
    cases = _cases(workload, row.name)
    differences = [(check.case, difference) for check in wrong for difference in check.differences]
    first = differences[0][0] if differences else wrong[0].case if wrong else ""
    return Divergence(
        operation=row.name,
        anchor=row.anchor,
        cell=cell,
        sql=cases[first][1] if first in cases else "",
        differences=tuple((cases[case][0] if case in cases else case, cell) for case, cell in differences[:_SHOWN]),
        more=max(0, len(differences) - _SHOWN),
        cases=tuple(dict.fromkeys(check.case for check in wrong))[:_NAMED],
        detail=row.detail,
    )


def _cases(workload: Workload | None, operation: str) -> dict[str, tuple[str, str]]:
    """(literals, SQL) of every case by name; none where the evidence does not have them."""
    for one in workload.operations if workload else ():
        if one.name == operation:
            return {case.name: (literals(case), one.text(case)) for case in one.cases}
    return {}
