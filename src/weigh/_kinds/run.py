"""Runs: contenders side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from weigh._kinds.kind import About, Kind, end

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rich.console import RenderableType

    from weigh.evidence.verification import Outcome, Problem
    from weigh.experiment.results.results import ExperimentResults
    from weigh.experiment.verify.verify import Verification
    from weigh.model.finding import Finding
    from weigh.recount.recount import Recount, Run


class RunKind(Kind["ExperimentResults", "Verification"]):
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
        return About(spec.workload, ", ".join(one.name for one in spec.contenders) + scale, end(folder))

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

    def recount(self, folder: Path, run: Run) -> Recount:
        from weigh.experiment.verify.recount.recount import recount

        return recount(folder, run)

    def sql(self, folder: Path) -> str:
        from weigh.experiment.verify.recount.recount import queries, script

        return "\n".join((script(folder), *queries(folder)))

    def lines(self, found: Verification) -> Iterator[Problem | Outcome]:
        from weigh.experiment.verify.verify import lines

        return lines(found)
