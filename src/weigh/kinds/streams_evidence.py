"""Opened evidence of query streams."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.kinds.evidence import AnyEvidence
from weigh.kinds.rows import Rows
from weigh.kinds.table import STREAMS
from weigh.streams.files import StreamsVerification
from weigh.streams.results import StreamsResults

if TYPE_CHECKING:
    from pathlib import Path

    from weigh.model.verdict import Tier, Verdict
    from weigh.streams.results import Figure
    from weigh.streams.spec import StreamsSpec


class StreamsEvidence(AnyEvidence[StreamsResults, StreamsVerification]):
    """The directory of ``weigh run --streams``."""

    _kind = STREAMS

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._read = STREAMS.read(self.path)

    @property
    def spec(self) -> StreamsSpec:
        """What was decided beforehand."""
        return self._read.record.spec

    @property
    def figures(self) -> Rows[Figure]:
        """Power, throughput, composite and queries alone of every contender."""
        return Rows(self._read.figures)

    @property
    def verdicts(self) -> Rows[Verdict]:
        """Every contender against the baseline."""
        return Rows(self._read.verdicts)

    @property
    def tier(self) -> Tier | None:
        """What it is good for; None where nothing was timed."""
        return self._read.tier

    @property
    def _results(self) -> StreamsResults:
        return self._read

    @property
    def _about(self) -> str:
        return ", ".join(self._read.contenders)
