"""A kind of evidence: its name, what can be done with it, and the functions that do."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from rich.console import RenderableType

    from weigh.evidence.verification import Outcome, Problem
    from weigh.kinds.about import About
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


class Concluded(Protocol):
    """What is concluded from evidence of any kind."""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What weigh has to say about it, errors first."""


class Refusal(NamedTuple):
    """Why something cannot be done with a kind of evidence, and what to do instead."""

    what: str
    remedy: str


Results = TypeVar("Results", bound=Concluded)
Found = TypeVar("Found", bound=Verified)


class Kind(NamedTuple, Generic[Results, Found]):
    """One kind of evidence.

    Attributes:
        name: in one word, after the command that leaves it.
        noun: in a sentence.
        home: package of what it can do.
        can: the function of everything that can be done with it, as ``module:name``; with a dot before it, in its home.
            They are imported when they are called.
        verify_schema: of the JSON document of ``weigh verify``.
        file: the file that its directory always has; everything else follows from it.
        page: the file that is its report as a page.
        has_rungs: whether it lies next to the evidence of its rungs, which have the seals.
        not_compared: why ``weigh compare`` refuses it; None where it takes it.
        not_in_history: why ``weigh history add`` refuses it; None where it takes it.
    """

    name: str
    noun: str
    home: str
    can: Mapping[str, str]
    verify_schema: str
    file: str = "journal.jsonl"
    page: str = "report.html"
    has_rungs: bool = False
    not_compared: Refusal | None = None
    not_in_history: Refusal | None = None

    def recognises(self, folder: Path) -> bool:
        """Whether an existing directory is of this kind; those before it in the table did not recognise it."""
        return bool(self._function("recognises")(folder))

    def about(self, folder: Path) -> About:
        """What a list says of it.

        Raises:
            EvidenceFault: it is damaged.
        """
        found: About = self._function("about")(folder)
        return found

    def inside(self, folder: Path) -> Sequence[Path]:
        """The evidences with a journal that it is of: itself, the rungs of a ladder, what a reproduction measured.

        Raises:
            EvidenceFault: its document cannot be read.
        """
        found: Sequence[Path] = self._function("inside")(folder) if "inside" in self.can else (folder,)
        return found

    def named_inside(self, folder: Path) -> str:
        """What to name in the place of evidence that has others inside, as a remedy says it; raises as :meth:`inside`.

        Args:
            folder: a ladder or a reproduction, as the user wrote it.
        """
        last = self.inside(folder)[-1]
        near = folder.parent / last.name
        return f"name {'a rung' if self.has_rungs else 'what it measured'}: {near if near.exists() else last}"

    def read(self, folder: Path) -> Results:
        """What its evidence says, computed anew.

        Raises:
            EvidenceFault: it cannot be read.
        """
        found: Results = self._function("read")(folder)
        return found

    def text(self, results: Results, name: str) -> RenderableType:
        """The report for a terminal, the first screen of it where it has one.

        Args:
            results: as :meth:`read` gave them.
            name: of the directory, as the reader is to write it.
        """
        made: RenderableType = self._function("text")(results, name)
        return made

    def whole(self, results: Results, name: str) -> RenderableType:
        """All that there is to print; the arguments are those of :meth:`text`."""
        made: RenderableType = self._function("whole" if "whole" in self.can else "text")(results, name)
        return made

    def notes(self, results: Results) -> RenderableType:
        """Findings, and how to read the figures.

        Raises:
            UsageError: its report says them already.
        """
        if "notes" not in self.can:
            raise self._refused("no --notes", remedy="its report has its notes: leave it out")
        made: RenderableType = self._function("notes")(results)
        return made

    def markdown(self, results: Results, name: str) -> str:
        """The first screen in Markdown; the arguments are those of :meth:`text`.

        Raises:
            UsageError: it has none.
        """
        if "markdown" not in self.can:
            raise self._refused("no --markdown", remedy="--json and --html are of any kind")
        if "screen" in self.can:
            return str(self._function("markdown")(self._function("screen")(results, name)))
        return str(self._function("markdown")(results, name))

    def export(self, folder: Path, form: str, contender: str | None) -> tuple[bytes, tuple[Finding, ...]]:
        """What it says in the form of another tool, and what forbids to publish it.

        Raises:
            EvidenceFault: as of :meth:`read`.
            UsageError: it has no such form, or no such contender.
        """
        if "export" not in self.can:
            raise self._refused(f"no form {form}", remedy="report --json is of any kind")
        written: tuple[bytes, tuple[Finding, ...]] = self._function("export")(folder, form, contender)
        return written

    def document(self, results: Results, name: str) -> dict[str, Any]:
        """The report as plain JSON (docs/reference/json.md)."""
        made = self._function("document")
        # One of rungs names their evidence, and not its own directory.
        document: dict[str, Any] = made(results) if self.has_rungs else made(results, name)
        return document

    def html(self, folder: Path) -> bytes:
        """The report as a page.

        Raises:
            EvidenceFault: as of :meth:`read`.
        """
        page: bytes = self._function("html")(folder)
        return page

    def verify(self, folder: Path) -> Found:
        """Compute every hash and every printed number again.

        Raises:
            EvidenceFault: it was never sealed, or cannot be read at all.
        """
        found: Found = self._function("verify")(folder)
        return found

    def lines(self, found: Found) -> Iterator[Problem | Outcome]:
        """What ``weigh verify`` says of it."""
        lines: Iterator[Problem | Outcome] = self._function("lines")(found)
        return lines

    def recount(self, folder: Path, run: Run) -> Recount:
        """Its figures once more, by a second implementation; of evidence with a journal.

        Args:
            folder: the evidence.
            run: executes SQL in DuckDB.
        """
        counted: Recount = self._function("recount")(folder, run)
        return counted

    def sql(self, folder: Path) -> str:
        """What :meth:`recount` executes.

        Raises:
            EvidenceFault: what it is made from cannot be read.
        """
        queries = self._function("queries")
        return "\n".join((self._function("script")(folder), *(queries(folder) if callable(queries) else queries)))

    def _function(self, what: str) -> Any:
        module, _, name = self.can[what].partition(":")
        return getattr(importlib.import_module(module, self.home), name)

    def _refused(self, what: str, remedy: str) -> UsageError:
        from weigh.model.errors import UsageError

        return UsageError(f"{self.noun} has {what}", remedy=remedy)
