"""Votes: checks of single answers made into one word on each operation. Pure, so that an auditor can redo it."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from weigh.answers import compare
from weigh.answers.comparison import MAX_DIFFERENCES
from weigh.answers.left_open import reason
from weigh.model import codes
from weigh.model.answer import GateStatus
from weigh.model.gate import UNDECIDED, Check, Difference, OperationGate

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import pyarrow as pa

    from weigh.answers.comparison import Comparison
    from weigh.answers.left_open import Ways
    from weigh.model.operation import Case, Operation


_NOT_COMPARED = "no answers were compared (--output none)"
_LOOKED_AT = 100
"""Differences that are looked through for one that nothing excuses."""
_INNER = re.compile(r"\bover\b|\bselect\b.*\bselect\b", re.I | re.S)
"""Of queries that put rows in order by what their answer need not have."""


def vote(
    operation: Operation,
    case: Case,
    tables: dict[str, pa.Table],
    lineage: dict[str, str],
    ways: Ways | None = None,
) -> list[Check]:
    """The lineages' votes on one case.

    Contenders that give the same answer form a camp; its strength is the number of lineages in it. One strongest
    camp of at least two lineages outvotes the rest. Without one, nobody can tell who is right: all diverge, of one
    lineage or of several. Contenders of one lineage that agree confirm nothing. Nor does a majority tell
    what SQL leaves open (:mod:`weigh.answers.left_open`): such answers are left open, and nobody diverges.

    Args:
        operation: what was asked.
        case: with which literals.
        tables: answer of each contender.
        lineage: of each contender; one that is not known is empty, and confirms nobody.
        ways: how each takes what SQL leaves open, as far as it could be probed.
    """
    camps: list[list[str]] = []
    notes: dict[str, tuple[str, ...]] = {}
    left_open: dict[frozenset[str], Comparison] = {}
    common: dict[str, Any] = {"operation": operation.name, "case": case.name}
    for name, table in tables.items():
        for camp in camps:
            compared = compare.compare(table, tables[camp[0]], operation.schema, most=0)
            if compared.agrees and not compared.open:
                camp.append(name)
                notes[name] = compared.notes
                break
            if compared.agrees:
                left_open[frozenset((name, camp[0]))] = compared
        else:
            camps.append([name])

    def contradicts(camp: list[str], other: list[str]) -> bool:
        return camp is not other and frozenset((camp[0], other[0])) not in left_open

    strength = [len({lineage[name] for name in camp} - {""}) or 1 for camp in camps]
    best = max(strength, default=0)
    winners = [camp for camp, votes in zip(camps, strength, strict=True) if votes == best]
    right = winners[0] if best > 1 and len(winners) == 1 else []
    found: list[Check] = []

    def why_open(camp: list[str], other: list[str], cells: Sequence[Difference] | None = None) -> str:
        both = (tables[camp[0]], tables[other[0]])
        nulls = any(_may_order_null(operation, table) for table in both)
        return reason(operation, both, ways, (camp, other), nulls=nulls, outvoted=bool(right), cells=cells)

    def differences(name: str, other: list[str], why: str) -> tuple[Difference, ...]:
        """How two differ: of whom nothing excuses first what nothing explains by itself."""
        found = compare.compare(tables[name], tables[other[0]], operation.schema, most=_LOOKED_AT).differences
        if not why:
            found = tuple(sorted(found, key=lambda cell: bool(why_open([name], other, [cell]))))
        return found[:MAX_DIFFERENCES]

    why_not = [why_open(camp, right) for camp in camps if right and contradicts(camp, right)]
    explained = "; ".join(dict.fromkeys(why_not)) if all(why_not) else ""
    if explained:
        right = []
    for camp, votes in zip(camps, strength, strict=True):
        against = [other for other in ([right] if right else camps) if contradicts(camp, other)]
        for name in camp:
            if against:
                witnesses = [one for one in tables if any(one in other for other in against)]
                # Of those who give one answer, one may be excused for it by how it takes a construct, and another not.
                why = explained or why_open(camp, against[0])
                why = why or (why_open([name], against[0]) if len(camp) > 1 else "")
                found.append(
                    Check(
                        **common,
                        contender=name,
                        status=GateStatus.LEFT_OPEN if why else GateStatus.DIVERGED,
                        witness=", ".join(witnesses),
                        detail="outvoted" if right and not why else UNDECIDED,
                        differences=differences(name, against[0], why),
                        notes=(why,) if why else (),
                    )
                )
            elif votes > 1 and (camp is right or not right):
                found.append(
                    Check(
                        **common,
                        contender=name,
                        # Nobody agrees by what nobody looked at.
                        status=GateStatus.AGREED if operation.compared else GateStatus.UNVERIFIED,
                        witness=_others(camp, name) if operation.compared else "",
                        notes=notes.get(name, ()) if operation.compared else (_NOT_COMPARED,),
                    )
                )
            elif alike := [one for pair, one in left_open.items() if camp[0] in pair]:
                found.append(Check(**common, contender=name, status=GateStatus.UNVERIFIED, notes=alike[0].notes))
    return found


def _may_order_null(operation: Operation, table: pa.Table) -> bool:
    """Whether NULL may be among what rows were put in order by; certain where the answer has all of it."""
    ordered = operation.schema.ordered_by
    return not ordered or bool(_INNER.search(operation.sql)) or any(table.column(at).null_count for at in ordered)


def conclude(
    checks: Iterable[Check], totals: Mapping[str, int], contenders: Iterable[str]
) -> tuple[OperationGate, ...]:
    """One word on each operation. A failed check always counts; without one, any witness that agreed does.

    Args:
        checks: every check that was made.
        totals: number of cases of each operation, in the workload's order.
        contenders: their names, in order.
    """
    by_operation: dict[str, dict[str, dict[str, list[Check]]]] = defaultdict(
        lambda: defaultdict(lambda: defaultdict(list))
    )
    for check in checks:
        by_operation[check.operation][check.contender][check.case].append(check)
    names = list(contenders)
    found = []
    for operation, total in totals.items():
        cases = by_operation[operation]
        statuses = {name: _status(cases[name]) for name in names if name in cases}
        found.append(
            OperationGate(
                operation=operation,
                status=_overall(statuses),
                contenders=statuses,
                detail=_detail(total, statuses, cases),
            )
        )
    return tuple(found)


_WORST = (
    GateStatus.DIVERGED,
    GateStatus.LEFT_OPEN,
    GateStatus.ERROR,
    GateStatus.UNSUPPORTED,
    GateStatus.UNVERIFIED,
    GateStatus.AGREED,
)


def _status(cases: dict[str, list[Check]]) -> GateStatus:
    """A contender's status on an operation: its worst case, each case by its best witness unless it failed."""
    each = []
    for checks in cases.values():
        statuses = {check.status for check in checks}
        failed = [status for status in _WORST[:4] if status in statuses]
        each.append(
            failed[0] if failed else GateStatus.AGREED if GateStatus.AGREED in statuses else GateStatus.UNVERIFIED
        )
    return min(each, key=_WORST.index)


def _overall(statuses: dict[str, GateStatus]) -> GateStatus:
    """Of the operation: diverged if anybody diverged; errors concern only their contender while others can answer."""
    present = set(statuses.values())
    for status in (
        GateStatus.DIVERGED,
        GateStatus.LEFT_OPEN,
        GateStatus.UNVERIFIED,
        GateStatus.AGREED,
        GateStatus.ERROR,
    ):
        if status in present:
            return status
    return GateStatus.UNSUPPORTED


def _detail(total: int, statuses: dict[str, GateStatus], cases: dict[str, dict[str, list[Check]]]) -> str:
    parts = []
    differ: list[tuple[str, list[Check]]] = []
    left_open: list[tuple[str, list[Check]]] = []
    for name, status in statuses.items():
        failed = [check for checks in cases[name].values() for check in checks if check.status is status]
        if status is GateStatus.DIVERGED and all(check.detail == UNDECIDED for check in failed):
            differ.append((name, failed))
        elif status is GateStatus.DIVERGED:
            # What is open about it besides is no proof of anything.
            failed = [check for check in failed if check.detail != UNDECIDED]
            wrong = len({check.case for check in failed})
            witness = " and ".join(dict.fromkeys(check.witness for check in failed if check.witness))
            first = failed[0]
            details = [*_case(total, first), *map(str, first.differences[:1]), *filter(None, [first.detail])]
            parts.append(f"{name} is wrong{_on(wrong, total)}, contradicted by {witness}{_inside(details)}")
        elif status is GateStatus.LEFT_OPEN:
            left_open.append((name, failed))
        elif status in (GateStatus.ERROR, GateStatus.UNSUPPORTED):
            parts.append(f"{name}: {failed[0].detail}")
    blamed = len(differ) < sum(status is GateStatus.DIVERGED for status in statuses.values())
    parts += _differ(total, differ, UNDECIDED if not blamed else "")
    parts += _differ(total, left_open, "")
    if parts:
        return "; ".join(parts)
    unchecked = [
        note
        for by in cases.values()
        for checks in by.values()
        for check in checks
        for note in check.notes
        if note.startswith(codes.A14_UNCHECKED.code)
    ]
    if unchecked:
        return "; ".join(dict.fromkeys(unchecked))[:300]
    notes = {note for by in cases.values() for each in by.values() for one in each for note in one.notes}
    if _NOT_COMPARED in notes:
        return _NOT_COMPARED
    if GateStatus.UNVERIFIED in statuses.values():
        if compare.ANY_ROWS in notes:
            return f"answers differ, and LIMIT allows it: {compare.ANY_ROWS}"
        return "no pinned answer, no ground truth and no other lineage to compare with"
    ties = [note for by in cases.values() for checks in by.values() for check in checks for note in check.notes]
    return "; ".join(dict.fromkeys(ties))[:300]


def _differ(total: int, each: list[tuple[str, list[Check]]], undecided: str) -> list[str]:
    """Those who differ among themselves, in one sentence that accuses nobody.

    Args:
        total: cases of the operation.
        each: contenders with the checks that failed.
        undecided: that who is right is open; empty where the question leaves the answer open, and where somebody
            else was found wrong on the operation: then it is not open who is right on all of it.
    """
    if not each:
        return []
    cases = {check.case for _, failed in each for check in failed}
    name, failed = each[0]
    first = failed[0]
    details = [
        *_case(total, first),
        *(f"{name} against {first.witness}: {difference}" for difference in first.differences[:1]),
        *filter(None, [undecided]),
    ]
    details[-1:] = ["".join([*details[-1:], *(f": {why}" for why in first.notes)])]
    who = " and ".join(name for name, _ in each)
    return [f"{who} {'answer' if len(each) > 1 else 'answers'} differently{_on(len(cases), total)}{_inside(details)}"]


def _inside(parts: Sequence[str]) -> str:
    """What stands behind a sentence, in brackets."""
    return f" ({'; '.join(parts).removeprefix(': ')})" if any(parts) else ""


def _on(wrong: int, total: int) -> str:
    """How many of the literals; of one there is nothing to count."""
    return f" on {wrong} of {total} literals" if total > 1 else ""


def _case(total: int, first: Check) -> list[str]:
    """Which of the literals, where there are several."""
    return [f"case {first.case}"] if total > 1 else []


def _others(camp: list[str], name: str) -> str:
    return ", ".join(other for other in camp if other != name)
