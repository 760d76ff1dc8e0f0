"""What is asked again before the first clock: of each engine by itself, and on rows that nobody had seen."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple, Protocol

import msgspec

from weigh.answers import constructs
from weigh.answers.constructs import rounding
from weigh.answers.votes import conclude
from weigh.engines.prepared import cache_folder
from weigh.experiment import gate_reuse
from weigh.experiment.data import dataset
from weigh.experiment.gate import gate, layouts, metamorphic, stale, unseen
from weigh.model.answer import GateStatus
from weigh.model.gate import UNDECIDED

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from pyarrow import Table

    from weigh.engines.prepared import PreparedContender
    from weigh.evidence.journal import Journal
    from weigh.experiment.gate.gate import GateResult
    from weigh.experiment.setup import Setup
    from weigh.experiment.witnesses import Witnesses
    from weigh.model.contender import ContenderRead
    from weigh.model.finding import Finding
    from weigh.model.gate import Check
    from weigh.model.operation import Case, Operation, Workload
    from weigh.model.progress import Progress
    from weigh.workloads import Cubes


class Asking(NamedTuple):
    """What is asked of whom.

    Attributes:
        fit: the contenders that are asked.
        setup: of the experiment.
        witnesses: who may know what is right.
        progress: receives messages.
        left_out: operations that are asked as often as a second answer needs, and no more.
        affordable: asked now and then whether to go on; None where it always does.
        journal: gets what is left of the gate where it is interrupted.
        so_far: every check of the gate that is being asked.
    """

    fit: list[PreparedContender]
    setup: Setup
    witnesses: Witnesses
    progress: Progress
    left_out: Collection[str]
    affordable: gate.Affordable | None
    journal: Journal
    so_far: list[Check]

    @contextmanager
    def interruptible(self) -> Iterator[None]:
        """Writes down what was answered until then, where what is done in it is interrupted."""
        try:
            yield
        except KeyboardInterrupt:
            if self.so_far:
                names = [one.name for one in self.fit]
                left = gate.cut_off(self.so_far, self.setup.workload, names, truth=self.setup.spec.truth)
                self.journal.append("gate", left)
            raise

    def gate(self, workload: Workload) -> GateResult:
        """The answers to these operations."""
        self.so_far.clear()
        return gate.check_answers(
            self.fit,
            workload,
            self.witnesses,
            self.setup.link,
            self.setup.spec,
            self.progress,
            self.left_out,
            self.affordable,
            self.so_far,
        )


class Say(Protocol):
    """Keeps findings."""

    def __call__(self, *findings: Finding) -> None:
        """Keep these."""


def check_answers(
    asking: Asking,
    reads: Sequence[ContenderRead],
    say: Say,
    *,
    reuse: bool,
) -> GateResult:
    """Every answer judged, by whoever can: of an earlier gate, where one can be reused; else of this one.

    Args:
        asking: what is asked of whom.
        reads: what the running engines say of themselves.
        say: keeps what there is to be reported, but the findings of the result.
        reuse: whether an earlier gate will do.
    """
    setup, names = asking.setup, {one.name for one in asking.fit}
    key = gate_reuse.key(setup, reads, [one.name for one in setup.contenders if one.name not in names])
    if reuse and key and (found := gate_reuse.find(cache_folder(), key)):
        workload, chosen = gate_reuse.again(setup.workload)
        now = asking.gate(workload)
        tied = gate.tied(setup.workload, asking.witnesses)
        if answers := gate_reuse.joined(found, now, chosen, setup.workload, tied):
            if asking.affordable:
                asking.affordable(answers.seconds, answers.gate.checks)
            return answers
        asking.progress.say("gate: an answer is another than before, and everything is asked")
    answers = asking.gate(setup.workload)
    findings: list[Finding] = []

    def say_and_store(*found: Finding) -> None:
        findings.extend(found)
        say(*found)

    answers = self_examined(answers, asking.fit, setup, say_and_store, asking.progress, asking.left_out)
    if key:
        gate_reuse.store(cache_folder(), key, answers, (*answers.findings, *findings))
    return answers


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
        say: keeps what there is to be reported.
        progress: receives messages.
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
            answered_before = {operation for contender, operation, _ in answers.answers if contender == one.name}
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
    checks = gate.acquitted(
        checks, answers.answers, setup.workload, {one.name: one.lineage for one in fit}, answers.ways
    )
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
    sources: Mapping[str, str] = {},
) -> GateResult:
    """Everybody is asked once more, on data that nobody had seen; as ``self_examined``. Nobody where there is none.

    ``sources`` says what each contender answers from, as far as that is known.
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
    right_tables = {key: table for key, table in answers.answers.items() if key not in wrong and key[1] not in left_out}
    unseen_results = unseen.check(
        fit, setup.workload, right_tables, right, setup.layouts, setup.link, setup.spec.timeout, progress, answers.ways
    )
    say(*unseen_results.findings)
    for name, continued in answers.continued.items():
        copies = sources.get(name) == layouts.COPY
        say(*stale.findings(name, continued, setup.workload, answers.answers, unseen_results.answers, copies=copies))
    checks = tuple(
        gate.acquitted(
            (*answers.gate.checks, *unseen_results.checks),
            answers.answers,
            setup.workload,
            {one.name: one.lineage for one in fit},
            answers.ways,
        )
    )
    return msgspec.structs.replace(
        answers,
        fresh=unseen_results.answers,
        gate=msgspec.structs.replace(
            answers.gate,
            checks=checks,
            operations=conclude(checks, gate.count_cases(setup.workload), [one.name for one in fit]),
            unseen=unseen_results.record or msgspec.UNSET,
            truth_hidden=all(one.hidden for one in fit) if setup.data.truth else msgspec.UNSET,
        ),
    )


def _excused(check: Check, workload: Workload, ways: Mapping[str, str]) -> Check:
    """A contradiction of an engine with itself over 0.0 and -0.0, or over what rounding leaves of a sum."""
    begins = (constructs.ZERO, constructs.SIGNED)
    sql = workload.operation(check.operation).sql
    found = (one.why for one in constructs.of(sql) if one.key.startswith(begins) and one.key in ways)
    why = next(found, "") or rounding.reason(sql, check.differences, [[ways]])
    if not why:
        return check
    return msgspec.structs.replace(check, status=GateStatus.LEFT_OPEN, detail=UNDECIDED, notes=(why,))


def _alike(workload: Workload, operations: Collection[str]) -> set[str]:
    """Operations of the templates that these belong to."""
    return {name for names in workload.templates.values() if not set(names).isdisjoint(operations) for name in names}
