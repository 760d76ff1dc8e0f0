"""A load experiment for a terminal."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING

import msgspec
from rich import box
from rich.console import Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from weigh.load.activity import report as activity
from weigh.load.analysis import conditions, expected_interval
from weigh.load.durability import report as durability
from weigh.load.gate import report as answers
from weigh.load.rate_search import report as searches
from weigh.load.replay import report as replay
from weigh.load.report import machine, words
from weigh.load.report.first_screen import screen
from weigh.load.tpcc import report as tpcc
from weigh.load.waits import report as waits
from weigh.model import units
from weigh.model.text import one_line
from weigh.render import knobs
from weigh.render.terminal import FittedTable, plain_text, section, show_findings, show_tier

if TYPE_CHECKING:
    from rich.console import RenderableType

    from weigh.load.analysis.figures import OperationFigures, RunFigures
    from weigh.load.analysis.percentiles import Spectrum
    from weigh.load.results import LoadResults

_SETTINGS = 12
"""Settings that are printed; the page and the evidence have them all."""


def plain(results: LoadResults, evidence: str) -> str:
    """The whole report without colour at a fixed width: the form that is kept and verified."""
    return plain_text(whole(results, evidence))


def whole(results: LoadResults, evidence: str) -> RenderableType:
    """The first screen, and everything below it; arguments as of :func:`screen`."""
    return Group(screen(results, evidence), Text(), report(results, evidence))


def notes(results: LoadResults) -> RenderableType:
    """What the first screen only counts: the tier with its reasons, the findings, and how to read the figures."""
    parts: list[RenderableType] = [show_tier(results.tier), Text()]
    if results.findings:
        parts += [Text("Findings", style="bold"), show_findings(results.findings), Text()]
    return Group(*parts, Text(words.DIFFERENCE, style="dim"))


def report(results: LoadResults, evidence: str) -> RenderableType:
    """Everything below the first screen.

    Args:
        results: what is to be said.
        evidence: name of the evidence directory, for the last line.
    """
    parts: list[RenderableType] = [_heading(results), Text(), show_tier(results.tier), Text()]
    if results.replay:
        recorded = (Text(one_line(line, 1000)) for line in replay.lines(results.replay))
        parts += [Text(replay.TITLE, style="bold"), *recorded, Text()]
    if results.durability:
        crashed = (Text(one_line(line, 1000)) for line in durability.lines(results.durability))
        parts += [Text(durability.TITLE, style="bold"), *crashed, Text()]
    if results.rate_search:
        parts += searches.terminal(results.rate_search)
    if results.answers and (of_answers := list(answers.lines(results.answers))):
        parts += section(answers.TITLE, of_answers)
    for group in results.groups:
        if len(results.groups) > 1 or results.rate_search:
            parts += [Text(words.group_name(group), style="bold"), Text()]
        if group.between:
            parts += [_between(results, group.first.number), Text()]
        for one in (one for one in results.tpcc if one.number == group.first.number):
            parts += section(tpcc.TITLE, tpcc.lines(one))
        parts += _run(group.first, first_of=len(group.runs))
        if said := tuple(conditions.sentences(results.record, group.first.number)):
            parts += section("Conditions", said)
        if (watched := results.machine) and (run := watched.of(group.first.number)):
            parts += section("Machine", machine.lines(watched, run, results.activity.get(run.number)))
        if sampled := results.waits.get(group.first.number):
            parts += section(waits.TITLE, waits.lines(sampled))
        if meanwhile := results.activity.get(group.first.number):
            parts += section(activity.TITLE, activity.lines(meanwhile))
        if group.page:
            parts += [Text(words.page(group.page)), Text()]
    if len(results.groups) > 1:
        parts += [_groups(results), Text()]
    if results.loops:
        parts += [Text("Open loop and closed loop", style="bold"), Text(words.loops(results.loops)), Text()]
    if results.findings:
        parts += [Text("Findings", style="bold"), show_findings(results.findings), Text()]
    parts.append(_closing(results, evidence))
    return Group(*parts)


def _heading(results: LoadResults) -> Text:
    record = results.record
    spec = record.spec
    text = Text()
    text.append(f"weigh load {spec.title}", style="bold")
    text.append(f"  {one_line(spec.target, 120)}, {words.offered(spec)}")
    text.append(f"{words.length(spec)}, experiment {spec.id}")
    if record.attempt > 1:
        text.append(f", attempt {record.attempt}")
    if spec.ycsb is not msgspec.UNSET:
        text.append(f"\n{words.ycsb(spec)}", style="dim")
    if spec.notice:
        text.append(f"\n{spec.notice}", style="bold")
    if record.loaded:
        text.append(f"\n{words.loaded(record.loaded)}", style="dim")
    if said := words.lives(record):
        text.append(f"\n{said}", style="dim")
    if record.environment:
        target, host = record.environment.target, record.environment.host
        durable = {True: "durable", False: "NOT DURABLE", None: "durability not known"}[record.durable]
        text.append(f"\n{target.product} {one_line(target.version, 80)}, {durable}{words.tls(target)}", style="dim")
        text.append("\n" + one_line(words.data(record), 200), style="dim")
        for line in (*knobs.lines(record.knobs), conditions.speed_words(record.calibrations)):
            text.append(f"\n{one_line(line, 1000)}" if line else "", style="dim")
        changed = [f"{name}={one.get('value')}" for name, one in target.in_force.items()]
        more = f", and {len(changed) - _SETTINGS} more" if len(changed) > _SETTINGS else ""
        if changed:
            text.append("\n" + one_line("settings: " + ", ".join(changed[:_SETTINGS]) + more), style="dim")
        memory = units.size(host.get("memory_bytes"))
        text.append(f"\n{host.get('cpu')}, {host.get('cores_allowed')} cores, {memory}; {host.get('system')}")
    return text


def _run(run: RunFigures, first_of: int) -> list[RenderableType]:
    parts: list[RenderableType] = []
    if first_of > 1:
        parts.append(Text(f"The first of {units.count(first_of, 'run')}:", style="dim"))
    if not run.operations:
        return [*parts, Text("no request was answered"), Text()]
    parts += [_percentiles(run), Text()]
    text = Text(words.throughput(run))
    text.append(f"; mean response {units.seconds(run.whole.response.mean)}", style="dim")
    text.append(f"\n{words.DIFFERENCE}", style="dim")
    text.append(
        f"\nOf the lag before sending, waiting for a free connection is the server's ({_lag(run.whole.lag_free)}), the "
        f"rest the generator's own lateness ({_lag(run.whole.lag_late)}).",
        style="dim",
    )
    if run.summary and run.summary.max_queue:
        waited = units.count(run.summary.max_queue, "request")
        text.append(f"\nAt most {waited} that were due waited for a free connection at one moment.", style="dim")
    if run.summary and run.summary.verified_reads:
        text.append(f"\n{run.summary.verified_reads:,} answers were compared with what had been written.", style="dim")
    if said := words.server(run):
        text.append(f"\n{said}", style="dim")
    if run.corrected:
        text.append(f"\n{expected_interval.sentence(run.corrected)}.", style="yellow")
    for reason in run.reasons:
        text.append(f"\nREFUSED {reason.code}: ", style="bold red")
        text.append(one_line(reason.text))
    return [*parts, text, Text()]


def _lag(one: Spectrum) -> str:
    p50, p90 = one.at(0.5), one.at(0.9)
    return f"p50 {words.value(p50)}, p90 {words.value(p90)}, max {units.seconds(one.max)}"


def _percentiles(run: RunFigures) -> RenderableType:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    table.add_column("operation", overflow="fold", min_width=9)
    table.add_column("", no_wrap=True)
    for heading in ("response", "95 % interval", "service", "95 % interval"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("", overflow="fold")
    for one in run.operations:
        table.add_row(Text(one_line(one.name, 40), style="bold"), "", "", "", "", "", _counts(one))
        for name, q, seen in words.percentile_rows(one):
            response, service = one.response.at(q), one.service.at(q)
            table.add_row(
                "",
                name,
                Text(words.value(response), style="" if response.resolved else "yellow"),
                words.between(response.low, response.high),
                Text(words.value(service), style="" if service.resolved else "yellow"),
                words.between(service.low, service.high),
                "" if response.resolved else words.seen(one.count, seen),
            )
        table.add_row("", "max", units.seconds(one.response.max), "", units.seconds(one.service.max), "", "")
    return FittedTable(table, "95 % interval", "service")


def _counts(one: OperationFigures) -> str:
    text = units.count(one.count, "answer")
    if one.failed:
        text += f", {one.failed:,} failed"
    if one.wrong or one.missing:
        text += f", {one.wrong + one.missing:,} wrong"
    return text


def _between(results: LoadResults, number: int) -> RenderableType:
    group = next(one for one in results.groups if one.first.number == number)
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    table.add_column("over the repeats")
    table.add_column("mean, and where the next falls (95 %)")
    table.add_column("each run", overflow="fold")
    for one in group.between:
        shown = [f"{value:,.4g}/s" if one.name == "rate" else units.seconds(value) for value in one.values]
        table.add_row(words.label(one.name), words.of_repeats(one), ", ".join(shown))
    return FittedTable(table, "each run")


def _groups(results: LoadResults) -> RenderableType:
    """One row for each loop and number of connections."""
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    table.add_column("runs")
    for heading in ("answers/s", "p50", "p99", "max"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("")
    for group in results.groups:
        run = group.first
        if not run.operations:
            continue
        response, rate = run.whole.response, run.rate_achieved
        table.add_row(
            words.group_name(group),
            f"{rate.mean:,.5g}" if rate and not run.refused else "",
            words.value(response.at(0.5)),
            words.value(response.at(0.99)),
            units.seconds(response.max),
            Text(f"refused ({', '.join(one.code for one in run.reasons)})", style="bold red") if run.refused else "",
        )
    return FittedTable(table, "max", "p50")


def _closing(results: LoadResults, evidence: str) -> RenderableType:
    text = Text()
    text.append(words.headline(results), style="bold red" if results.refused else "bold")
    if results.record.environment:
        text.append(f"\nreproduce: {results.record.environment.command}")
    text.append(f"\nevidence:  {evidence}  (weigh verify {quote(evidence)})")
    return Padding(text, 0)
