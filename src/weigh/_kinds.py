"""The kinds of evidence, in one table: how each is recognised, read, shown and verified.

The commands and :func:`weigh.open` ask this table. What a kind needs is imported when it is asked for, so that the
table itself costs nothing.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rich.console import RenderableType

    from weigh.evidence.verification import Outcome, Problem
    from weigh.experiment.results.results import ExperimentResults
    from weigh.experiment.verify.verify import Verification
    from weigh.ladder.load.results import LoadLadderResults
    from weigh.ladder.load.verify import LoadLadderVerification
    from weigh.ladder.results import LadderResults
    from weigh.ladder.verify import LadderVerification
    from weigh.load.comparison.results import LoadComparisonResults
    from weigh.load.comparison.verify import LoadComparisonVerification
    from weigh.load.results import LoadResults
    from weigh.load.verify import LoadVerification
    from weigh.model.finding import Finding


class Verified(Protocol):
    """What verifying any kind leaves."""

    @property
    def passed(self) -> bool:
        """Whether nothing is wrong."""

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is."""


class Refusal(NamedTuple):
    """Why something cannot be done with a kind of evidence, and what to do instead."""

    what: str
    remedy: str


class About(NamedTuple):
    """What a list says of an evidence directory without reading all of it.

    Attributes:
        workload: its name.
        about: whose evidence it is: contenders, a target, rungs.
        end: how it ended, ``complete`` or ``stopped``; None where it was killed or is still going on.
    """

    workload: str
    about: str
    end: str | None


Results = TypeVar("Results")
Found = TypeVar("Found", bound=Verified)


class Kind(ABC, Generic[Results, Found]):
    """One kind of evidence.

    Attributes:
        name: in one word, after the command that leaves it.
        noun: in a sentence.
        file: the file that its directory always has; everything else follows from it.
        page: the file that is its report as a page.
        verify_schema: of the JSON document of ``weigh verify``.
        not_compared: why ``weigh compare`` refuses it; None where it takes it.
        not_recounted: why ``weigh verify --sql`` refuses it; None where it counts it.
    """

    name: str
    noun: str
    file: str = "journal.jsonl"
    page: str = "report.html"
    verify_schema: str
    not_compared: Refusal | None = None
    not_recounted: Refusal | None = None

    @abstractmethod
    def recognises(self, folder: Path) -> bool:
        """Whether an existing directory is of this kind; those before it in the table did not recognise it."""

    @abstractmethod
    def about(self, folder: Path) -> About:
        """What a list says of it.

        Raises:
            EvidenceFault: it is damaged.
        """

    @abstractmethod
    def read(self, folder: Path) -> Results:
        """What its evidence says, computed anew.

        Raises:
            EvidenceFault: it cannot be read.
        """

    @abstractmethod
    def text(self, results: Results, name: str) -> RenderableType:
        """The report for a terminal, the first screen of it where it has one.

        Args:
            results: as :meth:`read` gave them.
            name: of the directory, as the reader is to write it.
        """

    def whole(self, results: Results, name: str) -> RenderableType:
        """All that there is to print; the arguments are those of :meth:`text`."""
        return self.text(results, name)

    def notes(self, results: Results) -> RenderableType:
        """Findings, and how to read the figures.

        Raises:
            UsageError: its report says them already.
        """
        from weigh.model.errors import UsageError

        raise UsageError(
            f"--notes is of a run, and this is {self.noun}", remedy="its report has its notes: leave it out"
        )

    def markdown(self, results: Results, name: str) -> str:
        """The first screen in Markdown; the arguments are those of :meth:`text`.

        Raises:
            UsageError: it has none.
        """
        from weigh.model.errors import UsageError

        raise UsageError(f"--markdown is of a run, and this is {self.noun}", remedy="--json and --html are of any kind")

    def export(self, folder: Path, form: str, contender: str | None) -> tuple[bytes, tuple[Finding, ...]]:
        """What it says in the form of another tool, and what forbids to publish it.

        Raises:
            EvidenceFault: as of :meth:`read`.
            UsageError: it has no such form, or no such contender.
        """
        from weigh.model.errors import UsageError

        raise UsageError(f"{form} is a form of a run, and this is {self.noun}", remedy="report --json is of any kind")

    @abstractmethod
    def document(self, results: Results, name: str) -> dict[str, Any]:
        """The report as plain JSON (docs/reference/json.md)."""

    @abstractmethod
    def html(self, folder: Path) -> bytes:
        """The report as a page.

        Raises:
            EvidenceFault: as of :meth:`read`.
        """

    @abstractmethod
    def verify(self, folder: Path) -> Found:
        """Compute every hash and every printed number again.

        Raises:
            EvidenceFault: it was never sealed, or cannot be read at all.
        """

    @abstractmethod
    def lines(self, found: Found) -> Iterator[Problem | Outcome]:
        """What ``weigh verify`` says of it."""


class _Run(Kind["ExperimentResults", "Verification"]):
    """An attempt of ``weigh run``, ``gate`` or ``demo``, read with the earlier ones of its experiment."""

    name = "run"
    noun = "an experiment"
    verify_schema = "weigh/verify/1"

    def recognises(self, folder: Path) -> bool:
        # A seal whose journal was removed is evidence that fails, and not something else.
        return any((folder / name).exists() for name in (self.file, "seal.json"))

    def about(self, folder: Path) -> About:
        from weigh.experiment.record import read_spec
        from weigh.model import units

        spec = read_spec(folder)
        scale = f", {units.scale(spec.scale)}" if spec.scale is not None else ""
        return About(spec.workload, ", ".join(one.name for one in spec.contenders) + scale, _end(folder))

    def read(self, folder: Path) -> ExperimentResults:
        from weigh.experiment.report import files

        return files.read(folder)

    def text(self, results: ExperimentResults, name: str) -> RenderableType:
        from weigh.experiment.report.terminal import screen

        return screen(results, name)

    def whole(self, results: ExperimentResults, name: str) -> RenderableType:
        from weigh.experiment.report.terminal import whole

        return whole(results, name)

    def notes(self, results: ExperimentResults) -> RenderableType:
        from weigh.experiment.report.terminal import notes

        return notes(results)

    def markdown(self, results: ExperimentResults, name: str) -> str:
        from weigh.experiment.report.first_screen import first_screen
        from weigh.experiment.report.first_screen.markdown import markdown

        return markdown(first_screen(results, name))

    def export(self, folder: Path, form: str, contender: str | None) -> tuple[bytes, tuple[Finding, ...]]:
        from weigh.experiment.report.export import export

        return export(folder, form, contender)

    def document(self, results: ExperimentResults, name: str) -> dict[str, Any]:
        from weigh.experiment.report.document import document

        return document(results, name)

    def html(self, folder: Path) -> bytes:
        from weigh.experiment.report import files

        return files.html(folder)

    def verify(self, folder: Path) -> Verification:
        from weigh.experiment.verify.verify import verify

        return verify(folder)

    def lines(self, found: Verification) -> Iterator[Problem | Outcome]:
        from weigh.experiment.verify.verify import lines

        return lines(found)


class _Ladder(Kind["LadderResults", "LadderVerification"]):
    """The directory of ``weigh ladder`` beside the evidence of its rungs."""

    name = "ladder"
    noun = "a ladder"
    file = "ladder.json"
    page = "ladder.html"
    verify_schema = "weigh/verify-ladder/1"
    not_compared = Refusal(
        "it is a ladder, and two sessions are compared at one scale",
        "name the evidence of a rung of each, of the same scale; `weigh report` of the ladder lists its rungs",
    )
    not_recounted = Refusal("--sql counts one experiment", "name the evidence of a rung")

    def recognises(self, folder: Path) -> bool:
        from weigh.ladder.record import is_ladder

        return is_ladder(folder)

    def about(self, folder: Path) -> About:
        from weigh.ladder.record import read
        from weigh.model import units

        record = read(folder)
        reached = {rung.scale for rung in record.rungs}
        named = [units.scale(scale) for scale in record.plan.scales if scale in reached and scale is not None]
        at = f": {', '.join(named)}" if named else ""
        about = f"{len(reached)} of {units.count(len(record.plan.scales), 'rung')}{at}"
        return About(record.ladder.workload, about, "complete" if len(reached) == len(record.plan.scales) else None)

    def read(self, folder: Path) -> LadderResults:
        from weigh.ladder.report import files

        return files.read(folder)

    def text(self, results: LadderResults, name: str) -> RenderableType:
        from weigh.ladder.report.terminal import report

        return report(results, name)

    def document(self, results: LadderResults, name: str) -> dict[str, Any]:
        from weigh.ladder.report.document import document

        # It names the evidence of its rungs, and not its own directory.
        return document(results)

    def html(self, folder: Path) -> bytes:
        from weigh.ladder.report import files

        return files.html(folder)

    def verify(self, folder: Path) -> LadderVerification:
        from weigh.ladder.verify import verify

        return verify(folder)

    def lines(self, found: LadderVerification) -> Iterator[Problem | Outcome]:
        from weigh.ladder.verify import lines

        return lines(found)


class _LoadLadder(Kind["LoadLadderResults", "LoadLadderVerification"]):
    """The directory of ``weigh ladder --load`` beside the evidence of its rungs."""

    name = "load-ladder"
    noun = "a ladder of loads"
    file = "load-ladder.json"
    page = "load-ladder.html"
    verify_schema = "weigh/verify-load-ladder/1"
    not_compared = Refusal(
        "it is a ladder of loads, and response times of two sessions are not compared",
        "compare servers in one command: weigh load --contender A --contender B --records N",
    )
    not_recounted = Refusal("--sql counts samples, not histograms", "leave it out")

    def recognises(self, folder: Path) -> bool:
        from weigh.ladder.load.record import is_load_ladder

        return is_load_ladder(folder)

    def about(self, folder: Path) -> About:
        from weigh.ladder.load.record import read
        from weigh.model import units

        record = read(folder)
        reached, asked = len(record.rungs), len(record.plan.steps)
        at = ", ".join(f"{one.ratio:g}x" for one in record.plan.steps[:reached])
        about = f"{record.plan.target}: {reached} of {units.count(asked, 'rung')}: {at}"
        return About(record.plan.workload, about, "complete" if reached == asked else None)

    def read(self, folder: Path) -> LoadLadderResults:
        from weigh.ladder.load.report import files

        return files.read(folder)

    def text(self, results: LoadLadderResults, name: str) -> RenderableType:
        from weigh.ladder.load.report.terminal import report

        return report(results, name)

    def document(self, results: LoadLadderResults, name: str) -> dict[str, Any]:
        from weigh.ladder.load.report.document import document

        # It names the evidence of its rungs, and not its own directory.
        return document(results)

    def html(self, folder: Path) -> bytes:
        from weigh.ladder.load.report import files

        return files.html(folder)

    def verify(self, folder: Path) -> LoadLadderVerification:
        from weigh.ladder.load.verify import verify

        return verify(folder)

    def lines(self, found: LoadLadderVerification) -> Iterator[Problem | Outcome]:
        from weigh.ladder.load.verify import lines

        return lines(found)


class _Load(Kind["LoadResults", "LoadVerification"]):
    """An attempt of ``weigh load``."""

    name = "load"
    noun = "a load"
    verify_schema = "weigh/verify-load/1"
    not_compared = Refusal(
        "it is a load, and no reference contender took part that would join it with another session",
        "response times of two sessions are not compared; `weigh report` shows each with its own intervals",
    )
    not_recounted = Refusal("--sql counts samples, not histograms", "leave it out")

    def recognises(self, folder: Path) -> bool:
        from weigh.load.record import is_load

        return is_load(folder)

    def about(self, folder: Path) -> About:
        from weigh.load.record import read_spec

        spec = read_spec(folder)
        return About(spec.workload, spec.target, _end(folder))

    def read(self, folder: Path) -> LoadResults:
        from weigh.load.report import files

        return files.read(folder)

    def text(self, results: LoadResults, name: str) -> RenderableType:
        from weigh.load.report.terminal import report

        return report(results, name)

    def document(self, results: LoadResults, name: str) -> dict[str, Any]:
        from weigh.load.report.document import document

        return document(results, name)

    def html(self, folder: Path) -> bytes:
        from weigh.load.report import files

        return files.html(folder)

    def verify(self, folder: Path) -> LoadVerification:
        from weigh.load.verify import verify

        return verify(folder)

    def lines(self, found: LoadVerification) -> Iterator[Problem | Outcome]:
        from weigh.load.verify import lines

        return lines(found)


class _LoadComparison(Kind["LoadComparisonResults", "LoadComparisonVerification"]):
    """An attempt of ``weigh load`` with several contenders, read with the earlier ones of its comparison."""

    name = "load-comparison"
    noun = "a comparison of servers under one load"
    verify_schema = "weigh/verify-load-comparison/1"
    not_compared = Refusal(
        "its contenders are compared with each other already, and response times of two sessions are not",
        "name all servers in one command: weigh load --contender A --contender B --contender C",
    )
    not_recounted = Refusal("--sql counts samples, not histograms", "leave it out")

    def recognises(self, folder: Path) -> bool:
        from weigh.load.comparison.record import is_load_comparison

        return is_load_comparison(folder)

    def about(self, folder: Path) -> About:
        from weigh.load.comparison.record import read_spec

        spec = read_spec(folder)
        return About(spec.load.workload, ", ".join(one.name for one in spec.contenders), _end(folder))

    def read(self, folder: Path) -> LoadComparisonResults:
        from weigh.load.comparison.report import files

        return files.read(folder)

    def text(self, results: LoadComparisonResults, name: str) -> RenderableType:
        from weigh.load.comparison.report.terminal import screen

        return screen(results, name)

    def whole(self, results: LoadComparisonResults, name: str) -> RenderableType:
        from weigh.load.comparison.report.terminal import whole

        return whole(results, name)

    def notes(self, results: LoadComparisonResults) -> RenderableType:
        from weigh.load.comparison.report.terminal import notes

        return notes(results)

    def markdown(self, results: LoadComparisonResults, name: str) -> str:
        from weigh.load.comparison.report.markdown import markdown

        return markdown(results, name)

    def document(self, results: LoadComparisonResults, name: str) -> dict[str, Any]:
        from weigh.load.comparison.report.document import document

        return document(results, name)

    def html(self, folder: Path) -> bytes:
        from weigh.load.comparison.report import files

        return files.html(folder)

    def verify(self, folder: Path) -> LoadComparisonVerification:
        from weigh.load.comparison.verify import verify

        return verify(folder)

    def lines(self, found: LoadComparisonVerification) -> Iterator[Problem | Outcome]:
        from weigh.load.comparison.verify import lines

        return lines(found)


RUN, LADDER, LOAD, LOAD_COMPARISON = _Run(), _Ladder(), _Load(), _LoadComparison()
LOAD_LADDER = _LoadLadder()

KINDS: tuple[Kind[Any, Any], ...] = (LADDER, LOAD_LADDER, LOAD_COMPARISON, LOAD, RUN)
"""In the order in which they are asked: a run is what has a journal and is no load's."""


def recognised(folder: Path) -> Kind[Any, Any] | None:
    """The kind of a directory; None where there is no evidence in it."""
    return next((kind for kind in KINDS if kind.recognises(folder)), None)


def kind_of(folder: Path) -> Kind[Any, Any]:
    """The kind of an evidence directory.

    Raises:
        EvidenceFault: there is no such directory, or no evidence in it.
    """
    from weigh.model.errors import EvidenceFault

    if not folder.is_dir():
        raise EvidenceFault("there is no such directory", where=str(folder), remedy="weigh run prints the path")
    if (kind := recognised(folder)) is None:
        raise EvidenceFault(
            f"there is no evidence in it: no journal and no {LADDER.file}",
            where=str(folder),
            remedy="weigh run prints the path",
        )
    return kind


def _end(folder: Path) -> str | None:
    """How an attempt ended, as its journal says."""
    from weigh.evidence import files, journal
    from weigh.evidence.sealing import End
    from weigh.model.errors import EvidenceFault

    event = journal.last(folder)
    try:
        return files.converted(event.body, End).how if event and event.event == "end" else None
    except EvidenceFault:
        return None
