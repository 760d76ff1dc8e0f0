"""What every form is made from."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING

import msgspec

from weigh.experiment.results.results import ExperimentResults
from weigh.model.sample import Sample

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.model.verdict import Timing, Verdict


class Exported(msgspec.Struct, frozen=True, kw_only=True):
    """A run, and whom of it is asked for.

    Attributes:
        results: what it says.
        samples: every execution of all its attempts.
        evidence: name of the evidence directory.
        contender: the only one that is asked for; None for all.
        written: the day on which something was recorded last, by the file (UTC); the evidence itself has no date.
    """

    results: ExperimentResults
    samples: tuple[Sample, ...]
    evidence: str
    contender: str | None
    written: datetime.date

    def includes(self, contender: str) -> bool:
        """Whether this one is asked for."""
        return self.contender in (None, contender)

    def timings(self) -> Iterator[Timing]:
        """What was measured of whom is asked for, metric by metric."""
        return (one for one in self.results.timings if self.includes(one.contender))

    def verdicts(self) -> Iterator[Verdict]:
        """What follows from it."""
        return (one for one in self.results.verdicts if self.includes(one.contender))


def operation(one: Timing | Verdict | Sample) -> str:
    """An operation as a name: with its temperature where that is not hot, and its layout where there are several."""
    layout = getattr(one, "layout", None)
    more = [word for word in (one.temperature if one.temperature != "hot" else "", layout) if word]
    return f"{one.operation} ({', '.join(more)})" if more else one.operation
