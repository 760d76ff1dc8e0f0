"""The files of a load experiment inside its evidence directory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.evidence import naming, timeline, whole
from weigh.evidence.seal import json_bytes
from weigh.load import record as load_record
from weigh.load.report.document import document
from weigh.load.report.report import page, plain
from weigh.load.results import LoadResults, load_results

if TYPE_CHECKING:
    from pathlib import Path

JSON = "load.json"
TEXT = "report.txt"
HTML = "report.html"


def read(folder: Path) -> LoadResults:
    """The conclusion from the journal.

    Raises:
        EvidenceFault: it cannot be read.
    """
    return load_results(load_record.read(folder))


def html(folder: Path) -> bytes:
    """The report as one page, the same bytes as in the evidence.

    Raises:
        EvidenceFault: as of :func:`read`.
    """
    return page(read(folder), naming.given(folder))


def rendered(folder: Path) -> dict[str, bytes]:
    """Every file of the report by name, as it is written."""
    return pages(read(folder), naming.given(folder))


def pages(results: LoadResults, name: str) -> dict[str, bytes]:
    """The same of a conclusion.

    Args:
        results: what is to be reported.
        name: of the evidence directory.
    """
    return {
        JSON: json_bytes(document(results, name)),
        TEXT: plain(results, name).encode(),
        HTML: page(results, name),
    }


def write(folder: Path, results: LoadResults | None = None) -> None:
    """Write everything that follows from the journal into the evidence.

    Args:
        folder: the evidence directory.
        results: its conclusion, where it is known already.
    """
    results = results or read(folder)
    for name, content in load_record.derived(results.record).items():
        whole.write(folder / name, content)
    timeline.write(folder, load_record.watched_runs(results.record))
    for name, content in pages(results, naming.given(folder)).items():
        whole.write(folder / name, content)
