"""Notes on what a capture does not have of all calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.capture.statements import Statements
    from weigh.capture.units import Units


def partial(units: Units) -> Iterator[str]:
    """What the scripts and the arrivals do not have of all calls."""
    if units.fixed:
        yield (
            f"{units.fixed:,} parameters of statements with long lists are always sent as in the first call: the "
            "values of the others were not kept"
        )
    if units.number > len(units.arrivals):
        yield (
            f"the arrivals are judged by the first {len(units.arrivals):,} of {units.number:,} units: the trace has "
            "the moments of all"
        )


def redacted(statements: Statements) -> Iterator[str]:
    """What secrets cost."""
    calls, number = statements.redacted
    if calls:
        yield (
            f"{calls:,} of {statements.calls:,} calls, of {number:,} of {len(statements.statements):,} statements, "
            "hold secrets or may: other values stand for theirs, so that they find other rows than the captured ones"
        )
