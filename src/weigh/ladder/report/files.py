"""The files of a ladder: a directory beside the evidence of its rungs, which can be made again from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.evidence import seal
from weigh.ladder.plan import LadderPlan
from weigh.ladder.report.document import SCHEMA, document
from weigh.ladder.report.page import page
from weigh.ladder.results import LadderResults, summarise
from weigh.model.errors import EnvironmentFault, EvidenceFault
from weigh.model.units import Scale

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

JSON = "ladder.json"
HTML = "ladder.html"


class _Place(msgspec.Struct):
    """What a rung of ladder.json says of where it is."""

    evidence: str
    scale: Scale | None = None


class _Written(msgspec.Struct):
    """The part of ladder.json from which the rest follows."""

    schema: str
    plan: LadderPlan
    rungs: list[_Place]


def folder_of(root: Path, plan: LadderPlan) -> Path:
    """Where the files of a ladder lie."""
    return root / f"ladder-{plan.id}"


def is_ladder(folder: Path) -> bool:
    """Whether a directory is that of a ladder."""
    return (folder / JSON).is_file()


def read(folder: Path) -> LadderResults:
    """The ladder, computed anew from the evidence of its rungs beside it.

    Raises:
        EvidenceFault: ladder.json or the evidence of a rung cannot be read.
    """
    try:
        written = msgspec.json.decode((folder / JSON).read_bytes(), type=_Written)
    except (OSError, msgspec.MsgspecError) as error:
        raise EvidenceFault(
            f"the ladder cannot be read: {error}", where=str(folder / JSON), remedy="run the ladder with --resume"
        ) from error
    if written.schema != SCHEMA or not written.rungs:
        raise EvidenceFault(f"not a {SCHEMA} document", where=str(folder / JSON), remedy="run the ladder with --resume")
    beside = folder.resolve().parent
    return summarise(written.plan, [(rung.scale, beside / rung.evidence) for rung in written.rungs])


def rendered(summary: LadderResults) -> dict[str, bytes]:
    """Every file by name, as it is written."""
    return {JSON: seal.json_bytes(document(summary)), HTML: page(summary).encode()}


def write(root: Path, plan: LadderPlan, rungs: Sequence[tuple[Scale | None, Path]]) -> Path:
    """Write the files of the ladder as far as it is.

    Returns:
        Their folder.

    Raises:
        EnvironmentFault: they cannot be written.
        EvidenceFault: the evidence of a rung cannot be read.
    """
    folder = folder_of(root, plan)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in rendered(summarise(plan, rungs)).items():
            (folder / name).write_bytes(content)
    except OSError as error:
        raise EnvironmentFault(
            f"the ladder cannot be written: {error.strerror}", where=str(folder), remedy="choose another --out"
        ) from error
    return folder
