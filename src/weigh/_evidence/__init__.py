"""Opened evidence: what ``weigh.open`` returns, one class for each kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh import _runs
from weigh._evidence.any import AnyEvidence
from weigh._evidence.ladders import LadderEvidence, LoadLadderEvidence
from weigh._evidence.loads import LoadComparisonEvidence, LoadEvidence
from weigh._evidence.run import Evidence
from weigh._kinds import kind_of

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "CLASSES",
    "AnyEvidence",
    "Evidence",
    "LadderEvidence",
    "LoadComparisonEvidence",
    "LoadEvidence",
    "LoadLadderEvidence",
    "Opened",
    "opened",
]

Opened = Evidence | LadderEvidence | LoadLadderEvidence | LoadEvidence | LoadComparisonEvidence
"""What :func:`opened` returns."""

CLASSES: dict[str, type[Opened]] = {
    one._kind.name: one for one in (Evidence, LadderEvidence, LoadLadderEvidence, LoadEvidence, LoadComparisonEvidence)
}


def opened(evidence: Path) -> Opened:
    """Evidence of any kind; ``latest`` is the newest of ``runs``.

    Raises:
        EvidenceFault: there is no such directory, it is no evidence, or it is damaged.
    """
    folder = _runs.resolve(evidence)
    return CLASSES[kind_of(folder).name](folder)
