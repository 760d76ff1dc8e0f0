"""The ladder as a report: for a terminal and as one self-contained HTML page."""

from __future__ import annotations

import math
from shlex import quote
from typing import TYPE_CHECKING

from markupsafe import Markup

from weigh.ladder.report import words
from weigh.ladder.report.plot import plots
from weigh.ladder.results import contenders
from weigh.model import units
from weigh.model.text import one_line
from weigh.render import blocks, page
from weigh.render.blocks import (
    Cell,
    Column,
    Commands,
    Findings,
    Group,
    Interval,
    Lines,
    Page,
    Pairs,
    Part,
    Plot,
    Row,
    Section,
    Table,
    titled,
)
from weigh.render.svg import marks
from weigh.render.terminal import report
from weigh.render.words import CLAIM, PLAIN, ratio

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from weigh.ladder.analysis import Series, Step
    from weigh.ladder.cost import Cost
    from weigh.ladder.results import LadderResults, Rung
    from weigh.model.units import Scale
    from weigh.render.blocks import Content, Phrase

_BAR = 10
"""Characters of the longest bar."""
_NAME = 34
"""Longer names are folded."""
_STYLE = """\
.lt{width:100%}.lt th,.lt td{padding-right:12px}.lt td{text-align:right;white-space:nowrap}.lt thead th:nth-child(n+3){text-align:right}.lt td:last-child,.lt thead th:last-child{text-align:left}
.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,420px),1fr));gap:8px 30px;margin:10px 0 14px}
.open{color:var(--open)}.fine{color:var(--same)}
"""  # noqa: E501
_DOT = Markup(" &middot; ")
_RUNGS = (
    "Each is an experiment of its own, with its gate and its sealed evidence. Everything on this page follows from "
    "these directories, and their report.html says more."
)
_COST = Markup(
    "The width at which a contender first beats the best single-threaded one, with an interval: all widths alternate "
    "in the same blocks of one experiment. After McSherry, Isard and Murray, &ldquo;Scalability! But at what "
    "COST?&rdquo;, HotOS 2015."
)
_NOISE = Markup(
    "Wall time, {temperature}. The ratio is contender over <strong>{baseline}</strong>; the baseline's own rows are "
    "its second arm over its first. <em>Finds from</em> is the smallest effect that these starts would find (at "
    "{level} %, 80 % power); the margin of {margin} is resolvable where that is not above it. {claim}"
)
_PREDICTION = (
    "A prediction is where a straight line through the logarithm of the noise against the logarithm of the scale falls "
    "to what the margin needs, with its 95 % interval. It holds if the noise goes on falling as it did over these "
    "rungs; nothing in the evidence can promise that."
)


def text(summary: LadderResults, folder: str) -> RenderableType:
    """The ladder for a terminal.

    Args:
        summary: the ladder.
        folder: directory of its files, for the last line.
    """
    rules = summary.rules
    unfinished = words.unfinished(summary)
    return report(
        Lines(list(_about(summary))),
        _rungs(summary),
        Section("Noise", [_noise(summary)]),
        Lines(list(_outcomes(summary)), indent=2) if len(summary.rungs) > 1 else None,
        Section("COST", [_costs(summary)]) if summary.costs else None,
        Lines([one_line(line, 400) for line in words.costs(summary.costs)], indent=2) if summary.costs else None,
        Findings(summary.findings),
        Lines(
            [
                f"ratio: contender / {summary.spec.baseline}; the baseline's own rows are its second arm over its "
                "first. finds from: the smallest effect that these starts would find (80 % power); the margin of "
                f"{units.percent(rules.margin)} is resolvable where that is not above it. The bar is the CV, "
                f"logarithmic. {CLAIM}"
            ],
            style="dim",
        ),
        Lines(
            [
                Part(words.headline(summary), "bold"),
                *([Part(unfinished, "broken")] if unfinished else []),
                f"reproduce: {summary.plan.command}",
                f"ladder:    {folder}/ladder.html  (weigh verify {quote(str(folder))})",
            ]
        ),
    )


def html(summary: LadderResults) -> bytes:
    """The ladder as a page. A pure function of the evidence of the rungs."""
    spec, rules = summary.spec, summary.rules
    record = summary.rungs[-1].results.record
    environment, level = record.environment, f"{100 * rules.confidence:g}"
    # Mark 1 is that of the baseline's second arm.
    cast = {name: 0 if at == 0 else at + 1 for at, name in enumerate(contenders(spec))}
    arms = len(cast) + 1
    strokes = "\n".join(f".l{arm}{{fill:none;stroke:var(--k{marks.colour(arm)})}}" for arm in range(arms))
    unfinished = words.unfinished(summary)
    about = _DOT.join((f"seed {spec.seed}", f"baseline {spec.baseline}", f"margin {units.percent(rules.margin)}, "))
    noise = _NOISE.format(
        temperature=spec.temperature, baseline=spec.baseline, level=level, margin=units.percent(rules.margin),
        claim=CLAIM,
    )  # fmt: skip
    operations = dict.fromkeys(one.operation for one in summary.ladder.series)
    cost: list[blocks.Block] = [
        Lines([_COST]), Lines(words.costs(summary.costs), listed=True, most=1000), _costs(summary),
    ]  # fmt: skip
    return page.page(
        Page(
            command=Markup("weigh ladder{}{}").format(_DOT if spec.name else "", spec.name or ""),
            title=titled(f"{spec.workload}, ladder", words.headline(summary)),
            heading=f"{spec.workload}, {_reached(summary)}",
            head=[
                Lines([("ladder ", Part(summary.plan.id, "code"), _DOT, about, f"{level} % intervals")], css="meta"),
                Lines([record.notice] if record.notice else [], css="notice"),
                Lines([words.headline(summary)], css="lead", most=1000),
                Lines([Part(unfinished, "strong")] if unfinished else [], most=1000),
            ],
            blocks=[
                Section("Rungs", [Lines([_RUNGS]), _rungs(summary)], "rungs"),
                Findings(summary.findings),
                *([Section("COST", cost, "cost")] if summary.costs else []),
                Section("Noise", [Lines([noise]), *(_operation(summary, one, cast) for one in operations)], "noise"),
                *([_contenders(summary, cast)] if environment else []),
                Section(
                    "Reproduce",
                    [Commands(summary.plan.command), Lines([Part(_PREDICTION, "small")])],
                    "reproduce",
                    listed=environment is not None,
                ),
            ],
            style=f"{marks.style(arms)}\n{strokes}\n{_STYLE}",
            ground=f"{marks.definitions(arms)}\n",
            weigh=environment.weigh if environment else "",
            date=record.end.date if record.end else "",
            origin=f" from the evidence of {units.count(len(summary.rungs), 'rung')}",
            folded=False,
        )
    )


def _reached(summary: LadderResults) -> str:
    return ", ".join(filter(None, (units.scale(rung.scale) for rung in summary.rungs))) or "your data"


def _about(summary: LadderResults) -> Iterator[Phrase]:
    spec, record = summary.spec, summary.rungs[-1].results.record
    yield (
        Part(f"weigh ladder {spec.workload}", "bold"),
        f"  seed {spec.seed}, ladder {summary.plan.id}, baseline {spec.baseline}",
    )
    if record.environment:
        for one in record.environment.contenders:
            yield Part(one_line(f"{one.name}: {one.engine} {one.version}"), "dim")
        host = record.environment.host
        memory = units.size(host.get("memory_bytes"))
        yield f"{host.get('cpu')}, {host.get('cores_allowed')} cores, {memory}; {host.get('system')}"
    if record.notice:
        yield Part(record.notice, "bold")


def _rungs(summary: LadderResults) -> Table:
    columns = [
        Column("rung"), Column("answers", form="terminal"), Column("starts", form="page"), Column("tier"),
        Column("evidence"),
    ]  # fmt: skip
    rows = [Group("", [Row(_rung(one)) for one in summary.rungs])]
    # On a phone the name of the evidence is broken.
    return Table(columns, rows, ("evidence", "tier"), label=None, wide=False)


def _rung(one: Rung) -> list[Content]:
    gate, tier = one.results.gate, one.results.tier
    doubts = gate.doubts if gate else {}
    words = {True: "contradicted", False: "differing, who is right is open"}
    named = {word: sorted(name for name, one in doubts.items() if one.wrong is wrong) for wrong, word in words.items()}
    wrong = "; ".join(f"{word}: {', '.join(names)}" for word, names in named.items() if names)
    starts = str(len(one.results.record.blocks))
    starts += f" in the last of {one.results.attempts} attempts" if one.results.attempts > 1 else ""
    evidence = Part(one.evidence, "code"), "" if one.complete else " (not complete)"
    flag = (" ", Part(wrong, "flag")) if wrong else ()
    return [
        _scale(one.scale),
        Part(wrong, "bad") if wrong else "",
        starts,
        str(tier.name) if tier else "",
        Cell(one.evidence if one.complete else f"{one.evidence}, not complete", page=(*evidence, *flag)),
    ]


def _scale(scale: Scale | None) -> str:
    return units.scale(scale) or "your data"


def _columns(level: str) -> list[Column]:
    return [
        Column("rung", right=True),
        *(Column(heading, right=True) for heading in ("median", "max", "CV")),
        Column("", whole=True, form="terminal"),
        Column("ratio", right=True),
        Column(level, right=True),
        Column("half-width", form="page"),
        Column("finds from", right=True),
        Column("verdict"),
    ]


def _noise(summary: LadderResults) -> Table:
    """Every step of every operation."""
    series, level = summary.ladder.series, f"{100 * summary.rules.confidence:g} %"
    known = [step.cv for one in series for step in one.steps if step.cv]
    groups: dict[str, list[Row]] = {}
    for one in series:
        for at, step in enumerate(one.steps):
            cells = [one.contender if at == 0 else "", *_step(one, step, known)]
            groups.setdefault(one.operation, []).append(Row(cells))
    least = min(max(len(one.contender) for one in series) + 2, _NAME) if series else None
    return Table(
        [Column("operation, contender", least=least), *_columns(level)],
        [Group(name, rows) for name, rows in groups.items()],
        ("", "max", "CV", level, "finds from", "median", "ratio"),
    )


def _step(one: Series, step: Step, known: list[float]) -> list[Content]:
    verdict: Content = Cell("baseline", page=Part("against itself", "small")) if one.itself else ""
    if step.verdict:
        verdict = Cell(str(step.verdict).upper() + (PLAIN if step.plain_ratio else ""), str(step.verdict))
    detectable = units.percent(step.detectable)
    return [
        Cell(units.scale(step.scale).removesuffix(" rows"), "nw", page=_scale(step.scale)),
        units.seconds(step.median),
        units.seconds(step.max),
        units.percent(step.cv),
        bar(step.cv, known),
        ratio(step),
        _interval(step),
        units.percent(step.half_width),
        Cell("" if step.detectable is None else detectable, "fine" if step.resolves else "open", page=detectable),
        verdict,
    ]


def _interval(one: Step | Cost) -> Cell:
    """An interval; a page has room for a digit more."""
    page = f"{one.low:.3f}–{one.high:.3f}" if one.low and one.high else ""
    return Cell(Interval(one.low, one.high), page=page)


def bar(value: float | None, known: list[float]) -> str:
    """A bar on a logarithmic scale: one character at the smallest of all values, the longest at the largest."""
    if not value or not known:
        return ""
    low, high = min(known), max(known)
    part = math.log(value / low) / math.log(high / low) if high > low else 1.0
    return "#" * (1 + round(part * (_BAR - 1)))


def _outcomes(summary: LadderResults) -> Iterator[Phrase]:
    """What each comparison comes to, once for all operations of which it is the same."""
    groups: dict[tuple[str, str], list[str]] = {}
    for one in summary.ladder.compared:
        groups.setdefault((one.contender, words.outcome(one, len(summary.rungs))), []).append(one.operation)
    for (contender, outcome), operations in groups.items():
        where = one_line(f"{', '.join(operations)}, {contender}:", 400)
        yield Part(f"{where} ", "bold"), one_line(outcome, 400)


def _costs(summary: LadderResults) -> Table:
    several, level = len(summary.rungs) > 1, f"{100 * summary.rules.confidence:g} %"
    columns = [
        *([Column("rung")] if several else []),
        Column("operation", named=True), Column("contender"), Column("COST"), Column("best single-threaded"),
        Column("ratio", right=True), Column(level, right=True),
    ]  # fmt: skip
    rows = []
    for one in summary.costs:
        absent = f"(without a time: {', '.join(one.absent)})"
        against: Content = one.against
        if one.absent:
            against = Cell(f"{one.against} {absent}", page=(one.against, " ", Part(absent, "small")))
        figure = f"{one.ratio:.3f}" if one.ratio else ""
        where = [units.scale(one.scale)] if several else []
        rows.append(Row([*where, one.operation, one.contender, words.cost_width(one), against, figure, _interval(one)]))
    return Table(columns, [Group("", rows)], (level, "ratio", "best single-threaded", "rung"), label=None)


def _operation(summary: LadderResults, operation: str, cast: dict[str, int]) -> Section:
    """One operation on a page: its plots, its steps, and what they come to."""
    series = tuple(one for one in summary.ladder.series if one.operation == operation)
    drawn = [Plot(title, drawing) for title, drawing in plots(summary, series, cast) if drawing]
    groups = [
        Group(one.contender, [Row(_step(one, step, [])) for step in one.steps], css=f"a{cast[one.contender]}")
        for one in series
    ]
    level = f"{100 * summary.rules.confidence:g} %"
    outcomes = [
        (
            Part(one.contender, f"a{cast[one.contender]}"),
            f": {one_line(words.outcome(one, len(summary.rungs)), 1000)}{' (against itself)' if one.itself else ''}",
        )
        for one in series
    ]
    table = Table(_columns(level), groups, grouped_by="contender", css="lines lt", label=None)
    return Section(operation, [*([Pairs(drawn)] if drawn else []), table, Lines(outcomes, listed=True)])


def _contenders(summary: LadderResults, cast: dict[str, int]) -> Section:
    environment = summary.rungs[-1].results.record.environment
    assert environment is not None
    host = environment.host
    where = (
        f"{host.get('cpu') or 'processor not told'}, {host.get('cores_allowed') or '?'} cores, "
        f"{units.size(host.get('memory_bytes'))}; {host.get('system') or 'system not told'}. Settings in force, "
        "packages and data are in the report of each rung."
    )
    rows = [
        (
            Cell(one.name, f"a{cast[one.name]}"),
            f"{one.engine} {one_line(one.version)}",
            ", ".join(f"{name}={value}" for name, value in one.settings.items()),
        )
        for one in environment.contenders
    ]
    table = blocks.words(("contender", "engine says", "settings asked for"), rows, label=None)
    return Section("Contenders", [Lines([where]), table], "contenders")
