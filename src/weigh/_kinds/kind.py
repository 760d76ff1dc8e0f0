"""What a kind of evidence is asked."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rich.console import RenderableType

    from weigh.evidence.verification import Outcome, Problem
    from weigh.model.errors import UsageError
    from weigh.model.finding import Finding
    from weigh.recount.recount import Recount, Run


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


class Concluded(Protocol):
    """What is concluded from evidence of any kind."""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What weigh has to say about it, errors first."""


Results = TypeVar("Results", bound=Concluded)

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

    def recount(self, folder: Path, run: Run) -> Recount:
        """Its figures once more, by a second implementation.

        Args:
            folder: the evidence.
            run: executes SQL in DuckDB.

        Raises:
            UsageError: there is none of this kind.
        """
        raise self._not_recounted(folder)

    def sql(self, folder: Path) -> str:
        """What :meth:`recount` executes.

        Raises:
            EvidenceFault: what it is made from cannot be read.
            UsageError: as of :meth:`recount`.
        """
        raise self._not_recounted(folder)

    def _not_recounted(self, folder: Path) -> UsageError:
        from weigh.model.errors import UsageError

        what, remedy = self.not_recounted or Refusal("there is no second implementation of it", "leave --sql out")
        return UsageError(what, where=str(folder), remedy=remedy)

    @abstractmethod
    def lines(self, found: Found) -> Iterator[Problem | Outcome]:
        """What ``weigh verify`` says of it."""


def end(folder: Path) -> str | None:
    """How an attempt ended, as its journal says."""
    from weigh.evidence import files, journal
    from weigh.evidence.sealing import End
    from weigh.model.errors import EvidenceFault

    event = journal.last(folder)
    try:
        return files.converted(event.body, End).how if event and event.event == "end" else None
    except EvidenceFault:
        return None
