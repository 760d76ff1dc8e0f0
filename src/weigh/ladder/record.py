"""The record of a ladder: the part of ladder.json from which everything else follows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.evidence import files, naming, verification, whole
from weigh.ladder.plan import LadderPlan
from weigh.model.errors import EnvironmentFault, EvidenceFault
from weigh.model.units import Scale

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

SCHEMA = "weigh/ladder/1"
JSON = "ladder.json"


class Heading(msgspec.Struct, frozen=True):
    """What the rungs have in common."""

    workload: str


class RungPlace(msgspec.Struct, frozen=True):
    """Where the evidence of a rung is: the name of a directory alongside the ladder's."""

    evidence: str
    scale: Scale | None = None


class LadderRecord(msgspec.Struct, frozen=True):
    """What ladder.json says of itself.

    Attributes:
        rungs: those that have evidence, by ascending scale; at least one.
    """

    schema: str
    ladder: Heading
    plan: LadderPlan
    rungs: tuple[RungPlace, ...]


def is_ladder(folder: Path) -> bool:
    """Whether a directory is that of a ladder."""
    return files.is_regular(folder / JSON)


def read(folder: Path) -> LadderRecord:
    """The record.

    Raises:
        EvidenceFault: ladder.json cannot be read, or is something else.
    """
    try:
        written = files.decoded(files.content(folder / JSON), LadderRecord)
    except (OSError, EvidenceFault) as error:
        raise EvidenceFault(
            f"the ladder cannot be read: {error}", where=str(folder / JSON), remedy="run the ladder with --resume"
        ) from error
    if not all(verification.is_name(rung.evidence) for rung in written.rungs):
        raise EvidenceFault(
            "it names evidence that does not lie alongside it", where=str(folder / JSON), remedy="the ladder was edited"
        )
    if written.schema != SCHEMA or not written.rungs:
        raise EvidenceFault(f"not a {SCHEMA} document", where=str(folder / JSON), remedy="run the ladder with --resume")
    return written


def rungs(folder: Path) -> list[Path]:
    """The evidence of each rung that has some; raises as :func:`read`."""
    return [naming.sibling(folder.resolve().parent, rung.evidence) for rung in read(folder).rungs]


def write_files(folder: Path, contents: Mapping[str, bytes]) -> None:
    """Write the files of a ladder into its directory, which is made where it is not there.

    Raises:
        EnvironmentFault: they cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in contents.items():
            whole.write(folder / name, content)
    except OSError as error:
        raise EnvironmentFault(
            f"the ladder cannot be written: {error.strerror}", where=str(folder), remedy="choose another --out"
        ) from error
