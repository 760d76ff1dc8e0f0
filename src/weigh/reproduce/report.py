"""The report of a reproduction: one set of blocks, for a terminal and as a page; and its JSON document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from weigh._version import __version__
from weigh.model import units
from weigh.model.finding import Finding
from weigh.model.metrics.run_metrics import HEADLINE
from weigh.render import blocks, comparison
from weigh.render import page as pages
from weigh.render.blocks import Cell, Column, Group, Interval, Lines, Page, Part, Row, Section, Table, titled
from weigh.render.terminal import report
from weigh.reproduce.loads.outcome import unit
from weigh.reproduce.outcome import Outcome, OutcomeName
from weigh.reproduce.record import SCHEMA, Place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from weigh.reproduce.outcome import Claim
    from weigh.reproduce.results import ReproductionResults

_STYLE = {
    OutcomeName.CONFIRMED: "fine",
    OutcomeName.CONTRADICTED: "bad",
    OutcomeName.NOT_DECIDED: "open",
    OutcomeName.OTHER_MACHINE: "open",
}
_MOST_KINDS = 20
"""Kinds of reasons that are reported one by one."""
_DIFFERENCES = 6
"""Differences of contenders that are reported one by one."""
_MEANS_LOAD = (
    "CONFIRMED: the intervals meet, and each is narrower than a factor of 2; or what is required holds, or is broken, "
    "on both sides. CONTRADICTED: they have nothing in common on the same kind of machine: where both sides have "
    "several lives of the server, these are intervals of the next run; of one life they must be a factor of 2 apart. "
    "OTHER MACHINE: the same on another machine. NOT DECIDED: all else, with its reason."
)
_MEANS = (
    "CONFIRMED: decided here as there. CONTRADICTED: decided otherwise, or on the other side of 1, on the same kind of "
    "machine, or answers that agreed there differ here. OTHER MACHINE: the same, and the machines differ, so both may "
    "be right. NOT DECIDED: one of the two decides nothing. Only ratios are compared, never times of two sessions."
)


class ReproductionDocument(msgspec.Struct, frozen=True, kw_only=True):
    """The whole document but for ``schema``.

    Attributes:
        original: the evidence in the bundle, with the BLAKE3 of its seal.
        here: what was measured for it.
        names: the name here of each contender of the original.
        same_machine: whether the facts of both machines are the same.
        machine: in what they differ.
        environment: in what contenders and data differ.
        counts: how many verdicts of wall time have each outcome; of a load how many figures.
        outcomes: one of every verdict of the original; of a load of every figure.
        findings: of what was measured here.
        weigh: version that compared them.
    """

    original: Place
    here: Place
    names: dict[str, str]
    same_machine: bool
    machine: tuple[str, ...]
    environment: tuple[str, ...]
    counts: dict[str, int]
    outcomes: tuple[Outcome, ...]
    findings: tuple[Finding, ...]
    weigh: str


def document(results: ReproductionResults, _name: str) -> dict[str, Any]:
    """The whole document as plain JSON."""
    found = ReproductionDocument(
        original=results.record.original,
        here=results.record.here,
        names=results.record.names,
        same_machine=not results.machine,
        machine=results.machine,
        environment=results.environment,
        counts={str(name): count for name, count in results.counts.items()},
        outcomes=results.outcomes,
        findings=results.findings,
        weigh=__version__,
    )
    return {"schema": SCHEMA, **msgspec.to_builtins(found)}


def text(results: ReproductionResults, name: str) -> RenderableType:
    """The report for a terminal."""
    return report(
        Lines([(Part(f"weigh reproduce {results.record.original.evidence}", "bold"), f"  {_heading(results)}")]),
        Lines(list(_about(results, f"{name}/"))),
        _table(results.headline),
        Lines(list(_others(results))) if len(results.outcomes) > len(results.headline) else None,
        comparison.notes([_means(results), *_whys(results.headline)]),
    )


def page(results: ReproductionResults) -> bytes:
    """The report as one page, whatever its directory is called."""
    every = [
        Section(f"Verdicts of {metric}", [_table(tuple(group))], f"of-{metric.replace('_', '-')}")
        for metric, group in _by_metric(results.outcomes).items()
    ]
    if results.is_load:
        every = [Section("Figures", [_table(results.outcomes)], "figures")]
    return pages.page(
        Page(
            command="weigh reproduce",
            title=titled(f"{results.record.original.evidence}, reproduced", _heading(results)),
            heading=_heading(results),
            head=[Lines(list(_about(results, "")), css="meta", most=800)],
            blocks=[
                *every,
                Section("How to read it", [comparison.notes([_means(results), *_whys(results.outcomes)])], "notes"),
                blocks.Findings(results.findings),
            ],
            weigh=__version__,
            date=results.here.end.date if results.here.end else "",
        )
    )


def _heading(results: ReproductionResults) -> str:
    counts = results.counts
    named = ", ".join(f"{count} {name.upper()}" for name, count in counts.items() if count)
    of = f"{units.count(len(results.headline), 'verdict')} of wall time"
    if results.is_load:
        of = units.count(len(results.headline), "figure")
    return f"{named} of {of}." if named else "No verdicts."


def _means(results: ReproductionResults) -> str:
    return _MEANS_LOAD if results.is_load else _MEANS


def _about(results: ReproductionResults, place: str) -> Iterator[blocks.Phrase]:
    yield f"original {results.record.original.evidence}, seal {results.record.original.seal[:16]}"
    yield f"here     {place}{results.record.here.evidence}, seal {results.record.here.seal[:16]}"
    if results.is_load:
        yield "the load is the same: workload, schedule, rate, connections, length and seed"
        if results.here.attempt > 1:
            yield Part(
                f"attempt {results.here.attempt} here: the earlier ones lie alongside it, and are not in this", "open"
            )
    else:
        yield "the row digests of the data are the same"
    if results.machine:
        yield Part(f"another machine: {'; '.join(results.machine)}", "open")
    else:
        yield "the same kind of machine, by its processor, cores, memory, limits and kernel"
    for one in results.environment[:_DIFFERENCES]:
        yield Part(one, "open")
    if len(results.environment) > _DIFFERENCES:
        yield f"and {len(results.environment) - _DIFFERENCES} more differences: --json has them"


def _table(outcomes: tuple[Outcome, ...]) -> Table:
    groups: dict[str, list[Row]] = {}
    of_load = False
    for one in outcomes:
        of_load = of_load or not one.temperature
        name = one.metric if of_load else one.contender
        name = name if one.temperature in ("hot", "") else f"{name}, {one.temperature}"
        claims = [*_claim(one.original, one.metric), *_claim(one.here, one.metric)]
        groups.setdefault(one.operation, []).append(
            Row([name, *claims, Cell(one.outcome.upper(), _STYLE[one.outcome])])
        )
    return Table(
        [
            Column("figure" if of_load else "contender"),
            Column("original", right=of_load),
            Column("interval", right=True),
            Column("here", right=of_load),
            Column("interval", right=True),
            Column("outcome", whole=True),
        ],
        [Group(name, rows) for name, rows in groups.items()],
        grouped_by="load" if of_load else "operation",
    )


def _claim(one: Claim | None, metric: str) -> list[blocks.Content]:
    if one is None:
        return ["-", ""]
    if one.value is msgspec.UNSET or one.value is None:
        return [one.verdict.upper(), Interval(one.low, one.high)]
    text = units.seconds if unit(metric) == "s" else _rate
    interval = "" if one.low is None or one.high is None else f"{text(one.low)} - {text(one.high)}"
    return [text(one.value), interval]


def _rate(value: float) -> str:
    return f"{value:,.6g}/s"


def _others(results: ReproductionResults) -> Iterator[str]:
    """What became of the verdicts of other metrics, in a line each."""
    for metric, group in _by_metric(results.outcomes).items():
        if metric != HEADLINE:
            counts = {name: sum(one.outcome is name for one in group) for name in OutcomeName}
            yield f"{metric}: " + ", ".join(f"{count} {name}" for name, count in counts.items() if count)


def _by_metric(outcomes: tuple[Outcome, ...]) -> dict[str, list[Outcome]]:
    found: dict[str, list[Outcome]] = {}
    for one in outcomes:
        found.setdefault(one.metric, []).append(one)
    return found


def _whys(outcomes: tuple[Outcome, ...]) -> Iterator[str]:
    """Why an outcome is none that confirms, each kind once, with its first example."""
    groups: dict[tuple[str, ...], list[Outcome]] = {}
    for one in outcomes:
        if one.why and one.outcome is not OutcomeName.CONFIRMED:
            groups.setdefault((one.outcome, *one.why.split(": ")[:2]), []).append(one)
    for group in list(groups.values())[:_MOST_KINDS]:
        first = group[0]
        more = f" (and {len(group) - 1} more)" if len(group) > 1 else ""
        what = first.contender if first.temperature else first.metric
        yield f"{first.outcome.upper()}, {first.operation}, {what}{more}: {first.why}"
