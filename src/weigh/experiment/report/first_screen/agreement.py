"""Whether the answers are right: who answered how many questions, and with whom they agree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.experiment.results.answered import cut_off, emptiness, questions_missing
from weigh.model import codes, units
from weigh.model.answer import GateStatus
from weigh.model.contender import DRIVER, LINEAGE
from weigh.model.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from weigh.experiment.results.answered import Answered
    from weigh.experiment.results.results import ExperimentResults
    from weigh.model.gate import Gate

_NAMED = 3
"""Operations that a sentence names; the others are counted."""
_REASON = 160
"""Characters of an engine's error in a sentence; its row of the answers has more."""
_KNOWN = {
    "ground truth": "the ground truth",
    "published answer": "the published ones",
    "pinned answer": "the pinned ones",
    "pinned agreement": "what three lineages or more agreed on",
}
_WITNESSES = ("datafusion", "duckdb", "polars", "chdb")
"""Engines that answer most SQL, one a lineage."""


def answers(results: ExperimentResults) -> Iterator[str]:
    """Who answered, and whether that is right; what is wrong has sentences of its own (``headline.wrong``)."""
    gate = results.gate
    if gate is None:
        yield "The gate was not reached: no answer was checked."
        return
    if gate.cut_off is True:
        yield f"{cut_off(results.record, gate)}."
        return
    if _uncompared(results) and not any(one.answered < one.questions for one in results.answered):
        # Nobody is praised for what nobody looked at (A13).
        yield "No answers were compared (--output none)."
        return
    yield from _agreement(results, gate)
    yield from _emptiness(results, gate)
    if open_ := unverified(results):
        yield f"Nothing independent confirmed the answers to {named(open_)}. {remedy(results)}"
    unable: dict[tuple[str, GateStatus], list[str]] = {}
    for one in gate.operations:
        for name, status in one.contenders.items():
            if status in (GateStatus.UNSUPPORTED, GateStatus.ERROR):
                unable.setdefault((name, status), []).append(one.operation)
    for (name, status), operations in unable.items():
        cannot = "cannot answer" if status is GateStatus.UNSUPPORTED else "failed on"
        yield f"{name} {cannot} {named(operations)}{_reason(gate, name, status, operations)}."


def _reason(gate: Gate, contender: str, status: GateStatus, operations: Sequence[str]) -> str:
    """What the engine's own words are, where they are the same for all: else each row has its own."""
    texts = {
        one.detail
        for one in gate.checks
        if one.contender == contender and one.status is status and one.operation in operations
    }
    if len(texts) != 1 or "" in texts:
        return ""
    return ": " + one_line(texts.pop().removeprefix("error: ").removeprefix("unsupported: "), _REASON).rstrip(".")


def somebody_silent(results: ExperimentResults) -> bool:
    """Whether a contender answered nothing, or less than half: that comes before anything else."""
    misread = _misread(results)
    return any(2 * one.answered < one.questions and one.contender not in misread for one in results.answered)


def counted(answered: Sequence[Answered]) -> str:
    """Who answered less than everything: ``spark answered none of 75, polars 28 of 31``; empty where all did."""
    lacking = [one for one in answered if one.answered < one.questions]
    amounts = [f"{'none' if one.nothing else f'{one.answered:,}'} of {one.questions:,}" for one in lacking]
    return "; ".join(f"{one.contender} answered {amount}" for one, amount in zip(lacking, amounts, strict=True))


def unverified(results: ExperimentResults) -> list[str]:
    """Operations whose answers nothing confirmed that shares no code with those who gave them."""
    found = results.gate.operations if results.gate else ()
    return [one.operation for one in found if one.status is GateStatus.UNVERIFIED]


def _uncompared(results: ExperimentResults) -> bool:
    """Whether the answers were wanted uncompared."""
    workload = results.record.workload
    return workload is not None and not any(one.compared for one in workload.operations)


def remedy(results: ExperimentResults) -> str:
    """How to get a witness."""
    here = {one.engine for one in results.record.spec.contenders}
    if here == {"command"}:
        if any(one.answered < one.questions for one in results.answered):
            return "A command that failed confirms nothing."
        if len(results.record.spec.contenders) == 1:
            return "A witness would be another command (--command NAME=TEXT)."
        return "--output says what may differ: the order of lines (lines), the form of JSON (json), all of it (none)."
    other = next((f"another engine (--contender {one}) or " for one in _WITNESSES if one not in here), "")
    checked = "answers that you checked (weigh gate --pin FILE --trust NAME, then --answers FILE)"
    unknown = [
        one.name for one in results.record.spec.contenders if DRIVER in one.settings and not one.settings.get(LINEAGE)
    ]
    named_too = f" Of {', '.join(unknown)} nobody knows what it is: weigh.lineage=NAME says it." if unknown else ""
    return f"A witness would be {other}{checked}.{named_too}"


def named(operations: Sequence[str], most: int = _NAMED) -> str:
    """``q1, q2, q3 and 4 more``."""
    more = len(operations) - most
    return ", ".join(operations[:most]) + (f" and {more} more" if more > 0 else "")


def _agreement(results: ExperimentResults, gate: Gate) -> Iterator[str]:
    agreed = [one for one in gate.operations if one.status is GateStatus.AGREED]
    misread = _misread(results)
    everybody = results.answered
    # Who reads other rows is not counted.
    readers = [one for one in everybody if one.contender not in misread]
    whole = [one for one in readers if one.answered == one.questions]
    questions = max((one.questions for one in everybody), default=0)
    given = emptiness(gate)
    if agreed and given.empty == given.questions and not results.record.spec.ingest:
        agreed = []
    if agreed and len(agreed) == len(gate.operations):
        if len(whole) == len(readers):
            count = "" if results.record.blocks else f", {units.count(questions, 'question')} to {_each(misread)}"
            if questions_missing(results.record, results.findings):
                which = f"other {units.count(questions, 'question')}" if questions > 1 else "other question"
                yield f"The answers to the {which} agree{_witness(gate)}."
                return
            yield f"{'All other answers' if misread else 'All answers'} agree{_witness(gate)}{count}."
            return
        lacking = counted(readers)
        if len(whole) > 1:
            yield (
                f"{len(whole)} of {len(everybody)} contenders agree on all {units.count(questions, 'question')}"
                f"{_witness(gate)}; {lacking}."
            )
        elif whole:
            yield (
                f"1 of {len(everybody)} contenders, {whole[0].contender}, answered all "
                f"{units.count(questions, 'question')}, in agreement{_witness(gate)}; {lacking}."
            )
        else:
            yield (
                f"None of {len(everybody)} contenders answered all {units.count(questions, 'question')}: {lacking}. "
                f"What was answered agrees{_witness(gate)}."
            )
        return
    if everybody and all(one.nothing for one in everybody):
        yield f"Nobody answered anything: none of {units.count(questions, 'question')}."
    elif lacking := counted(readers):
        begun = f"Not all {questions:,} questions were" if questions > 1 else "The question was not"
        yield f"{begun} answered{'' if questions > 1 else ' by all'}: {lacking}."
    if agreed:
        count = "" if results.record.blocks else f", {units.count(questions, 'question')} to {_each(misread)}"
        yield f"The answers to {len(agreed)} of {len(gate.operations)} operations agree{_witness(gate)}{count}."


def _emptiness(results: ExperimentResults, gate: Gate) -> Iterator[str]:
    found = emptiness(gate)
    if results.record.spec.ingest or not found.empty:
        return
    if found.empty == found.questions:
        amount = units.count(found.questions, "question")
        yield f"Every answer is empty, to {amount}: agreement of nothing is no evidence."
        return
    amount = f"{found.empty:,} of {units.count(found.questions, 'answer')} {'is' if found.empty == 1 else 'are'} empty"
    yield f"{amount} ({named(found.operations)}): agreement of nothing is weak evidence."


def _each(misread: set[str]) -> str:
    return "each other contender" if misread else "each contender"


def _misread(results: ExperimentResults) -> set[str]:
    return {str(one.contender) for one in results.findings if one.code == codes.A4_ROWS.code}


def _witness(gate: Gate) -> str:
    """With what the answers agree, where it is the same for all."""
    witnesses = {check.witness for check in gate.checks if check.status is GateStatus.AGREED and check.witness}
    (only,) = witnesses if len(witnesses) == 1 else ("",)
    return f" with {_KNOWN[only]}" if only in _KNOWN else ""
