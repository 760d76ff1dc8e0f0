"""Claims: what a system says an execution took, held against what went by (A10). Pure.

Such a figure leaves out what it likes: the start of a script, the way of the answer to the client, or the work itself.
No figure of weigh's is made of it. What starting takes is in every execution, so the quickest query bounds it; who
leaves out clearly more leaves out a part of the query.
"""

from __future__ import annotations

from collections import defaultdict
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from weigh.model import codes
from weigh.model.units import Seconds, seconds

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from weigh.model.finding import Finding
    from weigh.model.sample import Sample

_SHARE = 1.5
_LEAST = 5
"""Executions: of fewer, one burst of somebody else's work may be in all."""
_FLOOR = 20e-3
"""Seconds: scripts print hundredths, and say as much of themselves."""


class Claim(NamedTuple):
    """Of an execution: seconds that a system says it took, and seconds that went by."""

    claim: Seconds
    went_by: Seconds


class Impossible(NamedTuple):
    """Times of an operation that cannot be, medians.

    Attributes:
        operation: its name.
        claim, went_by: as of :class:`Claim`.
        left_out: the least that was left out; None where more is reported than went by.
        starting: what the quickest operation takes in all.
    """

    operation: str
    claim: Seconds
    went_by: Seconds
    left_out: Seconds | None
    starting: Seconds


def findings(samples: Iterable[Sample]) -> list[Finding]:
    """A note for every contender that says times of its own, and a warning for each operation where they cannot be."""
    known: dict[str, dict[str, list[Claim]]] = defaultdict(lambda: defaultdict(list))
    for one in samples:
        if one.timed and one.reported_s is not None and one.wall_s is not None and one.temperature == "hot":
            known[one.contender][one.operation].append(Claim(one.reported_s, one.wall_s))
    return [
        finding
        for contender, claims in known.items()
        for finding in (_finding(contender, claims), *_impossible(contender, claims))
    ]


def _finding(contender: str, claims: dict[str, list[Claim]]) -> Finding:
    operation = max(claims, key=lambda name: median(one.went_by - one.claim for one in claims[name]))
    printed, went_by = (median(column) for column in zip(*claims[operation], strict=True))
    return codes.A10_SAID.finding(
        contender=contender,
        text=f"it says times of its own: {seconds(printed)} for {operation}, while {seconds(went_by)} went by from "
        "asking it to its last row. Only the latter counts",
        remedy="read figures that others publish of it with that in mind",
    )


def _impossible(contender: str, claims: dict[str, list[Claim]]) -> Iterator[Finding]:
    for one in impossible(claims):
        if one.left_out is not None:
            text = (
                f"it says {seconds(one.claim)}, while {seconds(one.went_by)} went by: it leaves out at least "
                f"{seconds(one.left_out)}, and its quickest query takes {seconds(one.starting)} in all, with the start "
                "of its script"
            )
        else:
            text = f"it says {seconds(one.claim)}, and no more than {seconds(one.went_by)} went by"
        yield codes.A10_CLAIM.finding(
            contender=contender,
            operation=one.operation,
            text=text,
            remedy="believe no time that this system prints; weigh's are by its own clock",
        )


def impossible(claims: Mapping[str, Sequence[Claim]]) -> Iterator[Impossible]:
    """Operations on which what a system says of its time cannot be.

    Args:
        claims: its executions by operation.
    """
    starting = min(median(one.went_by for one in rows) for rows in claims.values())
    for operation, rows in claims.items():
        printed, went_by = (median(column) for column in zip(*rows, strict=True))
        # The least of all: a burst of somebody else's work can only add to the others.
        left_out = min(one.went_by - one.claim for one in rows)
        if len(rows) < _LEAST:
            continue
        if left_out > max(_SHARE * starting, starting + _FLOOR):
            yield Impossible(operation, printed, went_by, left_out, starting)
        elif printed > went_by + _FLOOR:
            yield Impossible(operation, printed, went_by, None, starting)
