"""Evidence of any kind, opened by its class."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.kinds.evidence import AnyEvidence, Evidence, LoadComparisonEvidence, LoadEvidence
from weigh.kinds.folder import resolve
from weigh.kinds.ladder_evidence import LadderEvidence, LoadLadderEvidence
from weigh.kinds.reproduction_evidence import ReproductionEvidence
from weigh.kinds.streams_evidence import StreamsEvidence
from weigh.kinds.table import kind_of

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "AnyEvidence",
    "Evidence",
    "LadderEvidence",
    "LoadComparisonEvidence",
    "LoadEvidence",
    "LoadLadderEvidence",
    "ReproductionEvidence",
    "StreamsEvidence",
    "opened",
]

Opened = (
    Evidence
    | LadderEvidence
    | LoadLadderEvidence
    | LoadEvidence
    | LoadComparisonEvidence
    | ReproductionEvidence
    | StreamsEvidence
)
"""What :func:`opened` returns."""

CLASSES: dict[str, type[Opened]] = {
    one._kind.name: one
    for one in (
        Evidence,
        LadderEvidence,
        LoadLadderEvidence,
        LoadEvidence,
        LoadComparisonEvidence,
        ReproductionEvidence,
        StreamsEvidence,
    )
}


def opened(evidence: Path) -> Opened:
    """Evidence of any kind; ``latest`` is the newest of ``runs``.

    Raises:
        EvidenceFault: there is no such directory, it is no evidence, or it is damaged.
    """
    folder = resolve(evidence)
    return CLASSES[kind_of(folder).name](folder)
