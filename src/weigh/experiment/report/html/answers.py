"""The answers: what the gate found, contender by contender, and the cells in which somebody was wrong."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from weigh.experiment.report.first_screen.agreement import counted
from weigh.experiment.report.html.queries import literals
from weigh.experiment.results.answered import cut_off
from weigh.model.answer import GateStatus
from weigh.model.gate import UNDECIDED
from weigh.model.text import one_line
from weigh.model.units import count
from weigh.render.blocks import Cell as TableCell
from weigh.render.blocks import Column, Fold, Group, Lines, Listing, Part, Section, Table, small, words
from weigh.render.blocks import Row as TableRow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.experiment.report.contenders import Contenders, Mark
    from weigh.experiment.results.results import ExperimentResults
    from weigh.model.gate import Check, Gate, OperationGate
    from weigh.model.operation import Workload
    from weigh.render.blocks import Block

_CELLS = 8
"""Differing cells of one contender on one operation."""
_NAMED = 40
"""Literals that are named where they were answered wrongly."""
_NOTE = (
    "The number is how many questions were put to it. agreed: equal to a pinned answer, the ground truth or another "
    "lineage. unverified: nobody independent could confirm it."
)


@dataclass(frozen=True, slots=True)
class Cell:
    """One contender on one operation.

    Attributes:
        who: the contender.
        status: ``agreed`` and so on; empty where no question was put to it.
        questions, wrong: questions put to it, and those it answered wrongly.
        differing: those that it and others answered differently, where nothing tells who is right.
        witness: whom its answers were compared with.
        notes: tolerances used, ties accepted, errors, each once.
    """

    who: Mark
    status: str
    questions: int
    wrong: int
    differing: int
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


def part(results: ExperimentResults, rows: Sequence[Row], contenders: Contenders) -> Fold:
    """The part on the answers.

    Args:
        results: of the experiment.
        rows: as of :func:`matrix`.
        contenders: everybody.
    """
    gate = results.gate
    if gate is None:
        lines: list[Block] = [Lines(["The gate was not reached: no answer was checked."])]
        return Fold("Answers", lines, "h2", anchor="answers")
    full = [row for row in rows if row.anchor]
    divergences = [
        _divergence(row, cell, gate, results.record.workload)
        for row in full
        for cell in row.cells
        if cell.status == "diverged"
    ]
    calm = all(one.status is GateStatus.AGREED and _of_one_mind(one) for one in gate.operations)
    about = f"{_summary(rows, counted(results.answered))} An operation on which answers differ is timed for nobody."
    reads = [(name, of, Part(read, "code")) for name, found in gate.reads.items() for of, read in found.items()]
    table = words(("contender", "table", "row digest, or rows counted"), reads, label=None)
    details = {one.detail for one in full}
    alike = details.pop() if len(full) > 1 and len(details) == 1 else ""
    notes = [small(f"Of every operation: {one_line(alike, 220)}")] if alike else []
    parts: list[Block] = [
        Lines([f"{cut_off(results.record, gate)}." if gate.cut_off is True else about]),
        *divergences,
        Fold(
            "Every contender on every operation",
            [_table(full, contenders, alike), *notes, small(_NOTE)],
            "",
            "",
            open=not calm,
        ),
    ]
    if reads:
        parts.append(Fold("What each contender was found to read", [replace(table, wide=False)], "", ""))
    return Fold("Answers", parts, "h2", anchor="answers", open=bool(divergences))


def matrix(results: ExperimentResults, contenders: Contenders, anchors: dict[str, str]) -> tuple[Row, ...]:
    """What the gate found of everybody on every operation; nothing where it was not reached."""
    if results.gate is None:
        return ()
    checks = _by_pair(results.gate)
    return tuple(_row(one, checks, contenders, anchors) for one in results.gate.operations)


def status(cell: Cell | None) -> TableCell:
    """The gate's word on one contender, with how many questions were put to it, or how many it answered wrongly."""
    if cell is None or not cell.status:
        return TableCell(Part("not asked", "small"))
    number = f"{cell.questions or ''}"
    if cell.wrong or cell.differing:
        number = f"{cell.wrong or cell.differing} of {number} {'wrong' if cell.wrong else 'differing'}"
    left_open = cell.status == GateStatus.LEFT_OPEN
    css = str(GateStatus.UNVERIFIED) if left_open else cell.status
    return TableCell((cell.status.replace("_", " "), " ", Part(number, "small")), f"w {css}")


def _table(rows: Sequence[Row], contenders: Contenders, alike: str) -> Table:
    """Everybody on every operation; a detail that all rows have stands below it."""
    columns = [Column("operation"), *(Column(one.phrase) for one in contenders.everybody), Column("detail")]
    found = [
        TableRow([
            Part(row.name, anchor=row.anchor),
            *map(status, row.cells),
            "" if row.detail == alike else Part(one_line(row.detail, 220), "small"),
        ])
        for row in rows
    ]  # fmt: skip
    return Table(columns, [Group("", found)], css="lines mx", label=None)


def _divergence(row: Row, cell: Cell, gate: Gate, workload: Workload | None) -> Section:
    """One contender that was contradicted on one operation: the first cells, and the question."""
    wrong = [
        check
        for check in gate.checks
        if (check.operation, check.contender, check.status) == (row.name, cell.who.name, GateStatus.DIVERGED)
    ]
    cases = _cases(workload, row.name)
    differences = [(check.case, difference) for check in wrong for difference in check.differences]
    first = differences[0][0] if differences else wrong[0].case if wrong else ""
    more = len(differences) - _CELLS
    names = list(dict.fromkeys(check.case for check in wrong))[:_NAMED]
    everyone = len({check.case for check in wrong})
    others = f" and {everyone - len(names)} more" if everyone > len(names) else ""
    title = (Part("diverged", "w diverged"), " ", Part(row.name, anchor=row.anchor), ": ", *cell.who.phrase)
    rows = [
        (
            cases[case][0] if case in cases else case,
            one_line(one.row) or "the only one",
            one.column,
            TableCell(one_line(one.got, 200), "w diverged"),
            one_line(one.expected, 200),
        )
        for case, one in differences[:_CELLS]
    ]
    headings = ("literals", "row", "column", "answered", cell.witness or "witness")
    question: list[Block] = [
        *([Listing(cases[first][1])] if first in cases else []),
        Lines([f"{count(more, 'more differing cell')} in gate.json."] if more > 0 else [], css="muted"),
        Lines([f"{', '.join(names)}{others}"], most=4000),
    ]
    how = "wrongly" if cell.wrong else "differently"
    summary = "The question" + (f", and the literals that were answered {how}" if len(names) > 1 else "")
    table = [words(headings, rows, label=None)] if rows else []
    parts: list[Block] = [Lines([row.detail], most=600), *table, Fold(summary, question, "", "")]
    return Section(title, parts, article=True, label="divergence")


def _of_one_mind(one: OperationGate) -> bool:
    return all(found is GateStatus.AGREED for found in one.contenders.values())


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
        questions=max((cell.questions for cell in cells), default=0),
        detail=one.detail,
        cells=cells,
    )


def _cell(who: Mark, status: str, checks: Sequence[Check]) -> Cell:
    notes = [note for check in checks for note in check.notes]
    differing = (GateStatus.DIVERGED, GateStatus.LEFT_OPEN)
    notes += [check.detail for check in checks if check.detail and check.status not in differing]
    witnesses = [check.witness for check in checks if check.witness]
    diverged = [check for check in checks if check.status is GateStatus.DIVERGED]
    return Cell(
        who=who,
        status=status,
        questions=len({check.case for check in checks}),
        wrong=len({check.case for check in diverged if check.detail != UNDECIDED}),
        differing=len({check.case for check in diverged if check.detail == UNDECIDED}),
        witness=" and ".join(dict.fromkeys(witnesses)),
        notes=tuple(dict.fromkeys(notes)),
    )


def _summary(rows: Sequence[Row], lacking: str) -> str:
    """How many operations, how many questions, and what came of it."""
    statuses: dict[str, int] = {}
    for row in rows:
        statuses[row.status] = statuses.get(row.status, 0) + 1
    amounts = (
        f"{count(len(rows), 'operation')}, {count(sum(row.questions for row in rows), 'question')} to each contender"
    )
    found = ", ".join(f"{number} {status.replace('_', ' ')}" for status, number in statuses.items())
    return f"{amounts}: {found}{lacking and f'; {lacking}'}." if rows else "No operation was asked."


def _cases(workload: Workload | None, operation: str) -> dict[str, tuple[str, str]]:
    """(literals, SQL) of every case by name; none where the evidence does not have them."""
    for one in workload.operations if workload else ():
        if one.name == operation:
            return {case.name: (literals(case), one.text(case)) for case in one.cases}
    return {}
