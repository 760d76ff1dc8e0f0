"""Verify a comparison of servers: every hash, the order of its turns, and every file that follows from its journals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.evidence import journal, naming
from weigh.evidence.verification import Outcome, Problem, chain
from weigh.evidence.verifying import Verifying, concluded, other_moments
from weigh.load import record as load_record
from weigh.load.comparison import record as comparison_record
from weigh.load.comparison.rate_search.verify import problems as searches_in_turn
from weigh.load.comparison.report import files
from weigh.load.report import files as load_files
from weigh.model import codes
from weigh.model.units import count

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from weigh.load.comparison.record import LoadComparisonRecord


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
    made = Verifying(folder)
    made.attempts()
    runs = histograms = verdicts = 0
    computed: dict[str, bytes] = {}
    with made.computing():
        results = files.read(folder)
        record = results.record
        every = [run for load in record.loads.values() for run in load.runs]
        runs = len(every)
        histograms = 5 * sum(len(part.operations) for run in every for part in run.intervals)
        verdicts = len(results.verdicts)
        made.problems += searches_in_turn(record, folder) if record.spec.load.find_rate else _order(record)
        derived = {**comparison_record.derived(record), **files.pages(results, naming.given(folder))}
        for arm in record.spec.arms:
            if arm.name in results.loads:
                place = comparison_record.folder_of(folder, arm)
                inside = place.relative_to(folder)
                load = results.loads[arm.name]
                found = (*chain(place), *other_moments(place, load_record.watched_runs(load.record)))
                made.problems += [msgspec.structs.replace(one, file=f"{inside}/{one.file}") for one in found]
                for name, content in {**load_record.derived(load.record), **load_files.pages(load, place.name)}.items():
                    derived[f"{inside}/{name}"] = content
        computed = derived
    made.follow(computed, "it does not follow from the histograms")
    return made.result(LoadComparisonVerification, verdicts=verdicts, histograms=histograms, runs=runs)


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
    """What is reported of it: each problem, then the outcome."""
    return concluded(
        found,
        f"{found.files} files hashed, {count(found.verdicts, 'verdict')} and every figure of "
        f"{count(found.runs, 'run')} recomputed from {found.histograms:,} histograms",
    )
