"""Verify a ladder: the evidence of every rung, and that its files follow from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.evidence import naming
from weigh.evidence.verification import Outcome, Problem
from weigh.experiment.verify.verify import Verification
from weigh.experiment.verify.verify import verify as verify_rung
from weigh.ladder.record import JSON
from weigh.ladder.report import files
from weigh.ladder.verification import of_ladder, of_rung, other_experiment, rendered_files

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class LadderVerification(msgspec.Struct, frozen=True, kw_only=True):
    """What came of verifying a ladder.

    Attributes:
        ladder: name of its directory.
        rungs: what came of each.
        problems: of the ladder's own files.
    """

    ladder: str
    rungs: tuple[Verification, ...]
    problems: tuple[Problem, ...]

    @property
    def passed(self) -> bool:
        """Whether nothing is wrong anywhere."""
        return not self.problems and not any(rung.problems for rung in self.rungs)


def verify(folder: Path) -> LadderVerification:
    """Recompute everything.

    Raises:
        EvidenceFault: a file or the evidence of a rung cannot be read.
    """
    summary = files.read(folder)
    parent = folder.resolve().parent
    problems = [
        other_experiment(JSON, rung.evidence)
        for rung, wanted in zip(summary.rungs, summary.plan.experiments, strict=False)
        if rung.results.record.spec.id != wanted
    ]
    rungs = tuple(verify_rung(naming.sibling(parent, rung.evidence)) for rung in summary.rungs)
    problems += rendered_files(folder, files.rendered(summary), rungs)
    return LadderVerification(
        ladder=folder.resolve().name,
        rungs=rungs,
        problems=tuple(problems),
    )


def lines(found: LadderVerification) -> Iterator[Problem | Outcome]:
    """What is reported of it: rung by rung each problem and the outcome, then those of the ladder's own files."""
    for rung in found.rungs:
        yield from of_rung(rung, f"{rung.verdicts} verdicts from {rung.samples:,} samples")
    yield from of_ladder(found.ladder, found.problems, passed=found.passed)
