"""The files of a report inside an evidence directory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.evidence import store
from weigh.report.conclusion import Conclusion, conclude
from weigh.report.document import document
from weigh.report.terminal import plain

if TYPE_CHECKING:
    from pathlib import Path

VERDICTS = "verdicts.json"
TEXT = "report.txt"


def read(folder: Path) -> Conclusion:
    """The conclusion from an attempt and the earlier ones of its experiment.

    Raises:
        EvidenceFault: it cannot be read.
    """
    return conclude(store.history(folder))


def rendered(folder: Path) -> dict[str, bytes]:
    """Every file of the report by name, as it is written."""
    conclusion = read(folder)
    name = folder.resolve().name
    return {
        VERDICTS: store.json_bytes(document(conclusion, name)),
        TEXT: plain(conclusion, name).encode(),
    }


def write(folder: Path) -> None:
    """Write the report's files into the evidence."""
    for name, content in rendered(folder).items():
        (folder / name).write_bytes(content)
