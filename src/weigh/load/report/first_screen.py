"""The first screen of a load: how long users waited, whether the answers were right, and whether to believe it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from weigh.load import remedies
from weigh.load.analysis.findings import data_bytes, in_memory
from weigh.load.disturbances import report as disturbances
from weigh.load.durability import report as durability
from weigh.load.gate import report as answers
from weigh.load.isolation import report as isolation
from weigh.load.rate_search import report as searches
from weigh.load.replay import report as replay
from weigh.load.report import machine, words
from weigh.load.results import WRONG
from weigh.load.runs import unreached
from weigh.load.tpcc import report as tpcc
from weigh.model import codes, units
from weigh.model.text import one_line, whole_sentences
from weigh.render import markdown, shape
from weigh.render.blocks import Column, Row, Table
from weigh.render.blocks import Group as Rows
from weigh.render.screen import Screen, compact, counted, line
from weigh.render.words import first_reason

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType

    from weigh.load.analysis.figures import RunFigures
    from weigh.load.analysis.percentiles import Spectrum
    from weigh.load.results import Group, LoadResults
    from weigh.model.finding import Finding

_VERSION = 30
"""Characters of a server's version."""
_TARGET = 60
"""Characters of a target that nothing was learnt of."""
_REASON, _ROOM = 600, 205
"""Characters of a reason, and of those of its sentences that three lines have room for."""
_ERROR = 160
"""Characters of an error of the server."""
_KINDS = 3
"""Kinds of errors that are named."""
_PERCENTILES = (0.5, 0.9, 0.99, 0.999)
"""Percentiles that have a column."""
_OPERATIONS = 6
"""Operations that have a row."""
_GROUPS = 8
"""Kinds of runs that have one."""
_NAME = 34
"""Characters of a name."""
_LEFT_OUT = (6, 2, 4, 3)
"""Columns that give way where there is no room: the longest time and the middle say most, and then the tail."""
_FIRST = (*WRONG, codes.L6_UNREAD.code)
"""What stands before everything else."""
_ALARMS = {
    **dict.fromkeys(("WRONG", "UNREAD", "REFUSED", "NOT DURABLE", "BROKEN"), "bold red"),
    "HOLDS": "bold green",
    "OPEN": "bold yellow",
}


def screen(results: LoadResults, evidence: str) -> Screen:
    """The first screen.

    Args:
        results: of the load.
        evidence: the directory, as the reader is to write it.
    """
    record, found = results.record, table(results)
    answer = answered(results)

    def lines(width: int) -> Iterator[RenderableType]:
        yield from compact(found, width, _LEFT_OUT) if found else ()
        yield from (line(one, "dim") for one in shape.wrapped(note(results), width))

    return Screen(
        says=[*wrong(results), f"{_who(results)}: {_headline(results)}", *filter(None, [answer]), *_more(results)],
        alarms=_ALARMS,
        tier=results.tier.name,
        why=_why(results),
        goes_on=" ...",
        size=units.count(len(record.runs), "run") if record.runs else "",
        under=[_under(results)],
        table=lines if found else None,
        rest=list(_rest(results)),
        notes=counted(results.findings),
        evidence=evidence,
        page=record.end is not None,
        again=record.environment.command if record.environment else "",
    )


def to_markdown(results: LoadResults, evidence: str) -> str:
    """The first screen in Markdown; arguments as of :func:`screen`."""
    one, found = screen(results, evidence), table(results)
    tables = [markdown.table(found)] if found else []
    notes = [[markdown.text(outcome)] for outcome in [note(results)] if found and outcome]
    rest = [[f"{markdown.text(outcome)}  " for outcome in one.rest]] if one.rest else []
    about = f"{one.why or f'{str(one.tier).capitalize()}.'} {one.under[0]}"
    return one.markdown(about, *tables, *notes, *rest)


def wrong(results: LoadResults) -> list[str]:
    """Wrong answers, and what could not be read back, each in a sentence; they come before everything."""
    found = [f"WRONG: {_wrong(one)}." for one in results.findings if one.code in WRONG]
    return found + [f"UNREAD: {_wrong(one)}." for one in results.findings if one.code == codes.L6_UNREAD.code]


def _more(results: LoadResults) -> Iterator[str]:
    if results.loops and not results.loops.refused:
        yield words.loops(results.loops)
    # What was lost or damaged is reported first, as wrong.
    if results.durability and not results.durability.losing:
        yield next(iter(durability.lines(results.durability)))
        if results.refused and results.durability.counted:
            yield "Only the times are refused: what was kept was counted, not timed."
    if results.disturbed and not results.disturbed.lost:
        yield next(iter(disturbances.lines(results.disturbed)))
    for one in results.tpcc[:1]:
        yield " ".join(
            _sentence(outcome) for outcome in (tpcc.figure(one), tpcc.limits(one), tpcc.checked(one)) if outcome
        )
    if results.replay:
        yield from replay.schedule(results.replay)
    if results.rate_search:
        yield from searches.lines(results.rate_search)


def _wrong(one: Finding) -> str:
    """What is wrong, with the script or the operation that it is of."""
    return f"{one.operation}: {one.text.rstrip('.')}" if one.operation else one.text.rstrip(".")


def _who(results: LoadResults) -> str:
    """The server, and what was asked of it."""
    record = results.record
    target = record.environment.target if record.environment else None
    if target is None:
        return f"{one_line(record.spec.target, _TARGET)} under {record.spec.title}"
    return f"{target.product} {one_line(target.version, _VERSION)} under {record.spec.title}"


def _headline(results: LoadResults) -> str:
    """What it took; why a run is refused stands below."""
    if results.refused and results.isolation:
        level = " ".join(isolation.unviolated(results.isolation))
        return f"{level[:1].lower()}{level[1:]} Its times are refused.".strip() + words.ended(results)
    if results.refused and not results.requirements and not results.rate_search:
        refused = sum(run.refused for run in results.runs)
        of = f", {refused} of {len(results.runs)} runs" if len(results.runs) > 1 else ""
        return f"REFUSED{of}.{words.ended(results)}"
    sentence = words.headline(results)
    # After a colon it goes on; a word in capitals and a name stay as they are.
    return sentence[:1].lower() + sentence[1:] if sentence[1:2].islower() else sentence


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."


def answered(results: LoadResults) -> str:
    """How many requests failed, and how many answers were found right."""
    runs = [run for run in (results.probes or results.runs) if run.operations]
    if not runs:
        return ""
    wanted = sum(run.whole.count + run.whole.failed for run in runs)
    failed = sum(run.whole.failed for run in runs)
    unsent = sum(run.unsent for run in runs)
    if not wanted and not unsent:
        return ""
    outcome = f"None of {units.count(wanted, 'request')} failed"
    if failed:
        outcome = f"{failed:,} of {units.count(wanted, 'request')} failed ({units.percent(failed / wanted, 2)})"
        outcome += _errors(runs)
    if unsent:
        outcome += f", and {unsent:,} due {'one was' if unsent == 1 else 'ones were'} never sent"
    if any(run.summary and run.summary.gone for run in runs):
        who = unreached(text for run in runs for text in run.whole.errors)
        outcome += f". {who[:1].upper()}{who[1:]}" if who else ". The server"
        outcome += " went away and did not come back"
    right = "" if any(one.code in _FIRST for one in results.findings) else "; ".join(_right(results, runs))
    found = f"{outcome}. Right: {right}." if right else f"{outcome}."
    return f"{found}{_older(results, runs)}"


def _older(results: LoadResults, runs: Sequence[RunFigures]) -> str:
    """How many reads were older than acknowledged writes, where the declared level allows it."""
    target = results.record.environment.target if results.record.environment else None
    if target is None or not any(one.code == codes.L6_STALE.code for one in results.findings):
        return ""
    older = sum(run.whole.wrong + run.whole.missing for run in runs)
    level = (target.consistency or "").partition(":")[0]
    return f" Stale: {units.count(older, 'answer')}, which {level} allows."


def _errors(runs: Sequence[RunFigures]) -> str:
    """What they failed with, how often each, and what mends the first."""
    errors: Counter[str] = Counter()
    for run in runs:
        errors.update(run.whole.errors)
        errors["no answer within --timeout"] += run.whole.timeouts
    found = [(one_line(text, _ERROR).rstrip("."), number) for text, number in errors.most_common() if number]
    if not found:
        return ""
    more = f"; {units.count(len(found) - _KINDS, 'more kind')} of errors: --notes" if len(found) > _KINDS else ""
    listed = "; ".join(f"{number:,} with {text}" if len(found) > 1 else text for text, number in found[:_KINDS])
    remedy = remedies.of_text(found[0][0])
    return f": {listed}{more}" + (f". {remedy[:1].upper()}{remedy[1:]}" if remedy else "")


def _right(results: LoadResults, runs: Sequence[RunFigures]) -> Iterator[str]:
    """What was compared, where nothing of it was wrong."""
    if compared := sum(run.summary.verified_reads for run in runs if run.summary):
        whole = " of the whole run" if results.record.windows or results.record.crashes else ""
        yield f"{units.count(compared, 'answer')}{whole}, by what had been written"
    if results.answers:
        yield from answers.found_right(results.answers)


def _under(results: LoadResults) -> str:
    record = results.record
    spec = record.spec
    parts = [f"Offered: {words.offered(spec)}{words.length(spec)}, {one_line(spec.target, 200)}"]
    if record.environment:
        durable = {True: "durable", False: "NOT DURABLE", None: "durability not known"}[record.durable]
        parts.append(durable + words.way(record.environment.target))
        if level := record.environment.target.consistency:
            parts.append(level)
    size, known = data_bytes(record), in_memory(record)
    if size is not None:
        parts.append(f"{units.size(size)} of data" + (", in memory" if known and known.in_memory else ""))
    notice = f" {_sentence(spec.notice)}" if spec.notice else ""
    return f"{'; '.join(parts)}.{notice}"


def _why(results: LoadResults) -> str:
    # Wrong answers were reported first.
    reasons = [one for one in results.tier.reasons if one.code not in _FIRST]
    if not reasons:
        return ""
    first, rest = first_reason(reasons, limit=_REASON)
    # Whether a level was kept hangs on no time.
    of = f"Times {results.tier.name}" if results.isolation else str(results.tier.name).capitalize()
    return f"{of}: {whole_sentences(first, _ROOM - len(rest))}{rest}."


def _rest(results: LoadResults) -> Iterator[str]:
    """What was left out of its data, the worst moment of the run that is shown, and what the machine did in it."""
    if results.record.loaded and (left_out := words.skipped(results.record.loaded)):
        yield left_out
    run, watched = results.headline, results.machine
    found = watched.of(run.number) if run and watched else None
    if run is None or watched is None or found is None:
        return
    if worst := machine.worst(found, results.activity.get(run.number)):
        yield worst
    yield f"Machine: {machine.in_short(watched, found)}"


def table(results: LoadResults) -> Table | None:
    """Percentiles; None where no request was answered."""
    groups = _answering(results)
    if not groups:
        return None
    several = len(groups) > 1
    headings = [*map(words.percentile_name, _PERCENTILES), "max"]
    columns = [Column("response" if several else ""), *(Column(one, right=True) for one in headings), Column("")]
    return Table(columns, [Rows("", _kinds(groups[:_GROUPS]) if several else _single(groups[0]))])


def note(results: LoadResults) -> str:
    """What is to be known to read the table, in sentences; empty where nothing is."""
    groups, found = _answering(results), table(results)
    if found is None:
        return ""
    notes = [*_notes(found.groups[0].rows, max(len(group.runs) for group in groups))]
    several = len(groups) > 1
    more = len(groups) - _GROUPS if several else len(groups[0].first.operations) - 1 - _OPERATIONS
    if more > 0:
        notes.append(f"{more} more {'kinds of runs' if several else 'operations'}: --verbose.")
    return " ".join(notes)


def _answering(results: LoadResults) -> list[Group]:
    return [group for group in results.groups if group.first.operations and group.first.whole.count]


def _kinds(groups: Sequence[Group]) -> list[Row]:
    """What a user waits in each kind of run."""
    return [
        _row(words.group_name(group), group.first.whole.response, "refused" if group.first.refused else "", group)
        for group in groups
    ]


def _single(group: Group) -> list[Row]:
    """One kind of run: all operations, then each."""
    whole, *single = group.first.operations
    return [
        _row("response", whole.response, "what a user waits", group),
        _row("service", whole.service, "what the server took", group),
        *(_row(one_line(one.name, _NAME), one.response, "", group) for one in single[:_OPERATIONS]),
    ]


def _row(name: str, spectrum: Spectrum, meaning: str, group: Group) -> Row:
    times = (*(_cell(spectrum, q) for q in _PERCENTILES), units.seconds(spectrum.max))
    return Row([name, *times, meaning], css="refused" if group.first.refused else "")


def _cell(spectrum: Spectrum, q: float) -> str:
    """A percentile; in brackets what the run saw, where it is not resolved."""
    found = spectrum.at(q)
    if found.resolved:
        return units.seconds(found.value)
    observed = spectrum.value_at(q)
    return f"({units.seconds(observed)})" if observed is not None else "-"


def _notes(rows: Sequence[Row], repeats: int) -> Iterator[str]:
    if repeats > 1:
        yield f"Of the first of {repeats} runs."
    if all(row.css for row in rows):
        yield "The run is refused: this is what it saw, and it does not count."
    elif any(str(cell).startswith("(") for row in rows for cell in row.cells[1:-1]):
        yield "In brackets: seen, by too few independent requests for a percentile."
