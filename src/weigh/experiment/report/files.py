"""The files of a report inside an evidence directory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.evidence import naming, seal, whole
from weigh.experiment.record import history, samples
from weigh.experiment.report.document import document
from weigh.experiment.report.html import page
from weigh.experiment.report.terminal import plain
from weigh.experiment.results.gaps import unconfigured
from weigh.experiment.results.results import ExperimentResults, experiment_results
from weigh.model import codes
from weigh.model.errors import EvidenceFault

if TYPE_CHECKING:
    from pathlib import Path

    from weigh.experiment.record import Record

VERDICTS = "verdicts.json"
TEXT = "report.txt"
HTML = "report.html"


def read(folder: Path) -> ExperimentResults:
    """The conclusion from an attempt and the earlier ones of its experiment.

    Raises:
        EvidenceFault: it cannot be read, or has samples and does not say of what (R3).
    """
    return experiment_results(attempts(folder))


def html(folder: Path) -> bytes:
    """The report as one page, the same bytes as in the evidence.

    Raises:
        EvidenceFault: as of :func:`read`.
    """
    records = attempts(folder)
    return _page(experiment_results(records), records, naming.given(folder))


def attempts(folder: Path) -> list[Record]:
    """The records that a report reads, oldest first, each with its configuration.

    Raises:
        EvidenceFault: as of :func:`read`.
    """
    return configured(history(folder), folder)


def configured(records: list[Record], folder: Path) -> list[Record]:
    """These records, each with its configuration.

    Args:
        records: of the attempts of an experiment.
        folder: of the latest.

    Raises:
        EvidenceFault: as of :func:`read`.
    """
    for record in records:
        if missing := unconfigured(record):
            raise EvidenceFault(
                f"{codes.R3}: the journal of attempt {record.attempt} has samples and no {missing}: a report without "
                "configuration cannot be made",
                where=str(folder),
                remedy="the evidence was edited; only the original journal helps",
            )
    return records


def _page(results: ExperimentResults, records: list[Record], name: str) -> bytes:
    return page(results, samples(records), name).encode()


def write(folder: Path) -> ExperimentResults:
    """Write the report's files into the evidence; the conclusion that they show, as of :func:`read`."""
    records = attempts(folder)
    results = experiment_results(records)
    contents = rendered(folder, records, results)
    for name, content in contents.items():
        whole.write(folder / name, content)
    return results


def rendered(folder: Path, records: list[Record], results: ExperimentResults) -> dict[str, bytes]:
    """Every file of the report by name, as it is written.

    Args:
        folder: of the evidence.
        records: of its attempts, oldest first.
        results: the conclusion from them.
    """
    name = naming.given(folder)
    return {
        VERDICTS: seal.json_bytes(document(results, name)),
        TEXT: plain(results, name).encode(),
        HTML: _page(results, records, name),
    }
