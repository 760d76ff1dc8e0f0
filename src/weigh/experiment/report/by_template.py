"""Templates of a suite in a report: what they are called, and their table; the terminal and the page print the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.experiment.report.cold import question
from weigh.model.verdict import VerdictName
from weigh.render import blocks, words
from weigh.render.blocks import Cell

if TYPE_CHECKING:
    from weigh.experiment.results.by_template import TemplateVerdict
    from weigh.experiment.results.results import ExperimentResults
    from weigh.render.blocks import Block

TITLE = "By template"
_HEADINGS = ("template", "contender", "its operations", "ratio", "interval", "FCR", "verdict", "pooled")
_NOTE = (
    "A template is one statement with the values it is asked with. Its ratio is the geometric mean over all its "
    "operations, and scatters less than theirs; one that is slower may hide behind the others, so each has its own "
    "verdict too."
)
_POOLED = (
    " Pooled is each operation with the help of the others, where three or more are not distinguished: of all that are "
    "called the same few are wrong, which is not promised of one that alone differs from its template."
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
            _pooled(one),
        )
        for one in results.templates
    ]
    if not rows:
        return []
    optional, columns, note = ("verdict", "FCR", "interval", "ratio", "its operations"), len(_HEADINGS), _NOTE
    if all(one.pooled is msgspec.UNSET for one in results.templates):
        columns -= 1
    else:
        note += _POOLED
    return [blocks.words(_HEADINGS[:columns], [row[:columns] for row in rows], None, optional), blocks.small(note)]


def _pooled(one: TemplateVerdict) -> str:
    """How many operations are the same: ``24 of 25 the same``."""
    if one.pooled:
        same = sum(part.verdict in (VerdictName.SAME, VerdictName.SMALL) for part in one.pooled)
        return f"{same:,} of {len(one.operations):,} the same"
    return "not pooled"


def _interval(low: float | None, high: float | None) -> str:
    return f"{low:.2f}-{high:.2f}" if low and high else ""
