"""The report for a terminal: the first screen, and all that there is to say below it."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING

import msgspec
from rich.console import Group
from rich.text import Text

from weigh.experiment.report import (
    by_template,
    cold,
    costs,
    grid,
    layouts,
    machine,
    price,
    resources,
    second_opinion,
    stores,
    summary,
)
from weigh.experiment.report.first_screen import first_screen, overall
from weigh.experiment.report.first_screen.terminal import screen_text
from weigh.experiment.report.in_words import in_words
from weigh.experiment.report.no_verdicts import disturbed
from weigh.model import units
from weigh.model.answer import GateStatus
from weigh.model.text import one_line
from weigh.model.verdict import VerdictName
from weigh.render import blocks, comparison, knobs, words
from weigh.render import terminal as form
from weigh.render.blocks import Cell, Column, Findings, Grade, Interval, Lines, Part, Row, Section, Table
from weigh.render.blocks import Group as Rows
from weigh.verdict import assumptions

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rich.console import RenderableType

    from weigh.experiment.results.results import ExperimentResults
    from weigh.model.gate import Gate, OperationGate
    from weigh.render.blocks import Block, Phrase


_STATUS_STYLE = {
    GateStatus.AGREED: "fine",
    GateStatus.DIVERGED: "bad",
    GateStatus.LEFT_OPEN: "open",
    GateStatus.UNVERIFIED: "open",
    GateStatus.UNSUPPORTED: "open",
    GateStatus.ERROR: "error",
}


def plain(results: ExperimentResults, evidence: str) -> str:
    """The whole report without colour at a fixed width: the form that is kept and verified."""
    return form.plain_text(whole(results, evidence))


def screen(results: ExperimentResults, evidence: str) -> RenderableType:
    """The first screen.

    Args:
        results: what is to be reported.
        evidence: the directory, as the reader is to write it.
    """
    first = screen_text(first_screen(results, evidence, overall.ROOM))
    return Group(form.report(Section(grid.TITLE, grid.cells(results))), Text(), first) if results.grid else first


def whole(results: ExperimentResults, evidence: str) -> RenderableType:
    """The first screen, and everything below it."""
    return Group(screen(results, evidence), Text(), report(results, evidence))


def notes(results: ExperimentResults) -> RenderableType:
    """What the first screen only counts: the tier with its reasons, findings, and how to read the figures."""
    notes_ = [Section("Notes", [_notes(results)])] if results.headline.timings else []
    parts: list[Block] = [*_tier(results), *([Findings(results.findings)] if results.findings else []), *notes_]
    return form.report(*parts) if parts else Text("There is nothing to note.")


def report(results: ExperimentResults, evidence: str) -> RenderableType:
    """Everything below the first screen: the gate, then the numbers, then what is to be reported about them.

    Args:
        results: what is to be reported.
        evidence: name of the evidence directory, for the last line.
    """
    return form.report(
        Lines(list(_heading(results))),
        *(_section(Part(one[0], "broken"), one[1:]) for one in [disturbed(results)] if one),
        *_tier(results),
        _contenders(results),
        _section(layouts.DIFFERENCES_TITLE, layouts.differences(results)),
        *(one.blocks[0] for one in resources.parity(results).sections()),
        *stores.requests(results).sections(),
        *costs.starts(results).sections(),
        Section("Answers", _gate(results.gate)) if results.gate else None,
        *_times(results),
        *price.times(results).sections(),
        *price.answers(results).sections(),
        *_titled(by_template.TITLE, by_template.parts(results)),
        *_titled("Effects of layouts", grid.effects(results)),
        *costs.loads(results).sections(),
        _section("Cold executions, medians", cold.lines(results)),
        *_titled("Second opinion", second_opinion.parts(results)),
        _section("In words", in_words(results)),
        _section("Suite", summary.suites(results) if results.suites else ()),
        *costs.outside(results).sections(),
        _notes(results) if results.headline.timings else None,
        _section("Machine", machine.lines(results.machine) if results.machine else ()),
        Findings(results.findings),
        Lines(list(_closing(results, evidence))),
    )


def _tier(results: ExperimentResults) -> list[Grade]:
    return [Grade(results.tier)] if results.tier else []


def _titled(title: str, parts: list[Block]) -> list[Section]:
    return [Section(title, parts)] if parts else []


def _section(title: Phrase, lines: Iterable[str]) -> Section | None:
    found = list(lines)
    return Section(title, [Lines(found, indent=2, most=4000)]) if found else None


def _times(results: ExperimentResults) -> Iterator[Section]:
    spec = results.record.spec
    for temperature in spec.temperatures if results.headline.timings else ():
        heading = "Times" if spec.temperature == "hot" else f"Times, {cold.title(temperature)}"
        yield Section(heading, [_numbers(results, temperature)])


def _heading(results: ExperimentResults) -> Iterator[Phrase]:
    record = results.record
    spec = record.spec
    scale = f"{units.scale(spec.scale)}, " if spec.scale is not None else ""
    attempts = f", {results.attempts} attempts" if results.attempts > 1 else ""
    yield Part(f"weigh {spec.title}", "bold"), f"  {scale}seed {spec.seed}, experiment {spec.id}{attempts}"
    converted = (line for one in (record.manifest.converted or () if record.manifest else ()) for line in one.lines)
    yield from (Part(one_line(line), "dim") for line in (*layouts.lines(record), *converted))
    if record.environment:
        host = record.environment.host
        memory = units.size(host.get("memory_bytes"))
        yield f"{host.get('cpu')}, {host.get('cores_allowed')} cores, {memory}; {host.get('system')}"
    yield from (Part(one_line(line), "dim") for line in (*stores.lines(record), *resources.lines(record)))
    if record.notice:
        yield Part(record.notice, "bold")


def _contenders(results: ExperimentResults) -> Table:
    flags = {
        name: " CONTRADICTED" if one.wrong else " DIFFERS"
        for name, one in (results.gate.doubts if results.gate else {}).items()
    }
    rows = []
    for contender in results.record.environment.contenders if results.record.environment else ():
        spec = results.record.spec.contender(contender.name).spec
        role = " (baseline)" if contender.name == results.record.spec.baseline else ""
        role += "" if contender.name.startswith(spec) else f", {spec}"
        settings = ", ".join(
            one_line(f"{name}={setting['value']}")
            for name, setting in contender.in_force.items()
            if setting.get("default") != setting.get("value") and not _is_scratch(name)
        )
        rows.append(
            (
                (contender.name + role, Part(flags.get(contender.name, ""), "bad")),
                one_line(contender.says),
                settings or "none",
            )
        )
    headings = ("contender", "engine says", "settings that differ from its defaults")
    return blocks.words(headings, rows, optional=headings[2:])


def _is_scratch(setting: str) -> bool:
    """A temporary folder differs from life to life and says nothing."""
    return setting.rpartition(".")[2] in ("temp_directory", "secret_directory")


def _gate(gate: Gate) -> list[Block]:
    literals = {
        one.operation: len({check.case for check in gate.checks if check.operation == one.operation})
        for one in gate.operations
    }
    calm = [one for one in gate.operations if one.status in (GateStatus.AGREED, GateStatus.UNVERIFIED)]
    alike: dict[tuple[GateStatus, str], list[str]] = {}
    for one in sorted(calm, key=lambda one: one.status is GateStatus.UNVERIFIED):
        alike.setdefault((one.status, _witnesses(gate, one)), []).append(one.operation)
    rows = []
    for (status, how), same in alike.items():
        questions = sum(literals[operation] for operation in same)
        amount = f"{units.count(len(same), 'operation')}, {units.count(questions, 'question')} to each contender"
        rows.append(Row([_status(status), ", ".join(same), f"{amount}: {how}"]))
    for one in gate.operations:
        others = [one for one in one.contenders.values() if one in (GateStatus.UNSUPPORTED, GateStatus.ERROR)]
        if one not in calm or others:
            rows.append(
                Row([_status(one.status if one not in calm else others[0]), one.operation, one_line(one.detail)])
            )
    columns = [Column("status", whole=False), Column("operation", share=1), Column("detail", share=3)]
    notes = [one_line(note) for note in summary.gate_notes(gate)]
    return [Table(columns, [Rows("", rows)]), Lines(notes, style="dim", indent=2)]


_KNOWN = {
    "ground truth": "equal to the ground truth",
    "published answer": "equal to the published answers",
    "pinned answer": "equal to the pinned answers",
    "pinned agreement": "equal to what three lineages or more agreed on before",
    "the rows of the files": "every stored row, read back, equal to the rows of the files",
}


def _witnesses(gate: Gate, operation: OperationGate) -> str:
    if operation.status is GateStatus.UNVERIFIED:
        return (
            "nobody independent could confirm them; each contender agrees with itself (weigh run --witness ENGINE asks "
            "one of another lineage)"
        )
    agreed = {
        check.witness
        for check in gate.checks
        if check.operation == operation.operation and check.status is GateStatus.AGREED
    }
    return next((how for name, how in _KNOWN.items() if name in agreed), "equal over independent lineages")


def _status(status: GateStatus) -> Cell:
    return Cell(str(status).upper().replace("_", " "), _STATUS_STYLE[status])


def _numbers(results: ExperimentResults, temperature: str) -> Table:
    spec, analysis = results.record.spec, results.headline.at(temperature)
    confidence = f"{100 * spec.rules.confidence:g} %"
    verdicts = {(v.operation, v.contender): v for v in analysis.verdicts}
    timings = {(t.operation, t.contender): t for t in analysis.timings}
    floors = {floor.operation: floor.size for floor in analysis.floors}
    contradicted = results.gate.contradicted if results.gate else {}
    order = [spec.baseline, *(c.name for c in spec.contenders if c.name != spec.baseline)]
    groups = []
    for operation in [one.operation for one in results.gate.operations] if results.gate else []:
        rows = []
        for name in order:
            timing, verdict = timings.get((operation, name)), verdicts.get((operation, name))
            if timing is None and verdict is None:
                continue
            times = (
                (units.seconds(timing.median), units.seconds(timing.max), units.percent(timing.cv))
                if timing
                else ("-",) * 3
            )
            ends = (Interval(v.low, v.high), Interval(v.low_fcr, v.high_fcr)) if (v := verdict) else ("", "")
            floor = units.percent(floors.get(operation)) if name == spec.baseline else ""
            what = Cell(words.verdict(verdict), str(verdict.verdict)) if verdict else "baseline"
            flagged = f"{name}{' !' if name in contradicted else ''}"
            rows.append(Row([flagged, *times, words.ratio(verdict) if verdict else "", *ends, floor, what]))
        if rows:
            groups.append(Rows(operation, rows))
    figures = ("median", "max", "CV", "ratio", confidence, "FCR", "noise")
    columns = [Column("contender"), *(Column(one, right=True) for one in figures), Column("verdict")]
    optional = ("FCR", "max", "CV", "noise", confidence, "median", "ratio")
    return Table(columns, groups, optional, grouped_by="operation")


def _notes(results: ExperimentResults) -> Lines:
    spec = results.record.spec
    lines = [
        f"ratio: contender / {spec.baseline}, above 1 is slower. noise: how far the baseline's two arms are "
        "apart. CV: over all executions. FCR: the interval that decides whether a difference matters.",
        f"Declared beforehand: margin {units.percent(spec.rules.margin)}, "
        f"{100 * spec.rules.confidence:g} % intervals, false discoveries {units.percent(spec.rules.fdr, 0)} over "
        f"{results.headline.family} comparisons of time and over all other metrics, equivalence at "
        f"{units.percent(spec.rules.equivalence, 0)}.",
        words.CLAIM,
        f"{assumptions.named(assumptions.VERDICTS)} The page (report.html) says what follows where one fails.",
    ]
    return Lines([*lines, *knobs.lines(results.record.knobs), *_reasons(results)], style="dim")


def _reasons(results: ExperimentResults) -> Iterator[str]:
    """Why verdicts are as they are. What A1 and A8 say stands in the gate above, and findings have their own place."""
    judged = [
        msgspec.structs.replace(one, reasons=tuple(why for why in one.reasons if not why.code.startswith("A")))
        for one in results.headline.verdicts
        if one.verdict is not VerdictName.DIVERGED
    ]
    return comparison.reasons(judged, lambda one: f"{cold.question(one.operation, one.temperature)}, {one.contender}")


def _closing(results: ExperimentResults, evidence: str) -> Iterator[Phrase]:
    yield Part(summary.summary(results), "bold")
    if results.record.environment:
        yield f"reproduce: {results.record.environment.command}"
    # In a tuple its spaces stay.
    yield (f"evidence:  {evidence}  (weigh verify {quote(evidence)})",)
