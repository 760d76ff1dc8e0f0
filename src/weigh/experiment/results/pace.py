"""Pace: how long a fresh start of every arm takes, to say what a verdict that is open would cost. Pure."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING

import msgspec

from weigh.model.units import Seconds

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from weigh.experiment.record import Record
    from weigh.model.sample import Sample

Question = tuple[str, str]
"""An operation at a temperature."""


class Pace(msgspec.Struct, frozen=True, kw_only=True):
    """How long one block takes, that is one fresh start of every arm.

    Attributes:
        begin_s: between two blocks: the processes start, and fixed work is timed.
        turns_s: of all turns of an operation in a block.
    """

    begin_s: Seconds
    turns_s: dict[Question, Seconds]

    def more(self, starts: Mapping[Question, int]) -> Seconds:
        """Seconds that more starts would take.

        Args:
            starts: how many more of each operation; one block serves all that still need it.
        """
        if not starts:
            return 0.0
        turns = sum(number * self.turns_s.get(question, 0.0) for question, number in starts.items())
        return max(starts.values()) * self.begin_s + turns


def pace(attempts: Sequence[Record]) -> Pace | None:
    """The pace of the latest attempt that was timed; None where no execution says when it began."""
    for record in reversed(attempts):
        samples = sorted((one for one in record.samples if one.at > 0), key=lambda one: one.at)
        if samples:
            return _of(samples)
    return None


def measured_s(attempts: Sequence[Record]) -> Seconds | None:
    """Seconds that measuring took, in all attempts; None where they do not say when anything was."""
    ends = [max((_end(one) for one in record.samples if one.at > 0), default=0.0) for record in attempts]
    return sum(ends) or None


def _of(samples: Sequence[Sample]) -> Pace:
    """The pace that samples in order of time kept."""
    blocks: dict[int, list[Sample]] = defaultdict(list)
    for sample in samples:
        blocks[sample.block].append(sample)
    spent: dict[Question, float] = defaultdict(float)
    blocks_of: dict[Question, set[int]] = defaultdict(set)
    for number, samples_of in blocks.items():
        for one, following in pairwise([*samples_of, None]):
            assert one is not None
            question = one.operation, one.temperature
            spent[question] += (following.at if following else _end(one)) - one.at
            blocks_of[question].add(number)
    gaps = [max(0.0, after[0].at - _end(before[-1])) for before, after in pairwise(blocks.values())]
    return Pace(
        begin_s=sum(gaps) / len(gaps) if gaps else 0.0,
        turns_s={question: total / len(blocks_of[question]) for question, total in spent.items()},
    )


def _end(one: Sample) -> Seconds:
    return one.at + (one.wall_s or 0.0)
