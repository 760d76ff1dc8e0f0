"""The gate: the answers before any clock.

Witnesses in this order: the pinned answer, the ground truth, what several lineages agreed on before (``witnesses``),
other lineages, and where none of these can speak, the engine itself (``metamorphic``). Two versions of one engine are
one vote.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import msgspec

from weigh.answers.votes import conclude, vote
from weigh.engines import environment as environments
from weigh.engines.exchange import WorkerEnded
from weigh.experiment.gate import dialects, frames, layouts, stale, twin_names
from weigh.experiment.gate.contender_check import ContenderCheck
from weigh.experiment.gate.queries import QuerySession
from weigh.experiment.witnesses import PINNED, confirmed, decided
from weigh.model import codes
from weigh.model.answer import GateStatus
from weigh.model.data.frames import is_frames
from weigh.model.finding import Finding
from weigh.model.gate import UNDECIDED, Check, Gate

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping
    from pathlib import Path

    import pyarrow as pa

    from weigh.answers.left_open import Ways
    from weigh.engines.prepared import PreparedContender
    from weigh.experiment.data.data_link import DataLink
    from weigh.experiment.witnesses import Witnesses
    from weigh.model.operation import Workload
    from weigh.model.progress import Progress
    from weigh.model.spec import Spec

_UNJUDGED = "it differs from its witness, and the gate was cut off before anybody judged that"
Key = tuple[str, str]
"""(operation, case)"""
Affordable = Callable[["Mapping[tuple[str, str, str], float]", "Collection[Check]"], None]
"""Told fastest executions by (contender, operation, case) and what is known of answers; ends the gate by raising."""


class GateResult(msgspec.Struct, frozen=True, kw_only=True):
    """What the gate leaves behind for the measurement.

    Attributes:
        gate: the record.
        findings: what is to be reported.
        answers: answer of every contender to every case, to compare timed executions with.
        tied: right answer of (operation, case) with every row that may stand at its limit, where that is known.
        seconds: fastest execution of (contender, operation, case); never shown as a result.
        peaks: largest resident size of each contender, bytes.
        varied: operations of each contender to which a question could be put that nobody asked before.
        quick: those of them whose repetition costs too little compared with it.
        ways: how each contender takes what SQL leaves open, by construct, as far as it could be probed.
        continued: what a life of each answered when other rows lay behind its paths.
        fresh: answers of lives that have seen no other rows than those.
    """

    gate: Gate
    findings: tuple[Finding, ...]
    answers: dict[tuple[str, str, str], Any]
    tied: dict[Key, Any] = {}
    seconds: dict[tuple[str, str, str], float]
    peaks: dict[str, int]
    varied: dict[str, tuple[str, ...]] = {}
    quick: dict[str, tuple[str, ...]] = {}
    ways: dict[str, dict[str, str]] = {}
    continued: dict[str, Any] = {}
    fresh: dict[tuple[str, str, str], Any] = {}


def check_answers(
    contenders: Iterable[PreparedContender],
    workload: Workload,
    witnesses: Witnesses,
    link: DataLink,
    spec: Spec,
    progress: Progress,
    briefly: Collection[str] = (),
    affordable: Affordable | None = None,
    so_far: list[Check] | None = None,
) -> GateResult:
    """Ask every contender every case of every operation, and judge the answers.

    Args:
        contenders: who is asked.
        workload: what.
        witnesses: who may know what is right.
        link: where the data is.
        spec: of the experiment.
        progress: receives messages.
        briefly: operations whose timed cases are asked as often as a second answer needs, and no more.
        affordable: asked now and then whether to go on.
        so_far: gets every check that was made, also where it is cut off.
    """
    open_answers: dict[tuple[str, str, str], pa.Table] = {}
    checks = [] if so_far is None else so_far
    findings: list[Finding] = []
    seconds: dict[tuple[str, str, str], float] = {}
    peaks: dict[str, int] = {}
    varied, quick, answers, continued = {}, {}, {}, {}
    ways: dict[str, dict[str, str]] = {}
    wide: dict[tuple[str, str, str], dialects.Wide] = {}
    contenders = list(contenders)

    def environment(needed: list[str]) -> Path:
        return environments.ensure(needed, contenders[0].cache).python

    for ready in contenders:
        progress.say(f"gate: asking {ready.name}")
        with QuerySession(ready, link, spec.timeout) as session:
            one = ContenderCheck(session, workload, witnesses, briefly, checks)
            for _ in one.run(progress):
                if affordable:
                    seconds_by_case = {(ready.name, *key): value for key, value in one.seconds.items()}
                    affordable(seconds | seconds_by_case, checks)
            if answered := layouts.unchanged(session, one.unseen(), link, spec.timeout):
                answers[ready.name] = answered
            queries = one.unwitnessed()
            if is_frames(ready.engine.dialect):
                findings += frames.unasked(ready.name, queries)
            data = link.values(ready.contender.layout, environment)
            questions = list(one.unwitnessed_cases())
            other = dialects.forms(questions, data)
            queries += [form.sql for form in other.values()]
            probed = dialects.ways(session, queries) | dialects.of_widths(session, queries, data)
            ways[ready.name] = probed | dialects.data_ways(ready.name, ready.engine, queries, data, probed)
            wide.update(dialects.ask_widened(session, questions, other))
            timed = [name for name, _ in one.seconds]
            if timed and stale.able(ready) and link.drawable(environment):
                with suppress(WorkerEnded):
                    life = session.life()
                    continued[ready.name] = stale.ask(ready, life, workload, link, spec.timeout, timed)
        findings += one.findings
        peaks[ready.name] = one.peak
        varied[ready.name], quick[ready.name] = tuple(one.varied), tuple(one.quick)
        seconds.update({(ready.name, *key): value for key, value in one.seconds.items()})
        open_answers.update({(ready.name, *key): table for key, table in one.open.items()})
    names = [ready.name for ready in contenders]
    if len(names) > 1:
        progress.say("gate: comparing answers")
    checks, apart = confirmed(list(checks), open_answers, workload, witnesses)
    silent = {(check.operation, check.case) for check in checks if check.status is GateStatus.UNVERIFIED}
    twins = twin_names.twins({name: paths for one in contenders for name, paths in link.tables(one).paths.items()})
    voted, folded = _cross_examine(open_answers, contenders, workload, silent, twins, ways, wide)
    checks += decided(voted, open_answers, workload, apart)
    findings += [*_not_compared(checks), *folded]
    gate = Gate(
        operations=conclude(checks, count_cases(workload), names),
        checks=tuple(checks),
        truth=spec.truth,
        answered_without_files=answers,
    )
    return GateResult(
        gate=gate,
        findings=tuple(findings),
        answers=open_answers,
        tied=tied(workload, witnesses),
        seconds=seconds,
        peaks=peaks,
        varied=varied,
        quick=quick,
        ways=ways,
        continued=continued,
    )


def cut_off(checks: Iterable[Check], workload: Workload, names: Iterable[str], *, truth: bool) -> Gate:
    """What is left of a gate that was interrupted: of what was asked until then, what can be reported without the rest.

    What differs is not judged: whether a dialect, a rounding or a wrong witness explains it is found out at the end.

    Args:
        checks: that were made.
        workload: of the experiment.
        names: of the contenders.
        truth: whether the ground truth was a witness.
    """
    left = [
        msgspec.structs.replace(one, status=GateStatus.UNVERIFIED, detail=_UNJUDGED)
        if one.status is GateStatus.DIVERGED
        else one
        for one in checks
    ]
    cases: dict[str, set[str]] = {}
    for one in left:
        cases.setdefault(one.operation, set()).add(one.case)
    totals = {name: len(cases[name]) for name in count_cases(workload) if name in cases}
    return Gate(operations=conclude(left, totals, names), checks=tuple(left), truth=truth, cut_off=True)


def _not_compared(checks: Iterable[Check]) -> Iterator[Finding]:
    """Columns of answers that came in types without a form in common, each once for an operation."""
    begin = f"{codes.A14_UNCHECKED}: "
    notes = ((check.operation, note) for check in checks for note in check.notes if note.startswith(begin))
    for operation, note in dict.fromkeys(notes):
        yield codes.A14_UNCHECKED.finding(
            operation=operation,
            text=f"{operation}: {note.removeprefix(begin)}",
            remedy="nothing is wrong, and nothing confirmed: cast the column in the query to a type that all have",
        )


def tied(workload: Workload, witnesses: Witnesses) -> dict[Key, pa.Table]:
    """The right answers to cases whose limit cuts through rows that tie, where somebody knows them all."""
    found = {}
    for operation in workload.operations:
        limit = operation.schema.limit
        for case in operation.cases if limit is not None else ():
            for name, table in witnesses.speak(operation, case):
                if name != PINNED and table.num_rows > (limit or 0):
                    found[operation.name, case.name] = table
    return found


def _cross_examine(
    open_answers: dict[tuple[str, str, str], pa.Table],
    contenders: list[PreparedContender],
    workload: Workload,
    silent: Collection[Key],
    twins: Mapping[str, twin_names.Twins],
    ways: Ways,
    wide: Mapping[tuple[str, str, str], dialects.Wide],
) -> tuple[list[Check], list[Finding]]:
    """Where no witness spoke, the contenders are compared with each other and their lineages vote.

    Over columns that engines may take for one another no majority tells who is right.
    """
    lineage = {ready.name: ready.lineage for ready in contenders}
    found: list[Check] = []
    findings: dict[str, Finding] = {}
    for operation in workload.operations:
        for case in operation.cases:
            if (operation.name, case.name) not in silent:
                continue
            tables = {
                ready.name: open_answers[ready.name, operation.name, case.name]
                for ready in contenders
                if (ready.name, operation.name, case.name) in open_answers
            }
            votes = vote(operation, case, tables, lineage, ways)
            table = twin_names.read_by(operation.sql, twins)
            if table and any(check.status is GateStatus.DIVERGED for check in votes):
                finding = twin_names.left_open(operation.name, table, twins[table])
                votes = [
                    msgspec.structs.replace(one, status=GateStatus.LEFT_OPEN, notes=(finding.text,))
                    for one in vote(operation, case, tables, dict.fromkeys(lineage, ""))
                ]
                findings[operation.name] = finding
            else:
                votes = list(dialects.outvoted(votes, operation, case, wide, lineage, ways))
            found += votes
    return found, list(findings.values())


def acquitted(
    checks: Iterable[Check],
    answers: Mapping[tuple[str, str, str], pa.Table],
    workload: Workload,
    lineage: Mapping[str, str],
    ways: Ways,
) -> list[Check]:
    """Where some differed and one of them is found wrong, by itself for instance, the rest vote again without it.

    Such a vote may outvote one more, who then no longer votes on the other literals either.
    """
    found = list(checks)
    before: dict[str, set[str]] | None = None
    while (guilty := _guilty(found)) != before:
        before = guilty
        found = _without(guilty, found, answers, workload, lineage, ways)
    return found


def _guilty(checks: Iterable[Check]) -> dict[str, set[str]]:
    """Who was found wrong, by operation."""
    found: dict[str, set[str]] = {}
    for check in checks:
        if check.status is GateStatus.DIVERGED and check.detail != UNDECIDED:
            found.setdefault(check.operation, set()).add(check.contender)
    return found


def _without(
    guilty: Mapping[str, set[str]],
    checks: Iterable[Check],
    answers: Mapping[tuple[str, str, str], pa.Table],
    workload: Workload,
    lineage: Mapping[str, str],
    ways: Ways,
) -> list[Check]:
    found = []
    again: dict[Key, list[str]] = {}
    for check in checks:
        if check.detail != UNDECIDED or check.operation not in guilty:
            found.append(check)
        elif check.contender not in guilty[check.operation]:
            again.setdefault((check.operation, check.case), []).append(check.contender)
    for (name, case_name), contenders in again.items():
        operation = workload.operation(name)
        case = next(case for case in operation.cases if case.name == case_name)
        found += vote(operation, case, {one: answers[one, name, case_name] for one in contenders}, dict(lineage), ways)
    return found


def count_cases(workload: Workload) -> dict[str, int]:
    """Number of cases of each operation."""
    return {operation.name: len(operation.cases) for operation in workload.operations}
