"""A comparison of servers as a report: its first screen, all of it, a page, and Markdown for a pull request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group
from rich.constrain import Constrain
from rich.text import Text

from weigh.load.analysis import conditions
from weigh.load.analysis.figures import ALL
from weigh.load.comparison.differences import is_durable
from weigh.load.comparison.rate_search import report as rates
from weigh.load.comparison.rate_search.plot import curves
from weigh.load.comparison.report import words
from weigh.load.comparison.spec import CONTENDERS
from weigh.load.replay import differences
from weigh.model import units
from weigh.model.text import one_line
from weigh.render import comparison, markdown, terminal
from weigh.render.blocks import (
    Cell,
    Column,
    Commands,
    Findings,
    Grade,
    Interval,
    Lines,
    Page,
    Plot,
    Row,
    Section,
    Table,
    titled,
)
from weigh.render.blocks import Group as Rows
from weigh.render.blocks import words as table
from weigh.render.page import page
from weigh.render.screen import Screen, counted
from weigh.render.svg.interval import Axis
from weigh.render.words import first_reason, interval, ratio

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rich.console import RenderableType

    from weigh.load.comparison.rate_search.results import RatesFound
    from weigh.load.comparison.results import LoadComparisonResults
    from weigh.load.comparison.verdicts import LoadVerdict
    from weigh.render.blocks import Block

_NAME = 24
"""Characters of a contender's name in a table."""
_ALARMS = {
    "BROKEN": "bold red",
    "HOLDS": "bold green",
    "SLOWER": "bold red",
    "FASTER": "bold green",
    "No verdict": "bold yellow",
    "Not complete": "bold yellow",
}
_FIGURES = ".vt.load th[rowspan]{overflow-wrap:break-word}.vt.load tbody th[scope=row]{min-width:6em}\n"
"""Names of figures are whole words."""
_CURVES = (
    ".rl{stroke:var(--open);stroke-width:1.6;stroke-dasharray:5 3;fill:none}.kb{opacity:.16}"
    ".kn{fill:none;stroke-width:1.4}.kk{stroke-width:6.5;stroke-linecap:round;fill:none}\n"
)
_KEY = (
    ", against the requests a second that were due: filled dots kept the budget, rings broke it. The line across is "
    "the budget; the upright lines are the knees, the rate at which each breaks, on the bands of their intervals"
)


def plain(results: LoadComparisonResults, evidence: str) -> str:
    """All of it without colour at a fixed width: the form that is kept and verified."""
    return terminal.plain_text(whole(results, evidence))


def screen(results: LoadComparisonResults, evidence: str) -> Screen:
    """The first screen.

    Args:
        results: of the comparison.
        evidence: the directory, as the reader is to write it.
    """
    load, environment, tier = results.record.spec.load, results.record.environment, results.tier
    why = ""
    if tier.reasons:
        first, rest = first_reason(tier.reasons)
        why = f"{str(tier.name).capitalize()}: {'every verdict is refused' if results.refused else first}{rest}."
    of_all = [one for one in results.verdicts if one.operation == ALL]
    verdicts = terminal.report(_verdicts(results, of_all))
    return Screen(
        says=[*words.headline(results)],
        alarms=_ALARMS,
        tier=tier.name,
        why=why,
        size=words.blocks(results),
        under=[f"Under {words.heading(results)}.", *([f"Note: {load.notice}."] if load.notice else [])],
        table=(lambda width: [Constrain(verdicts, width)]) if of_all else None,
        notes=counted(results.findings),
        evidence=evidence,
        page=results.record.end is not None,
        again=environment.command if environment else "",
    )


def whole(results: LoadComparisonResults, evidence: str) -> RenderableType:
    """The first screen, and everything below it; arguments as of :func:`screen`."""
    single = [one for one in results.verdicts if one.operation != ALL]
    below = terminal.report(
        Grade(results.tier),
        Section(rates.TITLE, [_rates(results.rates)]) if results.rates else None,
        Section("Contenders", [_contenders(results)]),
        Section("Each operation", [_verdicts(results, single)]) if single else None,
        Section("Answers to the recording", [Lines(list(_answers(results)))]) if results.replayed else None,
        Section("What no difference looked like", [_floors(results)]) if results.floors else None,
        *_notes(results),
    )
    return Group(screen(results, evidence), Text(), below)


def notes(results: LoadComparisonResults) -> RenderableType:
    """How to read the figures, the reasons of verdicts, and the findings."""
    return terminal.report(*_notes(results))


def _notes(results: LoadComparisonResults) -> list[Block]:
    # Without findings, an empty line is the last one.
    return [comparison.notes(list(_reading(results))), Findings(results.findings) if results.findings else Lines(())]


def to_markdown(results: LoadComparisonResults, evidence: str) -> str:
    """The sentences, the tables, and how to do it again; arguments as of :func:`screen`."""
    tier, of_all = results.tier, [one for one in results.verdicts if one.operation == ALL]
    why = f": {tier.reasons[0].text.rstrip('.')}" if tier.reasons else ""
    tables = [_verdicts(results, of_all)] if of_all else []
    tables += [_rates(results.rates)] if results.rates else []
    about = f"{str(tier.name).upper()}{why}. Under {words.heading(results)}."
    return screen(results, evidence).markdown(about, *map(markdown.table, tables))


def html(results: LoadComparisonResults) -> bytes:
    """The whole page. A pure function of the records."""
    spec = results.record.spec
    axis = Axis(results.verdicts, (), spec.rules.margin)
    first, *more = _headings(words.headline(results))
    plots, environment = _plots(results), results.record.environment
    tables = [Section(title, [table], f"table-{at}") for at, (title, table) in enumerate(_tables(results), 1)]
    notice = [spec.load.notice] if spec.load.notice else []
    again = [Commands(environment.command)] if environment else []
    return page(
        Page(
            command="weigh load",
            title=titled(f"{spec.load.title} on {units.count(len(spec.contenders), 'server')}", first),
            heading=first,
            head=[Lines([*more, _about(results)], css="meta", most=400), Lines(notice, css="notice", most=400)],
            blocks=[
                *([Section("Verdicts", [_ratios(results, axis)], "verdicts")] if results.verdicts else []),
                Grade(results.tier),
                *([Section("Curves", plots, "curves")] if plots else []),
                *tables,
                Findings(results.findings),
                Section("Notes", [comparison.notes(list(_reading(results)))], "notes"),
                *([Section("What to do next", again, "next", listed=False)] if again else []),
            ],
            # Fixed words: they are in the style of the page, where a name could end the rule.
            style=(_CURVES if plots else "") + _FIGURES + comparison.style("load", "baseline", "value"),
            ground=f"{axis.ground()}\n",
            weigh=environment.weigh if environment else "",
            date=results.record.end.date if results.record.end else "",
        )
    )


def _headings(sentences: Iterable[str]) -> Iterator[str]:
    """The sentences with the first one apart: a heading is one sentence."""
    for number, one in enumerate(sentences):
        first, stop, rest = one.partition(". ") if number == 0 else (one, "", "")
        yield first + stop.rstrip()
        if rest:
            yield rest


def _plots(results: LoadComparisonResults) -> list[Plot]:
    """Of searches in turn: each percentile of all contenders against the rate."""
    found, search = results.rates, results.record.spec.load.find_rate
    if not found or not search:
        return []
    drawn = [(str(budget), curves(found, budget)) for budget in search.budgets if budget.q is not None]
    return [Plot(f"{name}{_KEY}", drawing) for name, drawing in drawn if drawing]


def _about(results: LoadComparisonResults) -> str:
    spec = results.record.spec
    host = results.record.host
    where = f"{host.get('cpu')}, {host.get('cores_allowed')} cores, {units.size(host.get('memory_bytes'))}"
    blocks = words.blocks(results) + ("" if results.rates else " of fresh lives")
    return f"{words.heading(results)}; {blocks}, seed {spec.load.seed}, experiment {spec.id}; {where}"


def _ratios(results: LoadComparisonResults, axis: Axis) -> Table:
    groups: dict[str, list[Row]] = {}
    for one in results.verdicts:
        figures = (words.value(one.metric, one.baseline_value), words.value(one.metric, one.value))
        made = comparison.row(one, one.contender, figures, axis, verdict=words.verdict(one))
        groups.setdefault(_title(results, one), []).append(made)
    columns = [Column("baseline", right=True), Column("value", right=True)]
    level = f"{100 * results.record.spec.rules.confidence:g} %"
    return comparison.table(groups, columns, axis, level, command="load", grouped_by="figure")


def _title(results: LoadComparisonResults, one: LoadVerdict) -> str:
    parts = [words.figure(one.metric)]
    if one.operation != ALL:
        parts.append(one.operation)
    if len(results.kinds) > 1:
        parts.append(f"{one.loop} loop, {units.count(one.connections, 'connection')}")
    return ", ".join(parts)


def _tables(results: LoadComparisonResults) -> Iterator[tuple[str, Table]]:
    """Tables of a page, with their titles."""
    if results.rates:
        yield rates.TITLE, _rates(results.rates)
    yield "Contenders", _contenders(results)
    if results.replayed:
        yield "Answers to the recording", table(("what was compared",), ((line,) for line in _answers(results)))
    if results.floors:
        yield f"What no difference looked like: {results.record.spec.baseline} against itself", _floors(results)
    headings = ("block, arm", "kind", "p50", "p99", "p99.9", "answers/s", "CPU/request", "")
    yield "Every run", table(headings, _runs(results))
    reports = ((arm.name, f"{CONTENDERS}/{arm.folder}/report.html") for arm in results.record.spec.arms)
    yield "Each load by itself", table(("arm", "its report"), reports)


def _runs(results: LoadComparisonResults) -> list[tuple[str, ...]]:
    made = []
    for one in sorted(results.runs, key=lambda one: (one.attempt, one.block)):
        figures = one.figures()
        refused = f"refused ({', '.join(why.code for why in one.run.reasons)})" if one.run.refused else ""
        attempt = f"attempt {one.attempt}, " if len(results.records) > 1 else ""
        made.append(
            (
                f"{attempt}block {one.block}, {one.arm}",
                words.kind(one.kind) + (f", {units.quantity(one.run.probe_rate)}/s due" if one.run.probe_rate else ""),
                *(words.value(name, figures[name]) for name in ("p50", "p99", "p999", "rate", "server_cpu_s")),
                refused,
            )
        )
    return made


def _verdicts(results: LoadComparisonResults, verdicts: Sequence[LoadVerdict]) -> Table:
    """Verdicts by figure; of several kinds of run each under its name."""
    several, kinds = len(results.others) > 1, len(results.kinds) > 1
    base = results.record.spec.baseline
    level = f"{100 * results.record.spec.rules.confidence:g} %"
    names = (_short(base, "baseline"), "value" if several else _short(results.others[0], "contender"))
    columns = [
        Column("rate" if results.rates else "response", whole=True),
        Column("contender", form="" if several else "markdown"),
        Column(Cell(names[0], page=base), right=True),
        Column(Cell(names[1], page="value"), right=True),
        Column("ratio", right=True),
        Column(level, right=True),
        Column("what it means"),
    ]
    groups: list[tuple[str, list[Row]]] = []
    before = None
    for one in verdicts:
        group = (one.connections, one.loop, one.operation)
        if group != before:
            kind = f"{one.loop} loop, {units.count(one.connections, 'connection')}" if kinds else ""
            name = one_line(one.operation, _NAME) if one.operation != ALL else ""
            groups.append((", ".join(filter(None, (name, kind))), []))
        before = group
        where = f", {one.loop}, {one.connections} connections" if kinds else ""
        figure = words.figure(one.metric)
        row = Row([
            Cell(figure, page=figure + where), Cell(one_line(one.contender, 60), page=one.contender),
            words.value(one.metric, one.baseline_value), words.value(one.metric, one.value), ratio(one),
            Interval(one.low, one.high), Cell(words.verdict(one), str(one.verdict)),
        ])  # fmt: skip
        groups[-1][1].append(row)
    optional = (level, "ratio", names[0], names[1])
    return Table(columns, [Rows(name, rows) for name, rows in groups], optional, indent=0)


def _short(name: str, otherwise: str) -> str:
    return name if len(name) <= _NAME // 2 else otherwise


def _rates(found: RatesFound) -> Table:
    columns = [Column(heading, right=at > 0) for at, heading in enumerate(rates.HEADINGS)]
    return Table(
        columns, [Rows("", [Row(cells) for cells in rates.cells(found)])], ("broken from", "kept up to", "interval")
    )


def _contenders(results: LoadComparisonResults) -> Table:
    """Every contender: its name, what its server calls itself, and how many of its lives were met."""
    record, rows = results.record, []
    for one in record.spec.contenders:
        load = record.loads.get(one.name)
        target = load.environment.target if load and load.environment else None
        lives = {(run.attempt, run.arm, run.run.life) for run in results.runs if run.contender == one.name}
        name = f"{one.name} (baseline)" if one.name == record.spec.baseline else one.name
        product = f"{target.product} {target.version}, {is_durable(record, one.name)}" if target else "not reached"
        place = f"; {one.target}" if one.target != one.name else ""
        rows.append((one_line(name, 60), one_line(product + place, 200), f"{len(lives)}"))
    return table(("contender", "what it is", "lives"), rows)


def _floors(results: LoadComparisonResults) -> Table:
    """The baseline's second arm over its first, figure by figure."""
    rows = []
    for one in results.floors:
        if one.operation != ALL:
            continue
        kind = f", {one.loop} loop, {units.count(one.connections, 'connection')}" if len(results.kinds) > 1 else ""
        rows.append(Row([words.figure(one.metric) + kind, units.ratio(one.ratio), interval(one.low, one.high)]))
    base = f"{one_line(results.record.spec.baseline, _NAME)} against itself"
    columns = [Column(Cell(base, page="figure")), *(Column(one, right=True) for one in ("ratio", "interval"))]
    return Table(columns, [Rows("", rows)])


def _answers(results: LoadComparisonResults) -> Iterator[str]:
    """How the answers to a recording differ, in sentences."""
    for one in results.replayed:
        yield from (one_line(line, 1000) for line in differences.lines(one, results.record.spec.baseline))


def _reading(results: LoadComparisonResults) -> Iterator[str]:
    """How to read the figures, then each kind of reason once with its first example: the JSON has them all."""
    rules = results.record.spec.rules
    base = results.record.spec.baseline
    search = results.record.spec.load.find_rate
    if results.rates and search:
        yield from rates.reading(results.rates, search)
    else:
        yield (
            f"ratio: contender over {base}, above 1 is more. A block has one figure of each server, from a fresh "
            "start; the interval is over the blocks."
        )
    yield (
        f"Declared beforehand: margin {units.percent(rules.margin)}, {100 * rules.confidence:g} % intervals, false "
        f"discoveries {units.percent(rules.fdr, 0)} over all {'ratios' if results.rates else 'response times'}, "
        f"equivalence at {units.percent(rules.equivalence, 0)}."
    )
    if apart := results.apart:
        yield (
            f"The two schedules of a duet began {units.seconds(apart.median)} apart (median of "
            f"{units.count(apart.pairs, 'pair')}), {units.seconds(apart.most)} at most: for so long one "
            "ran without the other."
        )
    if speed := conditions.speed_words(results.record.calibrations, "block"):
        yield speed
    yield from comparison.reasons(
        results.verdicts, lambda one: f"{words.figure(one.metric)} of {one.operation}, {one.contender}"
    )
