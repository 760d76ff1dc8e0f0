"""The ladder for a terminal."""

from __future__ import annotations

import math
from shlex import quote
from typing import TYPE_CHECKING

from rich import box
from rich.console import Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from weigh.ladder.report import words
from weigh.model import units
from weigh.model.text import one_line
from weigh.render.terminal import VERDICT_STYLE, FittedTable, indented, interval, show_findings
from weigh.render.words import CLAIM, PLAIN, ratio

if TYPE_CHECKING:
    from rich.console import RenderableType

    from weigh.ladder.analysis import Series, Step
    from weigh.ladder.results import LadderResults

_BAR = 10
"""Characters of the longest bar."""
_NAME = 34
"""Longer names are folded."""


def report(summary: LadderResults, folder: str) -> RenderableType:
    """The whole ladder.

    Args:
        summary: what is to be said.
        folder: directory of its files, for the last line.
    """
    parts: list[RenderableType] = [_heading(summary), Text(), _rungs(summary), Text()]
    parts += [Text("Noise", style="bold"), _steps(summary), Text()]
    if len(summary.rungs) > 1:
        parts += [_outcomes(summary), Text()]
    if summary.costs:
        parts += [Text("COST", style="bold"), _costs(summary), Text()]
    if summary.findings:
        parts += [Text("Findings", style="bold"), show_findings(summary.findings), Text()]
    parts += [_notes(summary), Text(), _closing(summary, folder)]
    return Group(*parts)


def _heading(summary: LadderResults) -> Text:
    spec = summary.spec
    text = Text()
    text.append(f"weigh ladder {spec.workload}", style="bold")
    text.append(f"  seed {spec.seed}, ladder {summary.plan.id}, baseline {spec.baseline}")
    record = summary.rungs[-1].results.record
    for one in record.environment.contenders if record.environment else ():
        text.append("\n" + one_line(f"{one.name}: {one.engine} {one.version}"), style="dim")
    if record.environment:
        host = record.environment.host
        text.append(f"\n{host.get('cpu')}, {host.get('cores_allowed')} cores, ")
        text.append(f"{units.size(host.get('memory_bytes'))}; {host.get('system')}")
    notice = record.notice
    if notice:
        text.append(f"\n{notice}", style="bold")
    return text


def _rungs(summary: LadderResults) -> RenderableType:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for heading in ("rung", "answers", "tier", "evidence"):
        table.add_column(heading, overflow="fold")
    for rung in summary.rungs:
        gate = rung.results.gate
        wrong = sorted(gate.contradicted) if gate else []
        tier = rung.results.tier
        table.add_row(
            units.scale(rung.scale) or "your data",
            Text(f"contradicted: {', '.join(wrong)}", style="bold red") if wrong else "",
            str(tier.name) if tier else "",
            rung.evidence if rung.complete else f"{rung.evidence}, not complete",
        )
    return FittedTable(table, "evidence", "tier")


def _steps(summary: LadderResults) -> RenderableType:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    width = min(max(len(one.contender) for one in summary.ladder.series) + 2, _NAME) if summary.ladder.series else None
    table.add_column("operation, contender", overflow="fold", min_width=width)
    level = f"{100 * summary.rules.confidence:g} %"
    for heading in ("rung", "median", "max", "CV"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    for heading in ("ratio", level, "finds from"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("verdict", overflow="fold")
    known = [step.cv for one in summary.ladder.series for step in one.steps if step.cv]
    operation = ""
    for one in summary.ladder.series:
        if one.operation != operation:
            operation = one.operation
            table.add_row(Text(operation, style="bold"))
        for at, step in enumerate(one.steps):
            table.add_row(*_row(one, step, known, first=at == 0))
    return FittedTable(table, "", "max", "CV", level, "finds from", "median", "ratio")


def _row(one: Series, step: Step, known: list[float], *, first: bool) -> list[str | Text]:
    verdict = Text("baseline" if one.itself else "")
    if step.verdict:
        plain = PLAIN if step.plain_ratio else ""
        verdict = Text(str(step.verdict).upper() + plain, style=VERDICT_STYLE[step.verdict])
    return [
        f"  {one.contender}" if first else "",
        units.scale(step.scale).removesuffix(" rows"),
        units.seconds(step.median),
        units.seconds(step.max),
        units.percent(step.cv),
        bar(step.cv, known),
        ratio(step),
        interval(step.low, step.high),
        Text(units.percent(step.detectable), style="green" if step.resolves else "yellow")
        if step.detectable is not None
        else "",
        verdict,
    ]


def bar(value: float | None, known: list[float]) -> str:
    """A bar on a logarithmic scale: one character at the smallest of all values, the longest at the largest."""
    if not value or not known:
        return ""
    low, high = min(known), max(known)
    part = math.log(value / low) / math.log(high / low) if high > low else 1.0
    return "#" * (1 + round(part * (_BAR - 1)))


def _outcomes(summary: LadderResults) -> RenderableType:
    """What each comparison comes to, once for all operations of which the same is to be said."""
    said: dict[tuple[str, str], list[str]] = {}
    for one in summary.ladder.compared:
        said.setdefault((one.contender, words.outcome(one, len(summary.rungs))), []).append(one.operation)
    lines = []
    for (contender, outcome), operations in said.items():
        text = Text(one_line(f"{', '.join(operations)}, {contender}:", 400) + " ", style="bold")
        lines.append(Padding(text.append(one_line(outcome, 400), style="not bold"), (0, 0, 0, 2)))
    return Group(*lines)


def _costs(summary: LadderResults) -> RenderableType:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    several = len(summary.rungs) > 1
    headings = ["rung"] * several + ["operation", "contender", "COST", "best single-threaded"]
    for heading in headings:
        table.add_column(heading, overflow="fold")
    for heading in ("ratio", f"{100 * summary.rules.confidence:g} %"):
        table.add_column(heading, justify="right", no_wrap=True)
    for one in summary.costs:
        absent = f" (without a time: {', '.join(one.absent)})" if one.absent else ""
        table.add_row(
            *[units.scale(one.scale)] * several,
            one.operation,
            one.contender,
            words.cost_width(one),
            f"{one.against}{absent}",
            f"{one.ratio:.3f}" if one.ratio else "",
            interval(one.low, one.high),
        )
    fitted = FittedTable(table, f"{100 * summary.rules.confidence:g} %", "ratio", "best single-threaded", "rung")
    return Group(fitted, Text(), *indented(words.costs(summary.costs), 400))


def _notes(summary: LadderResults) -> Text:
    rules = summary.rules
    return Text(
        f"ratio: contender / {summary.spec.baseline}; the baseline's own rows are its second arm over its first. "
        f"finds from: the smallest effect that these "
        f"starts would find (80 % power); the margin of {units.percent(rules.margin)} is resolvable where that is not "
        f"above it. The bar is the CV, logarithmic. {CLAIM}",
        style="dim",
    )


def _closing(summary: LadderResults, folder: str) -> Text:
    text = Text()
    text.append(words.headline(summary), style="bold")
    unfinished = words.unfinished(summary)
    if unfinished:
        text.append(f"\n{unfinished}", style="bold yellow")
    text.append(f"\nreproduce: {summary.plan.command}")
    text.append(f"\nladder:    {folder}/ladder.html  (weigh verify {quote(str(folder))})")
    return text
