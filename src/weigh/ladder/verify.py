"""Verify a ladder: the evidence of every rung, and that its files follow from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.evidence.verification import Outcome, Problem, same_bytes
from weigh.experiment.verify.verify import Verification
from weigh.experiment.verify.verify import verify as verify_rung
from weigh.ladder.record import JSON
from weigh.ladder.report import files
from weigh.model import codes

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
    beside = folder.resolve().parent
    problems = [
        _experiment(rung.evidence)
        for rung, wanted in zip(summary.rungs, summary.plan.experiments, strict=False)
        if rung.results.record.spec.id != wanted
    ]
    for name, content in files.rendered(summary).items():
        path = folder / name
        if not path.exists():
            problems.append(Problem(code=codes.R4_SEALED.code, file=name, text="it is missing"))
        elif not same_bytes(path, content):
            problems.append(
                Problem(code=codes.R4_FIGURES.code, file=name, text="it does not follow from the evidence of the rungs")
            )
    return LadderVerification(
        ladder=folder.resolve().name,
        rungs=tuple(verify_rung(beside / rung.evidence) for rung in summary.rungs),
        problems=tuple(problems),
    )


def lines(found: LadderVerification) -> Iterator[Problem | Outcome]:
    """What is said of it: rung by rung each problem and the outcome, then those of the ladder's own files."""
    for rung in found.rungs:
        for problem in rung.problems:
            yield msgspec.structs.replace(problem, file=f"{rung.evidence}/{problem.file}")
        said = f"passes: {rung.files} files hashed" if rung.passed else f"FAILS: {len(rung.problems)} problems"
        text = f"{rung.evidence} {said}, {rung.verdicts} verdicts from {rung.samples:,} samples"
        yield Outcome(text, passed=rung.passed)
    yield from found.problems
    said = "passes: its files follow from the evidence of its rungs" if found.passed else "FAILS"
    yield Outcome(f"{found.ladder} {said}", passed=found.passed)


def _experiment(evidence: str) -> Problem:
    return Problem(code=codes.R4_DERIVED.code, file=JSON, text=f"{evidence} is of another experiment than the ladder's")
