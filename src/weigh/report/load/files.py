"""The files of a load experiment inside its evidence directory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.evidence import load_record, timeline
from weigh.evidence.store import json_bytes
from weigh.report.load.conclusion import LoadConclusion, conclude
from weigh.report.load.document import document
from weigh.report.load.page import page
from weigh.report.load.terminal import plain

if TYPE_CHECKING:
    from pathlib import Path

JSON = "load.json"
TEXT = "report.txt"
HTML = "report.html"


def read(folder: Path) -> LoadConclusion:
    """The conclusion from the journal.

    Raises:
        EvidenceFault: it cannot be read.
    """
    return conclude(load_record.read(folder))


def rendered(folder: Path) -> dict[str, bytes]:
    """Every file of the report by name, as it is written."""
    conclusion = read(folder)
    name = folder.resolve().name
    return {
        JSON: json_bytes(document(conclusion, name)),
        TEXT: plain(conclusion, name).encode(),
        HTML: page(conclusion, name).encode(),
    }


def write(folder: Path) -> None:
    """Write everything that follows from the journal into the evidence."""
    record = load_record.read(folder)
    for name, content in load_record.derived(record).items():
        (folder / name).write_bytes(content)
    timeline.write(folder, record)
    for name, content in rendered(folder).items():
        (folder / name).write_bytes(content)
