"""Terms (R8): what the vendors' licences say about publishing these figures. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.model import codes

if TYPE_CHECKING:
    from weigh.experiment.record import Record
    from weigh.model.finding import Finding


def findings(record: Record) -> list[Finding]:
    """One of each contender whose vendor says something."""
    return [
        codes.R8_TERMS.finding(
            contender=one.name,
            text=f"publishing results of {one.engine} is subject to its licence: {one.terms}",
            remedy="read the terms, and ask the vendor, before these figures leave the house",
        )
        for one in (record.environment.contenders if record.environment else ())
        if one.terms
    ]
