"""Verify a load experiment: every hash, and every file that follows from its journal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.evidence.verification import Problem
from weigh.evidence.verifying import Verifying, concluded, other_moments
from weigh.load import record as load_record
from weigh.load.comparison.record import is_of_comparison
from weigh.load.fleet import verify as agents
from weigh.load.isolation import verify as isolation
from weigh.load.rate_search.verify import departure
from weigh.load.report import files
from weigh.model import codes
from weigh.model.errors import EvidenceFault
from weigh.model.units import count

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from weigh.evidence.verification import Outcome
    from weigh.load.record import LoadRecord


class LoadVerification(msgspec.Struct, frozen=True, kw_only=True):
    """What came of verifying a load experiment.

    Attributes:
        evidence: its name.
        files: how many files the seal covers.
        histograms: how many the figures were recomputed from.
        runs: how many there are.
        weigh: the version that sealed it.
        problems: everything that is wrong; empty when it passes.
        checked: histories of transactions that were checked again.
        unmerged: why the merge of what agents saw could not be made again; empty where it was, or without agents.
    """

    evidence: str
    files: int
    histograms: int
    runs: int
    weigh: str
    problems: tuple[Problem, ...]
    unmerged: str = ""
    checked: int = 0

    @property
    def passed(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems


def verify(folder: Path) -> LoadVerification:
    """Recompute everything.

    Raises:
        EvidenceFault: it was never sealed, or is a part of a comparison.
    """
    if is_of_comparison(folder):
        raise EvidenceFault(
            "it is the load of one contender, and the seal of the whole comparison covers it",
            where=str(folder),
            remedy=f"weigh verify {folder.parent.parent}",
        )
    made = Verifying(folder)
    made.attempts()
    record: LoadRecord | None = None
    computed: dict[str, bytes] = {}
    unmerged = ""
    with made.computing():
        record = load_record.read(folder)
        computed = {**load_record.derived(record), **files.rendered(folder)}
    # Histograms are decoded here and not before.
    with made.computing():
        if record is not None:
            if text := departure(record):
                made.found(codes.R4_FIGURES, [text])
            made.problems += other_moments(folder, load_record.watched_runs(record))
            made.problems += agents.problems(folder, record)
            for file, text in isolation.departures(folder, record.isolation):
                made.found(codes.R4_FIGURES, [text], file)
            unmerged = agents.unmerged(record)
    made.follow(computed, "it does not follow from the histograms")
    runs = record.runs if record else ()
    return made.result(
        LoadVerification,
        histograms=5 * sum(len(part.operations) for run in runs for part in run.intervals),
        runs=len(runs),
        unmerged=unmerged,
        checked=sum(bool(run.history) for run in record.isolation) if record else 0,
    )


def lines(found: LoadVerification) -> Iterator[Problem | Outcome]:
    """What is reported of it: each problem, then the outcome."""
    return concluded(
        found,
        f"{found.files} files hashed, every figure of {count(found.runs, 'run')} recomputed "
        f"from {count(found.histograms, 'histogram')}"
        + (f"; the history of {count(found.checked, 'run')} checked again" if found.checked else "")
        + (f"; {found.unmerged}" if found.unmerged else ""),
    )
