"""How much of what a server does now and then a run holds: by its settings, and by what was observed. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from weigh.load.activity.words import NAMES
from weigh.model import codes
from weigh.model.units import seconds

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from weigh.load.activity.kinds import RunActive
    from weigh.load.activity.model import Kind
    from weigh.model.finding import Finding
    from weigh.model.units import Seconds

CYCLES = 10
"""Of everything that a server does now and then a run should hold so many."""
_PERIODIC: dict[str, Kind] = {"checkpoints": "checkpoint", "autovacuum": "autovacuum"}
"""Names of a target's periods, and the kind of event that one of them is."""
_REPEATED: tuple[Kind, ...] = ("checkpoint", "snapshot", "log_rewrite")
"""Kinds that are done again and again as the load goes on, also where no setting says how often."""


class Cycle(NamedTuple):
    """Something that a server does now and then.

    Attributes:
        name: of it, several.
        period: how often it is done by the settings; None where these do not say.
        due: how many of these periods a run lasts; None likewise.
        number: how many were observed, in the run that saw fewest; None where nobody looked.
    """

    name: str
    period: Seconds | None
    due: float | None
    number: int | None

    @property
    def times(self) -> float:
        """How many a run holds: a server also checkpoints because its log is full, and not when nothing was written."""
        return max(self.due or 0.0, float(self.number or 0))

    def __str__(self) -> str:
        """``0.1 of checkpoints (every 5 min by its settings; 2 were observed)``."""
        if self.due is None or self.period is None:
            return f"{self.number:,} {self.name}"
        amount = (
            ""
            if self.number is None
            else f"; {self.number or 'none'} {'was' if self.number in (0, 1) else 'were'} observed"
        )
        by = " by its settings" if amount else ""
        return f"{self.due:.2g} of {self.name} (every {seconds(self.period)}{by}{amount})"


def cycles(periods: Mapping[str, Seconds], runs: Sequence[RunActive], length: Seconds) -> tuple[Cycle, ...]:
    """What is done now and then.

    Args:
        periods: by the settings: name -> seconds.
        runs: those in which somebody looked.
        length: of each run, seconds.
    """
    found = []
    for name, period in periods.items():
        kind = _PERIODIC.get(name)
        found.append(Cycle(name, period, length / period, _number(kind, runs) if kind else None))
    known = {_PERIODIC.get(name) for name in periods}
    numbers = {kind: _number(kind, runs) for kind in _REPEATED if kind not in known}
    found += [Cycle(NAMES[kind][number != 1], None, None, number) for kind, number in numbers.items() if number]
    return tuple(found)


def _number(kind: Kind, runs: Sequence[RunActive]) -> int | None:
    counts = [one.events if (one := run.of(kind)) else 0 for run in runs if kind in run.counted]
    return min(counts, default=None)


def findings(found: Sequence[Cycle], length: Seconds) -> Iterator[Finding]:
    """That a run holds too few of something.

    Args:
        found: what is done now and then.
        length: of each run, seconds.
    """
    short = [one for one in found if one.times < CYCLES]
    if short:
        longest = max(length * CYCLES / one.times if one.times else CYCLES * (one.period or 0.0) for one in short)
        yield codes.L4_CYCLES.finding(
            text=f"a run of {seconds(length)} holds {', '.join(map(str, short))}: what the server does now and then is "
            "hardly in it",
            remedy=f"a --duration of {seconds(longest)} holds {CYCLES} of each",
        )
