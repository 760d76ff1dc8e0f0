"""A comparison of servers as one self-contained HTML page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.load.analysis.figures import ALL
from weigh.load.comparison.rate_search import report as rates
from weigh.load.comparison.rate_search.plot import curves
from weigh.load.comparison.report import terminal, words
from weigh.load.comparison.spec import CONTENDERS
from weigh.model import units
from weigh.render import comparison
from weigh.render.blocks import Column, Commands, Findings, Grade, Lines, Page, Plot, Row, Section, Table
from weigh.render.blocks import words as table
from weigh.render.page import page as rendered
from weigh.render.svg.interval import Axis

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from weigh.load.comparison.results import LoadComparisonResults
    from weigh.load.comparison.verdicts import LoadVerdict


_CURVES = (
    ".rl{stroke:var(--open);stroke-width:1.6;stroke-dasharray:5 3;fill:none}.kb{opacity:.16}"
    ".kn{fill:none;stroke-width:1.4}.kk{stroke-width:6.5;stroke-linecap:round;fill:none}\n"
)
_KEY = (
    ", against the requests a second that were due: filled dots kept the budget, rings broke it. The line across is "
    "the budget; the upright lines are the knees, the rate at which each breaks, on the bands of their intervals"
)


def page(results: LoadComparisonResults) -> bytes:
    """The whole page. A pure function of the records."""
    spec = results.record.spec
    axis = Axis(results.verdicts, (), spec.rules.margin)
    first, *more = _headings(words.headline(results))
    plots, environment = _plots(results), results.record.environment
    tables = [Section(title, [table], f"table-{at}") for at, (title, table) in enumerate(_tables(results), 1)]
    notice = [spec.load.notice] if spec.load.notice else []
    again = [Commands(environment.command)] if environment else []
    return rendered(
        Page(
            command="weigh load",
            title=f"{spec.load.title} on {units.count(len(spec.contenders), 'server')}: {results.tier.name}",
            heading=first,
            head=[Lines([*more, _about(results)], css="meta", most=400), Lines(notice, css="notice", most=400)],
            blocks=[
                *([Section("Verdicts", [_verdicts(results, axis)], "verdicts")] if results.verdicts else []),
                Grade(results.tier),
                *([Section("Curves", plots, "curves")] if plots else []),
                *tables,
                Findings(results.findings),
                Section("Notes", [comparison.notes(list(terminal.reading(results)))], "notes"),
                *([Section("What to do next", again, "next", listed=False)] if again else []),
            ],
            # Fixed words: they are in the style of the page, where a name could end the rule.
            style=(_CURVES if plots else "") + comparison.style("load", "baseline", "value"),
            ground=f"{axis.ground()}\n",
        )
    )


def _headings(said: Iterable[str]) -> Iterator[str]:
    """The sentences with the first one apart: a heading is one sentence."""
    for number, one in enumerate(said):
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


def _verdicts(results: LoadComparisonResults, axis: Axis) -> Table:
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
    if results.rates:
        yield rates.TITLE, table(rates.HEADINGS, rates.cells(results.rates))
    yield "Contenders", table(("contender", "what it is", "lives"), terminal.contenders(results))
    if results.replayed:
        yield "Answers to the recording", table(("what was compared",), ((line,) for line in terminal.answers(results)))
    if results.floors:
        title = f"What no difference looked like: {results.record.spec.baseline} against itself"
        yield title, table(("figure", "ratio", "interval"), terminal.floors(results))
    headings = ("block, arm", "kind", "p50", "p99", "p99.9", "answers/s", "CPU/request", "")
    yield "Every run", table(headings, _runs(results))
    reports = ((arm.name, f"{CONTENDERS}/{arm.folder}/report.html") for arm in results.record.spec.arms)
    yield "Each load by itself", table(("arm", "its report"), reports)


def _runs(results: LoadComparisonResults) -> list[tuple[str, ...]]:
    made = []
    for one in sorted(results.runs, key=lambda one: (one.attempt, one.block)):
        figures = one.figures()
        said = f"refused ({', '.join(why.code for why in one.run.reasons)})" if one.run.refused else ""
        attempt = f"attempt {one.attempt}, " if len(results.records) > 1 else ""
        made.append(
            (
                f"{attempt}block {one.block}, {one.arm}",
                words.kind(one.kind) + (f", {one.run.rate_own:,.4g}/s due" if one.run.rate_own else ""),
                *(words.value(name, figures[name]) for name in ("p50", "p99", "p999", "rate", "server_cpu_s")),
                said,
            )
        )
    return made
