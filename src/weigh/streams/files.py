"""The files of query streams, and verifying them: every hash, and that every figure follows from the times."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.evidence import whole
from weigh.evidence.naming import given
from weigh.evidence.seal import json_bytes
from weigh.evidence.verification import Problem
from weigh.evidence.verifying import Verifying, concluded
from weigh.model.units import count
from weigh.streams import record
from weigh.streams.report import document, page
from weigh.streams.results import StreamsResults

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from weigh.evidence.verification import Outcome

JSON = "verdicts.json"
HTML = "report.html"


class StreamsVerification(msgspec.Struct, frozen=True, kw_only=True):
    """What came of verifying query streams.

    Attributes:
        evidence: its name.
        files: how many files the seal covers.
        lives: of contenders, whose times the figures were recomputed from.
        figures: that were recomputed.
        weigh: the version that sealed it.
        problems: everything that is wrong; empty when it passes.
    """

    evidence: str
    files: int
    lives: int
    figures: int
    weigh: str
    problems: tuple[Problem, ...]

    @property
    def passed(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems


def read(folder: Path) -> StreamsResults:
    """What its evidence says, computed anew.

    Raises:
        EvidenceFault: it cannot be read.
    """
    return StreamsResults(record=record.read(folder))


def html(folder: Path) -> bytes:
    """The report as a page; raises as :func:`read`."""
    return page(read(folder))


def write(folder: Path) -> StreamsResults:
    """Write what follows from the journal."""
    results = read(folder)
    for name, content in _rendered(folder, results).items():
        whole.write(folder / name, content)
    return results


def _rendered(folder: Path, results: StreamsResults) -> dict[str, bytes]:
    return {JSON: json_bytes(document(results, given(folder.resolve()))), HTML: page(results)}


def verify(folder: Path) -> StreamsVerification:
    """Recompute everything.

    Raises:
        EvidenceFault: it was never sealed.
    """
    made = Verifying(folder)
    made.attempts()
    results: StreamsResults | None = None
    figures = 0
    with made.computing():
        results = read(folder)
        computed = _rendered(folder, results)
        figures = len(results.figures)
        made.named(results.record.spec.id)
        made.follow(computed, "it does not follow from the times")
    return made.result(StreamsVerification, lives=len(results.record.lives) if results else 0, figures=figures)


def lines(found: StreamsVerification) -> Iterator[Problem | Outcome]:
    """What is reported of it: each problem, then the outcome."""
    return concluded(
        found,
        f"{found.files} files hashed, {count(found.figures, 'figure')} recomputed from the times of "
        f"{found.lives} lives",
    )
