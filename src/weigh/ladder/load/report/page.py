"""The ladder of loads as one self-contained HTML page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup

from weigh.ladder.load.report import words
from weigh.ladder.load.report.plot import RungPoint, plot
from weigh.load.report.words import arrivals, percentile_name
from weigh.render.html import ExplainedCodes, templates

if TYPE_CHECKING:
    from weigh.ladder.load.results import LoadLadderResults

_DRAWN = (0.5, 0.99, 0.999)
_STROKES = ("var(--k0)", "var(--k1)", "var(--k2)")


def page(summary: LoadLadderResults) -> str:
    """The whole page. A pure function of the evidence of the rungs."""
    record = summary.rungs[-1].results.record
    return (
        templates(Path(__file__).parent)
        .get_template("load_ladder.html")
        .render(
            summary=summary,
            plan=summary.plan,
            explained=ExplainedCodes(),
            environment=record.environment,
            arrivals=arrivals(record.spec.arrivals),
            memory=words.memory(summary.plan),
            headline=words.headline(summary),
            unfinished=words.unfinished(summary),
            refused=words.refused(summary),
            headings=words.HEADINGS,
            rows=[(one, words.cells(one)) for one in summary.rungs],
            note=words.NOTE,
            drawing=_plot(summary),
            key=[(at, percentile_name(q)) for at, q in enumerate(_DRAWN)],
            strokes=Markup("\n").join(
                Markup(".t{}{{fill:none;stroke:{};stroke-width:1.4}}.b{}{{color:{}}}").format(at, one, at, one)
                for at, one in enumerate(_STROKES)
            ),
        )
    )


def _plot(summary: LoadLadderResults) -> Markup:
    """Percentiles that are resolved, at the ratios that were measured."""
    known = [(one.size.ratio, one) for one in summary.rungs if one.size and one.size.ratio > 0]
    curves = []
    for q in _DRAWN:
        found = ((ratio, one.percentile(q)) for ratio, one in known)
        curves.append(
            [RungPoint(ratio, part.value, part.low, part.high) for ratio, part in found if part and part.value]
        )
    return plot(curves, [(ratio, words.name(one)) for ratio, one in known], "response time against data over memory")
