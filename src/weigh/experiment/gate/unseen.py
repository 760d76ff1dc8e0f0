"""The gate once more, on data that nobody had seen (A12): is the given data read, or are answers kept somewhere?

A contender is started under the paths that it knows, and finds other rows there. Who answers now as it did on the given
data, though the right answer is another one, has its answers from elsewhere: a table made beforehand, a copy of the
rows, a cache that other processes find. What proves that, and what is only a wrong answer: ``unseen_answers``.
"""

from __future__ import annotations

import secrets
import shutil
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import pyarrow as pa

from weigh.answers import constructs
from weigh.data import unseen as rows
from weigh.engines import environment as environments
from weigh.engines.exchange import WorkerEnded
from weigh.experiment.gate import dialects, twin_names
from weigh.experiment.gate.queries import QuerySession
from weigh.experiment.gate.unseen_answers import Key, UnseenAnswers, judge
from weigh.host import scratch
from weigh.model import codes
from weigh.model.errors import WeighError
from weigh.model.gate import UNDECIDED, Unseen
from weigh.model.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from weigh.answers.left_open import Ways
    from weigh.data.cache import CachedData
    from weigh.data.data_values import DataValues
    from weigh.engines.prepared import PreparedContender
    from weigh.experiment.data.data_link import DataLink
    from weigh.model.finding import Finding
    from weigh.model.gate import Check
    from weigh.model.operation import Case, Operation, Workload
    from weigh.model.progress import Progress
    from weigh.workloads import Cubes

_DOUBLE = 64


class UnseenResults(NamedTuple):
    """What came of asking once more.

    Attributes:
        checks: answers that are wrong on the unseen data without being those to the given data.
        findings: who does not read the data, and of whom it could not be determined.
        record: what was asked.
        answers: to the questions, by who has seen no other rows.
    """

    checks: list[Check]
    findings: list[Finding]
    record: Unseen | None
    answers: dict[Key, pa.Table]


def check(
    contenders: list[PreparedContender],
    workload: Workload,
    before: Mapping[Key, pa.Table],
    expected: Callable[[Operation, Case, Cubes], pa.Table | None],
    layouts: Mapping[str, CachedData],
    link: DataLink,
    timeout: float,
    progress: Progress,
    ways: Ways,
) -> UnseenResults:
    """Ask every contender again what it has answered, over rows that were drawn now.

    Args:
        contenders: who answers.
        workload: its operations; the questions are the same to the letter.
        before: the gate's answers to the given data.
        expected: the right answer from a truth about data; None where nobody knows it.
        layouts: the given data by name of its layout.
        link: where contenders see it.
        timeout: seconds for one question.
        progress: gets each step.
        ways: how each takes what SQL leaves open.
    """
    progress.say("gate: asking on data that nobody has seen")
    twins = twin_names.twins({name: paths for one in contenders for name, paths in link.tables(one).paths.items()})
    # Over columns that engines may take for one another no answer contradicts another one.
    operations = tuple(one for one in workload.operations if not twin_names.read_by(one.sql, twins))
    workload = msgspec.structs.replace(workload, operations=operations) if twins else workload
    data = layouts[next(iter(layouts))]

    def environment(needed: list[str]) -> Path:
        return environments.ensure(needed, contenders[0].cache).python

    place = scratch.folder("unseen")
    # Engines that run as another user must get there.
    place.chmod(0o755)
    try:
        given = link.unseen(environment)
        made = given[next(iter(layouts))]
        with link.showing(given):
            singles = _singles(link.values(contenders[0].contender.layout, environment)) if contenders else frozenset()
            asking = _Asking(contenders, workload, before, place, link, timeout, progress, singles)
            answers = asking.answers()
            settled = asking.settled
            ways = _ways(contenders, workload, link, ways, environment, singles)
    except (WeighError, OSError) as error:
        return UnseenResults([], [_untried(None, f"such data could not be made: {error}")], None, {})
    finally:
        shutil.rmtree(place, ignore_errors=True)

    progress.say("gate: comparing the answers on such data")

    def right(operation: Operation, case: Case) -> pa.Table | None:
        return expected(operation, case, made.truth) if made.truth else None

    lineage = {one.name: one.lineage for one in contenders}
    same = made.manifest.digests == data.manifest.digests
    judged = judge(UnseenAnswers(workload, before, answers, settled, lineage, ways, right, same, singles))
    findings = judged.findings
    answering = {name for name, _, _ in before}
    accused = {finding.contender for finding in findings}
    accused |= {check.contender for check in judged.checks if check.detail != UNDECIDED}
    # Of whom nothing is known by answers there is nothing to try, and the gate has said why.
    silent = [one.name for one in contenders if one.name in answering - accused and not judged.moved[one.name]]
    findings += [_untried(name, asking.why.get(name, "nothing proves that another answer is right")) for name in silent]
    record = Unseen(rows=rows.described(made.manifest), digests=made.manifest.digests, moved=judged.moved)
    return UnseenResults(judged.checks, findings, record, answers)


def _ways(
    contenders: list[PreparedContender],
    workload: Workload,
    link: DataLink,
    ways: Ways,
    environment: Callable[[list[str]], Path],
    singles: frozenset[str],
) -> Ways:
    """How each takes what SQL leaves open on the unseen rows: they need not have the values that leave it open."""
    found = dialects.without_data_ways(ways)
    queries = [one.sql for one in workload.operations]
    texts = (
        (case_text, len(one.schema.columns)) for one in workload.operations for case_text in map(one.text, one.cases)
    )
    queries += filter(None, (constructs.settled(text, columns, singles) for text, columns in texts))
    for one in contenders:
        always = found.get(one.name, {})
        data = link.values(one.contender.layout, environment)
        found[one.name] = always | dialects.data_ways(one.name, one.engine, queries, data, always)
    return found


def _singles(data: DataValues) -> frozenset[str]:
    """Columns of floats with fewer than 64 bits."""
    narrow = (one for _, one in data.fields() if pa.types.is_floating(one.type) and one.type.bit_width < _DOUBLE)
    return frozenset(one.name.lower() for one in narrow)


class _Asking:
    """Asks the contenders on the unseen data."""

    def __init__(
        self,
        contenders: list[PreparedContender],
        workload: Workload,
        before: Mapping[Key, pa.Table],
        place: Path,
        link: DataLink,
        timeout: float,
        progress: Progress,
        singles: frozenset[str],
    ) -> None:
        self._singles = singles
        self._contenders = contenders
        self._answers = before
        self._place = place
        self._link = link
        self._timeout = timeout
        self._progress = progress
        self._questions = [(operation, case) for operation in workload.operations for case in _drawn(operation)]
        self.why: dict[str, str] = {}
        self.settled: dict[Key, pa.Table] = {}
        """Answers to the same questions where these leave nothing open."""

    def answers(self) -> dict[Key, pa.Table]:
        """Every answer that was given, about that data."""
        found = {}
        for ready in self._contenders:
            if ready.contender.remote:
                self.why[ready.name] = "nothing is loaded into a server that is not weigh's"
                continue
            # What it loads of them goes with them.
            passing = msgspec.structs.replace(ready, cache=self._place)
            with QuerySession(passing, self._link, self._timeout) as session:
                for operation, case, table in self._each(session):
                    found[ready.name, operation.name, case.name] = table
        return found

    def _each(self, session: QuerySession) -> Iterator[tuple[Operation, Case, pa.Table]]:
        ready = session.ready
        self._progress.say(f"gate: {ready.name} answers on such data")
        for at, (operation, case) in enumerate(self._questions):
            self._progress.step(at, len(self._questions), f"gate: {ready.name} on such data")
            if (ready.name, operation.name, case.name) not in self._answers:
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
            sql = constructs.settled(operation.text(case), len(operation.schema.columns), self._singles)
            if sql is not None and not operation.dialect.get(ready.engine.dialect):
                # Who cannot say it in this form is not compared.
                with suppress(WorkerEnded):
                    self.settled[ready.name, operation.name, case.name] = session.ask(sql).table


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
