"""One contender asked every case of every operation, and its answers judged."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import msgspec

from weigh.answers import compare, left_open, names, printed
from weigh.engines.exchange import WorkerEnded
from weigh.experiment.gate import caches
from weigh.experiment.gate.layouts import Question
from weigh.experiment.gate.unseen_answers import says_nothing
from weigh.experiment.witnesses import PINNED
from weigh.model import codes
from weigh.model.answer import GateStatus
from weigh.model.contender import COMMAND
from weigh.model.data.frames import is_program
from weigh.model.gate import Check
from weigh.model.sample import Outcome
from weigh.model.text import reason
from weigh.verdict.repetition import Cost, remembered
from weigh.workloads import from_statistics
from weigh.workloads.salted import column, salted, unsalted

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    import pyarrow as pa

    from weigh.experiment.gate.queries import QuerySession
    from weigh.experiment.witnesses import Witnesses
    from weigh.model.finding import Finding
    from weigh.model.operation import Case, Operation, Workload
    from weigh.model.progress import Progress

NAMES = "the names that the query gives its columns"
_CHANGING = "it prints something else each time, such as the time of day; --output lines, json or none compares less"
_STATUS = {
    (True, False): GateStatus.AGREED,
    (True, True): GateStatus.UNVERIFIED,
    (False, False): GateStatus.DIVERGED,
}
"""Of an answer that agrees with its witness, and whether that is so only because the query leaves rows open."""
_CONFIRMED = 2
"""Times that a repetition which seems to cost nothing is looked at again before it gets a life of its own."""
_TIMED_REPEATS = 3
"""Executions of a timed case in the gate: a wrong second answer is found before the clock, and the budget is
planned from the fastest."""
_PARTS = 20
"""Times that a contender's part of the gate is looked at whether it is worth going on."""
_BRIEF_REPEATS = 2
"""The same of most operations of a large grid."""


class ContenderCheck:
    """One contender asked everything.

    Args:
        session: with it.
        workload: what it is asked.
        witnesses: who may know what is right.
        briefly: operations whose timed cases are asked as often as a second answer needs, and no more.
        so_far: gets every check at once, behind those of others.
    """

    def __init__(
        self,
        session: QuerySession,
        workload: Workload,
        witnesses: Witnesses,
        briefly: Collection[str],
        so_far: list[Check],
    ) -> None:
        self.briefly = briefly
        self.session = session
        self.workload = workload
        self.witnesses = witnesses
        self.checks: list[Check] = []
        self._so_far = so_far
        self.findings: list[Finding] = []
        self.seconds: dict[tuple[str, str], float] = {}
        self.peak = 0
        self.open: dict[tuple[str, str], pa.Table] = {}
        self.varied: list[str] = []
        self.quick: list[str] = []
        self._lazy = False
        self._left_open: dict[str, None] = {}

    def run(self, progress: Progress) -> Iterator[None]:
        """Ask every case; an operation that the engine cannot do, times out on or dies of is asked once.

        Yields:
            Nothing, so that whoever asks may end it: at the beginning, and after each twentieth of the cases.
        """
        yield
        total = sum(len(operation.cases) for operation in self.workload.operations)
        done = 0
        for operation in self.workload.operations:
            for case in operation.cases:
                hopeless = self._ask(operation, case)
                if hopeless:
                    break
            done, before = done + len(operation.cases), done
            progress.step(done, total, f"gate: {self.session.ready.name}")
            if _PARTS * done // total > _PARTS * before // total:
                yield
        if self._left_open:
            self.findings.append(_listed(self.session.ready.name, self._left_open))

    def unseen(self) -> dict[str, Question]:
        """A question that nobody asked before for each operation to which one could be put, and what is right to it.

        None for what the statistics in the files answer: who has read those when it got the files keeps nothing else.
        """
        found = {}
        for name in self.varied:
            operation = self.workload.operation(name)
            case = operation.timed()[0]
            right, salt = self.open[name, case.name], caches.salt()
            text = operation.text(case, self.session.ready.engine.dialect)
            sql = salted(text, salt)
            plain = operation.text(case)
            # An answer of nothing (no match, an empty table) may be known without any row.
            full = right.num_rows and not says_nothing(right)
            if sql is not None and full and not from_statistics.suffices(plain):
                found[name] = Question(
                    sql, plain, partial(_unsalted_is, right, salt, operation, self.session.ready.lineage)
                )
        return found

    def unwitnessed(self) -> list[str]:
        """The SQL of operations whose answer nobody knows but other contenders."""
        silent = {check.operation for check in self.checks if check.status is GateStatus.UNVERIFIED}
        return [operation.sql for operation in self.workload.operations if operation.name in silent]

    def unwitnessed_cases(self) -> Iterator[tuple[Operation, Case]]:
        """The cases that it answered and nobody knows the answer to but other contenders."""
        for check in self.checks:
            if check.status is GateStatus.UNVERIFIED:
                operation = self.workload.operation(check.operation)
                yield operation, next(case for case in operation.cases if case.name == check.case)

    def _add(self, check: Check) -> None:
        self.checks.append(check)
        self._so_far.append(check)

    def _ask(self, operation: Operation, case: Case) -> bool:
        name = self.session.ready.name
        sql = operation.text(case, self.session.ready.engine.dialect)
        fastest = float("inf")
        first: Check | None = None
        repeats = _BRIEF_REPEATS if operation.name in self.briefly else _TIMED_REPEATS
        for repeat in range(repeats if case.timed else 1):
            try:
                reply = self.session.ask(sql, withdraw=repeat == 0)
            except WorkerEnded as ended:
                status = GateStatus.UNSUPPORTED if ended.outcome is Outcome.UNSUPPORTED else GateStatus.ERROR
                detail = f"{ended.outcome}: {reason(ended.detail)}"
                self._add(Check(operation=operation.name, case=case.name, contender=name, status=status, detail=detail))
                return True
            if reply.lazy and not self._lazy:
                self._lazy = True
                self.findings.append(_lazy(name, operation.name, reply.lazy))
            self._left_open.update(dict.fromkeys(printed.left_open(reply.table)))
            fastest = min(fastest, reply.run.wall_s)
            self.peak = max(self.peak, reply.run.peak_memory or 0)
            check = self._check(operation, case, sql, reply.table)
            if first is None:
                first = check
                self.open[operation.name, case.name] = reply.table
            elif check.status is GateStatus.DIVERGED and first.status is not GateStatus.DIVERGED:
                first = msgspec.structs.replace(check, detail=f"from its execution {repeat + 1} on")
        assert first is not None
        self._add(first)
        if case.timed:
            self.seconds[operation.name, case.name] = fastest
            if operation.timed()[0] is case:
                self._vary(operation, case, sql, caches.cost(reply.run))
        return False

    def _vary(self, operation: Operation, case: Case, sql: str, repeated: Cost) -> None:
        """A question after the repeated one that nobody asked before: the same with a number more in its answer."""
        salt = caches.salt()
        other = salted(sql, salt)
        if other is None:
            return
        try:
            reply = self.session.ask(other)
        except WorkerEnded:
            # It cannot say it in this form: nothing to compare, and no accusation.
            return
        plain = unsalted(reply.table, salt)
        before = self.open[operation.name, case.name]
        compared = left_open.by_chance(
            operation, before if plain is None else plain, before, self.session.ready.lineage
        )
        if plain is None or not compared.agrees:
            self._add(
                Check(
                    operation=operation.name,
                    case=case.name,
                    contender=self.session.ready.name,
                    status=GateStatus.DIVERGED,
                    witness="its own answer without a constant in it",
                    detail=f"asked for one column more, {salt} AS {column(salt)}",
                    differences=compared.differences,
                )
            )
            return
        self.varied.append(operation.name)
        # Sooner than anybody is accused: who keeps plans is known before the blocks, where nobody can tell.
        if self._quick(sql, repeated, caches.cost(reply.run)):
            self.quick.append(operation.name)

    def _quick(self, sql: str, repeated: Cost, unseen: Cost) -> bool:
        """Whether a repetition costs next to nothing each time: one stall of a new question makes any look so."""
        for _ in range(_CONFIRMED):
            if not remembered(repeated, unseen, share=caches.LOOKED_AT):
                return False
            other = salted(sql, caches.salt())
            assert other is not None
            try:
                repeated = caches.least(repeated, caches.cost(self.session.ask(sql).run))
                unseen = caches.least(unseen, caches.cost(self.session.ask(other).run))
            except WorkerEnded:
                break
        return remembered(repeated, unseen, share=caches.LOOKED_AT)

    def _check(self, operation: Operation, case: Case, sql: str, table: pa.Table) -> Check:
        """The answer against a witness; where there is none, against the contender's own first answer."""
        common = {
            "operation": operation.name,
            "case": case.name,
            "contender": self.session.ready.name,
            "digest": compare.digest(table, operation.schema),
            "rows": table.num_rows,
            "nulls": _only_nulls(table) or msgspec.UNSET,
        }
        checked = None
        for name, expected in self.witnesses.speak(operation, case):
            compared = compare.compare(table, expected, operation.schema, complete=name != PINNED)
            checked = Check(
                **common,
                status=_STATUS[compared.agrees, compared.open],
                witness=name,
                differences=compared.differences,
                notes=compared.notes,
            )
            if not compared.agrees:
                break
        if checked is not None and checked.status is GateStatus.DIVERGED:
            return checked
        wanted = [column.name for column in operation.schema.columns]
        # A function gives its columns the names that the SQL of its question gives them.
        promised = operation.text(case) if is_program(sql) else sql
        misnamed = names.renamed(table.column_names, wanted, promised)
        if misnamed is not None:
            return Check(**common, status=GateStatus.DIVERGED, witness=NAMES, differences=misnamed.differences)
        if checked is not None:
            return checked
        # The first answer is compared with itself: its result schema alone can already contradict it.
        before = self.open.get((operation.name, case.name), table)
        itself = left_open.by_chance(operation, table, before, self.session.ready.lineage)
        if not itself.agrees:
            fits = table.num_columns == len(operation.schema.columns)
            # Nobody promised that a command prints the same again.
            promised_nothing = COMMAND in self.session.ready.contender.settings
            return Check(
                **common,
                status=GateStatus.LEFT_OPEN if promised_nothing else GateStatus.DIVERGED,
                witness="its own first answer" if fits else "the operation's result schema",
                differences=itself.differences,
                notes=(_CHANGING,) if promised_nothing else (),
            )
        return Check(**common, status=GateStatus.UNVERIFIED)


def _only_nulls(table: pa.Table) -> bool:
    return table.num_rows > 0 and all(column.null_count == table.num_rows for column in table.columns)


def _unsalted_is(right: pa.Table, salt: int, operation: Operation, lineage: str, answer: pa.Table) -> bool:
    """Whether an answer to a salted question is the right one and the salt."""
    plain = unsalted(answer, salt)
    return plain is not None and left_open.by_chance(operation, plain, right, lineage).agrees


def _listed(contender: str, left_open: Iterable[str]) -> Finding:
    return codes.A7_SHOWN.finding(
        contender=contender,
        operation=None,
        text=f"its answers are read off what its client shows and compared as far as that goes: {'; '.join(left_open)}",
        remedy="to have that compared too, let its ./query print CSV or TSV",
    )


def _lazy(contender: str, operation: str, why: str) -> Finding:
    return codes.A5_LAZY.finding(
        contender=contender,
        operation=operation,
        text=f"the answer was not complete when its execution returned ({why}): the clock would stop too early",
        remedy="its adapter must consume all rows inside run(); it is not compared",
    )
