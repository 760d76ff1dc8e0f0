"""The files of a comparison of servers inside its evidence directory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.evidence import attempts, naming, whole
from weigh.evidence.seal import json_bytes
from weigh.load.comparison import record as comparison_record
from weigh.load.comparison.report.document import document
from weigh.load.comparison.report.report import html as page
from weigh.load.comparison.report.report import plain
from weigh.load.comparison.results import load_comparison_results
from weigh.load.report import files as load_files

if TYPE_CHECKING:
    from pathlib import Path

    from weigh.load.comparison.record import LoadComparisonRecord
    from weigh.load.comparison.results import LoadComparisonResults

JSON = "load-comparison.json"
TEXT = "report.txt"
HTML = "report.html"


def history(folder: Path) -> list[LoadComparisonRecord]:
    """The record of an attempt and of the earlier ones of its comparison alongside it, oldest first.

    Raises:
        EvidenceFault: one of them cannot be read.
    """
    return [comparison_record.read(one) for one in attempts.history_folders(folder)]


def read(folder: Path) -> LoadComparisonResults:
    """The conclusion from the journals.

    Raises:
        EvidenceFault: as of :func:`history`.
    """
    return load_comparison_results(history(folder))


def html(folder: Path) -> bytes:
    """The report as one page, the same bytes as in the evidence.

    Raises:
        EvidenceFault: as of :func:`history`.
    """
    return page(read(folder))


def pages(results: LoadComparisonResults, name: str) -> dict[str, bytes]:
    """Every file of the report by name, as it is written.

    Args:
        results: what is to be reported.
        name: of the evidence directory.
    """
    return {
        JSON: json_bytes(document(results, name)),
        TEXT: plain(results, name).encode(),
        HTML: page(results),
    }


def write(folder: Path) -> None:
    """Write everything that follows from the journals into the evidence, each load's own report too."""
    results = read(folder)
    for name, content in comparison_record.derived(results.record).items():
        whole.write(folder / name, content)
    for arm in results.record.spec.arms:
        if arm.name in results.loads:
            load_files.write(comparison_record.folder_of(folder, arm), results.loads[arm.name])
    for name, content in pages(results, naming.given(folder)).items():
        whole.write(folder / name, content)
