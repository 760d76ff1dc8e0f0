"""Verify a load experiment: every hash, and every file that follows from its journal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.evidence import journal, timeline
from weigh.evidence.verification import (
    UNKEYED,
    Outcome,
    Problem,
    chain,
    hashes,
    not_following,
    read_seal,
    removed,
    uncomputable,
)
from weigh.load import record as load_record
from weigh.load.comparison.record import is_of_comparison
from weigh.load.fleet import verify as agents
from weigh.load.isolation import verify as isolation
from weigh.load.rate_search.verify import departure
from weigh.load.report import files
from weigh.model import codes
from weigh.model.errors import EvidenceFault, WeighError
from weigh.model.units import count

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


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
    sealed, problems = read_seal(folder)
    problems += hashes(folder, sealed) + chain(folder) + removed(folder)
    runs = histograms = 0
    record = None
    try:
        record = load_record.read(folder)
        runs = len(record.runs)
        histograms = 5 * sum(len(part.operations) for run in record.runs for part in run.intervals)
        computed = {**load_record.derived(record), **files.rendered(folder)}
    except WeighError as error:
        problems.append(Problem(code=codes.R4_DERIVED.code, file=journal.NAME, text=error.what))
        computed = {}
    except Exception as error:
        # Whoever sends evidence with such values does not get away with an error of the reader's.
        problems.append(Problem(code=codes.R4_DERIVED.code, file=journal.NAME, text=uncomputable(error)))
        computed = {}
    if record and (text := departure(record)):
        problems.append(Problem(code=codes.R4_FIGURES.code, file=journal.NAME, text=text))
    try:
        if record and not timeline.same(folder, load_record.watched_runs(record)):
            text = "its moments are not the journal's"
            problems.append(Problem(code=codes.R4_DERIVED.code, file=timeline.TIMELINE, text=text))
    except WeighError as error:
        problems.append(Problem(code=codes.R4_DERIVED.code, file=timeline.TIMELINE, text=error.what))
    if record is not None:
        problems += agents.problems(folder, record)
        problems += [
            Problem(code=codes.R4_FIGURES.code, file=file, text=text)
            for file, text in isolation.departures(folder, record.isolation)
        ]
    problems += not_following(folder, computed, sealed, "it does not follow from the histograms")
    return LoadVerification(
        evidence=folder.resolve().name,
        files=len(sealed.files),
        histograms=histograms,
        runs=runs,
        weigh=sealed.weigh,
        problems=tuple(problems),
        unmerged=agents.unmerged(record) if record else "",
        checked=sum(bool(run.history) for run in record.isolation) if record else 0,
    )


def lines(found: LoadVerification) -> Iterator[Problem | Outcome]:
    """What is said of it: each problem, then the outcome."""
    yield from found.problems
    if not found.passed:
        yield Outcome(f"{found.evidence} FAILS: {count(len(found.problems), 'problem')}", passed=False)
        return
    yield Outcome(
        f"{found.evidence} passes: {found.files} files hashed, every figure of {count(found.runs, 'run')} recomputed "
        f"from {count(found.histograms, 'histogram')}"
        + (f"; the history of {count(found.checked, 'run')} checked again" if found.checked else "")
        + (f"; {found.unmerged}" if found.unmerged else "")
    )
    yield UNKEYED
