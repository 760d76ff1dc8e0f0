"""The ladder of loads for a terminal."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING

from rich import box
from rich.console import Group
from rich.table import Table
from rich.text import Text

from weigh.ladder.load.report import words
from weigh.load.report.words import arrivals
from weigh.model.text import one_line
from weigh.render.terminal import FittedTable, show_findings

if TYPE_CHECKING:
    from rich.console import RenderableType

    from weigh.ladder.load.results import LoadLadderResults


def report(summary: LoadLadderResults, folder: str) -> RenderableType:
    """The whole ladder.

    Args:
        summary: what is to be said.
        folder: directory of its files, for the last line.
    """
    plan, spec = summary.plan, summary.rungs[-1].results.record.spec
    heading = Text()
    heading.append(f"weigh ladder --load {plan.workload}", style="bold")
    heading.append(f"  {one_line(plan.target, 120)}, {arrivals(spec.arrivals)}, ladder {plan.id}")
    heading.append(f"\n{words.memory(plan)}", style="dim")
    parts: list[RenderableType] = [heading, Text(), Text(words.headline(summary), style="bold")]
    if unfinished := words.unfinished(summary):
        parts.append(Text(unfinished, style="bold yellow"))
    parts += [Text(), _rungs(summary), Text()]
    if refused := words.refused(summary):
        parts += [*(Text(one_line(line, 1000), style="bold red") for line in refused), Text()]
    if summary.findings:
        parts += [Text("Findings", style="bold"), show_findings(summary.findings), Text()]
    closing = Text(words.NOTE, style="dim")
    parts += [closing, Text()]
    last = Text()
    for one in summary.rungs:
        last.append(f"{words.name(one):<10} {one.evidence}" + ("" if one.complete else ", not complete") + "\n")
    last.append(f"reproduce: {plan.command}")
    last.append(f"\nladder:    {folder}/load-ladder.html  (weigh verify {quote(str(folder))})")
    return Group(*parts, last)


def _rungs(summary: LoadLadderResults) -> RenderableType:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for heading in words.HEADINGS:
        table.add_column(heading, justify="left" if heading == "rung" else "right", no_wrap=heading[0] != "p")
    for one in summary.rungs:
        table.add_row(*words.cells(one))
    return FittedTable(table, "records", "p99.9", "CPU each", "answers/s", "data")
