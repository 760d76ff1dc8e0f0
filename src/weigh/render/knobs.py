"""The knobs of the machine under a measurement, as reports show them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.host.knobs.read import KnobState
from weigh.model import units

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.host.knobs.read import KnobRead


def lines(knobs: Sequence[KnobRead]) -> list[str]:
    """What spoils and what cannot be observed, in one sentence; nothing where nobody looked."""
    found = []
    for state, words in ((KnobState.SPOILS, "spoil"), (KnobState.UNSEEN, "cannot be seen")):
        names = [read.name for read in knobs if read.state is state]
        if names:
            verb = "spoils" if words == "spoil" and len(names) == 1 else words
            found.append(f"{len(names)} {verb} ({', '.join(names)})")
    return [f"Of {units.count(len(knobs), 'knob')} {'; '.join(found) or 'all are fine'}."] if knobs else []
