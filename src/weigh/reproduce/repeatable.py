"""Which evidence can be measured again from its bundle."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.load.record import read_spec
from weigh.reproduce import record
from weigh.reproduce.loads import plan

if TYPE_CHECKING:
    from pathlib import Path


def why_not(kind: str, folder: Path) -> str:
    """Why evidence of a kind cannot be measured again from its bundle; empty where it can.

    Raises:
        EvidenceFault: it cannot be read.
    """
    if kind == record.RUN:
        return ""
    if kind == record.LOAD:
        return plan.why_not(read_spec(folder))
    return f"it is evidence of the kind '{kind}', and only runs and loads are measured again"
