"""What `weigh judge` found as one self-contained HTML page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.judge import terminal
from weigh.model import units
from weigh.render.comparison import Comparison, Row, Table, row, sentence
from weigh.render.comparison import page as rendered
from weigh.render.svg.interval import Axis

if TYPE_CHECKING:
    from weigh.judge.results import JudgeResults
    from weigh.model.verdict import Timing


def page(results: JudgeResults) -> bytes:
    """The whole page."""
    axis = Axis(results.verdicts, (), results.rules.margin)
    return rendered(
        Comparison(
            command="judge",
            title=f"{results.tool}: {results.tier.name}",
            says=_says(results),
            about=terminal.heading(results).plain.removeprefix("weigh judge  ").splitlines(),
            notices=(),
            tier=results.tier,
            headings=("median", "CV"),
            level=f"{100 * results.rules.confidence:g} %",
            axis=axis,
            groups=_groups(results, axis) if results.verdicts else (),
            notes=terminal.notes(results).plain.splitlines() if results.verdicts else (),
            tables=_tables(results),
            findings=results.findings,
            closing=results.how,
        )
    )


def _says(results: JudgeResults) -> str:
    if not results.verdicts:
        return terminal.closing(results).plain
    return sentence(
        results.verdicts, lambda one: f"{one.contender} on {one.operation}" if one.operation else one.contender
    )


def _groups(results: JudgeResults, axis: Axis) -> list[tuple[str, list[Row]]]:
    timings = {(one.operation, one.contender): one for one in results.timings}
    found: dict[str, list[Row]] = {}
    for one in results.verdicts:
        rows = found.setdefault(one.operation, [])
        if not rows and results.baseline is not None:
            figures = _figures(timings.get((one.operation, results.baseline)))
            rows.append(Row(name=results.baseline, figures=figures, plot=axis.nothing()))
        rows.append(row(one, one.contender, _figures(timings.get((one.operation, one.contender))), axis))
    return list(found.items())


def _figures(timing: Timing | None) -> tuple[str, str]:
    return (units.seconds(timing.median), units.percent(timing.cv)) if timing else ("", "")


def _tables(results: JudgeResults) -> list[Table]:
    found = []
    if results.timings:
        rows = tuple(
            (
                ", ".join(part for part in (one.operation, one.contender) if part),
                str(one.starts),
                *(units.seconds(value) for value in (one.median, one.min, one.max)),
                units.percent(one.cv),
            )
            for one in results.timings
        )
        found.append(Table(title="Times", headings=("contender", "starts", "median", "min", "max", "CV"), rows=rows))
    if results.series:
        level = f"{100 * results.series[0].mean.confidence:g} % interval"
        series = tuple(
            (
                terminal.series_name(one),
                f"{one.mean.count:,}",
                units.seconds(one.mean.mean),
                terminal.between(one.mean.low, one.mean.high),
                ", ".join(
                    f"p{100 * part.q:g} {units.seconds(part.value) if part.resolved else 'not resolved'}"
                    for part in one.percentiles
                )
                or ", ".join(f"p{100 * part.q:g} {units.seconds(part.value)}" for part in one.quantiles),
                f"refused ({one.mean.refused.code})" if one.mean.refused else str(one.steady.shape),
            )
            for one in results.series
        )
        headings = ("series", results.events, "mean", level, "percentiles", "steady state")
        found.append(Table(title="Series", headings=headings, rows=series))
    return found
