"""The knobs of the machine under an attempt, as reports show them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.host.knobs.read import KnobState
from weigh.model import units

if TYPE_CHECKING:
    from weigh.experiment.record import Record
    from weigh.host.knobs.read import KnobRead


def reads(record: Record) -> tuple[KnobRead, ...]:
    """As they were read before the gate; none in evidence of a version that did not read them."""
    found = record.environment.knobs if record.environment else msgspec.UNSET
    return () if found is msgspec.UNSET else found


def lines(record: Record) -> list[str]:
    """What spoils and what cannot be seen, in one sentence; nothing where nobody looked."""
    knobs = reads(record)
    found = []
    for state, words in ((KnobState.SPOILS, "spoil"), (KnobState.UNSEEN, "cannot be seen")):
        names = [read.name for read in knobs if read.state is state]
        if names:
            verb = "spoils" if words == "spoil" and len(names) == 1 else words
            found.append(f"{len(names)} {verb} ({', '.join(names)})")
    return [f"Of {units.count(len(knobs), 'knob')} {'; '.join(found) or 'all are fine'}."] if knobs else []
