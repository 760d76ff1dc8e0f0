"""The files of a ladder: a directory alongside the evidence of its rungs, which can be made again from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.evidence import naming, seal
from weigh.ladder import record
from weigh.ladder.record import JSON, write_files
from weigh.ladder.report.document import document
from weigh.ladder.report.report import html as page
from weigh.ladder.results import LadderResults, summarise

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from weigh.ladder.plan import LadderPlan
    from weigh.model.units import Scale

HTML = "ladder.html"


def folder_of(root: Path, plan: LadderPlan) -> Path:
    """Where the files of a ladder lie."""
    return root / f"ladder-{plan.id}"


def read(folder: Path) -> LadderResults:
    """The ladder, computed anew from the evidence of its rungs alongside it.

    Raises:
        EvidenceFault: ladder.json or the evidence of a rung cannot be read.
    """
    written = record.read(folder)
    parent = folder.resolve().parent
    return summarise(written.plan, [(rung.scale, naming.sibling(parent, rung.evidence)) for rung in written.rungs])


def html(folder: Path) -> bytes:
    """The ladder as one page, the same bytes as in its directory.

    Raises:
        EvidenceFault: as of :func:`read`.
    """
    return page(read(folder))


def rendered(summary: LadderResults) -> dict[str, bytes]:
    """Every file by name, as it is written."""
    return {JSON: seal.json_bytes(document(summary)), HTML: page(summary)}


def write(root: Path, plan: LadderPlan, rungs: Sequence[tuple[Scale | None, Path]]) -> Path:
    """Write the files of the ladder as far as it is.

    Returns:
        Their folder.

    Raises:
        EnvironmentFault: they cannot be written.
        EvidenceFault: the evidence of a rung cannot be read.
    """
    folder = folder_of(root, plan)
    write_files(folder, rendered(summarise(plan, rungs)))
    return folder
