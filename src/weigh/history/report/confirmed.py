"""What confirming a candidate came to, for a terminal and as JSON (schema ``weigh/history-confirm/1``)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from weigh.history.run import Measurement
from weigh.model.text import one_line
from weigh.model.units import count

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.history.run import Confirmed

SCHEMA = "weigh/history-confirm/1"


class ConfirmDocument(msgspec.Struct, frozen=True, kw_only=True):
    """The whole document but for ``schema``.

    Attributes:
        candidate: its id.
        state: ``confirmed``, ``not confirmed``, or ``open`` where there was no verdict.
        before, after: the nearest versions between which the change lies.
        left: versions between these two that were not measured to an end; empty where they are neighbours.
        measured: in order.
    """

    candidate: str
    state: str
    before: str
    after: str
    left: tuple[str, ...]
    measured: tuple[Measurement, ...]


def document(found: Confirmed) -> dict[str, Any]:
    """The whole document as plain JSON."""
    made = ConfirmDocument(
        candidate=found.candidate.id,
        state=found.state,
        before=found.before,
        after=found.after,
        left=found.left,
        measured=found.measured,
    )
    return {"schema": SCHEMA, **msgspec.to_builtins(made)}


def lines(found: Confirmed) -> Iterator[str]:
    """What is printed, the answer first."""
    one, key = found.candidate, found.candidate.series.key
    step = f"{100 * (one.ratio - 1):+.1f} % in the history"
    if found.state == "confirmed":
        yield f"{one.id} confirmed: {key} changes between {found.before} and {found.after} ({step})"
    elif found.state == "not confirmed":
        yield f"{one.id} not confirmed: side by side {key} does not change so ({step}); it was the machine, or the time"
    else:
        yield f"{one.id} open: no verdict on {key} ({step}); measure longer: --budget, --starts"
    for measured in found.measured:
        yield f"  {sentence(measured)}"
    if found.left:
        yield f"  {count(len(found.left), 'version')} between them without an answer: {', '.join(found.left)}"


def sentence(one: Measurement) -> str:
    """One measurement on a line."""
    ratio = f" {one.ratio:.3f}" if one.ratio else ""
    interval = f" ({one.low:.3f}-{one.high:.3f})" if one.low and one.high else ""
    return one_line(f"{one.before}, then {one.after}: {one.verdict.upper()}{ratio}{interval}  {one.evidence}", 600)
