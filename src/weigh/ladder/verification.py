"""What verifying a ladder of either kind shares: its own files against its rungs, and what is reported of each rung."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.evidence.verification import Outcome, Problem, is_earlier, same_bytes, same_figures
from weigh.model import codes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from weigh.evidence.verifying import Verified


def other_experiment(file: str, evidence: str) -> Problem:
    """That a rung is not of the ladder.

    Args:
        file: of the ladder.
        evidence: name of the rung.
    """
    return Problem(code=codes.R4_DERIVED.code, file=file, text=f"{evidence} is of another experiment than the ladder's")


def rendered_files(folder: Path, rendered: Mapping[str, bytes], rungs: Sequence[Verified]) -> Iterator[Problem]:
    """Files of a ladder that are missing, or do not follow from its rungs.

    Args:
        folder: of the ladder.
        rendered: what they should be, by name.
        rungs: whose version is that of the ladder, which has no seal.
    """
    compare = same_figures if rungs and is_earlier(rungs[0].weigh) else same_bytes
    for name, content in rendered.items():
        path = folder / name
        if not path.exists():
            yield Problem(code=codes.R4_SEALED.code, file=name, text="it is missing")
        elif not compare(path, content):
            text = "it does not follow from the evidence of the rungs"
            yield Problem(code=codes.R4_FIGURES.code, file=name, text=text)


def of_rung(rung: Verified, recomputed: str) -> Iterator[Problem | Outcome]:
    """Each problem of a rung, then the outcome.

    Args:
        rung: what came of it.
        recomputed: what was, in a few words.
    """
    for problem in rung.problems:
        yield msgspec.structs.replace(problem, file=f"{rung.evidence}/{problem.file}")
    passed = not rung.problems
    outcome = f"passes: {rung.files} files hashed" if passed else f"FAILS: {len(rung.problems)} problems"
    yield Outcome(f"{rung.evidence} {outcome}, {recomputed}", passed=passed)


def of_ladder(name: str, problems: tuple[Problem, ...], *, passed: bool) -> Iterator[Problem | Outcome]:
    """The problems of a ladder's own files, then the outcome of the whole.

    Args:
        name: of its directory.
        problems: of its own files.
        passed: whether nothing is wrong anywhere.
    """
    yield from problems
    outcome = "passes: its files follow from the evidence of its rungs" if passed else "FAILS"
    yield Outcome(f"{name} {outcome}", passed=passed)
