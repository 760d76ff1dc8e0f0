"""Opened evidence of loads, of one server and of several."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from weigh._evidence.any import AnyEvidence
from weigh._kinds import LOAD, LOAD_COMPARISON
from weigh.load import record as load_record
from weigh.load.comparison.report import files as comparison_files
from weigh.load.comparison.results import LoadComparisonResults, load_comparison_results
from weigh.load.comparison.verify import LoadComparisonVerification
from weigh.load.results import LoadResults, load_results
from weigh.load.verify import LoadVerification

if TYPE_CHECKING:
    from pathlib import Path

    from weigh.load.activity.kinds import RunActive
    from weigh.load.analysis.figures import RunFigures
    from weigh.load.comparison.figures import BlockRun
    from weigh.load.comparison.record import LoadComparisonRecord
    from weigh.load.comparison.spec import LoadComparisonSpec
    from weigh.load.comparison.verdicts import LoadVerdict
    from weigh.load.record import LoadRecord
    from weigh.load.results import Group
    from weigh.load.spec import LoadSpec
    from weigh.load.waits.analysis import RunWaited
    from weigh.model.verdict import Tier


class LoadEvidence(AnyEvidence[LoadResults, LoadVerification]):
    """The evidence of ``weigh load``."""

    _kind = LOAD

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._record = load_record.read(self.path)

    @property
    def spec(self) -> LoadSpec:
        """What was decided beforehand: workload, target, arrivals, connections, duration."""
        return self._record.spec

    @property
    def record(self) -> LoadRecord:
        """Its journal: the target as it described itself, and every run with the histograms of its intervals."""
        return self._record

    @property
    def runs(self) -> tuple[RunFigures, ...]:
        """The figures of every run. The first is that of the headline; times are seconds."""
        return self._results.runs

    @property
    def groups(self) -> tuple[Group, ...]:
        """Repeats of one kind of run, with the interval between them."""
        return self._results.groups

    @property
    def waits(self) -> dict[int, RunWaited]:
        """What the server's sessions waited for, by the number of the run; of those that were sampled."""
        return self._results.waits

    @property
    def activity(self) -> dict[int, RunActive]:
        """What the server did beside answering, likewise; with the kinds that are blamed for spikes."""
        return self._results.activity

    @property
    def tier(self) -> Tier:
        """What the evidence is good for, provided that :meth:`verify` passes."""
        return self._results.tier

    @cached_property
    def _results(self) -> LoadResults:
        return load_results(self._record)

    @property
    def _about(self) -> str:
        return f"{self.spec.workload}, {self.spec.target}"


class LoadComparisonEvidence(AnyEvidence[LoadComparisonResults, LoadComparisonVerification]):
    """The evidence of ``weigh load`` with several contenders, with the earlier attempts of the same comparison."""

    _kind = LOAD_COMPARISON

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._attempts = tuple(comparison_files.history(self.path))

    @property
    def spec(self) -> LoadComparisonSpec:
        """What was decided beforehand: contenders, baseline, blocks, what is offered, margin and the other rules."""
        return self._attempts[-1].spec

    @property
    def attempts(self) -> tuple[LoadComparisonRecord, ...]:
        """The journals of this attempt and of the earlier ones, oldest first, each with a load record of every arm."""
        return self._attempts

    @property
    def verdicts(self) -> tuple[LoadVerdict, ...]:
        """One of every figure and contender other than the baseline."""
        return self._results.verdicts

    @property
    def runs(self) -> tuple[BlockRun, ...]:
        """The figures of every run of every arm, with its block."""
        return self._results.runs

    @property
    def tier(self) -> Tier:
        """What the evidence is good for, provided that :meth:`verify` passes."""
        return self._results.tier

    @cached_property
    def _results(self) -> LoadComparisonResults:
        return load_comparison_results(self._attempts)

    @property
    def _about(self) -> str:
        return f"{self.spec.load.workload}, {', '.join(one.name for one in self.spec.contenders)}"
