"""The headline: who, on how many operations, how much, how sure, and whether the answers are right."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from weigh.experiment.report.first_screen.agreement import answers, named, remedy, somebody_silent
from weigh.experiment.report.first_screen.pair import ALIKE, DIFFERENT, FAILED, UNSUPPORTED, Pair, is_open
from weigh.experiment.results.answered import questions_missing
from weigh.experiment.results.preclusions import failed
from weigh.model import codes, units
from weigh.model.answer import GateStatus
from weigh.model.data.catalog import FORMATS, TITLES
from weigh.model.gate import UNDECIDED
from weigh.model.sample import Outcome
from weigh.model.text import one_line
from weigh.model.verdict import VerdictName
from weigh.verdict.refusals.disqualified import disqualified

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from weigh.experiment.results.results import ExperimentResults
    from weigh.model.finding import Finding
    from weigh.model.gate import Gate
    from weigh.model.verdict import Verdict

FACTOR = 2.0
"""From this ratio on a change is given as a factor."""
_MOST = 160
"""Characters of the error of an engine that failed."""

_LEFT_OUT = 160
"""Characters of what is not asked, and why."""
_REASONS = 2
"""Reasons for which answers are left open that are all given; of more only the first."""

_SAME = "it is one and the same engine as "


def headline(
    results: ExperimentResults,
    compared: Sequence[Pair],
    ranking: Sequence[str] = (),
    overall: Sequence[str] = (),
    outcomes: Mapping[tuple[str, str], str] | None = None,
    pooled: Sequence[str] = (),
) -> tuple[str, ...]:
    """The sentences, the one that matters most first.

    Args:
        results: of the experiment.
        compared: every contender against the baseline.
        ranking: who is the fastest.
        overall: what all operations together say of them.
        outcomes: the same in a few words, by contender and temperature, of those that are ranked.
        pooled: what templates say of them.
    """
    timed = bool(results.headline.timings)
    right = [*answers(results)]
    first, last = ([right[0]], right[1:]) if somebody_silent(results) else ([], right)
    if not timed:
        nothing = "There is no time to show." if results.record.blocks else "Nothing was timed."
        return (
            *first,
            *_questions_missing(results),
            *_unfinished(results),
            *_same_engine(results),
            *last,
            *([nothing] if results.gate else []),
            *_flipped(results),
            *_attempts(results),
            *_failures(results),
        )
    out = disqualified(results.findings)
    fit = [pair for pair in compared if pair.contender not in out]
    if len(fit) == 1:
        each = [sentence(fit[0], None if overall else geometric_mean(results, fit[0]))]
        # Where no operation is decided, the mean of all may be.
        decided = any(not is_open(one.verdict) for one in results.overall.verdicts)
        open_each = all(is_open(one) for one in fit[0].verdicts)
        lines = [*overall, *each] if decided and open_each else [*each, *overall]
    elif fit:
        lines = [*ranking, *overall, *_listed(fit, outcomes or {})]
    else:
        lines = [_alone(results)]
    lines += _not_compared(out, compared)
    # Where no operation is decided, what is decided of all comes first.
    open_alone = all(is_open(one) for pair in compared for one in pair.verdicts)
    sentences = (*pooled, *lines) if pooled and open_alone else (*lines, *pooled)
    return (
        *first,
        *_unfinished(results),
        *_same_engine(results),
        *sentences[:1],
        *_questions_missing(results),
        *sentences[1:],
        *_attempts(results),
        *_failures(results),
        *last,
    )


def _same_engine(results: ExperimentResults) -> Iterator[str]:
    """Contenders of different version that are one engine."""
    for one in results.findings:
        if one.code == codes.R10_SAME.code:
            same = f"{one.contender} and {one.text.removeprefix(_SAME).partition(':')[0]} are one and the same engine"
            yield (
                f"{same}: no two versions." if one.severity == "error" else f"{same}: an A/A, so a difference is noise."
            )


def wrong(results: ExperimentResults) -> tuple[str, ...]:
    """Of every contender that gave a wrong answer: on which operations, and the first cell that differs.

    Those who differ, with nothing to tell who is right, share a sentence that accuses none of them.
    """
    gate = results.gate
    read = tuple(_misread(results))
    if gate is None:
        return read
    refuted = (_wrong(gate, name, operations) for name, operations in gate.refuted.items())
    return (*read, *refuted, *_differ(results, gate), *_left_open(gate), *_reproduced(results))


def _reproduced(results: ExperimentResults) -> Iterator[str]:
    """The command that shows a wrong answer again, of the first one of each contender."""
    found: dict[str, Finding] = {}
    for one in results.findings:
        if one.code == codes.A1_REPRODUCER.code and one.contender:
            found.setdefault(one.contender, one)
    for name, one in found.items():
        yield f"{name}, {one.operation} again: {one.remedy}"


def sentence(pair: Pair, mean: float | None) -> str:
    """What a contender is against the baseline.

    Args:
        pair: of contender and baseline.
        mean: geometric mean of the ratios, where every operation has one.
    """
    total = units.count(len(pair.verdicts), "operation")
    slower, faster = pair.of(VerdictName.SLOWER), pair.of(VerdictName.FASTER)
    alike, still_open = pair.of(*ALIKE), pair.open
    margin = _margin(pair)
    parts: list[str] = []
    if slower or faster:
        ordered = sorted((slower, faster), key=len, reverse=True)
        for one in ordered:
            if one:
                word = str(one[0].verdict).upper()
                lead = "" if parts else f"{pair.contender} is "
                place = f"on {len(one)}" if parts else f"than {pair.baseline} on {_of(one, pair)}"
                parts.append(f"{lead}{word} {place}, {amounts(one)}")
        if mean is not None and len(ordered[0]) == len(pair.verdicts):
            parts[0] += f" (geometric mean {_mean(mean)})"
        if alike:
            parts.append(f"the same within {margin} on {len(alike)}")
    elif alike:
        place = f"all {total}" if len(alike) == len(pair.verdicts) > 1 else _of(alike, pair)
        parts.append(f"{pair.contender} takes the same time as {pair.baseline} on {place}, within {margin}")
    elif still_open:
        place = f"all {total}" if len(still_open) == len(pair.verdicts) > 1 else _of(still_open, pair)
        return f"It is open how {pair.contender} compares with {pair.baseline} on {place}.{_lost(pair)}"
    else:
        return f"Nothing compares {pair.contender} with {pair.baseline}:{_lost(pair)}"
    rest = f" {len(still_open)} {'is' if len(still_open) == 1 else 'are'} open." if still_open else ""
    return f"{'; '.join(parts)}.{rest}{_lost(pair)}"


def _of(some: Sequence[Verdict], pair: Pair) -> str:
    """``3 of 9 operations``; of a single one its name."""
    if len(pair.verdicts) == 1:
        return pair.verdicts[0].operation
    return f"{len(some)} of {units.count(len(pair.verdicts), 'operation')}"


def _listed(compared: Sequence[Pair], outcomes: Mapping[tuple[str, str], str]) -> Iterator[str]:
    """Several pairs, a short line each."""
    hot = {pair.temperature for pair in compared} == {"hot"}
    if any((pair.contender, pair.temperature) not in outcomes for pair in compared):
        most = max(len(pair.verdicts) for pair in compared)
        yield f"Against {compared[0].baseline}, on {units.count(most, 'operation')}:"
    for pair in compared:
        when = "" if hot else f", {pair.temperature}"
        overall = outcomes.get((pair.contender, pair.temperature))
        yield f"{pair.contender}{when}: {f'{overall} overall; ' if overall else ''}{short(pair)}."


def _not_compared(out: Mapping[str, Finding], compared: Sequence[Pair]) -> Iterator[str]:
    """Who is compared with nobody, and why; who reads wrong rows has a sentence of its own (:func:`wrong`)."""
    for name in dict.fromkeys(pair.contender for pair in compared):
        if name in out and out[name].code != codes.A4_ROWS.code:
            yield f"{name} is not compared: {one_line(out[name].text, _MOST).rstrip('.')}."


def short(pair: Pair) -> str:
    """What a contender is, where the baseline was named before: ``SLOWER on 9, 1.5 to 3.6 times; open on 1``."""
    different = sorted((pair.of(VerdictName.SLOWER), pair.of(VerdictName.FASTER)), key=len, reverse=True)
    parts = [f"{str(one[0].verdict).upper()} on {len(one)}, {amounts(one)}" for one in different if one]
    for found, state in (
        (pair.of(*ALIKE), f"the same within {_margin(pair)}"),
        (pair.open, "open"),
        (pair.not_compared, "not compared"),
        (pair.of(VerdictName.DIVERGED), "answers differ, so not timed"),
        (pair.lost(UNSUPPORTED), UNSUPPORTED),
        (pair.lost(FAILED), FAILED),
    ):
        if found:
            parts.append(f"{state} on {len(found)}")
    return "; ".join(parts)


def _margin(pair: Pair) -> str:
    return units.percent(max(one.margin for one in pair.verdicts), 0)


def _mean(mean: float) -> str:
    return f"{mean:.1f}" if mean >= FACTOR else f"{mean:.2f}"


def amounts(same: Sequence[Verdict]) -> str:
    """How much slower, or faster: ``by 5.1 to 13.5 %``, ``1.5 to 3.6 times``."""
    found = sorted(max(one.ratio, 1 / one.ratio) for one in same if one.ratio)
    if not found:
        return "by how much is not known"
    low, high = found[0], found[-1]
    if high >= FACTOR:
        ends = units.ratio(low, 1), f"{units.ratio(high, 1)} times"
    else:
        changes = sorted(abs(one.ratio - 1) for one in same if one.ratio)
        ends = f"by {100 * changes[0]:.1f}", f"{100 * changes[-1]:.1f} %"
        if len(set(map(_digits, ends))) == 1:
            return f"by {ends[1]}"
    return ends[1] if len(set(map(_digits, ends))) == 1 else " to ".join(ends)


def _digits(text: str) -> str:
    return "".join(char for char in text if char.isdigit() or char == ".")


def geometric_mean(results: ExperimentResults, pair: Pair) -> float | None:
    """Of the ratios of all operations that were chosen; None where any has no ratio."""
    ratios = [
        one.ratio for one in pair.verdicts if one.ratio and one.verdict in (*DIFFERENT, *ALIKE, VerdictName.UNRESOLVED)
    ]
    workload = results.record.workload
    chosen = sum(bool(one.timed()) for one in workload.operations) if workload else 0
    return math.exp(math.fsum(map(math.log, ratios)) / len(ratios)) if len(ratios) == chosen > 1 else None


def _unfinished(results: ExperimentResults) -> Iterator[str]:
    end, record = results.record.end, results.record
    if end is None:
        yield "Not complete: it was killed, or is still running."
        if record.blocks:
            yield f"What follows is from {units.count(len(record.blocks), 'start')}."
    elif end.how != "complete":
        yield f"Not complete: {one_line(end.reason)}."


def _questions_missing(results: ExperimentResults) -> Iterator[str]:
    """Which questions are missing, and why: nothing below is about them."""
    found = questions_missing(results.record, results.findings)
    for one in found[:1]:
        more = f" {units.count(len(found) - 1, 'more reason')}: --notes." if found[1:] else ""
        text = one_line(one.text, _LEFT_OUT)
        yield f"{text if text.endswith('.') else f'{text}.'}{more}"


def _attempts(results: ExperimentResults) -> Iterator[str]:
    if results.attempts > 1:
        yield f"{results.attempts} attempts are read together."


def _flipped(results: ExperimentResults) -> Iterator[str]:
    """Who noticed one flipped bit in a copy of the data, where that was asked."""
    parts = []
    for code, did in (
        (codes.D4_WRONG, "answered otherwise and said nothing"),
        (codes.D4_RAISED, "raised"),
        (codes.D4_RIGHT, "answered as before"),
    ):
        if names := [str(one.contender) for one in results.findings if one.code == code.code]:
            parts.append(f"{', '.join(dict.fromkeys(names))} {did}")
    if parts:
        yield f"Over a copy with one flipped bit {'; '.join(parts)}."
    for one in results.findings:
        if one.code == codes.D4_UNTRIED.code:
            yield f"{one_line(one.text[:1].upper() + one.text[1:])}."


def _failures(results: ExperimentResults) -> Iterator[str]:
    """How executions failed that had not in the gate, a sentence a contender; first whose fault it may be."""
    found: dict[str, dict[str, str]] = {}
    for one in failed(results.record.samples):
        if one.outcome is not Outcome.WRONG:
            found.setdefault(one.contender, {}).setdefault(one.operation, one_line(one.detail, _MOST))
    gone = (one.text for one in results.findings if one.code == codes.E3_GONE.code) if found else ()
    for text in dict.fromkeys(gone):
        yield f"{one_line(text[:1].upper() + text[1:])}."
    for name, operations in found.items():
        how = next(filter(None, operations.values()), "")
        yield f"{name} failed while it was timed, on {named([*operations])}{f': {how}' if how else ''}."


def _alone(results: ExperimentResults) -> str:
    """Of times without a comparison."""
    timings = results.headline.timings
    who = ", ".join(dict.fromkeys(one.contender for one in timings))
    operations = len({one.operation for one in timings})
    times = sorted(one.median for one in timings)
    spread = units.seconds(times[0]) + (f" to {units.seconds(times[-1])}" if len(times) > 1 else "")
    return f"{who} took {spread} on {units.count(operations, 'operation')}. Nothing was compared with it."


def _lost(pair: Pair) -> str:
    """What has no time."""
    sentences = ""
    for found, why in (
        (pair.of(VerdictName.DIVERGED), "not timed, answers differ"),
        (pair.lost(UNSUPPORTED), UNSUPPORTED),
        (pair.lost(FAILED), FAILED),
    ):
        if found:
            sentences += f" {len(found)} {why}: {named([one.operation for one in found])}."
    if left := pair.not_compared:
        sentences += f" {len(left)} not compared: {named([one.operation for one in left])}."
    return sentences


def _differ(results: ExperimentResults, gate: Gate) -> Iterator[str]:
    shared: dict[tuple[str, ...], list[str]] = {}
    for operation, names in gate.undecided.items():
        shared.setdefault(names, []).append(operation)
    for names, operations in shared.items():
        place = f"{len(operations)} of {units.count(len(gate.operations), 'operation')}"
        give = "give" if len(names) > 1 else "gives"
        text = f"{' and '.join(names)} {give} DIFFERENT answers on {place}: {named(operations)}. Who is right is open."
        for check in gate.checks:
            if check.detail == UNDECIDED and check.operation in operations and check.differences:
                cell = one_line(str(check.differences[0]), 200)
                when = f" ({', '.join(check.notes)})" if check.notes else ""
                text += f" {check.operation}, {check.case}{when}: {check.contender} against {check.witness}: {cell}."
                break
        yield f"{text} {remedy(results)}"


def _left_open(gate: Gate) -> Iterator[str]:
    """Why answers differ of which nobody's is wrong, with the operations on which."""
    shared: dict[str, list[str]] = {}
    for operation in gate.left_open:
        whys = (note for one in gate.checks if one.operation == operation for note in one.notes)
        shared.setdefault(next(whys, ""), []).append(operation)
    several = "" if len(shared) <= _REASONS else f" {len(shared)} reasons, weigh report --verbose has each. The first:"
    if several:
        shared = {next(iter(shared)): [one for those in shared.values() for one in those]}
    for why, operations in shared.items():
        place = f"{len(operations)} of {units.count(len(gate.operations), 'operation')}"
        text = (
            f"Answers differ on {place}, and the question leaves it open: {named(operations)}, not timed, nobody wrong."
        )
        reason = one_line(why, 200)
        yield f"{text}{several} {reason[:1].upper()}{reason[1:]}."


def _misread(results: ExperimentResults) -> Iterator[str]:
    """Who hands out other rows than it was given, through which table format, and what to do."""
    found: dict[str, list[Finding]] = {}
    for one in results.findings:
        if one.code == codes.A4_ROWS.code and one.contender:
            found.setdefault(one.contender, []).append(one)
    tables = len(results.record.manifest.tables) if results.record.manifest else 0
    for name, those in found.items():
        catalog = results.record.spec.contender(name).catalog
        through = f" through {TITLES[catalog]}" if catalog in FORMATS else ""
        first = those[0].text.partition("SELECT * FROM ")[2]
        table, detail = first.split(" ")[0].rstrip(","), first.partition(" (")[2].rpartition("): ")[0]
        example = f" {one_line(f'{table}: {detail}', 200)}." if detail else ""
        place = f"in {len(those)} of {units.count(tables, 'table')}"
        yield f"{name} reads WRONG rows{through}, {place}, and is not compared.{example}"


def _wrong(gate: Gate, name: str, operations: Sequence[str]) -> str:
    place = f"{len(operations)} of {units.count(len(gate.operations), 'operation')}"
    text = f"{name} gives WRONG answers on {place}: {named(operations)}."
    for check in gate.checks:
        proven = check.status is GateStatus.DIVERGED and check.detail != UNDECIDED
        if check.contender == name and check.operation in operations and proven and check.differences:
            witness = f" ({check.witness})" if check.witness else ""
            return f"{text} {check.operation}, {check.case}: {one_line(str(check.differences[0]), 200)}{witness}."
    # What was found last, in a timed execution, stands last.
    detail = next((one.detail for one in gate.operations if one.operation == operations[0]), "")
    last = detail.rpartition("; ")[2]
    return f"{text} {operations[0]}: {one_line(last, 200)}." if last else text
