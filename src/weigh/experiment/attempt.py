"""The attempt: one run of an experiment while it goes on, from the gate to the last block."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import msgspec

from weigh import __version__
from weigh.answers.votes import UNDECIDED, conclude
from weigh.engines.prepared import PreparedContender, cache_folder, read_back
from weigh.engines.process import WorkerEnded
from weigh.experiment import dataset, storage
from weigh.experiment import record as records
from weigh.experiment import resume as resuming
from weigh.experiment.gate import gate, metamorphic, probes
from weigh.experiment.gate import pinned as pins
from weigh.experiment.measure import budget, cold
from weigh.experiment.measure.blocks import Blocks, Cases
from weigh.experiment.measure.stopping import Stopping
from weigh.experiment.reproducer import search
from weigh.host import facts, knobs, settle
from weigh.host.sysfs import Machine
from weigh.model import codes, units
from weigh.model.answer import GateStatus
from weigh.model.schedule import Arm, arms
from weigh.model.spec import FULL_STARTS
from weigh.verdict.disqualified import disqualified

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pyarrow import Table

    from weigh.evidence.journal import Journal
    from weigh.experiment.data_link import DataLink
    from weigh.experiment.gate.gate import GateResult
    from weigh.model.contender import ContenderRead
    from weigh.model.finding import Finding
    from weigh.model.operation import Case, Operation, Workload
    from weigh.model.progress import Progress
    from weigh.model.spec import Spec
    from weigh.workloads import WorkloadSource

MEMORY_SHARE = 0.6
"""Share of memory that the arms of a block may fill together (statistics.md §2)."""


class Attempt:
    """One attempt while it goes on."""

    def __init__(
        self,
        spec: Spec,
        workload: Workload,
        contenders: list[PreparedContender],
        data: dataset.Data,
        stage: DataLink,
        journal: Journal,
        number: int,
        progress: Progress,
    ) -> None:
        self.spec = spec
        self.workload = workload
        self.contenders = contenders
        self.data = data
        self.stage = stage
        self.journal = journal
        self.number = number
        self.progress = progress
        self.findings: list[Finding] = []
        self.start_seconds: dict[str, float] = {}
        self.held: GateResult | None = None
        self.described: tuple[ContenderRead, ...] = ()
        self.unsaid: list[Finding] = []
        self.before: records.Record | None = None
        self.earlier: tuple[records.Record, ...] = ()

    def say(self, *findings: Finding) -> None:
        """Keep findings."""
        for finding in findings:
            self.findings.append(finding)
            self.journal.append("finding", finding)

    def resume(self, before: records.Record) -> None:
        """Go on with this attempt, which was killed.

        Raises:
            EvidenceFault: what is measured has changed since; nothing was written.
        """
        self._meet()
        resuming.check_same(before, self.described, self.data.manifest)
        self.before = before
        turns = {(sample.block, sample.turn) for sample in before.samples}
        self.journal.append("resumed", records.Resumed(blocks=len(before.blocks), turns=len(turns)))
        self.progress.say(f"going on after {units.count(len(turns), 'turn')}")
        if before.blocks:
            self.unsaid.append(_resumed(len(before.blocks) - 1, len(turns)))

    def _meet(self) -> None:
        """Start every contender once and let it describe itself."""
        described = []
        for one in self.contenders:
            began = time.monotonic()
            contender, found = read_back(one)
            self.start_seconds[one.name] = time.monotonic() - began
            described.append(contender)
            self.unsaid += found
        self.described = tuple(described)

    def gate(self, source: WorkloadSource, command: str, pinned: pins.Pins | None) -> None:
        """Everything before the first clock."""
        # First of all: a report must carry the workload's notice even where no engine could be started.
        self.journal.append("workload", self.workload)
        if not self.described:
            self._meet()
        self.say(*self.unsaid)
        reads = knobs.read(Machine.here())
        self.journal.append(
            "environment",
            records.EnvironmentRead(
                weigh=__version__,
                command=command,
                host=facts.read(reads),
                contenders=self.described,
                notice=self.workload.notice,
                storage=storage.places(self.contenders, self.data),
                knobs=reads,
            ),
        )
        self.say(*(finding for read in reads for finding in read.findings))
        self.journal.append("manifest", self.data.manifest)
        seen = {}
        for one in self.contenders:
            seen[one.name], found = probes.reads(one, self.data.manifest, self.stage, self.spec.timeout)
            self.say(*found)
        fit = [one for one in self.contenders if one.name not in disqualified(self.findings)]

        def known(one: Operation, case: Case) -> Table | None:
            return pinned.answer(one.name, case.name, one.schema) if pinned else None

        def true(one: Operation, case: Case) -> Table | None:
            return source.expected(one.name, case, self.data.truth) if self.spec.truth else None

        witnesses = gate.Witnesses((gate.PINNED, known), (self.workload.witness, true))
        held = gate.check_answers(fit, self.workload, witnesses, self.stage, self.spec, self.progress)
        held = self._self_examined(held, fit)
        for one in fit:
            self.say(*probes.result_cache(one, self.workload, self.stage, self.spec.timeout))
        self.say(*held.findings)
        self.held = msgspec.structs.replace(held, gate=msgspec.structs.replace(held.gate, reads=seen))
        self.journal.append("gate", self.held.gate)

    def pin(self, path: Path, trust: str | None) -> None:
        """Write the answers of operations on which nobody was contradicted and somebody independent agreed.

        Args:
            path: where to.
            trust: name of a contender that the user vouches for: all its answers are written instead.
        """
        assert self.held is not None
        trusted = {}
        for one in self.held.gate.operations:
            agreed = one.status is GateStatus.AGREED
            names = [name for name, status in one.contenders.items() if status is GateStatus.AGREED] if agreed else []
            for (contender, operation, case), table in self.held.kept.items():
                if operation == one.operation and contender in ([trust] if trust else names[:1]):
                    trusted[operation, case] = table
        number = pins.write(path, self.workload.name, self.data.manifest.digests, trusted)
        self.progress.say(f"{units.count(number, 'answer')} pinned in {path}")

    def shrink(self, folder: Path) -> None:
        """Make what diverged small, for whoever is to mend it; what was shrunk before a kill is not shrunk again."""
        assert self.held is not None
        before = self.before.findings if self.before else ()
        scene = search.SearchInput(
            self.spec,
            self.contenders,
            self.workload,
            self.held.gate,
            self.stage.tables,
            self.data.manifest,
            cache_folder(),
            frozenset((one.contender, one.operation) for one in before if one.code in search.CODES),
        )
        for finding in search.reproducers(scene, folder, self.progress):
            self.say(finding)

    def _self_examined(self, held: GateResult, fit: list[PreparedContender]) -> GateResult:
        """Where nobody independent could say who is right, each engine is checked against itself."""
        open_ = [
            one.operation
            for one in held.gate.operations
            if one.status is GateStatus.UNVERIFIED or _undecided(held, one.operation)
        ]
        if not open_:
            return held
        split = dataset.split(self.data, cache_folder(), self.progress)
        checks = list(held.gate.checks)
        for one in fit:
            answered = [name for name in open_ if any(key[:2] == (one.name, name) for key in held.kept)]
            failed, untried = metamorphic.check(
                one, self.workload, answered, self.stage, split, self.spec.timeout, self.progress
            )
            checks += failed
            self.say(*untried)
        checks = gate.acquitted(checks, held.kept, self.workload, {one.name: one.engine.lineage for one in fit})
        operations = conclude(checks, gate.cases_asked(self.workload), [one.name for one in fit])
        return msgspec.structs.replace(
            held, gate=msgspec.structs.replace(held.gate, checks=tuple(checks), operations=operations)
        )

    def measure(self, left: resuming.Starts | None = None) -> tuple[str, str]:
        """The blocks; says how it ended.

        Args:
            left: how many to measure where an earlier attempt left some; None for all.
        """
        assert self.held is not None
        found = self.held.gate
        changed = resuming.check_gate(self.before.gate, found) if self.before else ""
        if changed:
            return "stopped", changed
        if self.spec.on_divergence == "stop" and found.contradicted:
            return "stopped", "an answer diverged, and on_divergence is 'stop'"
        out = disqualified(self.findings)
        if self.spec.baseline in out:
            return (
                "stopped",
                f"the baseline {self.spec.baseline} is disqualified ({out[self.spec.baseline].code})",
            )
        fit = {one.name: one for one in self.contenders if one.name not in out}
        able = {
            one.operation: [
                name
                for name, status in one.contenders.items()
                if name in fit and status in (GateStatus.AGREED, GateStatus.UNVERIFIED)
            ]
            for one in found.operations
            if one.status is not GateStatus.DIVERGED
        }
        cases = tuple(
            (operation.name, case.name)
            for operation in self.workload.operations
            for case in operation.timed()
            if len(able.get(operation.name, ())) >= min(2, len(fit))
        )
        if not cases:
            return "stopped", "no operation is left to measure"
        everyone = tuple(arm for arm in arms(self.spec) if arm.contender in fit)
        plan = self.before.plan if self.before else None
        if plan is None:
            plan = self._planned(cases, everyone, able, left or resuming.wanted(self.spec))
            self.journal.append("plan", plan)
        self._await_quiet()
        stopping = Stopping(self.spec, self.earlier, self.journal, self.progress) if self.spec.precision else None
        blocks = Blocks(
            self.spec, self.workload, fit, everyone, self.held.kept, self.stage, self.journal, self.number, stopping
        )
        if self.before:
            blocks.restore(self.before)
        unable = {(name, case[0]) for case in cases for name in fit if name not in able[case[0]]}
        try:
            with blocks.watching.started(blocks.began), blocks.calibrating.started(blocks.began):
                blocks.measure(
                    plan.cases, plan.starts, plan.runs, self.progress,
                    unable=unable, serial=plan.serial, cold_starts=plan.cold,
                )  # fmt: skip
        except WorkerEnded as ended:
            return "stopped", str(ended)
        self.say(*dataset.unchanged(self.data))
        return "complete", ""

    def _too_large(self, everyone: tuple[Arm, ...]) -> bool:
        """Whether the arms of a block would crowd each other out of memory; it is said."""
        assert self.held is not None
        memory = facts.memory_bytes()
        together = sum(self.held.peaks.get(arm.contender, 0) for arm in everyone)
        if memory is None or together <= MEMORY_SHARE * memory:
            return False
        self.say(
            codes.X_SERIAL.finding(
                text=f"together the arms peak at {units.size(together)} of {units.size(memory)}: they live one after "
                "another in each block",
                remedy="nothing is wrong; intervals get wider, because drift within a block no longer cancels",
            )
        )
        return True

    def _planned(
        self, cases: Cases, everyone: tuple[Arm, ...], able: Mapping[str, list[str]], left: resuming.Starts
    ) -> records.Planned:
        """What the budget allows; it is said where that is less than was asked for."""
        assert self.held is not None
        seconds = self.held.seconds
        most = left.hot
        # With a precision more blocks follow as they are needed; the first ones must fit.
        wanted = min(most, FULL_STARTS) if self.spec.precision else most
        fit = {arm.contender for arm in everyone}
        executions = {name: [seconds[name, *case] for case in cases if name in able[case[0]]] for name in fit}
        cold = self._planned_cold(left.cold, everyone, executions)
        if not most:
            return records.Planned(cases=cases, starts=0, runs=1, cold=cold)
        plan = budget.plan(wanted, self.spec.runs, self.spec.budget, everyone, self.start_seconds, executions)
        size = f"{units.count(plan.starts, 'start')} of {units.count(plan.runs, 'run')}"
        least = "at least " if self.spec.precision else ""
        self.progress.say(f"measuring: {least}{size}, about {units.seconds(plan.seconds)}")
        if plan.lowered:
            self.say(
                codes.T10_BUDGET.finding(
                    text=f"the budget allows {size}, not {wanted} of {self.spec.runs}",
                    remedy="raise --budget for tighter intervals",
                )
            )
        blocks = most if plan.starts == wanted else plan.starts
        serial = self._too_large(everyone)
        return records.Planned(cases=cases, starts=blocks, runs=plan.runs, serial=serial, cold=cold)

    def _planned_cold(
        self, starts: int, everyone: tuple[Arm, ...], executions: Mapping[str, list[units.Seconds]]
    ) -> int:
        """Cold blocks that the budget allows: it holds for them by themselves."""
        if not starts:
            return 0
        files = [path for paths in self.stage.tables.paths.values() for path in paths]
        drive = cold.measured_drive(files)
        self.journal.append("drive", drive)
        reading = self.data.manifest.bytes / max(drive.rates) if drive.rates else 0.0
        plan = budget.cold_plan(starts, self.spec.budget, everyone, self.start_seconds, executions, reading)
        size = units.count(plan.starts, "cold start")
        self.progress.say(f"measuring: {size}, two lives for every operation, about {units.seconds(plan.seconds)}")
        if plan.lowered:
            self.say(
                codes.T10_BUDGET.finding(
                    text=f"the budget allows {size}, not {starts}",
                    remedy="raise --budget for tighter intervals, or name fewer --operations",
                )
            )
        return plan.starts

    def _await_quiet(self) -> None:
        calm = settle.settle(settle.patience())
        for busy, text in (
            (calm.busy, f"others used {units.percent(calm.foreign)} of the CPUs just before the first block"),
            (calm.undrained, f"{units.size(calm.dirty)} still waited to be written just before the first block"),
        ):
            if busy:
                remedy = "stop others and run again: contention adds noise that lands unevenly"
                self.say(
                    codes.E4_BEFORE.finding(
                        text=text,
                        remedy=remedy,
                    )
                )


def _resumed(block: int, turns: int) -> Finding:
    return codes.X_RESUMED.finding(
        text=f"the attempt was killed and gone on with after {units.count(turns, 'turn')}: in block {block} the arms "
        "have two lives each",
        remedy="nothing is wrong; at most the turn in flight was lost",
    )


def _undecided(held: GateResult, operation: str) -> bool:
    return any(check.operation == operation and check.detail == UNDECIDED for check in held.gate.checks)
