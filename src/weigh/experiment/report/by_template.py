"""Templates of a suite in a report: what they are called, and their table; the terminal and the page print the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.experiment.report.cold import question
from weigh.render import blocks, words
from weigh.render.blocks import Cell

if TYPE_CHECKING:
    from weigh.experiment.results.by_template import TemplateVerdict
    from weigh.experiment.results.results import ExperimentResults
    from weigh.render.blocks import Block

TITLE = "By template"
_HEADINGS = ("template", "contender", "its operations", "ratio", "interval", "FCR", "verdict")
_NOTE = (
    "A template is one statement with the values it is asked with. Its ratio is the geometric mean over all its "
    "operations, and scatters less than theirs; one that is slower may hide behind the others, so each has its own "
    "verdict too."
)


def label(one: TemplateVerdict) -> str:
    """A template, as a table of operations names it: ``by_city (all 25)``."""
    return question(f"{one.verdict.operation} (all {len(one.operations):,})", one.verdict.temperature)


def parts(results: ExperimentResults) -> list[Block]:
    """A row for each template and contender, and how to read it; nothing where a suite has no template."""
    rows = [
        (
            question(one.verdict.operation, one.verdict.temperature),
            one.verdict.contender,
            ", ".join(f"{count} {name}" for name, count in one.verdicts.items()),
            words.ratio(one.verdict),
            _interval(one.verdict.low, one.verdict.high),
            _interval(one.verdict.low_fcr, one.verdict.high_fcr),
            Cell(words.verdict(one.verdict), str(one.verdict.verdict)),
        )
        for one in results.templates
    ]
    optional = ("verdict", "FCR", "interval", "ratio", "its operations")
    return [blocks.words(_HEADINGS, rows, None, optional), blocks.small(_NOTE)] if rows else []


def _interval(low: float | None, high: float | None) -> str:
    return f"{low:.2f}-{high:.2f}" if low and high else ""
