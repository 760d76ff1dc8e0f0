"""Ladders, of runs and of loads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from weigh._kinds.kind import About, Kind, Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rich.console import RenderableType

    from weigh.evidence.verification import Outcome, Problem
    from weigh.ladder.load.results import LoadLadderResults
    from weigh.ladder.load.verify import LoadLadderVerification
    from weigh.ladder.results import LadderResults
    from weigh.ladder.verify import LadderVerification


class LadderKind(Kind["LadderResults", "LadderVerification"]):
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
        from weigh.ladder.report.report import text

        return text(results, name)

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


class LoadLadderKind(Kind["LoadLadderResults", "LoadLadderVerification"]):
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
    not_recounted = Refusal("--sql counts one load", "name the evidence of a rung")

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
        from weigh.ladder.load.report.report import text

        return text(results, name)

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
