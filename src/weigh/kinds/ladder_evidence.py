"""Opened evidence of ladders, of runs and of loads."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from weigh.evidence import naming
from weigh.kinds.evidence import AnyEvidence, Evidence, LoadEvidence
from weigh.kinds.table import LADDER, LOAD_LADDER
from weigh.ladder.load.results import LoadLadderResults
from weigh.ladder.load.verify import LoadLadderVerification
from weigh.ladder.results import LadderResults
from weigh.ladder.verify import LadderVerification
from weigh.model.verdict import TierName

if TYPE_CHECKING:
    from pathlib import Path

    from weigh.ladder.analysis import Series
    from weigh.ladder.cost import Cost
    from weigh.ladder.load.plan import LoadLadderPlan
    from weigh.ladder.plan import LadderPlan
    from weigh.load.spec import LoadSpec
    from weigh.model.spec import Spec
    from weigh.model.units import Scale
    from weigh.model.verdict import Tier


class LadderEvidence(AnyEvidence[LadderResults, LadderVerification]):
    """The directory of ``weigh ladder``, with the evidence of its rungs alongside it."""

    _kind = LADDER

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._read = LADDER.read(self.path)

    @property
    def spec(self) -> Spec:
        """What was decided beforehand for the largest rung; the others differ in the scale."""
        return self._read.spec

    @property
    def plan(self) -> LadderPlan:
        """The ladder as it was asked for; it may have scales that were not reached."""
        return self._read.plan

    @cached_property
    def rungs(self) -> tuple[Evidence, ...]:
        """The evidence of each rung, by ascending scale."""
        return tuple(Evidence(naming.sibling(self.path.resolve().parent, rung.evidence)) for rung in self._read.rungs)

    @property
    def first(self) -> Scale | None:
        """The scale from which on everything resolves the margin; None where none does."""
        return self._read.ladder.first

    @property
    def series(self) -> tuple[Series, ...]:
        """What the noise allows at each rung: one of every operation and contender."""
        return self._read.ladder.series

    @property
    def costs(self) -> tuple[Cost, ...]:
        """COST of contenders in several widths of threads; empty where nobody is single-threaded."""
        return self._read.costs

    @property
    def tier(self) -> Tier | None:
        """That of the weakest rung, provided that :meth:`verify` passes; None where nothing was timed on any."""
        tiers = [rung.results.tier for rung in self._read.rungs if rung.results.tier is not None]
        return max(tiers, key=lambda tier: list(TierName).index(tier.name), default=None)

    @property
    def _results(self) -> LadderResults:
        return self._read

    @property
    def _about(self) -> str:
        return LADDER.about(self.path).about


class LoadLadderEvidence(AnyEvidence[LoadLadderResults, LoadLadderVerification]):
    """The directory of ``weigh ladder --load``, with the evidence of its rungs alongside it."""

    _kind = LOAD_LADDER

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._read = LOAD_LADDER.read(self.path)

    @property
    def spec(self) -> LoadSpec:
        """What was decided beforehand for the largest rung; the others differ in their records."""
        return self._read.rungs[-1].results.record.spec

    @property
    def plan(self) -> LoadLadderPlan:
        """The ladder as it was asked for; it may have rungs that were not reached."""
        return self._read.plan

    @cached_property
    def rungs(self) -> tuple[LoadEvidence, ...]:
        """The evidence of each rung, by ascending size of its data."""
        return tuple(
            LoadEvidence(naming.sibling(self.path.resolve().parent, rung.evidence)) for rung in self._read.rungs
        )

    @property
    def outgrown(self) -> float | None:
        """Data over memory, as asked for, of the first rung that does not fit; None where all do, or none is known."""
        found = self._read.outgrown
        return found.step.ratio if found else None

    @property
    def tier(self) -> Tier:
        """That of the weakest rung, provided that :meth:`verify` passes."""
        return max((rung.results.tier for rung in self._read.rungs), key=lambda tier: list(TierName).index(tier.name))

    @property
    def _results(self) -> LoadLadderResults:
        return self._read

    @property
    def _about(self) -> str:
        return LOAD_LADDER.about(self.path).about
