"""Templates of a suite in a report: what they are called, and their table; the terminal and the page print the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from weigh.experiment.report.cold import question
from weigh.render import words

if TYPE_CHECKING:
    from weigh.experiment.results.by_template import TemplateVerdict
    from weigh.experiment.results.results import ExperimentResults
    from weigh.model.verdict import VerdictName

TITLE = "By template"
HEADINGS = ("template", "contender", "its operations", "ratio", "interval", "FCR", "verdict")
NOTE = (
    "A template is one statement with the values it is asked with. Its ratio is the geometric mean over all its "
    "operations, and scatters less than theirs; one that is slower may hide behind the others, so each has its own "
    "verdict too."
)


class Row(NamedTuple):
    """Cells of a row, and the name of its verdict."""

    cells: tuple[str, ...]
    verdict: str
    sign: VerdictName


def label(one: TemplateVerdict) -> str:
    """A template, as a table of operations names it: ``by_city (all 25)``."""
    return question(f"{one.verdict.operation} (all {len(one.operations):,})", one.verdict.temperature)


def rows(results: ExperimentResults) -> list[Row]:
    """A row for each template and contender; none where a suite has no template."""
    return [
        Row(
            (
                question(one.verdict.operation, one.verdict.temperature),
                one.verdict.contender,
                ", ".join(f"{count} {name}" for name, count in one.verdicts.items()),
                words.ratio(one.verdict),
                _interval(one.verdict.low, one.verdict.high),
                _interval(one.verdict.low_fcr, one.verdict.high_fcr),
            ),
            words.verdict(one.verdict),
            one.verdict.verdict,
        )
        for one in results.templates
    ]


def _interval(low: float | None, high: float | None) -> str:
    return f"{low:.2f}-{high:.2f}" if low and high else ""
