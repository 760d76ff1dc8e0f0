"""The gate: the answers before any clock.

Witnesses in this order: the pinned answer, the ground truth, other lineages, and where none of these can speak,
the engine itself (``metamorphic``). Two versions of one engine are one vote.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import msgspec

from weigh.answers import compare, names, shown
from weigh.answers.votes import conclude, vote
from weigh.engines.exchange import WorkerEnded
from weigh.experiment.gate import caches, metamorphic
from weigh.experiment.gate.queries import QuerySession
from weigh.model import codes
from weigh.model.answer import GateStatus
from weigh.model.finding import Finding
from weigh.model.gate import UNDECIDED, Check, Gate
from weigh.model.sample import Outcome
from weigh.verdict.repetition import Cost, remembered
from weigh.workloads.salted import COLUMN, salted, unsalted

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    import pyarrow as pa

    from weigh.engines.prepared import PreparedContender
    from weigh.experiment.data.data_link import DataLink
    from weigh.model.operation import Case, Operation, Workload
    from weigh.model.progress import Progress
    from weigh.model.spec import Spec

PINNED = "pinned answer"
NAMES = "the names that the query gives its columns"
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
_BRIEF_REPEATS = 2
"""The same of most operations of a large grid."""

Key = tuple[str, str]
"""(operation, case)"""


class GateResult(msgspec.Struct, frozen=True, kw_only=True):
    """What the gate leaves behind for the measurement.

    Attributes:
        gate: the record.
        findings: what is to be said.
        kept: answer of every contender to every case, to compare timed executions with.
        tied: right answer of (operation, case) with every row that may stand at its limit, where that is known.
        seconds: fastest execution of (contender, operation, case); never shown as a result.
        peaks: largest resident size of each contender, bytes.
        varied: operations of each contender to which a question could be put that nobody asked before.
        quick: those of them whose repetition costs too little beside it.
    """

    gate: Gate
    findings: tuple[Finding, ...]
    kept: dict[tuple[str, str, str], Any]
    tied: dict[Key, Any] = {}
    seconds: dict[tuple[str, str, str], float]
    peaks: dict[str, int]
    varied: dict[str, tuple[str, ...]] = {}
    quick: dict[str, tuple[str, ...]] = {}


Witness = Callable[["Operation", "Case"], "pa.Table | None"]
"""Gives the right answer to a case, or None where it does not know it."""


class Witnesses:
    """Whoever can say what is right before any contender is asked, the most trusted first.

    Args:
        named: name and witness.
    """

    def __init__(self, *named: tuple[str, Witness]) -> None:
        self._named = named

    def speak(self, operation: Operation, case: Case) -> Iterator[tuple[str, pa.Table]]:
        """Name and answer of everyone who knows it, in order."""
        for name, witness in self._named:
            table = witness(operation, case)
            if table is not None:
                yield name, table


def check_answers(
    contenders: Iterable[PreparedContender],
    workload: Workload,
    witnesses: Witnesses,
    link: DataLink,
    spec: Spec,
    progress: Progress,
    briefly: Collection[str] = (),
) -> GateResult:
    """Ask every contender every case of every operation, and judge the answers.

    Args:
        contenders: who is asked.
        workload: what.
        witnesses: who may know what is right.
        link: where the data is.
        spec: of the experiment.
        progress: is told.
        briefly: operations whose timed cases are asked as often as a second answer needs, and no more.
    """
    asked: dict[tuple[str, str, str], pa.Table] = {}
    checks: list[Check] = []
    findings: list[Finding] = []
    seconds: dict[tuple[str, str, str], float] = {}
    peaks: dict[str, int] = {}
    varied, quick = {}, {}
    contenders = list(contenders)
    for ready in contenders:
        progress.say(f"gate: asking {ready.name}")
        with QuerySession(ready, link, spec.timeout) as session:
            one = _ContenderCheck(session, workload, witnesses, briefly)
            one.run(progress)
        checks += one.checks
        findings += one.findings
        peaks[ready.name] = one.peak
        varied[ready.name], quick[ready.name] = tuple(one.varied), tuple(one.quick)
        seconds.update({(ready.name, *key): value for key, value in one.seconds.items()})
        asked.update({(ready.name, *key): table for key, table in one.open.items()})
    names = [ready.name for ready in contenders]
    silent = {(check.operation, check.case) for check in checks if check.status is GateStatus.UNVERIFIED}
    checks += _cross_examine(asked, contenders, workload, silent)
    gate = Gate(operations=conclude(checks, cases_asked(workload), names), checks=tuple(checks), truth=spec.truth)
    return GateResult(
        gate=gate,
        findings=tuple(findings),
        kept=asked,
        tied=_tied(workload, witnesses),
        seconds=seconds,
        peaks=peaks,
        varied=varied,
        quick=quick,
    )


def _tied(workload: Workload, witnesses: Witnesses) -> dict[Key, pa.Table]:
    """The right answers to cases whose limit cuts through rows that tie, where somebody knows them all."""
    found = {}
    for operation in workload.operations:
        limit = operation.schema.limit
        for case in operation.cases if limit is not None else ():
            for name, table in witnesses.speak(operation, case):
                if name != PINNED and table.num_rows > (limit or 0):
                    found[operation.name, case.name] = table
    return found


class _ContenderCheck:
    """One contender asked everything."""

    def __init__(
        self, session: QuerySession, workload: Workload, witnesses: Witnesses, briefly: Collection[str]
    ) -> None:
        self.briefly = briefly
        self.session = session
        self.workload = workload
        self.witnesses = witnesses
        self.checks: list[Check] = []
        self.findings: list[Finding] = []
        self.seconds: dict[Key, float] = {}
        self.peak = 0
        self.open: dict[Key, pa.Table] = {}
        self.varied: list[str] = []
        self.quick: list[str] = []
        self._lazy = False
        self._left_open: dict[str, None] = {}

    def run(self, progress: Progress) -> None:
        """Ask every case; an operation that the engine cannot do, times out on or dies of is asked once."""
        total = sum(len(operation.cases) for operation in self.workload.operations)
        done = 0
        for operation in self.workload.operations:
            for case in operation.cases:
                hopeless = self._ask(operation, case)
                if hopeless:
                    break
            done += len(operation.cases)
            progress.step(done, total, f"gate: {self.session.ready.name}")
        if self._left_open:
            self.findings.append(_shown(self.session.ready.name, self._left_open))

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
                detail = f"{ended.outcome}: {ended.detail}"
                self.checks.append(
                    Check(operation=operation.name, case=case.name, contender=name, status=status, detail=detail)
                )
                return True
            if reply.lazy and not self._lazy:
                self._lazy = True
                self.findings.append(_lazy(name, operation.name, reply.lazy))
            self._left_open.update(dict.fromkeys(shown.left_open(reply.table)))
            fastest = min(fastest, reply.run.wall_s)
            self.peak = max(self.peak, reply.run.peak_memory or 0)
            check = self._check(operation, case, sql, reply.table)
            if first is None:
                first = check
                self.open[operation.name, case.name] = reply.table
            elif check.status is GateStatus.DIVERGED and first.status is not GateStatus.DIVERGED:
                first = msgspec.structs.replace(check, detail=f"from its execution {repeat + 1} on")
        assert first is not None
        self.checks.append(first)
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
        compared = compare.compare(before if plain is None else plain, before, operation.schema)
        if plain is None or not compared.agrees:
            self.checks.append(
                Check(
                    operation=operation.name,
                    case=case.name,
                    contender=self.session.ready.name,
                    status=GateStatus.DIVERGED,
                    witness="its own answer without a constant in it",
                    detail=f"asked for one column more, {salt} AS {COLUMN}",
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
        misnamed = names.renamed(table.column_names, wanted, sql)
        if misnamed is not None:
            return Check(**common, status=GateStatus.DIVERGED, witness=NAMES, differences=misnamed.differences)
        if checked is not None:
            return checked
        # The first answer is compared with itself: its result schema alone can already contradict it.
        itself = compare.compare(table, self.open.get((operation.name, case.name), table), operation.schema)
        if not itself.agrees:
            fits = table.num_columns == len(operation.schema.columns)
            return Check(
                **common,
                status=GateStatus.DIVERGED,
                witness="its own first answer" if fits else "the operation's result schema",
                differences=itself.differences,
            )
        return Check(**common, status=GateStatus.UNVERIFIED)


def _cross_examine(
    asked: dict[tuple[str, str, str], pa.Table],
    contenders: list[PreparedContender],
    workload: Workload,
    silent: Collection[Key],
) -> list[Check]:
    """Where no witness spoke, the contenders are compared with each other and their lineages vote."""
    lineage = {ready.name: ready.engine.lineage for ready in contenders}
    found = []
    for operation in workload.operations:
        for case in operation.cases:
            if (operation.name, case.name) not in silent:
                continue
            tables = {
                ready.name: asked[ready.name, operation.name, case.name]
                for ready in contenders
                if (ready.name, operation.name, case.name) in asked
            }
            found += vote(operation, case, tables, lineage)
    return found


def acquitted(
    checks: Iterable[Check],
    kept: Mapping[tuple[str, str, str], pa.Table],
    workload: Workload,
    lineage: Mapping[str, str],
) -> list[Check]:
    """Where some differed and one of them contradicts itself, the rest vote again without it."""
    checks = list(checks)
    guilty: dict[Key, set[str]] = {}
    for check in checks:
        if check.witness == metamorphic.PARTITION or check.witness.startswith(metamorphic.ITSELF):
            guilty.setdefault((check.operation, check.case), set()).add(check.contender)
    found = []
    again: dict[Key, list[str]] = {}
    for check in checks:
        key = (check.operation, check.case)
        if check.detail == UNDECIDED and key in guilty and check.contender not in guilty[key]:
            again.setdefault(key, []).append(check.contender)
        else:
            found.append(check)
    for (name, case_name), contenders in again.items():
        operation = workload.operation(name)
        case = next(case for case in operation.cases if case.name == case_name)
        found += vote(operation, case, {one: kept[one, name, case_name] for one in contenders}, dict(lineage))
    return found


def cases_asked(workload: Workload) -> dict[str, int]:
    """Number of cases of each operation."""
    return {operation.name: len(operation.cases) for operation in workload.operations}


def _shown(contender: str, left_open: Iterable[str]) -> Finding:
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
