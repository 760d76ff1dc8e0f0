"""The ladder of loads as a report: for a terminal and as one self-contained HTML page."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING

from markupsafe import Markup

from weigh.ladder.load.report import words
from weigh.ladder.load.report.plot import RungPoint, plot
from weigh.load.report.words import arrivals, percentile_name
from weigh.model import units
from weigh.model.text import one_line
from weigh.model.units import count
from weigh.render import page
from weigh.render.blocks import Column, Commands, Findings, Group, Lines, Page, Part, Plot, Row, Section, Table, titled
from weigh.render.terminal import report

if TYPE_CHECKING:
    from rich.console import RenderableType

    from weigh.ladder.load.results import LoadLadderResults
    from weigh.render.blocks import Phrase

_DRAWN = (0.5, 0.99, 0.999)
_STROKES = "".join(
    f".t{at}{{fill:none;stroke:var(--k{at});stroke-width:1.4}}.b{at}{{color:var(--k{at})}}\n"
    for at in range(len(_DRAWN))
)
_STYLE = """\
.dot{stroke-width:6.5;stroke-linecap:round}.fits{stroke:var(--open);stroke-width:1.4;stroke-dasharray:5 3;fill:none}
.lt td{text-align:right;white-space:nowrap}.lt thead th:nth-child(n+2){text-align:right}.refusal{color:var(--bad)}
@media screen and (max-width:700px){figure svg.plot{min-width:600px}}
"""


def text(summary: LoadLadderResults, folder: str) -> RenderableType:
    """The ladder for a terminal.

    Args:
        summary: the ladder.
        folder: directory of its files, for the last line.
    """
    plan, spec = summary.plan, summary.rungs[-1].results.record.spec
    about = f"  {one_line(plan.target, 120)}, {arrivals(spec.arrivals)}, ladder {plan.id}"
    unfinished, refused = words.unfinished(summary), words.refused(summary)
    rungs = [
        f"{words.name(one):<10} {one.evidence}" + ("" if one.complete else ", not complete") for one in summary.rungs
    ]
    return report(
        Lines([(Part(f"weigh ladder --load {plan.workload}", "bold"), about), Part(words.memory(plan), "dim")]),
        Lines([Part(words.headline(summary), "bold"), *([Part(unfinished, "broken")] if unfinished else [])]),
        _rungs(summary),
        Lines([Part(one_line(line, 1000), "bad") for line in refused]) if refused else None,
        Findings(summary.findings),
        Lines([words.NOTE], style="dim"),
        Lines(
            [
                *rungs,
                f"reproduce: {plan.command}",
                f"ladder:    {folder}/load-ladder.html  (weigh verify {quote(str(folder))})",
            ]
        ),
    )


def html(summary: LoadLadderResults) -> bytes:
    """The ladder as a page. A pure function of the evidence of the rungs."""
    plan, record = summary.plan, summary.rungs[-1].results.record
    unfinished, drawing = words.unfinished(summary), _drawing(summary)
    dot = Markup(" &middot; ")
    meta = (arrivals(record.spec.arrivals), dot, "ladder ", Part(plan.id, "code"), dot, words.memory(plan))
    return page.page(
        Page(
            command="weigh ladder --load",
            title=titled(f"{plan.workload} on {one_line(plan.target, 60)}, ladder", words.headline(summary)),
            heading=f"{plan.workload} on {one_line(plan.target, 120)}",
            head=[
                Lines([meta], css="meta"),
                Lines([words.headline(summary)], css="lead", most=1000),
                Lines([Part(unfinished, "strong")] if unfinished else [], most=1000),
            ],
            blocks=[
                Section(
                    "Rungs",
                    [
                        Lines(words.refused(summary), css="refusal", most=1000),
                        *([Plot(_caption(), drawing)] if drawing else []),
                        _rungs(summary),
                        Lines([Part(words.NOTE, "small")]),
                    ],
                    "rungs",
                ),
                Findings(summary.findings),
                Section("Reproduce", [Commands(plan.command)], "reproduce"),
            ],
            style=_STROKES + _STYLE,
            weigh=record.environment.weigh if record.environment else "",
            date=record.end.date if record.end else "",
            origin=f" from the evidence of {count(len(summary.rungs), 'rung')}",
            folded=False,
        )
    )


def _rungs(summary: LoadLadderResults) -> Table:
    columns = [Column(one, right=one != "rung", whole=one[0] != "p") for one in words.HEADINGS]
    columns += [Column(one, form="page") for one in ("tier", "evidence")]
    rows = []
    for one in summary.rungs:
        evidence = (Part(one.evidence, "code"), "" if one.complete else " (not complete)")
        rows.append(Row([*words.cells(one), str(one.results.tier.name), evidence]))
    optional = ("records", "p99.9", "CPU each", "answers/s", "data")
    return Table(columns, [Group("", rows)], optional, css="lines lt")


def _caption() -> Phrase:
    key = [Part(percentile_name(q), f"b{at}") for at, q in enumerate(_DRAWN)]
    between = [part for one in key for part in (", ", one)][1:]
    return ("Response time against data over memory: ", *between, "; bars are 95 % intervals")


def _drawing(summary: LoadLadderResults) -> Markup:
    """Percentiles that are resolved, at the ratios that were measured."""
    known = [(one.size.ratio, one) for one in summary.rungs if one.size and one.size.ratio > 0]
    curves = []
    for q in _DRAWN:
        found = ((ratio, one.percentile(q)) for ratio, one in known)
        curves.append(
            [RungPoint(ratio, part.value, part.low, part.high) for ratio, part in found if part and part.value]
        )
    ends = [
        f"{percentile_name(q)} {units.seconds(curve[0].value)} to {units.seconds(curve[-1].value)}"
        for q, curve in zip(_DRAWN, curves, strict=True)
        if curve
    ]
    label = f"response time against data over memory: {', '.join(ends)}"
    return plot(curves, [(ratio, words.name(one)) for ratio, one in known], label)
