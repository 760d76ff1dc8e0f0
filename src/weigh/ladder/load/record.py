"""The record of a ladder of loads: the part of its JSON document from which everything else follows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.evidence import files, naming, verification
from weigh.ladder.load.plan import LoadLadderPlan
from weigh.model.errors import EvidenceFault

if TYPE_CHECKING:
    from pathlib import Path

SCHEMA = "weigh/load-ladder/1"
JSON = "load-ladder.json"
_REMEDY = "climb the ladder again"


class LoadRungPlace(msgspec.Struct, frozen=True):
    """Where the evidence of a rung is: the name of a directory alongside the ladder's."""

    evidence: str


class LoadLadderRecord(msgspec.Struct, frozen=True):
    """What the document says of itself.

    Attributes:
        rungs: those that have evidence, in the order of the plan; at least one.
    """

    schema: str
    plan: LoadLadderPlan
    rungs: tuple[LoadRungPlace, ...]


def is_load_ladder(folder: Path) -> bool:
    """Whether a directory is that of a ladder of loads."""
    return files.is_regular(folder / JSON)


def read(folder: Path) -> LoadLadderRecord:
    """The record.

    Raises:
        EvidenceFault: the document cannot be read, or is something else.
    """
    try:
        written = files.decoded(files.content(folder / JSON), LoadLadderRecord)
    except (OSError, EvidenceFault) as error:
        raise EvidenceFault(f"the ladder cannot be read: {error}", where=str(folder / JSON), remedy=_REMEDY) from error
    if not all(verification.is_name(rung.evidence) for rung in written.rungs):
        raise EvidenceFault(
            "it names evidence that does not lie alongside it", where=str(folder / JSON), remedy="the ladder was edited"
        )
    if written.schema != SCHEMA or not 0 < len(written.rungs) <= len(written.plan.steps):
        raise EvidenceFault(f"not a {SCHEMA} document", where=str(folder / JSON), remedy=_REMEDY)
    return written


def rungs(folder: Path) -> list[Path]:
    """The evidence of each rung that has some; raises as :func:`read`."""
    return [naming.sibling(folder.resolve().parent, rung.evidence) for rung in read(folder).rungs]
