"""The attempt: one run of an experiment while it goes on, from the gate to the last block."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

from weigh import workloads
from weigh._version import __version__
from weigh.engines.exchange import WorkerEnded
from weigh.engines.prepared import PreparedContender, cache_folder
from weigh.evidence import attempts
from weigh.evidence.sealing import End
from weigh.experiment import gate_checks
from weigh.experiment import record as records
from weigh.experiment import resume as resuming
from weigh.experiment.contenders_read import read_contenders
from weigh.experiment.data import dataset, storage
from weigh.experiment.gate import caches, corrupt, frames, gate, layouts, probes
from weigh.experiment.gate import ingest as stored
from weigh.experiment.gate import pinned as pins
from weigh.experiment.gate.queries import QuerySession
from weigh.experiment.measure import quiet
from weigh.experiment.measure.blocks import Blocks
from weigh.experiment.measure.last_questions import LastQuestions
from weigh.experiment.measure.lower_bound import LowerBound
from weigh.experiment.measure.spending import Overspent
from weigh.experiment.measure.stopping import Stopping
from weigh.experiment.measure.timed_answers import TimedAnswers
from weigh.experiment.planning import Planning, PlanRequest
from weigh.experiment.reproducer import search
from weigh.experiment.results import drawn
from weigh.experiment.results.data import catalogs
from weigh.experiment.witnesses import PINNED, Witnesses
from weigh.host import facts, knobs
from weigh.host.sysfs import Machine
from weigh.model import units
from weigh.model.answer import GateStatus
from weigh.model.errors import UsageError
from weigh.model.schedule import arms
from weigh.verdict.refusals.disqualified import disqualified

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pyarrow import Table

    from weigh.evidence.journal import Journal
    from weigh.experiment.config.run_request import RunRequest
    from weigh.experiment.contenders_read import ContendersRead
    from weigh.experiment.gate.gate import GateResult
    from weigh.experiment.resume import Resumption
    from weigh.experiment.same_engine import SameEngine
    from weigh.experiment.setup import Setup
    from weigh.model.data.catalog import CatalogRead
    from weigh.model.finding import Finding, Severity
    from weigh.model.operation import Case, Operation
    from weigh.model.progress import Progress


class Attempt:
    """One attempt while it goes on: ``begin``, ``check_answers``, ``measure``, each with what the one before it gave.

    Args:
        setup: what it works with.
        number: of the attempt.
        journal: gets everything at once.
        progress: gets how far it is.
        earlier: records of earlier attempts, for sampling that stops on precision.
        resumption: what is continued, where this attempt was killed; None where it is a new one.
    """

    def __init__(
        self,
        setup: Setup,
        number: int,
        journal: Journal,
        progress: Progress,
        earlier: tuple[records.Record, ...],
        resumption: Resumption | None,
    ) -> None:
        self._setup = setup
        self._spec = setup.spec
        self._number = number
        self._journal = journal
        self._progress = progress
        self._earlier = earlier
        self._resumption = resumption
        self._findings: list[Finding] = []
        self._catalogs: list[CatalogRead] = []

    def _say(self, *findings: Finding) -> None:
        self._findings += findings
        for one in findings:
            self._journal.append("finding", one)

    def begin(self, folder: Path, request: RunRequest) -> ContendersRead:
        """Write down what is measured, with what and where; every contender is started for it.

        Args:
            folder: of the attempt.
            request: how it is carried out.

        Raises:
            EngineFault: a contender cannot be started.
            UsageError: two versions are to be compared that are one engine.
        """
        findings: list[Finding] = []
        if self._resumption is None:
            self._journal.append("opened", records.opened(self._number, self._spec, self._journal.anchor_key))
            findings += [*map(attempts.removed, attempts.missing(folder)), *self._setup.suite_findings]
        workload = self._setup.workload
        # First of all: a report must carry the workload's notice even where no engine could be started.
        self._journal.append("workload", workload)
        read = self._resumption.read if self._resumption else read_contenders(self._setup.contenders, self._setup.link)
        self._say(*findings, *read.findings, *(self._resumption.findings if self._resumption else ()))
        reads = knobs.read(Machine.here())
        self._journal.append(
            "environment",
            records.EnvironmentRead(
                weigh=__version__,
                command=request.command,
                host=facts.read(reads),
                contenders=read.reads,
                notice=workload.notice,
                storage=storage.places(self._setup.contenders, self._setup.layouts, self._setup.memory),
                knobs=reads,
                stores=self._setup.stores.reads or msgspec.UNSET,
            ),
        )
        self._say(*(finding for one in reads for finding in one.findings))
        self._journal.append("manifest", self._setup.data.manifest)
        for name, data in [*self._setup.layouts.items()][1:]:
            self._journal.append("layout", records.Laid(layout=name, manifest=data.manifest))
        self._read_catalogs("before")
        self._tell_apart(read.same, request)
        return read

    def _tell_apart(self, same: Sequence[SameEngine], request: RunRequest) -> None:
        """Findings on two versions that are one engine; without the user's leave no clock starts."""
        refused = request.measure and not request.same_engine
        severity: Severity = "error" if refused else "note" if request.measure else "warning"
        self._say(*(one.finding(severity) for one in same))
        for one in same if refused else ():
            raise UsageError(
                f"{one.one} and {one.other} are one and the same engine: both say that they are {one.version}, and "
                f"{one.what}; no verdict on two versions can come of it",
                remedy=one.remedy,
            )

    def check_answers(self, read: ContendersRead, starts: resuming.Starts | None, *, reuse: bool) -> GateResult:
        """The gate: everything that is asked before the first clock.

        Args:
            read: what contenders say of themselves, and how long they take to start.
            starts: how many are to be measured, where a budget that is too small is to be refused meanwhile.
            reuse: whether answers of an earlier gate will do.

        Raises:
            UsageError: the budget is surely too small.
        """
        if self._spec.ingest:
            return self._check_rows()
        setup, timeout = self._setup, self._spec.timeout
        reads, kinds_read = {}, {}
        for one in setup.contenders:
            reads[one.name], kinds_read[one.name] = self._looked(one)
        fit = [one for one in setup.contenders if one.name not in disqualified(self._findings)]

        def known(one: Operation, case: Case) -> Table | None:
            return setup.pinned.answer(one.name, case.name, one.schema) if setup.pinned else None

        def true(one: Operation, case: Case) -> Table | None:
            return setup.source.expected(one.name, case, setup.data.truth) if self._spec.truth else None

        agreed = workloads.agreements(setup.source, setup.data.manifest.digests) if self._spec.truth else None
        witnesses = Witnesses((PINNED, known), (setup.workload.witness, true), agreed=agreed)
        again = drawn.draw(setup.workload)
        left_out = drawn.left_out(setup.workload, again)
        self._say(*frames.findings(setup.contenders, setup.workload), *drawn.findings_of(setup.workload, again))
        bound = self._bound(fit, read, starts) if starts else None
        asking = gate_checks.Asking(fit, setup, witnesses, self._progress, left_out, bound, self._journal, [])
        with asking.interruptible():
            answers = gate_checks.check_answers(asking, read.reads, self._say, reuse=reuse)
            answers = gate_checks.unseen_answers(answers, fit, setup, self._say, self._progress, left_out, kinds_read)
            for one in fit if setup.data.manifest.digests else ():  # Commands, which read none, are not varied.
                quick = [setup.workload.operation(name) for name in answers.quick[one.name]]
                self._say(*caches.examine(one, quick, setup.data_of(one), setup.link, timeout))
                answered = {
                    key[1] for key in answers.answers if key[0] == one.name and setup.workload.operation(key[1]).timed()
                }
                if unvaried := sorted(answered.difference(answers.varied[one.name])):
                    self._say(caches.unvaried(one.name, unvaried))
        self._say(*answers.findings, *(lost for one in fit if (lost := one.connections.finding(one.name))))
        self._say(*(layouts.other_files(name) for name, source in kinds_read.items() if source == layouts.OTHER))
        record = msgspec.structs.replace(
            answers.gate,
            reads=reads,
            layouts={name: source for name, source in kinds_read.items() if source},
            drawn=again or msgspec.UNSET,
        )
        self._journal.append("gate", record)
        return msgspec.structs.replace(answers, gate=record)

    def _bound(
        self, fit: list[PreparedContender], costs: ContendersRead, starts: resuming.Starts
    ) -> gate.Affordable | None:
        """Refuses a budget that is too small; None where the plan was made before."""
        if self._resumption and self._resumption.record.plan:
            return None
        names = {one.name for one in fit}
        everyone = tuple(arm for arm in arms(self._spec) if arm.contender in names)
        operations = self._setup.workload.operations
        return LowerBound(self._spec, operations, starts.hot, starts.cold, everyone, costs.start_seconds).check

    def _looked(self, one: PreparedContender) -> tuple[dict[str, str], str]:
        """What a contender sees in its tables, and what it answers from: in the life that described itself.

        It has read no table yet: nothing that is asked here is easier to foresee than in another life.
        """
        setup, timeout = self._setup, self._spec.timeout
        with QuerySession(one, setup.link, timeout, opened=setup.link.waiting(one)) as session:
            reads, found = probes.reads(session, setup.data_of(one).manifest, setup.link.tables(one).paths)
            # What is the matter with a column of the files is one finding.
            self._say(*(finding for finding in found if finding not in self._findings))
            out = one.name in disqualified(self._findings) or not setup.data.manifest.digests
            return reads, "" if out else layouts.layout(session, setup.workload, setup.link, timeout)

    def _check_rows(self) -> GateResult:
        """The gate of loading: what every contender stored, read back and compared with the files."""
        setup = self._setup
        answers = stored.check_rows(setup.contenders, setup.workload, setup.link, self._spec.timeout, self._progress)
        self._say(*answers.findings)
        self._journal.append("gate", answers.gate)
        return answers

    def pin(self, answers: GateResult, path: Path, trust: str | None) -> None:
        """Write the answers of operations on which nobody was contradicted and somebody independent agreed.

        Args:
            answers: of the gate.
            path: where to.
            trust: name of a contender that the user vouches for: all its answers are written instead.
        """
        trusted = {}
        for one in answers.gate.operations:
            agreed = one.status is GateStatus.AGREED
            names = [name for name, status in one.contenders.items() if status is GateStatus.AGREED] if agreed else []
            for (contender, operation, case), table in answers.answers.items():
                if operation == one.operation and contender in ([trust] if trust else names[:1]):
                    trusted[operation, case] = table
        number = pins.write(path, self._setup.workload.name, self._setup.data.manifest.digests, trusted)
        self._progress.say(f"{units.count(number, 'answer')} pinned in {path}")

    def shrink(self, answers: GateResult, folder: Path, *, reuse: bool) -> None:
        """Make what diverged small, for whoever is to mend it; what was shrunk before a kill is not shrunk again."""
        before = self._resumption.record.findings if self._resumption else ()
        scene = search.SearchInput(
            self._spec,
            self._setup.contenders,
            self._setup.workload,
            answers.gate,
            {one.name: self._setup.link.tables(one) for one in self._setup.contenders},
            {one.name: self._setup.data_of(one).manifest for one in self._setup.contenders},
            cache_folder(),
            self._setup.link.catalogs,
            frozenset((one.contender, one.operation) for one in before if one.code in search.CODES),
            reuse,
        )
        for finding in search.reproducers(scene, folder, self._progress):
            self._say(finding)

    def corrupt(self, answers: GateResult) -> None:
        """Ask again over a copy of the data with one flipped bit, and say who noticed; nobody is accused."""
        setup, out = self._setup, disqualified(self._findings)
        fit = [one for one in setup.contenders if one.name not in out]
        self._say(
            *corrupt.check(
                fit,
                setup.workload,
                answers.answers,
                setup.layouts,
                setup.link,
                self._spec.timeout,
                self._spec.seed,
                self._progress,
            )
        )

    def measure(
        self, read: ContendersRead, answers: GateResult, starts: resuming.Starts, *, least: bool = False
    ) -> End:
        """The blocks; says how it ended.

        Args:
            read: what contenders say of themselves, and how long they take to start.
            answers: of the gate.
            starts: how many to measure.
            least: measure the least where the budget is too small for it.
        """
        found = answers.gate
        before = self._resumption.record if self._resumption else None
        changed = resuming.check_gate(before.gate, found) if before else ""
        if changed:
            return _stopped(changed)
        if self._spec.on_divergence == "stop" and found.contradicted:
            return _stopped("an answer diverged, and on_divergence is 'stop'")
        out = disqualified(self._findings)
        baseline = self._spec.baseline
        if baseline in out:
            return _stopped(f"the baseline {baseline} is disqualified ({out[baseline].code})")
        fit = {one.name: one for one in self._setup.contenders if one.name not in out}
        able = {
            one.operation: [
                name
                for name, status in one.contenders.items()
                if name in fit and status in (GateStatus.AGREED, GateStatus.UNVERIFIED)
            ]
            for one in found.operations
            if one.status not in (GateStatus.DIVERGED, GateStatus.LEFT_OPEN)
        }
        cases = tuple(
            (operation.name, case.name)
            for operation in self._setup.workload.operations
            for case in operation.timed()
            if len(able.get(operation.name, ())) >= min(2, len(fit))
        )
        if not cases:
            return _stopped("no operation is left to measure")
        everyone = tuple(arm for arm in arms(self._spec) if arm.contender in fit)
        plan = before.plan if before else None
        if plan is None:
            planning = Planning(self._setup, self._journal, self._progress, self._say)
            cpus = planning.cpus(read)
            plan = planning.plan(PlanRequest(cases, everyone, able, read.start_seconds, answers, starts, cpus, least))
            self._journal.append("plan", plan)
        self._setup.link.rest()
        self._say(*quiet.findings())
        stopping = Stopping(self._spec, self._earlier, self._journal, self._progress) if self._spec.precision else None
        blocks = Blocks(
            self._spec,
            self._setup.workload,
            fit,
            everyone,
            TimedAnswers(self._setup.workload, answers.answers, answers.tied, fit),
            self._setup.link,
            self._journal,
            self._number,
            found,
            stopping,
            self._setup.spending,
            LastQuestions(self._setup.workload, answers, self._setup.link, self._spec.timeout, self._journal),
        )
        for one in fit.values():
            if (loading := one.load_cost(self._setup.link.tables(one))) is not None:
                self._journal.append("start", loading)
        if before:
            blocks.restore(before)
        unable = {(name, case[0]) for case in cases for name in fit if name not in able[case[0]]}
        try:
            with blocks.watching.started(blocks.began), blocks.calibrating.started(blocks.began):
                blocks.measure(plan, self._progress, unable=unable)
        except (WorkerEnded, Overspent) as ended:
            self.check_stores()
            self.say_spent("a block was not finished: its executions cost more than before")
            return _stopped(str(ended))
        self.say_spent(blocks.not_begun)
        self.check_stores()
        self.check_bytes()
        return End(how="complete")

    def say_spent(self, ended: str = "") -> None:
        """What the executions have cost, and what the budget ended."""
        if self._setup.spending:
            self._say(self._setup.spending.finding(ended))

    def check_stores(self) -> None:
        """Whether every store that somebody reads from is still there."""
        self._say(*self._setup.stores.gone())

    def check_bytes(self) -> None:
        """Whether the files of every layout, and those that catalogs list, are still what they were (D8, D2)."""
        changed = dataset.unchanged(self._setup.layouts)
        self._say(*changed)
        self._read_catalogs("after")
        for one in self._setup.contenders:
            reads = [read for read in self._catalogs if read.contender == one.name]
            self._say(*catalogs.findings(reads, self._setup.data_of(one).manifest, changed=bool(changed)))

    def _read_catalogs(self, when: Literal["before", "after"]) -> None:
        """Read the catalogs back, and write down what they list; nothing of weigh's waits for more afterwards."""
        for read in self._setup.link.read_catalogs(when):
            self._catalogs.append(read)
            self._journal.append("catalog", read)


def _stopped(reason: str) -> End:
    return End(how="stopped", reason=reason)
