"""The ladder of loads before it has a form. Pure, but for reading the evidence of its rungs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from weigh.evidence import naming
from weigh.ladder.load.plan import LoadLadderPlan, LoadStep
from weigh.ladder.load.setting import in_bytes
from weigh.load.analysis.findings import data_bytes
from weigh.load.report import files
from weigh.load.results import LoadResults
from weigh.machine.moments import amounts, in_order
from weigh.machine.working_set import WorkingSet, working_set
from weigh.model import codes
from weigh.model.errors import ExitCode
from weigh.model.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from weigh.load.analysis.figures import RunFigures
    from weigh.load.record import LoadRecord
    from weigh.model.machine.timeline import Moment
    from weigh.model.units import Bytes, Seconds
    from weigh.statistics.percentiles import Percentile


class LoadRung(msgspec.Struct, frozen=True, kw_only=True):
    """One load of the ladder.

    Attributes:
        step: as it was asked for.
        evidence: name of its directory.
        results: what it says.
        size: its data against the memory, as the server and the kernel said; None where one is not known.
        read_bytes: that anybody read from the devices below the server's data while the run that is shown went on;
            None where that is not known.
    """

    step: LoadStep
    evidence: str
    results: LoadResults
    size: WorkingSet | None
    read_bytes: float | None

    @property
    def run(self) -> RunFigures | None:
        """The run that is shown: the first one."""
        return self.results.headline

    @property
    def complete(self) -> bool:
        """Whether it ended as it should."""
        end = self.results.record.end
        return end is not None and end.how == "complete"

    @property
    def requests(self) -> int:
        """That were answered in it."""
        return self.run.summary.done if self.run and self.run.summary else 0

    @property
    def cpu_s(self) -> Seconds | None:
        """CPU seconds of the server for each request."""
        return self.run.server.cpu_s / self.requests if self.run and self.run.server and self.requests else None

    @property
    def read_per_request(self) -> float | None:
        """Bytes of the devices for each request."""
        return self.read_bytes / self.requests if self.read_bytes is not None and self.requests else None

    def percentile(self, q: float) -> Percentile | None:
        """Of the response time of all requests; None where nothing was answered, or the run does not count."""
        run = self.run
        return None if run is None or run.refused or not run.operations else run.whole.response.at(q)


class LoadLadderResults(msgspec.Struct, frozen=True, kw_only=True):
    """What is printed.

    Attributes:
        plan: the ladder as it was asked for.
        rungs: those that have evidence, by ascending size.
        findings: errors of the rungs, and what the ladder itself shows.
    """

    plan: LoadLadderPlan
    rungs: tuple[LoadRung, ...]
    findings: tuple[Finding, ...]

    @property
    def outgrown(self) -> LoadRung | None:
        """The first rung whose data is larger than the memory; None where there is none."""
        return next((one for one in self.rungs if one.size and not one.size.in_memory), None)

    @property
    def whole(self) -> bool:
        """Whether every rung was measured to its end."""
        return len(self.rungs) == len(self.plan.steps) and all(one.complete for one in self.rungs)

    def exit_code(self) -> ExitCode:
        """That of the worst rung: wrong answers first."""
        found = [rung.results.exit_code() for rung in self.rungs]
        order = (ExitCode.FOUND, ExitCode.FAILED, ExitCode.INCONCLUSIVE)
        return next((code for code in order if code in found), ExitCode.OK)


def summarise(plan: LoadLadderPlan, folders: Sequence[Path]) -> LoadLadderResults:
    """Reads the evidence of every rung.

    Args:
        plan: the ladder.
        folders: evidence of every rung that has some, in the order of the plan; at least one.

    Raises:
        EvidenceFault: one cannot be read.
    """
    rungs = tuple(
        rung(plan, step, naming.given(folder), files.read(folder))
        for step, folder in zip(plan.steps, folders, strict=False)
    )
    found = LoadLadderResults(plan=plan, rungs=rungs, findings=())
    return msgspec.structs.replace(found, findings=tuple(_findings(found)))


def rung(plan: LoadLadderPlan, step: LoadStep, evidence: str, results: LoadResults) -> LoadRung:
    """One rung. Pure.

    Args:
        plan: the ladder.
        step: what was asked for.
        evidence: name of its directory.
        results: of its load.
    """
    return LoadRung(
        step=step,
        evidence=evidence,
        results=results,
        size=working_set(data_bytes(results.record), _memory(plan, results.record)),
        read_bytes=_read(results),
    )


def _memory(plan: LoadLadderPlan, record: LoadRecord) -> Bytes | None:
    """What the kernel or the server says that the limit is."""
    if plan.memory_is == "control group":
        return next((one for one in record.memory if one is not None), None)
    setting = record.environment.target.in_force.get(plan.memory_is) if record.environment else None
    return in_bytes(plan.memory_is, str(setting.get("value"))) if setting else None


def _read(results: LoadResults) -> float | None:
    record, head = results.record, results.headline
    place = record.environment.storage if record.environment else None
    names = {one.name for one in place.devices} if place else set()
    run = next((one for one in record.runs if head and one.number == head.number), None)
    if not names or run is None or run.at is None or not run.intervals:
        return None

    def read(moment: Moment) -> float | None:
        read_bytes = [one.read for name, one in moment.disk.items() if name in names] if moment.disk is not None else []
        return float(sum(read_bytes)) if read_bytes else None

    moments = in_order(record.watches)
    if all(read(one) is None for one in moments):
        return None
    return float(amounts(moments, read, np.array([run.at]), np.array([run.intervals[-1].to_s]))[0])


def _findings(ladder: LoadLadderResults) -> Iterator[Finding]:
    """What forbids a part of a rung, or publishing it; the rest stands in the report of the rung."""
    for one in ladder.rungs:
        for finding in one.results.findings:
            if finding.code == codes.R8_TERMS.code:
                if one is ladder.rungs[-1]:
                    yield finding
            elif finding.severity == "error":
                yield msgspec.structs.replace(finding, text=f"at {one.step.ratio:g} x memory: {finding.text}")
    known = [one.size for one in ladder.rungs if one.size is not None]
    if ladder.whole and known and ladder.outgrown is None:
        yield codes.D7_MEMORY.finding(
            text=f"no rung is larger than the memory: the largest is {known[-1].ratio:.2g} times as large",
            remedy="add a larger one to --rungs: where data no longer fits is what a ladder is for",
        )
