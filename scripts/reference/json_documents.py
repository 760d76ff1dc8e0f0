"""The regions of docs/reference/json.md and json/: every document that is printed, as its structs have it."""

from __future__ import annotations

import functools
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from reference.markdown import FOLDER, ROOT, anchor_of, code, code_flags, headings, table
from reference.structs import rows
from weigh.audit.published import Published
from weigh.audit.report import AuditDocument
from weigh.audit.rows import CatalogueRow
from weigh.capture.results import CaptureResults
from weigh.compare.document import CompareDocument
from weigh.compare.model import Joined
from weigh.data import documents as data
from weigh.data.layout.difference import DiffDocument, Difference, RowDifference, Written
from weigh.data.layout.page_checksums import PageChecks
from weigh.data.layout.physical import ColumnForm, TableForm
from weigh.data.reproducible import Reproduction
from weigh.doctor.effect_analysis import Effect
from weigh.doctor.report import DoctorDocument, RestoredDocument
from weigh.doctor.tuning import Change
from weigh.doctor.unused_disks_model import Examination
from weigh.engines.loaded import InServer
from weigh.evidence.anchoring.anchor import Anchor
from weigh.evidence.listing import RunsDocument
from weigh.evidence.verification import Problem
from weigh.experiment.preview import Preview
from weigh.experiment.profile.results import WhyResults
from weigh.experiment.report import document as run
from weigh.experiment.report.grid import GridDocument
from weigh.experiment.report.machine import MachineDocument
from weigh.experiment.report.resources import ParityRow
from weigh.experiment.results.clock.family_cpu import OutsideClock
from weigh.experiment.results.cold.cold_proof import ColdProof
from weigh.experiment.results.data.start_costs import StartCosts
from weigh.experiment.results.grid import Cell
from weigh.experiment.results.grid import Effect as GridEffect
from weigh.experiment.verify.verify import Verification
from weigh.history.report import document as history
from weigh.history.report.added import AddedDocument
from weigh.history.report.confirmed import ConfirmDocument
from weigh.history.series import Split
from weigh.host.knobs.read import KnobRead
from weigh.judge.results import JudgeDocument
from weigh.judge.series import SeriesFigure
from weigh.ladder.cost import Cost
from weigh.ladder.load.report.document import LoadLadderDocument
from weigh.ladder.load.verify import LoadLadderVerification
from weigh.ladder.report.document import LadderDocument, SeriesRow
from weigh.ladder.verify import LadderVerification
from weigh.load.activity.report import ActivityDocument
from weigh.load.analysis.warmup import Settled
from weigh.load.comparison.report import document as servers
from weigh.load.comparison.verify import LoadComparisonVerification
from weigh.load.report import document as load
from weigh.load.report import operation_document as operation
from weigh.load.report.machine import RunMachineDocument
from weigh.load.verify import LoadVerification
from weigh.load.waits.analysis import Hot
from weigh.load.waits.model import Blocked
from weigh.load.waits.report import WaitsDocument
from weigh.machine.use_method import Resource
from weigh.model.data.storage import Place
from weigh.model.dataset import FileFacts, Manifest
from weigh.model.finding import Finding
from weigh.model.rules import Rules
from weigh.model.verdict import Reason, Tier, Timing, Verdict
from weigh.obfuscation.results import ObfuscationResults
from weigh.recount.recount import Recount
from weigh.render.machine import OtherProcessRow
from weigh.reproduce.files import ReproductionVerification
from weigh.reproduce.outcome import Outcome
from weigh.reproduce.report import ReproductionDocument
from weigh.statistics.cv import Estimate
from weigh.statistics.series.correlated_mean import SeriesMean
from weigh.streams.files import StreamsVerification
from weigh.streams.record import Life
from weigh.streams.report import StreamsDocument

if TYPE_CHECKING:
    from collections.abc import Iterator

    import msgspec

PRINTED: dict[str, tuple[str, ...]] = {
    "weigh/1": ("run", "gate", "demo", "layout", "report"),
    "weigh/verify/1": ("verify",),
    "weigh/ladder/1": ("ladder", "report of a ladder"),
    "weigh/verify-ladder/1": ("verify of a ladder",),
    "weigh/load-ladder/1": ("ladder --load", "report of a ladder of loads"),
    "weigh/verify-load-ladder/1": ("verify of a ladder of loads",),
    "weigh/compare/1": ("compare",),
    "weigh/judge/1": ("judge",),
    "weigh/why/1": ("why",),
    "weigh/plan/1": ("run --plan", "gate --plan"),
    "weigh/history/1": ("history show",),
    "weigh/history-add/1": ("history add",),
    "weigh/history-confirm/1": ("history confirm",),
    "weigh/capture/1": ("capture",),
    "weigh/obfuscation/1": ("data obfuscate",),
    "weigh/doctor/1": ("doctor",),
    "weigh/effect/1": ("doctor with --effect",),
    "weigh/doctor-storage/1": ("doctor storage",),
    "weigh/load/1": ("load", "report of a load"),
    "weigh/verify-load/1": ("verify of a load",),
    "weigh/load-comparison/1": ("load with several contenders", "report of a comparison of servers"),
    "weigh/verify-load-comparison/1": ("verify of a comparison of servers",),
    "weigh/reproduction/1": ("reproduce", "report of a reproduction"),
    "weigh/verify-reproduction/1": ("verify of a reproduction",),
    "weigh/streams/1": ("run --streams", "report of query streams"),
    "weigh/verify-streams/1": ("verify of query streams",),
    "weigh/audit-results/1": ("audit",),
    "weigh/witness/1": ("witness list",),
    "weigh/runs/1": ("runs",),
    "weigh/manifest/1": ("data make",),
    "weigh/digest/1": ("data digest",),
    "weigh/files/1": ("data describe",),
    "weigh/diff/1": ("data diff",),
    "weigh/check/1": ("data check",),
    "weigh/parts/1": ("data make --on",),
    "weigh/plan-parts/1": ("data make --plan",),
    "weigh/digest-parts/1": ("data digest --on",),
    "weigh/diff-parts/1": ("data diff --on",),
    "weigh/check-parts/1": ("data check --on",),
    "weigh/registered/1": ("data register", "data list"),
    "weigh/loaded/1": ("data loaded",),
    "weigh/checksums/1": ("data probe-checksums",),
    "weigh/engines/1": ("engines",),
    "weigh/workloads/1": ("workloads",),
    "weigh/audit/1": ("workloads audit",),
    "weigh/lies-run/1": ("lies --run",),
    "weigh/lies/1": ("lies",),
}
"""Every schema, and the commands that print it with ``--json``."""


class Section(NamedTuple):
    """A table of the page.

    Attributes:
        kind: the struct that it describes.
        heading: of the section in which the struct is described; empty where no other section refers to it.
        noun: what such a struct is called.
        without: a base that another section describes.
    """

    kind: type[msgspec.Struct]
    heading: str = ""
    noun: str = ""
    without: type[msgspec.Struct] | None = None


SECTIONS: dict[str, Section] = {
    "weigh/1": Section(run.RunDocument),
    "experiment": Section(run.ExperimentRow, "experiment", "experiment"),
    "contenders[]": Section(run.ContenderRow, "contenders[]", "contender"),
    "tier": Section(Tier, "tier", "tier"),
    "reasons[]": Section(Reason, "reasons[]", "reason"),
    "gate[]": Section(run.GateRow, "gate[]", "row"),
    "timings[]": Section(Timing, "timings[]", "timing"),
    "verdicts[]": Section(run.VerdictRow, "verdicts[]", "verdict"),
    "metrics[]": Section(run.MetricRow, "metrics[]", "row"),
    "cold[]": Section(ColdProof, "cold[]", "row"),
    "suites[]": Section(run.SuiteRow, "suites[]", "row"),
    "knobs[]": Section(KnobRead, "knobs[]", "knob"),
    "storage[]": Section(Place, "storage[]", "place"),
    "parity[]": Section(ParityRow, "parity[]", "row"),
    "outside[]": Section(OutsideClock, "outside[]", "row"),
    "start_costs[]": Section(StartCosts, "start_costs[]", "row"),
    "grid": Section(GridDocument, "grid", "grid"),
    "cells[]": Section(Cell, "cells[] of a grid", "cell"),
    "effects[]": Section(GridEffect, "effects[] of a grid", "effect"),
    "findings[]": Section(Finding, "findings[]", "finding"),
    "machine": Section(MachineDocument, "machine", "machine"),
    "use[]": Section(Resource, "use[]", "resource"),
    "other_processes[]": Section(OtherProcessRow, "other_processes[]", "other process"),
    "weigh/verify/1 verification": Section(Verification, "weigh/verify/1", "verification"),
    "weigh/verify/1 sql": Section(Recount),
    "problems[]": Section(Problem, "problems[]", "problem"),
    "weigh/ladder/1": Section(LadderDocument),
    "weigh/ladder/1 series[]": Section(SeriesRow, "series[] of a ladder", "series"),
    "weigh/ladder/1 costs[]": Section(Cost, "costs[]", "cost"),
    "weigh/verify-ladder/1": Section(LadderVerification),
    "weigh/load-ladder/1": Section(LoadLadderDocument),
    "weigh/verify-load-ladder/1": Section(LoadLadderVerification),
    "weigh/compare/1": Section(CompareDocument),
    "weigh/compare/1 verdicts[]": Section(Joined, "verdicts[] of two sessions", "verdict", without=Verdict),
    "weigh/compare/1 rules": Section(Rules, "rules", "rules"),
    "weigh/capture/1": Section(CaptureResults),
    "weigh/history/1": Section(history.HistoryDocument),
    "weigh/history-add/1": Section(AddedDocument),
    "weigh/history-confirm/1": Section(ConfirmDocument),
    "weigh/history/1 series[]": Section(history.HistorySeriesRow, "series[] of a history", "series"),
    "weigh/history/1 points[]": Section(history.PointRow, "points[]", "point"),
    "weigh/history/1 splits[]": Section(Split, "splits[]", "split"),
    "weigh/history/1 candidates[]": Section(history.CandidateRow, "candidates[]", "candidate"),
    "weigh/history/1 side_by_side": Section(history.SideBySideRow, "side_by_side", "side by side"),
    "weigh/history/1 attempts[]": Section(history.AttemptsRow, "attempts[] of a history", "row"),
    "weigh/obfuscation/1": Section(ObfuscationResults),
    "weigh/judge/1": Section(JudgeDocument),
    "weigh/why/1": Section(WhyResults),
    "weigh/plan/1": Section(Preview),
    "weigh/judge/1 series[]": Section(SeriesFigure, "series[] of judge", "series"),
    "weigh/judge/1 mean": Section(SeriesMean, "mean of a series", "mean"),
    "weigh/doctor/1": Section(DoctorDocument),
    "weigh/doctor/1 set[]": Section(Change, "set[] and restored[]", "change"),
    "weigh/doctor/1 restored": Section(RestoredDocument),
    "weigh/effect/1": Section(Effect),
    "weigh/effect/1 estimate": Section(Estimate, "estimate", "estimate"),
    "weigh/doctor-storage/1": Section(Examination),
    "weigh/load/1": Section(load.LoadDocument),
    "weigh/load/1 operations[]": Section(operation.OperationRow, "operations[]", "operation"),
    "weigh/load/1 spectrum": Section(operation.SpectrumRow, "spectrum", "spectrum"),
    "weigh/load/1 percentile": Section(operation.PercentileRow, "percentile", "percentile"),
    "weigh/load/1 mean": Section(operation.MeanRow, "mean", "mean"),
    "weigh/load/1 steady": Section(Settled, "steady", "steady part"),
    "weigh/load/1 runs[]": Section(load.RunRow, "runs[]", "run"),
    "weigh/load/1 runs[].machine": Section(RunMachineDocument, "machine of a run", "machine"),
    "weigh/load/1 runs[].waits": Section(WaitsDocument, "waits of a run", "waits"),
    "weigh/load/1 runs[].activity": Section(ActivityDocument, "activity of a run", "activity"),
    "weigh/load/1 waits, hottest": Section(Hot, "lock and table", "most wanted"),
    "weigh/load/1 waits, wait": Section(Blocked, "longest and deepest", "wait"),
    "weigh/verify-load/1": Section(LoadVerification),
    "weigh/load-comparison/1": Section(servers.LoadComparisonDocument),
    "weigh/load-comparison/1 contenders[]": Section(servers.ArmRow, "contenders[] of a load", "contender"),
    "weigh/load-comparison/1 verdicts[]": Section(servers.LoadVerdictRow, "verdicts[] of servers", "verdict"),
    "weigh/load-comparison/1 runs[]": Section(servers.BlockRow, "runs[] by block", "run"),
    "weigh/verify-load-comparison/1": Section(LoadComparisonVerification),
    "weigh/reproduction/1": Section(ReproductionDocument),
    "weigh/reproduction/1 outcomes[]": Section(Outcome, "outcomes[]", "outcome"),
    "weigh/verify-reproduction/1": Section(ReproductionVerification),
    "weigh/streams/1": Section(StreamsDocument),
    "weigh/streams/1 lives[]": Section(Life, "lives[]", "life of query streams"),
    "weigh/verify-streams/1": Section(StreamsVerification),
    "weigh/audit-results/1": Section(AuditDocument),
    "weigh/audit-results/1 published": Section(Published, "published", "published result"),
    "weigh/audit-results/1 rows[]": Section(CatalogueRow, "rows[] of an audit", "row"),
    "weigh/witness/1 anchors[]": Section(Anchor, "weigh/witness/1", "anchor"),
    "weigh/runs/1": Section(RunsDocument),
    "weigh/manifest/1": Section(Manifest),
    "files[]": Section(FileFacts, "files[]", "file"),
    "weigh/manifest/1 reproduction": Section(Reproduction, "reproduction", "reproduction"),
    "weigh/digest/1": Section(data.DigestDocument),
    "weigh/files/1": Section(data.FilesDocument),
    "weigh/check/1": Section(data.CheckDocument),
    "weigh/check/1 files[]": Section(PageChecks, "files[] of a check", "pages"),
    "weigh/loaded/1": Section(InServer),
    "weigh/diff/1": Section(DiffDocument),
    "weigh/diff/1 rows": Section(RowDifference, "rows of a pair", "rows"),
    "weigh/diff/1 written": Section(Written, "written of a pair", "written"),
    "weigh/diff/1 differences[]": Section(Difference, "differences[]", "difference"),
    "weigh/diff/1 table": Section(TableForm, "left and right", "table"),
    "weigh/diff/1 column": Section(ColumnForm, "columns of a table", "column"),
}
"""Tables by the name of their region, without the word ``json`` before it."""

_WHEN = re.compile(r" (of|with) .*")
_ELSEWHERE: dict[type, str] = {
    Verdict: "[verdict](#verdicts)",
    **{
        section.kind: f"[{section.noun}](#{anchor_of(section.heading)})"
        for section in SECTIONS.values()
        if section.heading
    },
}


PAGES = tuple(sorted(f"json/{path.name}" for path in (ROOT / FOLDER / "json").glob("*.md")))
"""With the tables, each under the heading of its document."""
_ANCHOR = re.compile(r"\]\(#([^)]+)\)")
_PAGE = re.compile(r"\]\((?!#|https?:)")


def blocks(page: str = "json.md") -> dict[str, str]:
    """Contents of the regions of a page by name; what no page of :data:`PAGES` has belongs to the first one."""
    here = Path(page).parent
    texts = {one: (ROOT / FOLDER / one).read_text() for one in PAGES}

    def page_of(region: str) -> str:
        return next((one for one, text in texts.items() if f"<!-- generated: {region} -->" in text), "json.md")

    def linked(text: str) -> str:
        """Links of :data:`FOLDER` as they are on the page."""
        plain = _PAGE.sub("](../", text) if here.name else text
        return _ANCHOR.sub(lambda found: f"]({place(found[1])}#{found[1]})", plain)

    def place(anchor: str) -> str:
        return "" if (other := _page(anchor)) == page else os.path.relpath(other, here)

    return {name: linked(text) for name, text in _tables().items() if page_of(name) == page}


@functools.cache
def _tables() -> dict[str, str]:
    found = {f"json {name}": table(("field", "type", "meaning"), _rows(one)) for name, one in SECTIONS.items()}
    return {"json schemas": table(("schema", "printed by"), _schemas()), **found}


@functools.cache
def _page(anchor: str) -> str:
    """The page that has a heading.

    Raises:
        LookupError: none has.
    """
    for page in PAGES:
        if any(anchor_of(heading) == anchor for heading in headings(f"{FOLDER}/{page}")):
            return page
    raise LookupError(f"no page of {FOLDER}/json has a heading of the anchor {anchor}")


def printed_by(command: str) -> Iterator[str]:
    """Links to the schemas of the documents that a command prints, each with when it does.

    Args:
        command: its words after ``weigh``.
    """
    for schema, commands in PRINTED.items():
        for one in commands:
            name, when = _when(one)
            if name == command:
                yield f"[{schema}]({_page(anchor_of(schema))}#{anchor_of(schema)}){when}"


def _schemas() -> Iterator[tuple[str, str]]:
    for schema, commands in PRINTED.items():
        links = (f"{code(name)}{when}" for name, when in map(_when, commands))
        yield f"[{schema}](#{anchor_of(schema)})", ", ".join(links)


def _when(command: str) -> tuple[str, str]:
    """A command and when it prints a document: ``report of a load``, ``doctor with --effect``."""
    found = _WHEN.search(command)
    return (command[: found.start()], code_flags(found[0])) if found else (command, "")


def _rows(section: Section) -> Iterator[tuple[str, str, str]]:
    for row in rows(section.kind, _ELSEWHERE, section.without):
        yield ", ".join(map(code, row.names)), row.kind, row.meaning
