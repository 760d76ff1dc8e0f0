"""Cold: what cold executions found in memory and read, as a part of the page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from weigh.experiment.report.cold import question
from weigh.model import codes, units

if TYPE_CHECKING:
    from collections.abc import Collection

    from weigh.experiment.report.html.contenders import Contenders, Mark
    from weigh.experiment.results.cold.cold_proof import ColdProof
    from weigh.experiment.results.results import ExperimentResults

OPEN_ROWS = 24
"""More rows than that are folded in."""


@dataclass(frozen=True, slots=True)
class Row:
    """One contender on one operation. What nobody can tell is empty, and so is a rate where nothing was read.

    Attributes:
        name: of the operation, with the temperature where it is the one called first.
        who: the contender.
        before: the most pages in memory just before the clock.
        read: from devices, by its processes; the median, as what follows.
        devices: the same by anybody.
        came_in: of the data.
        rate: at which it read.
        share: that this is of what the device can do.
        proven: how many executions are what they are called.
        code: why not all of them are; empty where they are.
    """

    name: str
    who: Mark
    before: str
    read: str
    devices: str
    came_in: str
    rate: str
    share: str
    proven: str
    code: str


@dataclass(frozen=True, slots=True)
class Cold:
    """The part.

    Attributes:
        rows: every cold account, and of the executions called first those that did not hold.
        folded: whether the table is so long that it is folded in.
        below: what cannot be excluded.
    """

    rows: tuple[Row, ...]
    folded: bool
    below: str


def cold(results: ExperimentResults, contenders: Contenders, operations: Collection[str]) -> Cold | None:
    """The part; None where nothing was to be cold. Of the operations that are told in full alone."""
    everybody = {who.name: who for who in contenders.everybody}
    rows = tuple(
        _row(one, everybody[one.contender])
        for one in results.accounts
        if one.operation in operations and (one.temperature == "cold" or one.refused is not None)
    )
    if not rows:
        return None
    below = next((one.text for one in results.findings if one.code == codes.E1_HYPERVISOR.code), "")
    return Cold(rows=rows, folded=len(rows) > OPEN_ROWS, below=below[:1].upper() + below[1:])


def _row(one: ColdProof, who: Mark) -> Row:
    return Row(
        name=question(one.operation, "hot" if one.temperature == "cold" else one.temperature),
        who=who,
        before="" if one.resident is None else f"{one.resident:,} of {one.pages:,}",
        read="" if one.bytes_read is None else units.size(one.bytes_read),
        devices="" if one.device_bytes is None else units.size(one.device_bytes),
        came_in=units.size(one.came_in),
        rate=f"{units.size(one.rate)}/s" if one.bytes_read and one.rate is not None else "",
        share=units.percent(one.share, 0) if one.bytes_read and one.share is not None else "",
        proven=f"{one.proven:,} of {one.executions:,}",
        code=one.refused.code if one.refused else "",
    )
