"""A comparison of servers as one self-contained HTML page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.load.analysis.figures import ALL
from weigh.load.comparison.rate_search import report as rates
from weigh.load.comparison.rate_search.plot import curves
from weigh.load.comparison.report import terminal, words
from weigh.load.comparison.spec import CONTENDERS
from weigh.model import units
from weigh.render.comparison import Comparison, Row, Table, row
from weigh.render.comparison import page as rendered
from weigh.render.svg.interval import Axis

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from markupsafe import Markup

    from weigh.load.comparison.results import LoadComparisonResults
    from weigh.load.comparison.verdicts import LoadVerdict


_KEY = (
    ", against the requests a second that were due: filled dots kept the budget, rings broke it. The line across is "
    "the budget; the upright lines are the knees, the rate at which each breaks, on the bands of their intervals"
)


def page(results: LoadComparisonResults) -> bytes:
    """The whole page. A pure function of the records."""
    spec = results.record.spec
    axis = Axis(results.verdicts, (), spec.rules.margin)
    says = list(_headings(words.headline(results)))
    return rendered(
        Comparison(
            command="load",
            title=f"{spec.load.title} on {units.count(len(spec.contenders), 'server')}: {results.tier.name}",
            says=says[0],
            about=[*says[1:], _about(results)],
            notices=[spec.load.notice] if spec.load.notice else [],
            tier=results.tier,
            # Fixed words: they are in the style of the page, where a name could end the rule.
            headings=("baseline", "value"),
            level=f"{100 * spec.rules.confidence:g} %",
            axis=axis,
            groups=_groups(results, axis),
            notes=list(terminal.reading(results)),
            tables=_tables(results),
            findings=results.findings,
            closing=results.record.environment.command if results.record.environment else "",
            grouped_by="figure",
            figures=_figures(results),
        )
    )


def _headings(said: Iterable[str]) -> Iterator[str]:
    """The sentences with the first one apart: a heading is one sentence."""
    for number, one in enumerate(said):
        first, stop, rest = one.partition(". ") if number == 0 else (one, "", "")
        yield first + stop.rstrip()
        if rest:
            yield rest


def _figures(results: LoadComparisonResults) -> list[tuple[str, Markup]]:
    """Of searches in turn: each percentile of all contenders against the rate."""
    found, search = results.rates, results.record.spec.load.find_rate
    if not found or not search:
        return []
    drawn = [(str(budget), curves(found, budget)) for budget in search.budgets if budget.q is not None]
    return [(f"{name}{_KEY}", drawing) for name, drawing in drawn if drawing]


def _about(results: LoadComparisonResults) -> str:
    spec = results.record.spec
    host = results.record.host
    where = f"{host.get('cpu')}, {host.get('cores_allowed')} cores, {units.size(host.get('memory_bytes'))}"
    blocks = words.blocks(results) + ("" if results.rates else " of fresh lives")
    return f"{words.heading(results)}; {blocks}, seed {spec.load.seed}, experiment {spec.id}; {where}"


def _groups(results: LoadComparisonResults, axis: Axis) -> list[tuple[str, list[Row]]]:
    found: dict[str, list[Row]] = {}
    for one in results.verdicts:
        figures = (words.value(one.metric, one.baseline_value), words.value(one.metric, one.value))
        made = row(one, one.contender, figures, axis, verdict=words.verdict(one))
        found.setdefault(_title(results, one), []).append(made)
    return list(found.items())


def _title(results: LoadComparisonResults, one: LoadVerdict) -> str:
    parts = [words.figure(one.metric)]
    if one.operation != ALL:
        parts.append(one.operation)
    if len(results.kinds) > 1:
        parts.append(f"{one.loop} loop, {units.count(one.connections, 'connection')}")
    return ", ".join(parts)


def _tables(results: LoadComparisonResults) -> list[Table]:
    made = (
        [Table(title=rates.TITLE, headings=rates.HEADINGS, rows=tuple(rates.cells(results.rates)))]
        if results.rates
        else []
    )
    made += [
        Table(
            title="Contenders", headings=("contender", "what it is", "lives"), rows=tuple(terminal.contenders(results))
        )
    ]
    if results.replayed:
        lines = tuple((line,) for line in terminal.answers(results))
        made.append(Table(title="Answers to the recording", headings=("what was compared",), rows=lines))
    if results.floors:
        title = f"What no difference looked like: {results.record.spec.baseline} against itself"
        made.append(Table(title=title, headings=("figure", "ratio", "interval"), rows=tuple(terminal.floors(results))))
    made.append(
        Table(
            title="Every run",
            headings=("block, arm", "kind", "p50", "p99", "p99.9", "answers/s", "CPU/request", ""),
            rows=tuple(_runs(results)),
        )
    )
    made.append(
        Table(
            title="Each load by itself",
            headings=("arm", "its report"),
            rows=tuple((arm.name, f"{CONTENDERS}/{arm.folder}/report.html") for arm in results.record.spec.arms),
        )
    )
    return made


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
