"""The report of query streams: one set of blocks, for a terminal and as a page; and its JSON document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from weigh._version import __version__
from weigh.model import units
from weigh.model.errors import ExitCode
from weigh.model.finding import Finding
from weigh.model.verdict import Tier, Verdict
from weigh.render import blocks, comparison
from weigh.render import page as pages
from weigh.render.blocks import Cell, Column, Findings, Grade, Group, Lines, Page, Part, Row, Section, Table, titled
from weigh.render.svg.interval import Axis
from weigh.render.terminal import report
from weigh.streams.contention import Use
from weigh.streams.figures import UNIT, figures_of
from weigh.streams.record import Life, State, StreamQuery
from weigh.streams.results import Figure, Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from weigh.streams.results import StreamsResults

SCHEMA = "weigh/streams/1"
_STYLES = {"agreed": "fine", "unverified": "open", "diverged": "bad", "error": "bad"}
_DERIVED = (
    "All are derived from {}, and more is better; they are no results of the TPC and cannot be compared with any."
)
_TPCH = (
    "power: 3600 SF over the geometric mean of 22 queries and two refresh functions, one session alone. throughput: "
    "queries of all streams an hour, times SF, while one more session refreshes. composite: the geometric mean of "
    "both. "
)
_TPCDS = (
    "power: 99 queries of one session alone, an hour, times SF. throughput: queries of all streams of two tests, an "
    "hour, times SF. maintenance: refresh sets an hour, times SF. composite: queries of a throughput test times SF "
    "over the geometric mean of the hours of power (for each stream), throughput, maintenance and a hundredth of the "
    "load (for each stream). "
)


class StreamsDocument(msgspec.Struct, frozen=True, kw_only=True):
    """The whole document but for ``schema``.

    Attributes:
        evidence: name of the evidence.
        workload, scale, seed: what was asked of which data.
        streams: query streams of the throughput test.
        repetitions: lives of every contender that were timed.
        notice: what every report on it must say.
        contenders: what came of everybody's answers.
        read_only: contenders that cannot write, so that only their queries alone have a figure.
        witnesses: engines that said which answers are right.
        figures: power, throughput, maintenance of TPC-DS, composite, and the queries of one session alone.
        verdicts: every contender against the baseline, by the seconds of a query that each figure stands for: above 1
            is slower.
        states: what the tables must hold after each refresh function.
        queries: of all streams in their order, with their parameters; ``sql`` is empty where it is that of stream 0.
        lives: times of all queries and refresh functions.
        contention: what others used of the machine during the tests of each contender.
        tier: what it is good for; null where nothing was timed.
        findings: errors first.
        exit_code: of the command.
        weigh: version that measured.
    """

    evidence: str
    workload: str
    scale: float
    seed: int
    streams: int
    repetitions: int
    notice: str
    contenders: tuple[Outcome, ...]
    read_only: tuple[str, ...]
    witnesses: tuple[str, ...]
    figures: tuple[Figure, ...]
    verdicts: tuple[Verdict, ...]
    states: tuple[State, ...]
    queries: tuple[StreamQuery, ...]
    lives: tuple[Life, ...]
    contention: tuple[Use, ...]
    tier: Tier | None
    findings: tuple[Finding, ...]
    exit_code: int
    weigh: str


def document(results: StreamsResults, name: str) -> dict[str, Any]:
    """The whole document as plain JSON."""
    record = results.record
    experiment, environment, plan = record.spec.experiment, record.environment, record.plan
    found = StreamsDocument(
        evidence=name,
        workload=experiment.workload,
        scale=float(experiment.scale or 1.0),
        seed=experiment.seed,
        streams=record.spec.streams,
        repetitions=record.spec.repetitions,
        notice=environment.notice if environment else "",
        contenders=results.outcomes,
        read_only=results.read_only,
        witnesses=environment.witnesses if environment else (),
        figures=results.figures,
        verdicts=results.verdicts,
        states=plan.states if plan else (),
        queries=plan.queries if plan else (),
        lives=record.lives,
        contention=results.uses,
        tier=results.tier,
        findings=results.findings,
        exit_code=int(results.exit_code()),
        weigh=environment.weigh if environment else __version__,
    )
    return {"schema": SCHEMA, **msgspec.to_builtins(found)}


def text(results: StreamsResults, name: str) -> RenderableType:
    """The report for a terminal."""
    return report(
        Lines([(Part("weigh run --streams", "bold"), f"  {_subject(results)}"), *_about(results)]),
        _answers(results),
        _figures(results) if results.figures else None,
        _verdicts(results) if results.verdicts else None,
        comparison.notes([_means(results), *comparison.reasons(results.verdicts, _named)]) if results.figures else None,
        Grade(results.tier) if results.tier else None,
        Findings(results.findings),
        Lines([Part(f"evidence {name}", "dim")]),
    )


def page(results: StreamsResults) -> bytes:
    """The report as one page."""
    environment = results.record.environment
    notes = comparison.notes([_means(results), *comparison.reasons(results.verdicts, _named)])
    return pages.page(
        Page(
            command="weigh run --streams",
            title=titled(_subject(results), _heading(results)),
            heading=_heading(results),
            head=[
                Lines([_subject(results), *_about(results)], css="meta"),
                *([Grade(results.tier, label=None)] if results.tier else []),
            ],
            blocks=[
                Section("Answers", [_answers(results)], "answers"),
                Section("Figures", [_figures(results)], "figures"),
                *([Section("Verdicts", [_verdicts(results)], "verdicts")] if results.verdicts else []),
                Section("Times", [_times(results)], "times"),
                Section("Refresh functions", [_states(results)], "refresh"),
                Section("How to read it", [notes], "notes"),
                Findings(results.findings),
            ],
            weigh=environment.weigh if environment else __version__,
            date=results.record.end.date if results.record.end else "",
        )
    )


def _means(results: StreamsResults) -> str:
    spec = results.record.spec
    return (_TPCDS if spec.maintains else _TPCH) + _DERIVED.format(spec.shape.derived_from)


def _subject(results: StreamsResults) -> str:
    spec = results.record.spec
    return (
        f"{spec.experiment.workload}, {units.scale(spec.experiment.scale)}, seed {spec.experiment.seed}: "
        f"power and throughput with {units.count(spec.streams, 'stream')}, "
        f"{units.count(spec.repetitions, 'repetition')}"
    )


def _heading(results: StreamsResults) -> str:
    code = results.exit_code()
    if code is ExitCode.FOUND and any(one.status == "diverged" for one in results.outcomes):
        names = ", ".join(one.contender for one in results.outcomes if one.status == "diverged")
        return f"DIVERGED: {names} answered or refreshed wrongly, and is not timed."
    composites = [one for one in results.figures if one.name == "composite"]
    if not composites:
        return "No composite."
    return "Composite: " + "; ".join(f"{one.contender} {_value(one)}" for one in composites) + "."


def _about(results: StreamsResults) -> Iterator[blocks.Phrase]:
    environment = results.record.environment
    if environment is None:
        yield Part("nothing was measured", "open")
        return
    if environment.notice:
        yield Part(environment.notice, "strong")
    yield f"right answers by {', '.join(environment.witnesses) or 'nobody'}, over rows that were predicted"
    if results.record.end is None or results.record.end.how != "complete":
        yield Part("it did not come to its end", "open")


def _answers(results: StreamsResults) -> Table:
    rows = [
        Row([
            one.contender, Cell(one.status.upper(), _STYLES[one.status]), f"{one.answers:,}", f"{one.unverified:,}",
            f"{one.reads:,}", f"{one.looks:,}", units.seconds(one.load_s),
        ])
        for one in results.outcomes
    ]  # fmt: skip
    headings = ("compared", "undecided", "tables read back", "looks meanwhile", "load")
    return Table(
        [Column("contender"), Column("answers", whole=True), *(Column(one, right=True) for one in headings)],
        [Group("", rows)],
        ("looks meanwhile", "undecided", "load"),
    )


def _value(one: Figure) -> str:
    mean, ends = _ends(one.mean, None, ""), _ends(one.low, one.high, ", ")
    return f"{mean} [{ends}]" if ends else mean


def _ends(low: float | None, high: float | None, between: str) -> str:
    return between.join(units.quantity(end) for end in (low, high) if end is not None)


def _figures(results: StreamsResults) -> Table:
    level = f"{100 * results.record.spec.experiment.rules.confidence:g} % interval"
    found = {(one.name, one.contender): one for one in results.figures}
    groups = []
    for name in figures_of(results.record.spec):
        rows = []
        for contender in results.contenders:
            one = found.get((name, contender))
            if one is None or one.mean is None:
                rows.append(Row([contender, Cell("-"), "", ""]))
                continue
            ends = _ends(one.low, one.high, " to ")
            rows.append(Row([contender, units.quantity(one.mean), ends, str(len(one.values))]))
        groups.append(Group(name, rows))
    columns = [
        Column("contender"),
        Column(UNIT, right=True),
        Column(level, right=True),
        Column("repetitions", right=True),
    ]
    return Table(columns, groups, ("repetitions",), grouped_by="figure")


def _verdicts(results: StreamsResults) -> Table:
    axis = Axis(results.verdicts, (), results.record.spec.experiment.rules.margin)
    groups: dict[str, list[Row]] = {}
    for one in results.verdicts:
        groups.setdefault(one.operation, []).append(comparison.row(one, one.contender, (), axis))
    level = f"{100 * results.record.spec.experiment.rules.confidence:g} %"
    return comparison.table(
        groups, [], axis, level, command="run", optional=("FCR", level, "ratio"), grouped_by="figure"
    )


def _named(one: Verdict) -> str:
    return f"{one.contender}, {one.operation}"


def _times(results: StreamsResults) -> Table:
    """Median seconds of each step of the power test, and the span of each other test."""
    import statistics

    names: dict[str, dict[str, list[float]]] = {}
    for life in results.record.lives:
        for test in life.tests if life.repetition else ():
            if test.name not in ("power", "queries"):
                span = max(one.ended for one in test.steps) - min(one.began for one in test.steps)
                names.setdefault(f"{test.name} test", {}).setdefault(life.contender, []).append(span)
                continue
            for one in test.steps:
                names.setdefault(one.name, {}).setdefault(life.contender, []).append(one.seconds)
    rows = [
        Row([
            name, *(units.seconds(statistics.median(of[one])) if one in of else "-" for one in results.contenders)
        ])
        for name, of in names.items()
    ]  # fmt: skip
    columns = [Column("median of"), *(Column(one, right=True) for one in results.contenders)]
    return Table(columns, [Group("", rows)])


def _states(results: StreamsResults) -> Table:
    states = results.record.plan.states if results.record.plan else ()
    tables = list(states[0].digests) if states else []
    rows = [
        Row([
            one.after or "loaded",
            *(f"{rows:,} {one.digests[table][-8:]}" for table, rows in zip(tables, one.sums[::2], strict=True)),
        ])
        for one in states
    ]  # fmt: skip
    headings = [f"{one}: rows, digest" for one in tables]
    return Table([Column("after"), *(Column(one, right=True) for one in headings)], [Group("", rows)])
