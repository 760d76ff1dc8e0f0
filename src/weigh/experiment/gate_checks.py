"""What is asked again before the first clock: of each engine by itself, and on rows that nobody had seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import msgspec

from weigh.answers import constructs
from weigh.answers.constructs import rounding
from weigh.answers.votes import conclude
from weigh.engines.prepared import cache_folder
from weigh.experiment.data import dataset
from weigh.experiment.gate import gate, layouts, metamorphic, stale, unseen
from weigh.model.answer import GateStatus
from weigh.model.gate import UNDECIDED

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from pyarrow import Table

    from weigh.engines.prepared import PreparedContender
    from weigh.experiment.gate.gate import GateResult
    from weigh.experiment.setup import Setup
    from weigh.model.finding import Finding
    from weigh.model.gate import Check
    from weigh.model.operation import Case, Operation, Workload
    from weigh.model.progress import Progress
    from weigh.workloads import Cubes


class Say(Protocol):
    """Keeps findings."""

    def __call__(self, *findings: Finding) -> None:
        """Keep these."""


def self_examined(
    answers: GateResult,
    fit: list[PreparedContender],
    setup: Setup,
    say: Say,
    progress: Progress,
    left_out: Collection[str] = (),
) -> GateResult:
    """Where nobody independent could say who is right, each engine is checked against itself.

    Args:
        answers: of the gate.
        fit: who is checked.
        setup: what they are asked.
        say: keeps what there is to be said.
        progress: is told.
        left_out: operations that are not tried, unless the contenders differ on them: then somebody is wrong.
    """
    undecided = {check.operation for check in answers.gate.checks if check.detail == UNDECIDED}
    open_ = [
        one.operation
        for one in answers.gate.operations
        if (one.status is GateStatus.UNVERIFIED and one.operation not in left_out) or one.operation in undecided
    ]
    if not open_:
        return answers
    layouts = {one.contender.layout for one in fit}
    split = {name: dataset.split(setup.layouts[name], cache_folder(), progress) for name in layouts}

    def contradicted(operations: list[str]) -> list[Check]:
        found = []
        for one in fit:
            answered_before = {operation for contender, operation, _ in answers.kept if contender == one.name}
            answered = {name for name in operations if name in answered_before}
            failed, untried = metamorphic.check(
                one,
                setup.workload,
                answered,
                setup.link,
                split[one.contender.layout],
                setup.spec.timeout,
                progress,
            )
            found += [_excused(check, setup.workload, answers.ways.get(one.name, {})) for check in failed]
            say(*untried)
        return found

    failed = contradicted(open_)
    # Where one of a template is wrong, the others may be: now they are all asked.
    rest = _alike(setup.workload, {check.operation for check in failed}).intersection(left_out).difference(open_)
    if rest:
        failed += contradicted([one.name for one in setup.workload.operations if one.name in rest])
    checks = [*answers.gate.checks, *failed]
    checks = gate.acquitted(checks, answers.kept, setup.workload, {one.name: one.lineage for one in fit}, answers.ways)
    operations = conclude(checks, gate.count_cases(setup.workload), [one.name for one in fit])
    return msgspec.structs.replace(
        answers, gate=msgspec.structs.replace(answers.gate, checks=tuple(checks), operations=operations)
    )


def unseen_answers(
    answers: GateResult,
    fit: list[PreparedContender],
    setup: Setup,
    say: Say,
    progress: Progress,
    left_out: Collection[str] = (),
    held: Mapping[str, str] = {},
) -> GateResult:
    """Everybody is asked once more, on data that nobody had seen; as ``self_examined``. Nobody where there is none.

    ``held`` is what each contender answers from, as far as that is known.
    """
    if not setup.data.manifest.digests:
        return answers

    def right(one: Operation, case: Case, truth: Cubes) -> Table | None:
        try:
            return setup.source.expected(one.name, case, truth) if setup.spec.truth else None
        except LookupError:
            # A workload chose its literals for other rows, and need not know them here.
            return None

    # Who answers wrongly anyway need not notice other rows: that would be a second accusation for one fault.
    wrong = {
        (one.contender, one.operation, one.case)
        for one in answers.gate.checks
        if one.status is GateStatus.DIVERGED and one.detail != UNDECIDED
    }
    right_tables = {key: table for key, table in answers.kept.items() if key not in wrong and key[1] not in left_out}
    heard = unseen.check(
        fit, setup.workload, right_tables, right, setup.layouts, setup.link, setup.spec.timeout, progress, answers.ways
    )
    say(*heard.findings)
    for name, continued in answers.continued.items():
        copies = held.get(name) == layouts.COPY
        say(*stale.findings(name, continued, setup.workload, answers.kept, heard.answers, copies=copies))
    checks = tuple(
        gate.acquitted(
            (*answers.gate.checks, *heard.checks),
            answers.kept,
            setup.workload,
            {one.name: one.lineage for one in fit},
            answers.ways,
        )
    )
    return msgspec.structs.replace(
        answers,
        fresh=heard.answers,
        gate=msgspec.structs.replace(
            answers.gate,
            checks=checks,
            operations=conclude(checks, gate.count_cases(setup.workload), [one.name for one in fit]),
            unseen=heard.record or msgspec.UNSET,
            truth_hidden=all(one.hidden for one in fit) if setup.data.truth else msgspec.UNSET,
        ),
    )


def _excused(check: Check, workload: Workload, ways: Mapping[str, str]) -> Check:
    """A contradiction of an engine with itself over 0.0 and -0.0, or over what rounding leaves of a sum."""
    begins = (constructs.ZERO, constructs.SIGNED)
    sql = workload.operation(check.operation).sql
    found = (one.why for one in constructs.of(sql) if one.key.startswith(begins) and one.key in ways)
    why = next(found, "") or rounding.reason(sql, check.differences, [ways])
    if not why:
        return check
    return msgspec.structs.replace(check, status=GateStatus.LEFT_OPEN, detail=UNDECIDED, notes=(why,))


def _alike(workload: Workload, operations: Collection[str]) -> set[str]:
    """Operations of the templates that these belong to."""
    return {name for names in workload.templates.values() if not set(names).isdisjoint(operations) for name in names}
