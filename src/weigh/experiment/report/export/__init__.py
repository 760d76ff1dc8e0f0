"""Forms that other tools read: each says what a run found in their words, and adds nothing to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from weigh.evidence import journal, naming
from weigh.experiment.report import files
from weigh.experiment.report.export import bencher, benchfmt, clickbench, junit, openmetrics, tables
from weigh.experiment.report.export.exported import Exported
from weigh.experiment.report.first_screen import first_screen
from weigh.experiment.report.first_screen.markdown import markdown
from weigh.experiment.results.results import experiment_results
from weigh.model import codes
from weigh.model.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from weigh.model.finding import Finding


class Form(NamedTuple):
    """A form.

    Attributes:
        write: makes its bytes.
        of_all: whether it says something of all contenders together, so that one alone cannot be asked for.
    """

    write: Callable[[Exported], bytes]
    of_all: bool = False


def _markdown(exported: Exported) -> bytes:
    return markdown(first_screen(exported.results, exported.evidence)).encode()


FORMS = {
    "junit": Form(junit.write),
    "benchfmt": Form(benchfmt.write),
    "bencher": Form(bencher.write),
    "clickbench": Form(clickbench.write),
    "openmetrics": Form(openmetrics.write),
    "markdown": Form(_markdown, of_all=True),
    "csv": Form(tables.results),
    "parquet": Form(tables.executions),
}


def export(folder: Path, form: str, contender: str | None = None) -> tuple[bytes, tuple[Finding, ...]]:
    """A run in a form of another tool, and what a vendor's terms say about publishing it (R8).

    Args:
        folder: the evidence.
        form: a name of :data:`FORMS`.
        contender: the only one that it is about; None for all.

    Raises:
        EvidenceFault: the evidence cannot be read.
        UsageError: it has no such contender, the form is of all of them together, or cannot say what the run shows.
    """
    records = files.attempts(folder)
    names = [one.name for one in records[-1].spec.contenders]
    if contender is not None and contender not in names:
        raise UsageError(f"no contender of this run is called '{contender}'", remedy=f"it has {', '.join(names)}")
    if contender is not None and FORMS[form].of_all:
        raise UsageError(f"{form} is about all contenders together", remedy="leave --contender out")
    samples = tuple(sample for record in records for sample in record.samples)
    exported = Exported(
        results=experiment_results(records),
        samples=samples,
        evidence=naming.given(folder),
        contender=contender,
        written=naming.written(folder, journal.NAME).date(),
    )
    terms = tuple(one for one in exported.results.findings if one.code == codes.R8_TERMS.code)
    return FORMS[form].write(exported), terms
