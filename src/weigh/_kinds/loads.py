"""Loads, of one server and of several."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from weigh._kinds.kind import About, Kind, Refusal, end

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rich.console import RenderableType

    from weigh.evidence.verification import Outcome, Problem
    from weigh.load.comparison.results import LoadComparisonResults
    from weigh.load.comparison.verify import LoadComparisonVerification
    from weigh.load.results import LoadResults
    from weigh.load.verify import LoadVerification
    from weigh.recount.recount import Recount, Run


class LoadKind(Kind["LoadResults", "LoadVerification"]):
    """An attempt of ``weigh load``."""

    name = "load"
    noun = "a load"
    verify_schema = "weigh/verify-load/1"
    not_compared = Refusal(
        "it is a load, and no reference contender took part that would join it with another session",
        "response times of two sessions are not compared; `weigh report` shows each with its own intervals",
    )

    def recognises(self, folder: Path) -> bool:
        from weigh.load.record import is_load

        return is_load(folder)

    def about(self, folder: Path) -> About:
        from weigh.load.record import read_spec

        spec = read_spec(folder)
        return About(spec.title, spec.target, end(folder))

    def read(self, folder: Path) -> LoadResults:
        from weigh.load.report import files

        return files.read(folder)

    def text(self, results: LoadResults, name: str) -> RenderableType:
        from weigh.load.report.first_screen import screen

        return screen(results, name)

    def whole(self, results: LoadResults, name: str) -> RenderableType:
        from weigh.load.report.terminal import whole

        return whole(results, name)

    def notes(self, results: LoadResults) -> RenderableType:
        from weigh.load.report.terminal import notes

        return notes(results)

    def markdown(self, results: LoadResults, name: str) -> str:
        from weigh.load.report.first_screen import to_markdown

        return to_markdown(results, name)

    def document(self, results: LoadResults, name: str) -> dict[str, Any]:
        from weigh.load.report.document import document

        return document(results, name)

    def html(self, folder: Path) -> bytes:
        from weigh.load.report import files

        return files.html(folder)

    def verify(self, folder: Path) -> LoadVerification:
        from weigh.load.verify import verify

        return verify(folder)

    def recount(self, folder: Path, run: Run) -> Recount:
        from weigh.load.recount.load import recount

        return recount(folder, run)

    def sql(self, folder: Path) -> str:
        from weigh.load.recount.load import QUERIES, script

        return "\n".join((script(folder), *QUERIES))

    def lines(self, found: LoadVerification) -> Iterator[Problem | Outcome]:
        from weigh.load.verify import lines

        return lines(found)


class LoadComparisonKind(Kind["LoadComparisonResults", "LoadComparisonVerification"]):
    """An attempt of ``weigh load`` with several contenders, read with the earlier ones of its comparison."""

    name = "load-comparison"
    noun = "a comparison of servers under one load"
    verify_schema = "weigh/verify-load-comparison/1"
    not_compared = Refusal(
        "its contenders are compared with each other already, and response times of two sessions are not",
        "name all servers in one command: weigh load --contender A --contender B --contender C",
    )

    def recognises(self, folder: Path) -> bool:
        from weigh.load.comparison.record import is_load_comparison

        return is_load_comparison(folder)

    def about(self, folder: Path) -> About:
        from weigh.load.comparison.record import read_spec

        spec = read_spec(folder)
        return About(spec.load.title, ", ".join(one.name for one in spec.contenders), end(folder))

    def read(self, folder: Path) -> LoadComparisonResults:
        from weigh.load.comparison.report import files

        return files.read(folder)

    def text(self, results: LoadComparisonResults, name: str) -> RenderableType:
        from weigh.load.comparison.report.report import screen

        return screen(results, name)

    def whole(self, results: LoadComparisonResults, name: str) -> RenderableType:
        from weigh.load.comparison.report.report import whole

        return whole(results, name)

    def notes(self, results: LoadComparisonResults) -> RenderableType:
        from weigh.load.comparison.report.report import notes

        return notes(results)

    def markdown(self, results: LoadComparisonResults, name: str) -> str:
        from weigh.load.comparison.report.report import to_markdown

        return to_markdown(results, name)

    def document(self, results: LoadComparisonResults, name: str) -> dict[str, Any]:
        from weigh.load.comparison.report.document import document

        return document(results, name)

    def html(self, folder: Path) -> bytes:
        from weigh.load.comparison.report import files

        return files.html(folder)

    def verify(self, folder: Path) -> LoadComparisonVerification:
        from weigh.load.comparison.verify import verify

        return verify(folder)

    def recount(self, folder: Path, run: Run) -> Recount:
        from weigh.load.recount.comparison import recount

        return recount(folder, run)

    def sql(self, folder: Path) -> str:
        from weigh.load.recount.comparison import QUERIES, script

        return "\n".join((script(folder), *QUERIES))

    def lines(self, found: LoadComparisonVerification) -> Iterator[Problem | Outcome]:
        from weigh.load.comparison.verify import lines

        return lines(found)
