"""The gate once more, on data that nobody had seen (A12): is the given data read, or are answers kept somewhere?

A contender is started under the paths that it knows, and finds other rows there. Who answers now as it did on the given
data, though the right answer is another one, has its answers from elsewhere: a table made beforehand, a copy of the
rows, a cache that other processes find.
"""

from __future__ import annotations

import secrets
import shutil
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from weigh.answers import compare
from weigh.data import unseen as rows
from weigh.engines import environment as environments
from weigh.engines.exchange import WorkerEnded
from weigh.experiment.gate.queries import QuerySession
from weigh.host import scratch
from weigh.model import codes
from weigh.model.answer import GateStatus
from weigh.model.errors import WeighError
from weigh.model.gate import Check, Unseen
from weigh.model.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    import pyarrow as pa

    from weigh.data.cache import CachedData
    from weigh.engines.prepared import PreparedContender
    from weigh.experiment.data.data_link import DataLink
    from weigh.model.finding import Finding
    from weigh.model.operation import Case, Operation, Workload
    from weigh.model.progress import Progress
    from weigh.workloads import Cubes

WITNESS = "ground truth of unseen data"
_URL = "weigh.url"
"""The setting of a contender whose tables lie in a server that is not weigh's: nothing is loaded there for a probe."""

Key = tuple[str, str, str]
"""(contender, operation, case)"""


class Heard(NamedTuple):
    """What came of asking once more.

    Attributes:
        checks: answers that are wrong on the unseen data without being those to the given data.
        findings: who does not read the data, and of whom it could not be told.
        record: what was asked.
    """

    checks: list[Check]
    findings: list[Finding]
    record: Unseen | None


def check(
    contenders: list[PreparedContender],
    workload: Workload,
    kept: Mapping[Key, pa.Table],
    expected: Callable[[Operation, Case, Cubes], pa.Table | None],
    layouts: Mapping[str, CachedData],
    link: DataLink,
    timeout: float,
    progress: Progress,
) -> Heard:
    """Ask every contender again what it has answered, over rows that were drawn now.

    Args:
        contenders: who is asked.
        workload: its operations; the questions are the same to the letter.
        kept: the gate's answers to the given data.
        expected: the right answer from a truth about data; None where nobody knows it.
        layouts: the given data by name of its layout.
        link: where contenders see it.
        timeout: seconds for one question.
        progress: is told.
    """
    progress.say("gate: asking on data that nobody has seen")
    place = scratch.folder("unseen")
    # Engines that run as another user must get there.
    place.chmod(0o755)
    try:
        (first, data), *others = layouts.items()

        def environment(needed: list[str]) -> Path:
            return environments.ensure(needed, contenders[0].cache).python

        made = rows.make(data, place / "data", environment)
        # The same rows to all: whose answer follows them is told by comparing answers.
        given = {
            name: rows.laid_out(made, data, place / str(at), environment) for at, (name, data) in enumerate(others)
        }
        with link.showing({first: made, **given}):
            asking = _Asking(contenders, workload, kept, place, link, timeout)
            answers = asking.answers()
    except (WeighError, OSError) as error:
        return Heard([], [_untried(None, f"such data could not be made: {error}")], None)
    finally:
        shutil.rmtree(place, ignore_errors=True)

    def right(operation: Operation, case: Case) -> pa.Table | None:
        return expected(operation, case, made.truth) if made.truth else None

    judged = _Judging(workload, kept, answers, right)
    checks, findings = judged.judge([one.name for one in contenders])
    moved = {name: tuple(sorted(operations)) for name, operations in judged.moved.items()}
    asked = {name for name, _, _ in kept}
    told = {finding.contender for finding in findings}
    # Of whom nothing is known by answers there is nothing to try, and the gate has said why.
    silent = [one.name for one in contenders if one.name in asked - told and not moved[one.name]]
    findings += [
        _untried(name, asking.why.get(name, "nothing that was asked has another answer there")) for name in silent
    ]
    record = Unseen(rows=rows.described(made.manifest), digests=made.manifest.digests, moved=moved)
    return Heard(checks, findings, record)


class _Asking:
    """Asks the contenders on the unseen data."""

    def __init__(
        self,
        contenders: list[PreparedContender],
        workload: Workload,
        kept: Mapping[Key, pa.Table],
        place: Path,
        link: DataLink,
        timeout: float,
    ) -> None:
        self._contenders = contenders
        self._kept = kept
        self._place = place
        self._link = link
        self._timeout = timeout
        self._questions = [(operation, case) for operation in workload.operations for case in _drawn(operation)]
        self.why: dict[str, str] = {}

    def answers(self) -> dict[Key, pa.Table]:
        """Every answer that was given, about the data that they were shown."""
        found = {}
        for ready in self._contenders:
            if _URL in ready.contender.settings:
                self.why[ready.name] = "nothing is loaded into a server that is not weigh's"
                continue
            # What it loads of them goes with them.
            passing = msgspec.structs.replace(ready, cache=self._place)
            with QuerySession(passing, self._link, self._timeout) as session:
                for operation, case, table in self._asked(session):
                    found[ready.name, operation.name, case.name] = table
        return found

    def _asked(self, session: QuerySession) -> Iterator[tuple[Operation, Case, pa.Table]]:
        ready = session.ready
        for operation, case in self._questions:
            if (ready.name, operation.name, case.name) not in self._kept:
                continue
            try:
                reply = session.ask(operation.text(case, ready.engine.dialect))
            except WorkerEnded as ended:
                self.why.setdefault(ready.name, one_line(str(ended)))
                if not ended.alive:
                    # What hangs or dies on few rows would do so again; it answered on the given ones.
                    return
                continue
            yield operation, case, reply.table


class _Judging:
    """Compares what was answered on the given and on the unseen data."""

    def __init__(
        self,
        workload: Workload,
        kept: Mapping[Key, pa.Table],
        answers: Mapping[Key, pa.Table],
        right: Callable[[Operation, Case], pa.Table | None],
    ) -> None:
        self._workload = workload
        self._kept = kept
        self._answers = answers
        self._right = right
        self.moved: dict[str, set[str]] = {}

    def judge(self, names: list[str]) -> tuple[list[Check], list[Finding]]:
        """Answers that are wrong, and who did not notice that the rows are others."""
        checks: list[Check] = []
        stale: dict[str, list[tuple[Operation, Case]]] = {}
        self.moved = {name: set() for name in names}
        for operation in self._workload.operations:
            for case in operation.cases:
                told = {
                    name: self._answers[name, operation.name, case.name]
                    for name in names
                    if (name, operation.name, case.name) in self._answers
                }
                for name, status in self._each(operation, case, told).items():
                    if status == "stale":
                        stale.setdefault(name, []).append((operation, case))
                    elif status == "moved":
                        self.moved[name].add(operation.name)
                    else:
                        checks.append(self._wrong(name, operation, case, told[name]))
        findings = [self._stale(name, where) for name, where in stale.items()]
        return [check for check in checks if check.contender not in stale], findings

    def _each(self, operation: Operation, case: Case, told: Mapping[str, pa.Table]) -> dict[str, str]:
        """Of everyone whose answer says something: ``moved``, ``stale`` or ``wrong``."""
        moved = {
            name: not _same(operation, table, self._kept[name, operation.name, case.name])
            for name, table in told.items()
        }
        known = self._right(operation, case)
        found = {}
        for name, table in told.items():
            if known is None:
                # Nobody knows what is right; but where the data changed the answer of another, it did not change this.
                others = [other for other in told if moved[other] and not _same(operation, told[other], table)]
                if moved[name] or others:
                    found[name] = "moved" if moved[name] else "stale"
            elif not compare.compare(table, known, operation.schema, complete=True).agrees:
                found[name] = "wrong" if moved[name] else "stale"
            elif moved[name]:
                found[name] = "moved"
        return found

    def _wrong(self, name: str, operation: Operation, case: Case, table: pa.Table) -> Check:
        known = self._right(operation, case)
        assert known is not None
        return Check(
            operation=operation.name,
            case=case.name,
            contender=name,
            status=GateStatus.DIVERGED,
            witness=WITNESS,
            digest=compare.digest(table, operation.schema),
            rows=table.num_rows,
            differences=compare.compare(table, known, operation.schema, complete=True).differences,
        )

    def _stale(self, name: str, where: list[tuple[Operation, Case]]) -> Finding:
        operation, case = where[0]
        named = ", ".join(dict.fromkeys(one.name for one, _ in where))
        return codes.A12_ANSWERS.finding(
            contender=name,
            text=f"given other rows under the same paths, which nobody had seen, it gives its answers to the data of "
            f"before ({named}; first case {case.name} of {operation.name}): they are not computed from the given data",
            remedy="it is not compared; look for answers, rows or results that its adapter keeps outside this process",
        )


def _same(operation: Operation, one: pa.Table, other: pa.Table) -> bool:
    return compare.compare(one, other, operation.schema).agrees


def _drawn(operation: Operation) -> list[Case]:
    """The cases that the clock runs on, and one that nobody can know beforehand."""
    others = [case for case in operation.cases if not case.timed]
    return [*operation.timed(), *([secrets.choice(others)] if others else [])]


def _untried(contender: str | None, why: str) -> Finding:
    return codes.A12_UNSEEN.finding(
        contender=contender,
        text=f"whether it reads the given data could not be tried on other data: {why}",
        remedy="nothing is wrong; its answers to the given data were compared as always",
    )
