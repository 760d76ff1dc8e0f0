"""Metamorphic checks: what must hold between an engine's own answers, when nobody else can say what is right.

- ``p`` + ``not p`` + ``p is null`` = all rows, for every literal of every filter;
- the same answer with an optimisation switched off, with one thread, and over the same rows in more files.

The first is ternary logic partitioning (Rigger and Su, OOPSLA 2020); the second is akin to their non-optimizing
reference engine construction (ESEC/FSE 2020).
"""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING

from weigh.answers import left_open
from weigh.engines.engine import Switch
from weigh.engines.exchange import WorkerEnded
from weigh.experiment.gate.queries import QuerySession
from weigh.model import codes, units
from weigh.model.answer import GateStatus
from weigh.model.gate import Check, Difference
from weigh.model.operation import fill
from weigh.model.text import one_line

if TYPE_CHECKING:
    from collections.abc import Collection

    from weigh.engines.loaded import Tables
    from weigh.engines.prepared import PreparedContender
    from weigh.experiment.data.data_link import DataLink
    from weigh.model.finding import Finding
    from weigh.model.operation import Case, Operation, Workload
    from weigh.model.progress import Progress

PARTITION = "its own count: p + not p + p is null = all"
ITSELF = "itself with "
ONE_THREAD = "one thread"
MORE_FILES = "the same rows in more files"
BUDGET = 120.0
"""Seconds for all relations of one contender, each an equal share of what is left: an engine on one thread can take
many times as long, and nobody should wait a quarter of an hour for a check that found nothing in two minutes."""


class _Pace:
    """How far the check of a contender is, and when a relation has had its share of the time.

    Args:
        what: for people.
        relations: how many there are.
        operations: that each of them is tried on.
        most: seconds for one question.
        progress: receives messages.
    """

    def __init__(self, what: str, relations: int, operations: int, most: float, progress: Progress) -> None:
        self._what = what
        self._left = relations
        self._total = relations * operations
        self._done = 0
        self._most = most
        self._progress = progress
        self._end = time.monotonic() + BUDGET
        self._until = self._end
        self.unfinished = 0

    def relation(self) -> None:
        """The next one begins."""
        now = time.monotonic()
        self._until = now + max(self._end - now, 0.0) / max(self._left, 1)
        self._left -= 1
        self.unfinished = 0

    def late(self) -> bool:
        """Whether the relation has had its time; an operation that it is not tried on is counted."""
        over = time.monotonic() > self._until
        self.unfinished += over
        return over

    def question(self) -> float:
        """Seconds for one question: half of what the relation has left, so that none takes the time of all others."""
        return min(self._most, max(round((self._until - time.monotonic()) / 2), 1.0))

    def step(self) -> None:
        """An operation is behind us."""
        self._done += 1
        self._progress.step(self._done, self._total, self._what)


def check(
    ready: PreparedContender,
    workload: Workload,
    operations: Collection[str],
    link: DataLink,
    split: Tables | None,
    timeout: float,
    progress: Progress,
) -> tuple[list[Check], list[Finding]]:
    """Every relation that applies, on the operations named.

    Args:
        ready: the contender.
        workload: its operations.
        operations: names of those to check.
        link: where the data is.
        split: the same rows in more files, or None.
        timeout: seconds for one question.
        progress: receives messages.

    Returns:
        What failed; and a note for each relation that could not be tried everywhere, so that a check which never ran
        is not taken for one that was passed.
    """
    chosen = [operation for operation in workload.operations if operation.name in operations]
    progress.say(f"gate: checking {ready.name} against itself")
    variants = _variants(ready, split)
    pace = _Pace(f"gate: {ready.name} against itself", 1 + len(variants), len(chosen), timeout, progress)
    pace.relation()
    with QuerySession(ready, link, timeout) as session:
        failed, refused = _partitions(session, chosen, pace)
        untried = _untried(ready, "its parts", refused, pace, len(chosen))
        for switch, tables in variants:
            pace.relation()
            with QuerySession(ready, link, timeout, changed=switch.settings, tables=tables) as other:
                found, refused = _variant(session, other, chosen, switch, pace)
            failed += found
            untried += _untried(ready, switch.name, refused, pace, len(chosen))
            progress.say(f"gate: {ready.name}, {switch.name}: compared")
    return failed, untried


def _variants(ready: PreparedContender, split: Tables | None) -> list[tuple[Switch, Tables | None]]:
    engine = ready.engine
    found: list[tuple[Switch, Tables | None]] = [(switch, None) for switch in engine.switches]
    if engine.threads:
        found.append((Switch(name=ONE_THREAD, settings={engine.threads: 1}), None))
    if split is not None and not engine.copies:
        # A loaded copy is the same however many files it was loaded from.
        found.append((Switch(name=MORE_FILES, settings={}), split))
    return found


def _partitions(session: QuerySession, operations: list[Operation], pace: _Pace) -> tuple[list[Check], list[str]]:
    totals: dict[str, int] = {}
    failed = []
    refused = []
    for operation in operations:
        pace.step()
        if operation.filter is None:
            continue
        table = operation.filter.table
        for case in operation.cases:
            if pace.late():
                break
            predicate = fill(operation.filter.predicate, case.literals, session.ready.engine.dialect)
            try:
                if table not in totals:
                    totals[table] = _count(session, table, None, pace)
                parts = [
                    _count(session, table, part, pace)
                    for part in (f"({predicate})", f"NOT ({predicate})", f"({predicate}) IS NULL")
                ]
            except WorkerEnded as ended:
                # It cannot say it in this form: no relation to check, and no accusation.
                refused.append(ended.detail)
                break
            if sum(parts) != totals[table]:
                difference = Difference(
                    row=predicate,
                    column="count",
                    got=" + ".join(f"{part:,}" for part in parts) + f" = {sum(parts):,}",
                    expected=f"{totals[table]:,} rows",
                )
                failed.append(_contradicted(session.ready, operation, case, PARTITION, (difference,)))
    return failed, refused


def _count(session: QuerySession, table: str, predicate: str | None, pace: _Pace) -> int:
    session.timeout = pace.question()
    where = f" WHERE {predicate}" if predicate else ""
    reply = session.ask(f"SELECT count(*) AS n FROM {table}{where}")
    return int(reply.table.column(0)[0].as_py())


def _variant(
    usual: QuerySession, other: QuerySession, operations: list[Operation], switch: Switch, pace: _Pace
) -> tuple[list[Check], list[str]]:
    failed = []
    refused = []
    for operation in operations:
        pace.step()
        for case in operation.cases:
            if pace.late():
                break
            sql = operation.text(case, usual.ready.engine.dialect)
            if switch.breaks and re.search(switch.breaks, sql):
                continue
            try:
                usual.timeout = pace.question()
                got = usual.ask(sql)
                other.timeout = pace.question()
                expected = other.ask(sql)
            except WorkerEnded as ended:
                # This version does not know the setting, or refuses the query with it: nothing to compare.
                refused.append(ended.detail)
                break
            compared = left_open.by_chance(operation, got.table, expected.table, usual.ready.lineage)
            if not compared.agrees:
                failed.append(_contradicted(usual.ready, operation, case, ITSELF + switch.name, compared.differences))
    return failed, refused


def _untried(ready: PreparedContender, name: str, refused: list[str], pace: _Pace, operations: int) -> list[Finding]:
    """What was refused, and what there was no time for."""
    beginning = f"the check of the engine against itself with {name} could not be made on "
    found = []
    if refused:
        found.append(
            (
                f"{units.count(len(refused), 'operation')} of {operations}: {one_line(refused[0])}",
                "nothing is wrong; the other checks were made",
            )
        )
    if pace.unfinished:
        found.append(
            (
                f"{units.count(pace.unfinished, 'operation')} of {operations}: all checks of a contender against "
                f"itself have {units.seconds(BUDGET)}",
                "nothing is wrong; name fewer --operations, or a smaller "
                "--scale, to have them checked, or a witness: weigh run --witness ENGINE",
            )
        )
    return [
        codes.X_RELATION.finding(contender=ready.name, text=beginning + text, remedy=remedy) for text, remedy in found
    ]


def _contradicted(
    ready: PreparedContender, operation: Operation, case: Case, witness: str, differences: tuple[Difference, ...]
) -> Check:
    return Check(
        operation=operation.name,
        case=case.name,
        contender=ready.name,
        status=GateStatus.DIVERGED,
        witness=witness,
        differences=differences,
    )
