"""The report for a terminal: the first screen, and all that there is to say below it."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING

from rich import box
from rich.console import Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from weigh.experiment.report import (
    by_template,
    cold,
    grid,
    ingest,
    layouts,
    outside,
    resources,
    second_opinion,
    stores,
    summary,
)
from weigh.experiment.report import (
    machine as use,
)
from weigh.experiment.report.first_screen import first_screen
from weigh.experiment.report.first_screen.terminal import screen_text
from weigh.experiment.report.in_words import in_words
from weigh.experiment.report.no_verdicts import disturbed
from weigh.model import units
from weigh.model.answer import GateStatus
from weigh.model.text import one_line
from weigh.model.verdict import VerdictName
from weigh.render import knobs, words
from weigh.render.terminal import (
    VERDICT_STYLE,
    FittedTable,
    indented,
    interval,
    plain_text,
    section,
    show_findings,
    show_tier,
)
from weigh.verdict import assumptions

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.console import RenderableType

    from weigh.experiment.results.results import ExperimentResults
    from weigh.model.gate import Gate, OperationGate


_STATUS_STYLE = {
    GateStatus.AGREED: "green",
    GateStatus.DIVERGED: "bold red",
    GateStatus.UNVERIFIED: "yellow",
    GateStatus.UNSUPPORTED: "yellow",
    GateStatus.ERROR: "red",
}


def plain(results: ExperimentResults, evidence: str) -> str:
    """The whole report without colour at a fixed width: the form that is kept and verified."""
    return plain_text(whole(results, evidence))


def screen(results: ExperimentResults, evidence: str) -> RenderableType:
    """The first screen.

    Args:
        results: what is to be said.
        evidence: the directory, as the reader is to write it.
    """
    shown = screen_text(first_screen(results, evidence))
    return Group(_grid(results), Text(), shown) if results.grid else shown


def whole(results: ExperimentResults, evidence: str) -> RenderableType:
    """The first screen, and everything below it."""
    return Group(screen(results, evidence), Text(), report(results, evidence))


def notes(results: ExperimentResults) -> RenderableType:
    """What the first screen only counts: the tier with its reasons, findings, and how to read the figures."""
    parts: list[RenderableType] = [show_tier(results.tier), Text()] if results.tier else []
    if results.findings:
        parts += [Text("Findings", style="bold"), show_findings(results.findings), Text()]
    if results.headline.timings:
        parts += [Text("Notes", style="bold"), _notes(results)]
    return Group(*parts) if parts else Text("There is nothing to note.")


def report(results: ExperimentResults, evidence: str) -> RenderableType:
    """Everything below the first screen: the gate, then the numbers, then what is to be said about them.

    Args:
        results: what is to be said.
        evidence: name of the evidence directory, for the last line.
    """
    spec = results.record.spec
    parts: list[RenderableType] = [_heading(results), Text()]
    if said_first := disturbed(results):
        parts += [_disturbed(*said_first), Text()]
    if results.tier:
        parts += [show_tier(results.tier), Text()]
    parts += [_contenders(results), Text()]
    if differing := layouts.besides(results):
        parts += section(layouts.BESIDES, differing)
    if parity := resources.rows(results):
        parts += [_table(resources.HEADINGS, parity), Text()]
    if asked := stores.rows(results):
        parts += [Text(stores.TITLE, style="bold"), _table(stores.HEADINGS, asked), Text()]
    if costs := outside.start_rows(results):
        parts += [Text("What starts cost", style="bold"), _table(outside.START_HEADINGS, costs), Text()]
    if results.gate:
        parts += [Text("Answers", style="bold"), _gate(results.gate), Text()]
    if results.headline.timings:
        for temperature in spec.temperatures:
            heading = "Times" if spec.temperature == "hot" else f"Times, {cold.title(temperature)}"
            parts += [Text(heading, style="bold"), _numbers(results, temperature), Text()]
    if together := by_template.rows(results):
        table = _table(by_template.HEADINGS, [(*row.cells, row.verdict) for row in together])
        parts += [Text(by_template.TITLE, style="bold"), table, Text(by_template.NOTE, style="dim"), Text()]
    if effects := grid.rows(results):
        parts += [
            Text("Effects of layouts", style="bold"),
            _effects(effects),
            Text(grid.EFFECTS_NOTE, style="dim"),
            Text(),
        ]
    if loads := ingest.rows(results):
        parts += [Text("Loading", style="bold"), _table(ingest.HEADINGS, loads), Text()]
    if cold_lines := cold.lines(results):
        parts += section("Cold executions, medians", cold_lines)
    if opinions := second_opinion.rows(results):
        parts += [_second_opinion(opinions, str(results.record.spec.rule)), Text()]
    if said := in_words(results):
        parts += [Text("In words", style="bold"), *(Padding(Text(line), (0, 0, 0, 2)) for line in said), Text()]
    if results.suites:
        parts += [_suites(results), Text()]
    if used := outside.cpu_rows(results):
        parts += [Text("CPU outside the clocks", style="bold"), _table(outside.CPU_HEADINGS, used), Text()]
    if results.headline.timings:
        parts += [_notes(results), Text()]
    if results.machine:
        parts += section("Machine", use.lines(results.machine))
    if results.findings:
        parts += [Text("Findings", style="bold"), show_findings(results.findings), Text()]
    parts.append(_closing(results, evidence))
    return Group(*parts)


def _heading(results: ExperimentResults) -> Text:
    record = results.record
    spec = record.spec
    text = Text()
    text.append(f"weigh {spec.title}", style="bold")
    scale = f"{units.scale(spec.scale)}, " if spec.scale is not None else ""
    text.append(f"  {scale}seed {spec.seed}, experiment {spec.id}")
    if results.attempts > 1:
        text.append(f", {results.attempts} attempts")
    for line in layouts.lines(record):
        text.append(f"\n{one_line(line)}", style="dim")
    for one in (record.manifest.converted or ()) if record.manifest else ():
        for line in one.lines:
            text.append(f"\n{one_line(line)}", style="dim")
    if record.environment:
        host = record.environment.host
        memory = units.size(host.get("memory_bytes"))
        text.append(f"\n{host.get('cpu')}, {host.get('cores_allowed')} cores, {memory}; {host.get('system')}")
    for line in stores.lines(record):
        text.append(f"\n{one_line(line)}", style="dim")
    for line in resources.lines(record):
        text.append(f"\n{one_line(line)}", style="dim")
    if record.notice:
        text.append(f"\n{record.notice}", style="bold")
    return text


def _disturbed(heading: str, *lines: str) -> Group:
    return Group(Text(heading, style="bold yellow"), *indented(lines))


def _table(headings: Sequence[str], rows: Iterable[Iterable[str]]) -> RenderableType:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for heading in headings:
        table.add_column(heading, overflow="fold")
    for row in rows:
        table.add_row(*(Text(one_line(cell)) for cell in row))
    return FittedTable(table, *(one for one in reversed(headings[1:]) if one != "contender"))


def _suites(results: ExperimentResults) -> RenderableType:
    lines = summary.suites(results.suites, results.record.spec.title)
    return Group(Text("Suite", style="bold"), *indented(lines, 4000))


def _contenders(results: ExperimentResults) -> RenderableType:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for heading in ("contender", "engine says", "settings that differ from its defaults"):
        table.add_column(heading, overflow="fold")
    contradicted = results.gate.contradicted if results.gate else {}
    refuted = results.gate.refuted if results.gate else {}
    for contender in results.record.environment.contenders if results.record.environment else ():
        asked = results.record.spec.contender(contender.name).spec
        role = " (baseline)" if contender.name == results.record.spec.baseline else ""
        role += "" if contender.name.startswith(asked) else f", {asked}"
        word = " CONTRADICTED" if contender.name in refuted else " DIFFERS" if contender.name in contradicted else ""
        mark = Text(word, style="bold red")
        table.add_row(
            Text(contender.name + role) + mark,
            one_line(contender.says),
            ", ".join(
                one_line(f"{name}={setting['value']}")
                for name, setting in contender.in_force.items()
                if setting.get("default") != setting.get("value") and not _is_scratch(name)
            )
            or "none",
        )
    return FittedTable(table, "settings that differ from its defaults")


def _is_scratch(setting: str) -> bool:
    """A temporary folder differs from life to life and says nothing."""
    return setting.rpartition(".")[2] in ("temp_directory", "secret_directory")


def _gate(gate: Gate) -> RenderableType:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    table.add_column("status")
    table.add_column("operation", overflow="fold", ratio=1)
    table.add_column("detail", overflow="fold", ratio=3)
    literals = {
        one.operation: len({check.case for check in gate.checks if check.operation == one.operation})
        for one in gate.operations
    }
    calm = [one for one in gate.operations if one.status in (GateStatus.AGREED, GateStatus.UNVERIFIED)]
    alike: dict[tuple[GateStatus, str], list[str]] = {}
    for one in sorted(calm, key=lambda one: one.status is GateStatus.UNVERIFIED):
        alike.setdefault((one.status, _witnesses(gate, one)), []).append(one.operation)
    for (status, how), same in alike.items():
        asked = sum(literals[operation] for operation in same)
        amount = f"{units.count(len(same), 'operation')}, {units.count(asked, 'question')} to each contender"
        table.add_row(_status(status), ", ".join(same), f"{amount}: {how}")
    for one in gate.operations:
        others = {
            name: status
            for name, status in one.contenders.items()
            if status in (GateStatus.UNSUPPORTED, GateStatus.ERROR)
        }
        if one not in calm or others:
            status = one.status if one not in calm else next(iter(others.values()))
            table.add_row(_status(status), one.operation, one_line(one.detail))
    notes = summary.gate_notes(gate)
    return Group(table, *(Padding(Text(one_line(note), style="dim"), (0, 0, 0, 2)) for note in notes))


_KNOWN = {
    "ground truth": "equal to the ground truth",
    "published answer": "equal to the published answers",
    "pinned answer": "equal to the pinned answers",
    "the rows of the files": "every stored row, read back, equal to the rows of the files",
}


def _witnesses(gate: Gate, operation: OperationGate) -> str:
    if operation.status is GateStatus.UNVERIFIED:
        return (
            "nobody independent could confirm them; each contender agrees with itself (weigh run --witness ENGINE asks "
            "one of another lineage)"
        )
    seen = {
        check.witness
        for check in gate.checks
        if check.operation == operation.operation and check.status is GateStatus.AGREED
    }
    return next((said for name, said in _KNOWN.items() if name in seen), "equal over independent lineages")


def _status(status: GateStatus) -> Text:
    return Text(str(status).upper(), style=_STATUS_STYLE[status])


def _numbers(results: ExperimentResults, temperature: str) -> RenderableType:
    spec, analysis = results.record.spec, results.headline.at(temperature)
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    table.add_column("operation, contender", overflow="fold")
    confidence = f"{100 * spec.rules.confidence:g} %"
    for heading in ("median", "max", "CV", "ratio", confidence, "FCR", "noise"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("verdict", overflow="fold")
    verdicts = {(v.operation, v.contender): v for v in analysis.verdicts}
    timings = {(t.operation, t.contender): t for t in analysis.timings}
    floors = {floor.operation: floor.size for floor in analysis.floors}
    contradicted = results.gate.contradicted if results.gate else {}
    order = [spec.baseline, *(c.name for c in spec.contenders if c.name != spec.baseline)]
    shown = {key[0] for key in [*timings, *verdicts]}
    for operation in [one.operation for one in results.gate.operations] if results.gate else []:
        if operation not in shown:
            continue
        table.add_row(Text(operation, style="bold"))
        for name in order:
            timing, verdict = timings.get((operation, name)), verdicts.get((operation, name))
            if timing is None and verdict is None:
                continue
            table.add_row(
                Text(f"  {name}{' !' if name in contradicted else ''}"),
                units.seconds(timing.median) if timing else "-",
                units.seconds(timing.max) if timing else "-",
                units.percent(timing.cv) if timing else "-",
                words.ratio(verdict) if verdict else "",
                interval(verdict.low, verdict.high) if verdict else "",
                interval(verdict.low_fcr, verdict.high_fcr) if verdict else "",
                units.percent(floors.get(operation)) if name == spec.baseline else "",
                Text(words.verdict(verdict), style=VERDICT_STYLE[verdict.verdict]) if verdict else "baseline",
            )
    return FittedTable(table, "FCR", "max", "CV", "noise", confidence, "median", "ratio")


def _grid(results: ExperimentResults) -> Group:
    """What the grid says, and what its cells are."""
    table = _table(grid.CELLS, grid.cells(results))
    says = section(grid.TITLE, grid.sentences(results))
    return Group(*says, table, Text(grid.CELLS_NOTE, style="dim"))


def _effects(rows: Iterable[grid.Row]) -> RenderableType:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for at, heading in enumerate(grid.EFFECTS):
        table.add_column(heading, overflow="fold", justify="right" if at in (2, 3, 4) else "left")
    for row in rows:
        cells = (row.operation, row.effect, row.ratio, row.interval, row.fcr)
        table.add_row(*(Text(one_line(cell)) for cell in cells), Text(row.verdict, style=VERDICT_STYLE[row.sign]))
    return FittedTable(table, "FCR", "interval")


def _second_opinion(rows: tuple[second_opinion.Row, ...], rule: str) -> Group:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    table.add_column("operation, contender", overflow="fold")
    for heading in ("D", "T", "executions"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column(second_opinion.NAMES[rule], overflow="fold")
    table.add_column("weigh", overflow="fold")
    for row in rows:
        place = Text(f"{row.operation}, {row.contender}")
        ours = Text(row.ours, style=VERDICT_STYLE[VerdictName(row.sign)])
        table.add_row(place, row.difference, row.threshold, row.runs, row.theirs, ours)
    return Group(Text("Second opinion", style="bold"), table, Text(second_opinion.NOTE, style="dim"))


def _notes(results: ExperimentResults) -> Text:
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
    return Text("\n".join([*lines, *knobs.lines(results.record.knobs), *_reasons(results)]), style="dim")


def _reasons(results: ExperimentResults) -> list[str]:
    """Each kind of reason once, with its first example: the rows name the code, the JSON has them all."""
    groups: dict[str, list[str]] = {}
    for verdict in results.headline.verdicts:
        if verdict.verdict is VerdictName.DIVERGED:
            continue
        for reason in verdict.reasons:
            # What A1 and A8 say stands in the gate above, and findings have a place of their own.
            if not reason.code.startswith("A"):
                place = f"{cold.question(verdict.operation, verdict.temperature)}, {verdict.contender}"
                groups.setdefault(reason.code, []).append(f"{place}: {one_line(reason.text)}")
    return [
        f"{code}: {texts[0]}" + (f" (and {units.count(len(texts) - 1, 'more row')})" if len(texts) > 1 else "")
        for code, texts in groups.items()
    ]


def _closing(results: ExperimentResults, evidence: str) -> Text:
    record = results.record
    text = Text()
    text.append(summary.summary(results), style="bold")
    if record.environment:
        text.append(f"\nreproduce: {record.environment.command}")
    text.append(f"\nevidence:  {evidence}  (weigh verify {quote(evidence)})")
    return text
