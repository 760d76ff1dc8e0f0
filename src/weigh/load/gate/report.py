"""What is known of a load's answers, for people and as JSON."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import msgspec
from markupsafe import Markup

from weigh.load.gate.invariants_checked import InvariantChecked
from weigh.load.gate.results import GateResults, SampleChecked, StatementChecked
from weigh.model.answer import GateStatus
from weigh.model.text import one_line, visible
from weigh.model.units import count
from weigh.render.blocks import Fold, Lines, Part, words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from weigh.load.gate_events import ReadBack
    from weigh.render.blocks import Block, Content, Form

TITLE = "Answers"
_FORMS: tuple[Form, ...] = ("terminal", "page")


class ReadBackRow(msgspec.Struct, frozen=True, kw_only=True):
    """Keys of YCSB that were read when a run was over.

    Attributes:
        run: number of the run.
        written: keys that it wrote or inserted, and that must be there; None where nothing could be read.
        read: keys that were read: those that it wrote first, drawn at random where they are many.
        wrong: rows that contradict what was acknowledged.
        missing: rows that are gone.
        failed: reads that the server refused.
        detail: why nothing could be read; empty where it could.
    """

    run: int
    written: int | None
    read: int | None
    wrong: int | None
    missing: int | None
    failed: int | None
    detail: str


class AnswersDocument(msgspec.Struct, frozen=True, kw_only=True):
    """What was asked outside the clock, and by what it was judged (docs/concept/load.md#the-answers).

    Attributes:
        statements: of the scripts.
        invariants: what must hold, before and after runs.
        read_back: of YCSB, after each run.
        sampled: of scripts that only read, requests of each run that were asked again.
    """

    statements: tuple[StatementChecked, ...]
    invariants: tuple[InvariantChecked, ...]
    read_back: tuple[ReadBackRow, ...]
    sampled: tuple[SampleChecked, ...]


def document(found: GateResults) -> AnswersDocument:
    """The part of the JSON document."""
    return AnswersDocument(
        statements=found.statements,
        invariants=found.invariants,
        read_back=tuple(_read_back_row(one) for one in found.read_back),
        sampled=found.sampled,
    )


def _read_back_row(one: ReadBack) -> ReadBackRow:
    why = one.error or one.unknown
    counts: dict[str, Any] = {
        name: None if why else getattr(one, name) for name in ("written", "read", "wrong", "missing", "failed")
    }
    return ReadBackRow(run=one.run, detail=why, **counts)


def lines(found: GateResults, *, each: bool = True) -> Iterator[str]:
    """In sentences.

    Args:
        found: the answers.
        each: whether every statement that nobody confirmed has one; a page has a table of them.
    """
    yield from _statements(found, each=each)
    if found.statements and not any(one.writes for one in found.statements):
        yield from (_sampled(one, len(found.sampled)) for one in found.sampled)
    elif found.statements:
        yield "The scripts write, so answers during a run depend on when they came: none were sampled."
    yield from _invariants(found)
    yield from (_read_back(one, len(found.read_back)) for one in found.read_back)


def found_right(found: GateResults) -> Iterator[str]:
    """What was compared and right, in a few words each; of evidence in which nothing was wrong."""
    if agreed := sum(one.status is GateStatus.AGREED for one in found.statements):
        yield f"{count(agreed, 'statement')}, before the clock"
    if again := sum(one.same for one in found.sampled):
        yield f"{count(again, 'request')} asked again"
    if held := sum(one.holds is True for one in found.invariants):
        yield f"{held:,} of {count(len(found.invariants), 'check')} of the data"
    if read := sum(one.read for one in found.read_back if not one.error):
        yield f"{count(read, 'key')} read back"


def _statements(found: GateResults, *, each: bool) -> Iterator[str]:
    total = len(found.statements)
    if not total:
        return
    if found.unasked:
        yield f"{count(total, 'statement')} could not be asked before the clock: {found.unasked}."
        return
    sets = max(one.executions for one in found.statements)
    by: dict[str, list[StatementChecked]] = {}
    for one in found.statements:
        if one.status is GateStatus.AGREED:
            by.setdefault(one.witness, []).append(one)
    were = "was" if total == 1 else "were"
    amount = f"{count(total, 'statement')} {were} asked"
    yield f"Before the clock {amount}, each with up to {count(sets, 'set')} of parameters"
    for witness, agreed in by.items():
        yield f"{len(agreed)} agreed with {witness}"
    for one in found.statements:
        if each and one.status is not GateStatus.AGREED:
            yield f"{one.status} {one.script}, line {one.line}: {one.detail}"


def _invariants(found: GateResults) -> Iterator[str]:
    runs: dict[tuple[int, bool], list[InvariantChecked]] = {}
    for one in found.invariants:
        runs.setdefault((one.run, one.after), []).append(one)
    for (run, after), each in runs.items():
        yield f"{'After' if after else 'Before'} run {run}: {_invariants_line(each)}"
        for one in each:
            if one.holds is None:
                yield f"{one.name} could not be asked: {one.detail}"
            elif not one.holds:
                yield one.statement


def _invariants_line(each: Sequence[InvariantChecked]) -> str:
    twelve = [one for one in each if one.sentence and one.name.startswith("condition ")]
    others = [one for one in each if one not in twelve]
    of_others = ("check of the rows", "checks of the rows") if twelve else ("invariant", "invariants")
    parts = [
        f"{sum(one.holds is True for one in kind)} of {len(kind)} {words[len(kind) != 1]}"
        for kind, words in ((twelve, ("consistency condition", "consistency conditions")), (others, of_others))
        if kind
    ]
    return f"{' and '.join(parts)} held"


def blocks(found: GateResults) -> list[Block]:
    """In sentences; a page also has a row for each statement, and for each condition of TPC-C with its SQL."""
    parts: list[Block] = [
        Lines(sentences, indent=2, css="say", listed=True, most=1000, form=form)
        for form in _FORMS
        if (sentences := list(lines(found, each=form == "terminal")))
    ]
    if found.statements:
        rows = [
            (
                Part(one_line(one.statement, 200), "code"),
                f"{one_line(one.script, 60)}, {one.line}",
                f"{one.status}" + (f": {one_line(one.detail, 300)}" if one.detail else ""),
                one_line(one.witness, 120),
            )
            for one in found.statements
        ]
        table = words(("statement", "script, line", "answers", "compared with"), rows, label=None)
        parts.append(replace(table, form="page"))
    by_query: dict[str, list[InvariantChecked]] = {}
    for each in found.invariants:
        if each.sentence:
            by_query.setdefault(each.query, []).append(each)
    if by_query:
        title = f"What must hold, and the SQL that asks: {count(len(by_query), 'condition')}"
        broken = any(one.holds is False for same in by_query.values() for one in same)
        table = words(("what must hold", "how it was", "its SQL"), map(_condition, by_query.values()), label=None)
        parts.append(Fold(title, [replace(table, css="lines must")], tag="", css="", open=broken))
    return parts


def _condition(same: Sequence[InvariantChecked]) -> tuple[Content, ...]:
    """What a condition says, how it was at each moment, and its SQL."""
    moments = [one_line(f"{'after' if one.after else 'before'} run {one.run}: {_how(one)}", 400) for one in same]
    lines = tuple(part for moment in moments for part in (Markup("<br>"), moment))[1:]
    sql = Markup("<details><summary>SQL</summary><pre>{}</pre></details>").format(visible(same[0].query))
    return f"{same[0].name}: {same[0].sentence}", lines, lambda: sql


def _how(one: InvariantChecked) -> str:
    if one.holds is None:
        return f"not asked ({one.detail})"
    return "holds" if one.holds else f"broken by {count(int(one.got or 0), 'row')}: {one.example or ''}"


def _sampled(one: SampleChecked, runs: int) -> str:
    name = f"Run {one.run}: " if runs > 1 else ""
    if one.inapplicable:
        return f"{name}no requests of the run were compared: {one.inapplicable}."
    text = f"{name}{count(one.requests, 'request')} of the run, drawn at random, asked again on another connection: "
    text += f"{one.same:,} answered the same"
    text += f", {len(one.differ):,} otherwise" if one.differ else ""
    return text + (f", {one.open:,} that cannot be compared." if one.open else ".")


def _read_back(one: ReadBack, runs: int) -> str:
    name = f"After run {one.run}" if runs > 1 else "After the run"
    if why := one.error or one.unknown:
        return f"{name} nothing was read back: {why}."
    wrong = one.wrong + one.missing + one.failed
    text = f"{name} {one.read:,} keys were read back, {one.read_written:,} of the {one.written:,} that it wrote: "
    return text + ("all as acknowledged." if not wrong else f"{wrong:,} are not as acknowledged.")
