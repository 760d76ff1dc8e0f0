"""The files of a ladder of loads: a directory beside the evidence of its rungs, which can be made again from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.evidence import naming, seal
from weigh.ladder.load import record
from weigh.ladder.load.record import JSON
from weigh.ladder.load.report.document import document
from weigh.ladder.load.report.report import html as page
from weigh.ladder.load.results import LoadLadderResults, summarise
from weigh.ladder.record import write_files

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from weigh.ladder.load.plan import LoadLadderPlan

HTML = "load-ladder.html"


def folder_of(root: Path, plan: LoadLadderPlan) -> Path:
    """Where the files of a ladder lie."""
    return root / f"load-ladder-{plan.id}"


def read(folder: Path) -> LoadLadderResults:
    """The ladder, computed anew from the evidence of its rungs alongside it.

    Raises:
        EvidenceFault: its document or the evidence of a rung cannot be read.
    """
    written = record.read(folder)
    parent = folder.resolve().parent
    return summarise(written.plan, [naming.sibling(parent, rung.evidence) for rung in written.rungs])


def html(folder: Path) -> bytes:
    """The ladder as one page, the same bytes as in its directory.

    Raises:
        EvidenceFault: as of :func:`read`.
    """
    return page(read(folder))


def rendered(summary: LoadLadderResults) -> dict[str, bytes]:
    """Every file by name, as it is written."""
    return {JSON: seal.json_bytes(document(summary)), HTML: page(summary)}


def write(root: Path, plan: LoadLadderPlan, rungs: Sequence[Path]) -> Path:
    """Write the files of the ladder as far as it is.

    Args:
        root: folder of all evidence.
        plan: the ladder.
        rungs: evidence of those that ended, in the order of the plan.

    Returns:
        Their folder.

    Raises:
        EnvironmentFault: they cannot be written.
        EvidenceFault: the evidence of a rung cannot be read.
    """
    folder = folder_of(root, plan)
    write_files(folder, rendered(summarise(plan, rungs)))
    return folder
