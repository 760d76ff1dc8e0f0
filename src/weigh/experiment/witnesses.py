"""Who knows the right answer before any contender is asked, or knows it again by a digest."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

import msgspec

from weigh.answers import agreement, compare
from weigh.model.answer import Agreement, GateStatus
from weigh.model.gate import UNDECIDED, Check, Difference

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pyarrow as pa

    from weigh.model.operation import Case, Operation, Workload

PINNED = "pinned answer"
AGREED = "pinned agreement"

Witness = Callable[["Operation", "Case"], "pa.Table | None"]
"""Gives the right answer to a case, or None where it does not know it."""

Answers = Mapping[tuple[str, str, str], "pa.Table"]
"""By contender, operation and case."""
Known = Callable[["Operation", "Case"], "Agreement | None"]
"""Gives what was kept of the answer that several lineages agreed on, or None."""


class Witnesses:
    """Whoever can say what is right before any contender is asked, the most trusted first.

    Args:
        named: name and witness.
        agreed: knows an answer again, and cannot give it; None for nobody.
    """

    def __init__(self, *named: tuple[str, Witness], agreed: Known | None = None) -> None:
        self._named = named
        self.agreed: Known = agreed or (lambda _operation, _case: None)

    def speak(self, operation: Operation, case: Case) -> Iterator[tuple[str, pa.Table]]:
        """Name and answer of everyone who knows it, in order."""
        for name, witness in self._named:
            table = witness(operation, case)
            if table is not None:
                yield name, table


def confirmed(
    checks: Iterable[Check], answers: Answers, workload: Workload, witnesses: Witnesses
) -> tuple[list[Check], dict[tuple[str, str], Agreement]]:
    """Checks to which nobody spoke so far, agreed where all of a case give the answer of the agreement.

    Returns:
        All checks; and the agreements that somebody does not match: there the contenders vote first, because that
        shows cells, and knows what SQL leaves open.
    """
    checks = list(checks)
    silent: dict[tuple[str, str], list[Check]] = {}
    for check in checks:
        if check.status is GateStatus.UNVERIFIED:
            silent.setdefault((check.operation, check.case), []).append(check)
    alike, apart = set(), {}
    for (name, case_name), mine in silent.items():
        operation = workload.operation(name)
        case = next(one for one in operation.cases if one.name == case_name)
        pinned = witnesses.agreed(operation, case)
        if pinned is None:
            continue
        tables = (answers[check.contender, name, case_name] for check in mine)
        if all(agreement.fits(table, pinned, operation.schema) for table in tables):
            alike.add((name, case_name))
        else:
            apart[name, case_name] = pinned
    return [_confirmed(check) if (check.operation, check.case) in alike else check for check in checks], apart


def _confirmed(check: Check) -> Check:
    if check.status is not GateStatus.UNVERIFIED:
        return check
    return msgspec.structs.replace(check, status=GateStatus.AGREED, witness=AGREED)


def decided(
    voted: Iterable[Check], answers: Answers, workload: Workload, apart: Mapping[tuple[str, str], Agreement]
) -> list[Check]:
    """What votes left without a word, decided by the agreements: nobody outvoted, or nobody else there.

    Args:
        voted: checks by votes.
        answers: everybody's.
        workload: what was asked.
        apart: agreements that somebody does not match, by operation and case.
    """
    voted = list(voted)
    open_ = {
        (check.operation, check.case)
        for check in voted
        if check.detail == UNDECIDED and check.status is GateStatus.DIVERGED
    }
    spoken = {(check.operation, check.case) for check in voted if check.status is not GateStatus.UNVERIFIED} - open_
    found = [check for check in voted if (check.operation, check.case) not in apart.keys() - spoken]
    for key in apart.keys() - spoken:
        operation = workload.operation(key[0])
        tables = {one: table for (one, *key_of), table in answers.items() if tuple(key_of) == key}
        fit = {one for one, table in tables.items() if agreement.fits(table, apart[key], operation.schema)}
        right = next((tables[one] for one in tables if one in fit), None)
        for one, table in tables.items():
            found.append(_check(operation, key[1], one, table, right, apart[key], fits=one in fit))
    return found


def _check(
    operation: Operation,
    case: str,
    contender: str,
    table: pa.Table,
    right: pa.Table | None,
    pinned: Agreement,
    *,
    fits: bool,
) -> Check:
    """One answer against one that has the digest; where nobody has it, against what was kept."""
    compared = compare.compare(table, right, operation.schema) if right is not None else None
    differences: tuple[Difference, ...]
    agrees = fits or (compared is not None and compared.agrees)
    if compared is None or (compared.agrees and not agrees):
        got = agreement.of(table, operation.schema) if table.num_columns == len(operation.schema.columns) else None
        rows = got is not None and got.rows != pinned.rows
        place = ("(rows)", got.rows, pinned.rows) if got and rows else ("(digest)", got and got.digest, pinned.digest)
        differences = (Difference(row="", column=place[0], got=str(place[1]), expected=str(place[2])),)
    else:
        differences = compared.differences
    return Check(
        operation=operation.name,
        case=case,
        contender=contender,
        status=GateStatus.AGREED if agrees else GateStatus.DIVERGED,
        witness=AGREED,
        differences=() if agrees else differences,
        detail="" if agrees else f"of {', '.join(pinned.lineages)}",
    )
