"""The analysis: everything that the samples of an experiment allow to be said about one metric."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Literal

import msgspec

from weigh.model.answer import GateStatus
from weigh.model.verdict import Timing, Verdict

Gate = Mapping[str, Mapping[str, GateStatus]]
"""What the gate found: status by operation, then by contender."""
Contradicted = Mapping[str, Collection[str]]
"""Operations on which a contender's answer was contradicted, by contender."""
Metric = Literal["wall_s", "cpu_s", "peak_memory", "bytes_read", "stored_bytes", "first_query_s"]
"""Fields of a sample that can be compared as a ratio."""


class NoiseFloor(msgspec.Struct, frozen=True, kw_only=True):
    """The baseline's two arms against each other: what no difference looked like here.

    Attributes:
        ratio: second arm over first.
        low, high: interval of that ratio at the confidence of the experiment's rules.
        starts: blocks in which both arms were measured.
    """

    operation: str
    metric: str = "wall_s"
    temperature: str = "hot"
    ratio: float
    low: float
    high: float
    starts: int

    @property
    def size(self) -> float:
        """``|ratio - 1|``, the number that is printed beside every verdict."""
        return abs(self.ratio - 1)


class MetricAnalysis(msgspec.Struct, frozen=True, kw_only=True):
    """The result of judging one metric.

    Attributes:
        timings: one of every operation and contender that may be shown: the gate passed, nothing failed.
        verdicts: one of every operation and contender other than the baseline, in the order of the gate.
        floors: one of every operation whose baseline was measured with two arms.
        family: comparisons over which false discoveries are controlled.
        selected: those of them that are SLOWER or FASTER.
    """

    timings: tuple[Timing, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    floors: tuple[NoiseFloor, ...] = ()
    family: int = 0
    selected: int = 0

    def at(self, temperature: str) -> MetricAnalysis:
        """The rows of one temperature; the family stays that of the session."""
        return msgspec.structs.replace(
            self,
            timings=tuple(one for one in self.timings if one.temperature == temperature),
            verdicts=tuple(one for one in self.verdicts if one.temperature == temperature),
            floors=tuple(one for one in self.floors if one.temperature == temperature),
        )
