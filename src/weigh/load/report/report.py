"""A load experiment as a report: all of it for a terminal, and as one self-contained HTML page."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING

from markupsafe import Markup
from rich.console import Group
from rich.text import Text

from weigh.load.activity import report as activity
from weigh.load.analysis import conditions, expected_interval
from weigh.load.disturbances import report as disturbances
from weigh.load.durability import report as durability
from weigh.load.gate import report as answers
from weigh.load.isolation import report as isolation
from weigh.load.rate_search import report as searches
from weigh.load.replay import report as replay
from weigh.load.report import agents, machine, plots, timeline_plot, words
from weigh.load.report.first_screen import answered, screen, wrong
from weigh.load.requirements import report as requirements
from weigh.load.tpcc import report as tpcc
from weigh.load.waits import report as waits
from weigh.model import units
from weigh.model.text import one_line
from weigh.render import comparison, knobs, terminal
from weigh.render import page as pages
from weigh.render.blocks import (
    Cell,
    Column,
    Commands,
    Findings,
    Fold,
    Grade,
    Lines,
    Page,
    Part,
    Row,
    Section,
    Table,
    read_back,
    titled,
)
from weigh.render.blocks import Group as Rows
from weigh.render.blocks import words as table
from weigh.verdict import assumptions

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rich.console import RenderableType

    from weigh.load.analysis.figures import OperationFigures, RunFigures
    from weigh.load.record import LoadEnvironment, LoadRecord
    from weigh.load.results import Group as RunGroup
    from weigh.load.results import LoadResults
    from weigh.render.blocks import Block, Phrase

_SETTINGS = 12
"""Settings that are printed; the page and the evidence have them all."""
_DRAWN = 4
"""Groups whose plots are drawn; the tables have all."""
_STYLE = """.pc td{text-align:right;white-space:nowrap}.pc thead th:nth-child(n+2){text-align:right}.open{color:var(--open)}
.refusal{color:var(--bad)}.must tbody th{min-width:22em!important;max-width:34em}.must td{min-width:12em}
@media screen and (max-width:700px){figure svg.plot{min-width:600px}
.pc,.pc tbody{display:block}.pc thead{display:none}
.pc tr{display:grid;grid-template-columns:4em minmax(0,1fr) minmax(0,1fr);gap:0 10px;padding:4px 0;border-top:1px solid var(--line)}
.pc tr>*{padding:0!important;border:0!important;text-align:left!important;white-space:normal!important;min-width:0!important}
.pc th[scope=rowgroup]{grid-column:1/-1;order:-2;padding-bottom:4px!important}.pc th[scope=row]{grid-row:span 2;order:-1}
.pc td:nth-of-type(1)::before{content:"response ";color:var(--muted)}.pc td:nth-of-type(3)::before{content:"service ";color:var(--muted)}
.pc td:nth-of-type(1){order:1}.pc td:nth-of-type(3){order:2}.pc td:nth-of-type(2){order:3}.pc td:nth-of-type(4){order:4}}
"""  # noqa: E501


def plain(results: LoadResults, evidence: str) -> str:
    """The whole report without colour at a fixed width: the form that is verified."""
    return terminal.plain_text(whole(results, evidence))


def notes(results: LoadResults) -> RenderableType:
    """What the first screen only counts: the tier with its reasons, the findings, and how to read the figures."""
    return terminal.report(Grade(results.tier), Findings(results.findings), Lines([words.DIFFERENCE], style="dim"))


def whole(results: LoadResults, evidence: str) -> RenderableType:
    """The first screen, and everything below it.

    Args:
        results: what is to be reported.
        evidence: name of the evidence directory, for the last line.
    """
    below = terminal.report(
        Lines(list(_heading(results))),
        Grade(results.tier),
        *_whole_load(results),
        *(part for group in results.groups for part in _group(results, group)),
        _groups(results) if len(results.groups) > 1 else None,
        *_loops(results),
        Findings(results.findings),
        Lines(list(_closing(results, evidence))),
    )
    return Group(screen(results, evidence), Text(), below)


def page(results: LoadResults, evidence: str) -> bytes:
    """The whole page. A pure function of the record; arguments as of :func:`whole`."""
    record = results.record
    spec, environment = record.spec, record.environment
    groups = [
        Section(_begun(words.group_name(group)), list(_details(results, group, drawn=at <= _DRAWN)), f"group-{at}")
        for at, group in enumerate(results.groups, 1)
    ]
    alone = Lines(["An interval is about its run, and never about the next one."])
    assumed = [alone, *comparison.assumptions(assumptions.SERIES)]
    about = [words.ycsb(spec), words.lives(record), words.skipped(record.loaded) if record.loaded else ""]
    origin = Markup(" from <code>{}</code>; its histograms.hlog can be read with the HdrHistogram tools")
    return pages.page(
        Page(
            command="weigh load",
            title=titled(
                f"{spec.title} on {one_line(spec.target, 60)}",
                next(iter(map(str, wrong(results))), words.headline(results)),
            ),
            heading=f"{spec.title} on {one_line(spec.target, 120)}",
            head=[
                Lines(wrong(results), css="lead refusal", most=1000),
                Lines([words.headline(results)], css="lead", most=1000),
                Lines([*filter(None, [answered(results)])], most=1000),
                Grade(results.tier, label=None),
                Lines([spec.notice] if spec.notice else [], css="notice"),
                Lines([_offered(results), *filter(None, about)], css="meta"),
            ],
            blocks=[
                *_loops(results),
                *_whole_load(results),
                *groups,
                *([Fold("What the intervals assume", assumed, tag="", css="method")] if groups else []),
                Findings(results.findings),
                *(_server(record, environment) if environment else []),
            ],
            style=_style(results),
            weigh=environment.weigh if environment else "",
            date=record.end.date if record.end else "",
            origin=origin.format(evidence),
            folded=False,
        )
    )


def _whole_load(results: LoadResults) -> Iterator[Section]:
    """What is of no run alone."""
    if results.requirements:
        yield Section(requirements.TITLE, requirements.blocks(results.requirements, results.record.spec), "required")
    if results.rate_search:
        yield Section(searches.TITLE, searches.blocks(results.rate_search), "rate-search", short="The search")
    if results.replay:
        yield Section(replay.TITLE, replay.blocks(results.replay), "replay")
    if results.durability:
        yield Section(durability.TITLE, durability.blocks(results.durability), "durability")
    yield from disturbances.sections(results.disturbed) if results.disturbed else ()
    if results.answers and (found := answers.blocks(results.answers)):
        yield Section(answers.TITLE, found, "answers")


def _loops(results: LoadResults) -> Iterator[Section]:
    if results.loops:
        found = [Lines([words.loops(results.loops)])]
        yield Section("Open loop and closed loop", found, "loops", short="Open and closed loop")


def _style(results: LoadResults) -> str:
    parts = [searches.STYLE if results.rate_search else "", timeline_plot.STYLE if results.machine else ""]
    parts += [isolation.STYLE if results.isolation else "", plots.LIMIT_STYLE if results.requirements else ""]
    return "\n".join([plots.STYLE, *filter(None, parts), _STYLE])


def _offered(results: LoadResults) -> Phrase:
    record = results.record
    spec = record.spec
    attempt = [f"attempt {record.attempt}"] if record.attempt > 1 else []
    rows = [f"{spec.records:,} records"] if spec.is_ycsb else []
    parts: list[Phrase] = [
        words.offered(spec),
        words.length(spec).removeprefix(", "),
        ("experiment ", Part(spec.id, "code")),
    ]
    every = [*parts, *attempt, *rows, f"seed {spec.seed}"]
    between = Markup(" &middot; ")
    pieces = (piece for one in every for piece in (between, *(one if isinstance(one, tuple) else (one,))))
    return tuple(pieces)[1:]


def _heading(results: LoadResults) -> Iterator[Phrase]:
    record, spec = results.record, results.record.spec
    attempt = f", attempt {record.attempt}" if record.attempt > 1 else ""
    about = f"{one_line(spec.target, 120)}, {words.offered(spec)}{words.length(spec)}, experiment {spec.id}{attempt}"
    yield Part(f"weigh load {spec.title}", "bold"), f"  {about}"
    if ycsb := words.ycsb(spec):
        yield Part(ycsb, "dim")
    if spec.notice:
        yield Part(spec.notice, "bold")
    loaded = words.loaded(record.loaded) if record.loaded else ""
    yield from (Part(line, "dim") for line in (loaded, words.lives(record)) if line)
    if (environment := record.environment) is None:
        return
    server, data, host = words.server_facts(record, environment)
    changed = [f"{name}={one.get('value')}" for name, one in environment.target.in_force.items()]
    others = f", and {len(changed) - _SETTINGS} more" if len(changed) > _SETTINGS else ""
    settings = [one_line("settings: " + ", ".join(changed[:_SETTINGS]) + others)] if changed else []
    yield from (Part(line, "dim") for line in (server, data, *_machine_itself(record), *settings))
    yield host


def _machine_itself(record: LoadRecord) -> list[str]:
    lines = (*knobs.lines(record.knobs), conditions.speed_words(record.calibrations))
    return [one_line(one, 1000) for one in lines if one]


def _server(record: LoadRecord, environment: LoadEnvironment) -> Iterator[Section]:
    """The server as it was reached, its settings, and how to do it again."""
    about = [
        Lines([words.server_sentence(record, environment)]),
        Lines(_machine_itself(record), css="muted", most=1000),
    ]
    in_force = environment.target.in_force.items()
    values = [(name, read_back(one.get("value")), read_back(one.get("default"))) for name, one in in_force]
    settings = [table(("setting, read back", "value", "default"), values, label=None)] if values else []
    yield Section("Server and settings", [*about, *settings], "target")
    yield Section("Reproduce", [Commands(environment.command)], "reproduce")


def _sentences(title: str, lines: Iterable[str]) -> Section | None:
    """Sentences under their title; None without any."""
    return Section(title, [Lines(all_, indent=2, css="say", listed=True, most=1000)]) if (all_ := list(lines)) else None


def _group(results: LoadResults, group: RunGroup) -> Iterator[Block | None]:
    """Runs of one kind in a terminal."""
    run = group.first
    if len(results.groups) > 1 or results.rate_search:
        yield Lines([Part(words.group_name(group), "bold")])
    if group.between:
        yield _repeats(group)
    yield from _of_workload(results, run)
    found = _percentiles(run) if run.operations else Lines(["no request was answered"])
    several = len(group.runs) > 1
    yield Section(Part(f"The first of {len(group.runs)} runs:", "dim"), [found]) if several else found
    if run.operations:
        yield Lines(list(_figures(run)))
    yield from agents.sections(results.agents.get(run.number, ()), run.number, page=False)
    yield _sentences("Conditions", conditions.sentences(results.record, run.number))
    meanwhile = results.activity.get(run.number)
    if (watched := results.machine) and (found_of := watched.of(run.number)):
        yield _sentences("Machine", machine.lines(watched, found_of, meanwhile))
    if sampled := results.waits.get(run.number):
        yield Section(waits.TITLE, waits.blocks(sampled))
    yield _sentences(activity.TITLE, activity.lines(meanwhile) if meanwhile else ())
    if group.page:
        yield Lines([words.page(group.page)])


def _details(results: LoadResults, group: RunGroup, *, drawn: bool) -> Iterator[Block]:
    """The same on a page, with its plots."""
    run, number = group.first, group.first.number
    drawn = drawn and bool(run.operations)
    yield Lines(words.refusals(results, run), css="refusal")
    yield from _of_workload(results, run)
    if group.between:
        yield _repeats(group)
        below = "Below: the first of these runs. An interval from inside one run never speaks for the next."
        yield Lines([below], css="muted")
    yield Lines([f"{_begun(words.throughput(run))}.{words.shape(run)}"])
    yield Lines([f"{expected_interval.sentence(run.corrected)}."] if run.corrected else [], css="open")
    yield Lines([f"{one_line(one, 1000)}." for one in conditions.sentences(results.record, number)])
    meanwhile = results.activity.get(number)
    over_time = True
    if (watched := results.machine) and (found := watched.of(number)):
        plot = timeline_plot.of_run(results, run, found) if drawn else None
        over_time = plot is None
        yield from [plot] if plot else []
        yield Lines(list(machine.lines(watched, found, meanwhile)), css="say", listed=True, most=1000)
    if drawn:
        yield from plots.of_run(run, results.record.spec, over_time=over_time)
    yield Lines([words.DIFFERENCE])
    yield _percentiles(run)
    yield from agents.sections(results.agents.get(number, ()), number, page=True)
    yield Lines([words.page(group.page)] if group.page else [])
    yield Lines([(words.account(run),)] if run.summary else [], css="muted")
    if meanwhile:
        yield Section(activity.TITLE, [Lines(list(activity.lines(meanwhile)), css="say", listed=True, most=1000)])
    if sampled := results.waits.get(number):
        yield Section(waits.TITLE, waits.blocks(sampled))


def _of_workload(results: LoadResults, run: RunFigures) -> Iterator[Section]:
    yield from (Section(tpcc.TITLE, tpcc.blocks(one)) for one in results.tpcc if one.number == run.number)
    yield from isolation.sections(results.isolation, run.number, results.kind)


def _begun(text: str) -> str:
    return text[:1].upper() + text[1:]


def _figures(run: RunFigures) -> Iterator[Phrase]:
    """What a terminal has below the percentiles."""
    yield words.throughput(run), Part(f"; mean response {units.seconds(run.whole.response.mean)}", "dim")
    yield Part(words.DIFFERENCE, "dim")
    free, late = (
        f"p50 {words.value(one.at(0.5))}, p90 {words.value(one.at(0.9))}, max {units.seconds(one.max)}"
        for one in (run.whole.lag_free, run.whole.lag_late)
    )
    lag = "Of the lag before sending, waiting for a free connection is the server's"
    yield Part(f"{lag} ({free}), the rest the generator's own lateness ({late}).", "dim")
    if run.summary and run.summary.max_queue:
        waited = units.count(run.summary.max_queue, "request")
        yield Part(f"At most {waited} that were due waited for a free connection at one moment.", "dim")
    if run.summary and run.summary.verified_reads:
        yield Part(f"{run.summary.verified_reads:,} answers were compared with what had been written.", "dim")
    if server := words.server(run):
        yield Part(server, "dim")
    if run.corrected:
        yield Part(f"{expected_interval.sentence(run.corrected)}.", "open")
    yield from ((Part(f"REFUSED {one.code}: ", "refusal"), one_line(one.text)) for one in run.reasons)


def _percentiles(run: RunFigures) -> Table:
    columns = [
        Column("", whole=True),
        *(Column(one, right=True) for one in ("response", "95 % interval", "service", "95 % interval")),
        Column("", form="terminal"),
    ]
    groups = [Rows(one_line(one.name, 40), _rows(one), about=_counts(one)) for one in run.operations]
    optional = ("95 % interval", "service")
    return Table(columns, groups, optional, "operation", css="lines pc", label=None, indent=None)


def _rows(one: OperationFigures) -> list[Row]:
    """Percentiles of an operation, where it was answered."""
    rows = []
    for name, q, sample in words.percentile_rows(one) if one.count else ():
        response, service = one.response.at(q), one.service.at(q)
        by = "" if response.resolved else words.by_sample(one.count, sample)
        rows.append(
            Row([
                name,
                Cell(words.value(response), "" if response.resolved else "open"),
                Cell(words.between(response.low, response.high), page=Part(by, "small") if by else None),
                Cell(words.value(service), "" if service.resolved else "open"),
                words.between(service.low, service.high),
                by,
            ])
        )  # fmt: skip
    most = Row(["max", units.seconds(one.response.max), "", units.seconds(one.service.max), "", ""])
    return [*rows, most] if rows else []


def _counts(one: OperationFigures) -> str:
    text = units.count(one.count, "answer")
    if one.failed:
        text += f", {one.failed:,} failed"
    if one.wrong or one.missing:
        text += f", {one.wrong + one.missing:,} wrong"
    return text


def _repeats(group: RunGroup) -> Table:
    rows = []
    for one in group.between:
        each = [f"{units.quantity(value)}/s" if one.name == "rate" else units.seconds(value) for value in one.values]
        rows.append(Row([words.label(one.name), words.of_repeats(one), ", ".join(each)]))
    columns = [
        Column(Cell("over the repeats", page=f"over {len(group.runs)} runs")),
        Column("mean, and where the next falls (95 %)"),
        Column("each run", form="terminal"),
    ]
    return Table(columns, [Rows("", rows)], ("each run",), label=None)


def _groups(results: LoadResults) -> Table:
    """One row for each loop and number of connections."""
    rows = []
    for run, name in ((group.first, words.group_name(group)) for group in results.groups):
        if not run.operations:
            continue
        response, rate = run.whole.response, run.rate_achieved
        achieved = f"{units.quantity(rate.mean, 5)}" if rate and not run.refused else ""
        times = (words.value(response.at(0.5)), words.value(response.at(0.99)), units.seconds(response.max))
        why = f"refused ({', '.join(one.code for one in run.reasons)})" if run.refused else ""
        rows.append(Row([name, achieved, *times, Cell(why, "refusal")]))
    columns = [Column("runs"), *(Column(one, right=True) for one in ("answers/s", "p50", "p99", "max")), Column("")]
    return Table(columns, [Rows("", rows)], ("max", "p50"))


def _closing(results: LoadResults, evidence: str) -> Iterator[Phrase]:
    yield Part(words.headline(results), "refusal" if results.refused else "bold")
    if results.record.environment:
        yield f"reproduce: {results.record.environment.command}"
    # In a tuple its spaces stay.
    yield (f"evidence:  {evidence}  (weigh verify {quote(evidence)})",)
