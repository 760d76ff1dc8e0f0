"""Opened evidence of a reproduction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.kinds.evidence import AnyEvidence, Evidence, LoadEvidence
from weigh.kinds.table import REPRODUCTION
from weigh.reproduce.files import ReproductionVerification
from weigh.reproduce.results import ReproductionResults

if TYPE_CHECKING:
    from pathlib import Path

    from weigh.load.spec import LoadSpec
    from weigh.model.spec import Spec
    from weigh.model.verdict import Tier
    from weigh.reproduce.outcome import Outcome


class ReproductionEvidence(AnyEvidence[ReproductionResults, ReproductionVerification]):
    """The directory of ``weigh reproduce``, with the original in a bundle and the new evidence inside."""

    _kind = REPRODUCTION

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._read = REPRODUCTION.read(self.path)

    @property
    def spec(self) -> Spec | LoadSpec:
        """What was decided beforehand for what was measured here."""
        return self._read.here.spec

    @property
    def here(self) -> Evidence | LoadEvidence:
        """The evidence that was measured here."""
        made = LoadEvidence if self._read.is_load else Evidence
        return made(self.path / self._read.record.here.evidence)

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """What became of each verdict of the original; of a load of each figure."""
        return self._read.outcomes

    @property
    def tier(self) -> Tier | None:
        """That of what was measured here, provided that :meth:`verify` passes."""
        return self.here.tier

    @property
    def _results(self) -> ReproductionResults:
        return self._read

    @property
    def _about(self) -> str:
        return f"of {self._read.record.original.evidence}"
