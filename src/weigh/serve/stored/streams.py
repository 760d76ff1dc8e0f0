"""``verdicts.json`` of query streams, as far as a list needs it."""

from __future__ import annotations

import msgspec

from weigh.model import units
from weigh.serve.stored.summary import Figure, Summary, name
from weigh.streams.figures import UNIT


class Answered(msgspec.Struct, frozen=True):
    """What came of the answers of a contender."""

    contender: str
    status: str


class OneFigure(msgspec.Struct, frozen=True):
    """A figure of a contender."""

    name: str
    contender: str
    mean: float | None
    low: float | None
    high: float | None

    @property
    def text(self) -> str:
        """The figure with its interval."""
        if self.mean is None:
            return "-"
        ends = (
            ""
            if self.low is None or self.high is None
            else f" [{units.quantity(self.low)}, {units.quantity(self.high)}]"
        )
        return f"{units.quantity(self.mean)}{ends} {UNIT}"


class StoredStreams(msgspec.Struct, frozen=True):
    """The document of query streams."""

    workload: str
    contenders: tuple[Answered, ...]
    figures_: tuple[OneFigure, ...] = msgspec.field(name="figures")

    def summary(self) -> Summary:
        """One line of a list."""
        wrong = [name(one.contender) for one in self.contenders if one.status == "diverged"]
        composites = [f"{name(one.contender)} {one.text}" for one in self.figures_ if one.name == "composite"]
        found = [f"DIVERGED: {', '.join(wrong)}"] if wrong else []
        found += [f"composite: {'; '.join(composites)}"] if composites else []
        return Summary(
            workload=name(self.workload),
            says=f"{'. '.join(found) or 'No composite'}.",
            tier=None,
            contenders=tuple(name(one.contender) for one in self.contenders),
            operations=tuple(dict.fromkeys(name(one.name) for one in self.figures_)),
        )

    def figures(self) -> list[Figure]:
        """Each figure of each contender."""
        return [Figure(f"{name(one.name)}: {name(one.contender)}", one.text) for one in self.figures_]
