"""Verify a ladder: the evidence of every rung, and that its files follow from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.evidence.verification import Problem
from weigh.experiment.verify.verify import Verification
from weigh.experiment.verify.verify import verify as verify_rung
from weigh.ladder.report import files
from weigh.model import codes

if TYPE_CHECKING:
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
    beside = folder.resolve().parent
    problems = [
        _experiment(rung.evidence)
        for rung, wanted in zip(summary.rungs, summary.plan.experiments, strict=False)
        if rung.results.record.spec.id != wanted
    ]
    for name, content in files.rendered(summary).items():
        path = folder / name
        if not path.is_file():
            problems.append(Problem(code=codes.R4_SEALED.code, file=name, text="it is missing"))
        elif path.read_bytes() != content:
            problems.append(
                Problem(code=codes.R4_FIGURES.code, file=name, text="it does not follow from the evidence of the rungs")
            )
    return LadderVerification(
        ladder=folder.resolve().name,
        rungs=tuple(verify_rung(beside / rung.evidence) for rung in summary.rungs),
        problems=tuple(problems),
    )


def _experiment(evidence: str) -> Problem:
    return Problem(
        code=codes.R4_DERIVED.code, file=files.JSON, text=f"{evidence} is of another experiment than the ladder's"
    )
