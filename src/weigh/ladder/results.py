"""The ladder before it has a form. Pure, but for reading the evidence of its rungs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.evidence import naming
from weigh.experiment.record import history
from weigh.experiment.report import files
from weigh.experiment.results.results import ExperimentResults, experiment_results
from weigh.ladder.analysis import Ladder, ladder
from weigh.ladder.cost import Cost, costs
from weigh.ladder.findings import hidden, lost, remedy
from weigh.ladder.plan import LadderPlan
from weigh.model import codes, units
from weigh.model.errors import ExitCode
from weigh.model.finding import Finding
from weigh.model.units import Scale

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from weigh.experiment.record import Record
    from weigh.model.rules import Rules
    from weigh.model.spec import Spec
    from weigh.model.verdict import Verdict


class Rung(msgspec.Struct, frozen=True, kw_only=True):
    """One experiment of the ladder.

    Attributes:
        scale: of its data.
        evidence: name of the evidence directory.
        results: what it says with the earlier attempts of the same experiment.
    """

    scale: Scale | None
    evidence: str
    results: ExperimentResults

    @property
    def complete(self) -> bool:
        """Whether its latest attempt ended as it should."""
        end = self.results.record.end
        return end is not None and end.how == "complete"


class LadderResults(msgspec.Struct, frozen=True, kw_only=True):
    """What is printed.

    Attributes:
        plan: the ladder as it was asked for.
        rungs: those that have evidence, by ascending scale.
        ladder: what the noise allows at each.
        costs: of contenders in several widths of threads; empty where nobody is single-threaded.
        findings: errors of the rungs, then what the ladder itself shows.
    """

    plan: LadderPlan
    rungs: tuple[Rung, ...]
    ladder: Ladder
    costs: tuple[Cost, ...]
    findings: tuple[Finding, ...]

    @property
    def spec(self) -> Spec:
        """Of the largest rung; the others differ in the scale."""
        return self.rungs[-1].results.record.spec

    @property
    def rules(self) -> Rules:
        """The rules of the verdicts, which are the same on every rung."""
        return self.spec.rules

    def exit_code(self, *, strict: bool = False) -> ExitCode:
        """That of the worst rung; that small rungs leave verdicts open or refuse them is what a ladder is for.

        3 is therefore the code of the largest rung.
        """
        codes = {rung.results.exit_code() for rung in self.rungs}
        for code in (ExitCode.FOUND, ExitCode.FAILED):
            if code in codes:
                return code
        return self.rungs[-1].results.exit_code(strict=strict)


def summarise(plan: LadderPlan, folders: Sequence[tuple[Scale | None, Path]]) -> LadderResults:
    """Reads the evidence of every rung.

    Args:
        plan: the ladder.
        folders: scale and evidence directory of every rung that has one, by ascending scale; at least one.

    Raises:
        EvidenceFault: an evidence cannot be read.
    """
    rungs = tuple(
        Rung(scale=scale, evidence=naming.given(folder), results=files.read(folder)) for scale, folder in folders
    )
    counted = tuple(
        cost for rung, (_, folder) in zip(rungs, folders, strict=True) for cost in _costs(plan, rung, folder)
    )
    return assembled(plan, rungs, counted)


def assembled(plan: LadderPlan, rungs: tuple[Rung, ...], counted: tuple[Cost, ...] = ()) -> LadderResults:
    """The summary of rungs that were read. Pure."""
    spec = rungs[-1].results.record.spec
    found = ladder([(rung.scale, rung.results.headline) for rung in rungs], contenders(spec), spec.rules)
    summary = LadderResults(plan=plan, rungs=rungs, ladder=found, costs=counted, findings=())
    return msgspec.structs.replace(summary, findings=(*_errors(rungs), *_findings(summary)))


def contenders(spec: Spec) -> list[str]:
    """Names, the baseline first."""
    return [spec.baseline, *(one.name for one in spec.contenders if one.name != spec.baseline)]


def _costs(plan: LadderPlan, rung: Rung, folder: Path) -> Iterator[Cost]:
    """COST of one rung: the same executions, judged over the best single-threaded contender."""
    if not any(one.threads for one in plan.variations):
        return
    attempts = history(folder)

    def judged(baseline: str) -> Iterable[Verdict]:
        return experiment_results([_over(record, baseline) for record in attempts]).headline.verdicts

    yield from costs(plan.variations, rung.results.headline.timings, judged, rung.scale)


def _over(record: Record, baseline: str) -> Record:
    return msgspec.structs.replace(record, spec=msgspec.structs.replace(record.spec, baseline=baseline))


def _errors(rungs: Sequence[Rung]) -> Iterator[Finding]:
    """What forbids a part of a rung, or publishing it; the rest of its findings stands in its own report."""
    for rung in rungs:
        for finding in rung.results.findings:
            if finding.code == codes.R8_TERMS.code:
                if rung is rungs[-1]:
                    yield finding
            elif finding.severity == "error":
                text = f"at {units.scale(rung.scale)}: {finding.text}" if rung.scale is not None else finding.text
                yield msgspec.structs.replace(finding, text=text)


def _findings(summary: LadderResults) -> Iterator[Finding]:
    """T2, by contender: an operation each would say the same many times."""
    if len(summary.rungs) < 2:
        return
    margin, smallest = summary.rules.margin, summary.rungs[0].scale
    by_contender: dict[str, list[int]] = {}
    compared = summary.ladder.compared
    for at, one in enumerate(compared):
        by_contender.setdefault(one.contender, []).append(at)
    for contender, places in by_contender.items():
        group = [compared[at] for at in places]
        small = [one for one in group if one.judged and not one.judged[0].resolves and one.judged[0].scale == smallest]
        later, never = [one for one in small if one.first is not None], [one for one in small if one.first is None]
        for code, some in ((codes.T2_SMALL, later), (codes.T2_NONE, never)):
            if some:
                yield code.finding(
                    contender=contender,
                    operation=some[0].operation if len(some) == 1 else None,
                    text=hidden(some, len(group), margin),
                    remedy=remedy(some),
                )
        for one in group:
            if one.lost is not None:
                yield codes.T2_LOST.finding(
                    contender=contender,
                    operation=one.operation,
                    text=lost(one, margin),
                    remedy="the machine was less quiet there, or the work itself scatters: look at that rung's report",
                )
