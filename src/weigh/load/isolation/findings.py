"""What is found of the isolation of runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.load.isolation.words import summary
from weigh.model import codes
from weigh.model.units import count

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from weigh.load.isolation.results import IsolationFigures
    from weigh.model.finding import Finding


def findings(runs: Sequence[IsolationFigures]) -> Iterator[Finding]:
    """Everything that is found."""
    for run in runs:
        name = f"run {run.number}: " if len(runs) > 1 else ""
        if run.violations:
            yield codes.L12_VIOLATED.finding(
                text=f"{name}{run.declared} VIOLATED in {count(run.committed, 'transaction')}: "
                f"{summary(run.violations)}",
                remedy="see whether a pooler, a proxy or a replica stands between; else it is a fault of the server: "
                f"report it with {run.file}, which Elle reads",
            )
        if run.other_levels:
            wrong = sum(run.named[one] for one in run.other_levels)
            yield codes.L12_LEVEL.finding(
                text=f"{name}{run.declared} was asked for, and inside {wrong:,} of "
                f"{count(run.committed, 'transaction')} the server named {', '.join(run.other_levels)}",
                remedy="see what changes the level on the way: a pooler, a trigger, a setting of the user or database",
            )
        if run.outcome != "violated" and run.allowed:
            yield codes.L12_ALLOWED.finding(
                text=f"{name}{run.declared or 'its level'} allows what was observed: {summary(run.allowed)}",
                remedy="where your transactions cannot bear that, ask for a stronger level, or lock what they read",
            )
        if (run.outcome != "violated" and run.unchecked) or run.outcome == "nothing to see":
            why = run.unchecked or (
                "the server named no level" if not run.declared else "no transaction saw what another one wrote"
            )
            yield codes.L12_UNCHECKED.finding(
                text=f"{name}nothing is known of its isolation: {why}",
                remedy="see what the server answered"
                if run.unchecked
                else "name the --isolation, measure longer, or with more --connections",
            )
