"""Verify a comparison of servers: every hash, the order of its turns, and every file that follows from its journals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.evidence import journal, naming, timeline
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
from weigh.load.comparison import record as comparison_record
from weigh.load.comparison.rate_search.verify import problems as searches_in_turn
from weigh.load.comparison.report import files
from weigh.load.report import files as load_files
from weigh.model import codes
from weigh.model.errors import WeighError
from weigh.model.units import count

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from weigh.load.comparison.record import LoadComparisonRecord
    from weigh.load.record import LoadRecord


class LoadComparisonVerification(msgspec.Struct, frozen=True, kw_only=True):
    """What came of verifying a comparison of servers.

    Attributes:
        evidence: its name.
        files: how many files the seal covers.
        verdicts: how many there are.
        histograms: how many the figures of this attempt were recomputed from.
        runs: how many there are, of all contenders.
        weigh: the version that sealed it.
        problems: everything that is wrong; empty when it passes.
    """

    evidence: str
    files: int
    verdicts: int
    histograms: int
    runs: int
    weigh: str
    problems: tuple[Problem, ...]

    @property
    def passed(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems


def verify(folder: Path) -> LoadComparisonVerification:
    """Recompute everything.

    Raises:
        EvidenceFault: it was never sealed.
    """
    sealed, problems = read_seal(folder)
    problems += hashes(folder, sealed) + chain(folder) + removed(folder)
    runs = histograms = verdicts = 0
    computed: dict[str, bytes] = {}
    try:
        results = files.read(folder)
        record = results.record
        runs = sum(len(load.runs) for load in record.loads.values())
        histograms = sum(
            5 * len(part.operations) for load in record.loads.values() for run in load.runs for part in run.intervals
        )
        verdicts = len(results.verdicts)
        problems += searches_in_turn(record, folder) if record.spec.load.find_rate else _order(record)
        computed = {**comparison_record.derived(record), **files.pages(results, naming.given(folder))}
        for arm in record.spec.arms:
            if arm.name in results.loads:
                place = comparison_record.folder_of(folder, arm)
                inside = place.relative_to(folder)
                load = results.loads[arm.name]
                found = (*chain(place), *_watched(place, load.record))
                problems += [msgspec.structs.replace(one, file=f"{inside}/{one.file}") for one in found]
                for name, content in {**load_record.derived(load.record), **load_files.pages(load, place.name)}.items():
                    computed[f"{inside}/{name}"] = content
    except WeighError as error:
        problems.append(Problem(code=codes.R4_DERIVED.code, file=journal.NAME, text=error.what))
        computed = {}
    except Exception as error:
        # Whoever sends evidence with such values does not get away with an error of the reader's.
        problems.append(Problem(code=codes.R4_DERIVED.code, file=journal.NAME, text=uncomputable(error)))
        computed = {}
    problems += not_following(folder, computed, sealed, "it does not follow from the histograms")
    return LoadComparisonVerification(
        evidence=folder.resolve().name,
        files=len(sealed.files),
        verdicts=verdicts,
        histograms=histograms,
        runs=runs,
        weigh=sealed.weigh,
        problems=tuple(problems),
    )


def _watched(place: Path, record: LoadRecord) -> Iterator[Problem]:
    """Whether the machine's moments beside a load are those of its journal."""
    try:
        if timeline.same(place, load_record.watched_runs(record)):
            return
        text = "its moments are not the journal's"
    except WeighError as error:
        text = error.what
    yield Problem(code=codes.R4_DERIVED.code, file=timeline.TIMELINE, text=text)


def _order(record: LoadComparisonRecord) -> Iterator[Problem]:
    """Turns and runs that are not in the order of the seed: whoever chooses the order chooses who meets what."""
    order = record.spec.order
    for block in record.blocks:
        wanted = tuple(turn.arm for turn in order if turn.block == block.block)
        if block.arms != wanted:
            text = f"the arms of block {block.block} are not in the order of the seed"
            yield Problem(code=codes.T5_ORDER.code, file=journal.NAME, text=text)
    for arm in record.spec.arms:
        load = record.loads.get(arm.name)
        made = [(run.repeat, run.connections, run.loop) for run in load.runs] if load else []
        turns = [(turn.block, *kind) for turn in order if turn.arm == arm.name for kind in turn.kinds]
        if made != turns[: len(made)]:
            text = f"the runs of {arm.name} are not in the order of the seed"
            yield Problem(code=codes.T5_ORDER.code, file=journal.NAME, text=text)


def lines(found: LoadComparisonVerification) -> Iterator[Problem | Outcome]:
    """What is said of it: each problem, then the outcome."""
    yield from found.problems
    if not found.passed:
        yield Outcome(f"{found.evidence} FAILS: {count(len(found.problems), 'problem')}", passed=False)
        return
    yield Outcome(
        f"{found.evidence} passes: {found.files} files hashed, {count(found.verdicts, 'verdict')} and every figure of "
        f"{count(found.runs, 'run')} recomputed from {found.histograms:,} histograms"
    )
    yield UNKEYED
